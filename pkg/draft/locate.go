package draft

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
)

// finder finds selectors that match exactly one element.
type finder struct {
	read   pagemodel.Read
	counts map[string]int
}

// try counts the matches of selectors that have not been counted yet, in as few calls
// as possible.
func (f *finder) try(ctx context.Context, selectors []string) error {
	const batch = 100
	selectors = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(selectors))), func(s string) bool {
		_, known := f.counts[s]
		return known
	})
	for len(selectors) > 0 {
		chunk := selectors[:min(batch, len(selectors))]
		selectors = selectors[len(chunk):]
		var extract []extractor
		for i, s := range chunk {
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
		for i, s := range chunk {
			f.counts[s] = out.Diagnostics.Counts["s"+strconv.Itoa(i)]
		}
	}
	return nil
}

// pick returns the first of the tried selectors that matches only one element, else the role
// with the name if that does; it reports false if neither does.
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

// selectors returns the possible selectors of a control, the most stable first.
// within is the selector of its form, or "".
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

// selectors returns the possible selectors of a form: of its own, then by its content.
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

// escapeID escapes the characters of an id that are special in CSS.
func escapeID(id string) string {
	return strings.NewReplacer(".", `\.`, "[", `\[`, "]", `\]`).Replace(id)
}
