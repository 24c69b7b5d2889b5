package draft

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/surface"
)

// finder knows which selectors fit exactly one element.
type finder struct {
	read   surface.Read
	counts map[string]int
}

// try counts what the selectors match, those that are not known yet, with as
// few calls as they fit in.
func (f *finder) try(ctx context.Context, selectors []string) error {
	const batch = 100
	selectors = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(selectors))), func(s string) bool {
		_, known := f.counts[s]
		return known
	})
	for len(selectors) > 0 {
		part := selectors[:min(batch, len(selectors))]
		selectors = selectors[len(part):]
		var extract []extractor
		for i, s := range part {
			extract = append(extract, extractor{ID: "s" + strconv.Itoa(i), Selector: s, Many: &single, Fields: map[string]extractor{}})
		}
		var out struct {
			Diagnostics struct {
				Counts map[string]int `json:"selector_counts"`
			} `json:"diagnostics"`
		}
		if err := call(ctx, f.read, "state.extract", map[string]any{"extract": extract}, &out); err != nil {
			return err
		}
		for i, s := range part {
			f.counts[s] = out.Diagnostics.Counts["s"+strconv.Itoa(i)]
		}
	}
	return nil
}

// pick gives the first of the tried selectors that fits one element only, else the role with
// the name if that does; false where nothing is certain.
func (f *finder) pick(ctx context.Context, selectors []string, role, name string) (target, bool, error) {
	for _, s := range selectors {
		if f.counts[s] == 1 {
			return target{Selector: s}, true, nil
		}
	}
	if role == "" || name == "" {
		return target{}, false, nil
	}
	t := target{Role: role, Name: name}
	var out struct{}
	err := call(ctx, f.read, "locator.text_content", map[string]any{"locator": map[string]any{"role": role, "name": name, "strict": true}}, &out)
	if fault.Is(err, fault.TargetNotFound) || fault.Is(err, fault.MultipleTargets) || fault.Is(err, fault.TargetNotVisible) {
		return target{}, false, nil
	}
	return t, err == nil, err
}

// selectors lists the ways to name a control, the most lasting one first.
// Within is the selector of its form, or "".
func (c control) selectors(within string) (list []string) {
	if stable(text(c.ID)) {
		list = append(list, "#"+escapeID(text(c.ID)))
	}
	scope := within
	if scope != "" {
		scope += " "
	}
	for _, a := range []struct {
		name, value string
		sure        bool
	}{
		{"data-testid", text(c.TestID), true},
		{"name", text(c.Name), stable(text(c.Name))},
		{"aria-label", text(c.Label), true},
		{"placeholder", text(c.Placeholder), true},
	} {
		if value, ok := quote(a.value); ok && a.sure {
			list = append(list, scope+"["+a.name+"="+value+"]")
		}
	}
	return list
}

// selectors lists the ways to name a form: by itself, then by what stands in it.
func (f form) selectors() (list []string) {
	for _, s := range f.control.selectors("") {
		if strings.HasPrefix(s, "[") {
			s = "form" + s
		}
		list = append(list, s)
	}
	for _, c := range f.fields() {
		for _, s := range c.selectors("") {
			list = append(list, "form:has("+s+")")
		}
	}
	if text(f.Role) == "search" {
		list = append(list, "form[role=search]")
	}
	return append(list, "form")
}

// escapeID escapes what an id may hold and CSS reads as something else.
func escapeID(id string) string {
	return strings.NewReplacer(".", `\.`, "[", `\[`, "]", `\]`).Replace(id)
}
