package transfer

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Render describes how an item becomes text.
type Render struct {
	Index    *int   // an element of a list; nil: the whole value
	Format   string // FormatText or FormatJSON; empty: as the item is
	Template string // with {{value}} and {{dotted.names}}; empty: the value itself
}

// slot matches a placeholder in a template. Nothing else in a template has a meaning,
// and inserted text is not expanded again.
var slot = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// Text renders an item. The faults are transfer_item_selector_invalid,
// transfer_format_unsupported and, for a template that names what the value
// does not have, invalid_input.
func (r Render) Text(item Item) (string, error) {
	value, err := r.selected(item)
	if err != nil {
		return "", err
	}
	if r.Format != "" && r.Format != FormatText && r.Format != FormatJSON {
		return "", fault.New(fault.TransferFormatUnsupported, "a value cannot be rendered as %q", r.Format).WithDispatched(fault.NotDispatched)
	}
	lines := r.Format == FormatText || r.Format == "" && item.Format != FormatJSON
	show := func(value json.RawMessage) string { return text(value, r.Format == FormatJSON, lines) }
	if r.Template == "" {
		return show(value), nil
	}
	var missing []string
	filled := slot.ReplaceAllStringFunc(r.Template, func(found string) string {
		name := slot.FindStringSubmatch(found)[1]
		member, ok := lookUp(value, name)
		if !ok {
			missing = append(missing, name)
		}
		return show(member)
	})
	if missing != nil {
		return "", fault.New(fault.InvalidInput, "the value has no %q", missing[0]).
			With("missing", missing).WithDispatched(fault.NotDispatched)
	}
	return filled, nil
}

func (r Render) selected(item Item) (json.RawMessage, error) {
	if r.Index == nil {
		return item.Value, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(item.Value, &list) != nil || *r.Index < 0 || *r.Index >= len(list) {
		return nil, fault.New(fault.TransferItemSelectorInvalid, "%q has no element %d", item.Label, *r.Index).
			With("count", len(list)).WithDispatched(fault.NotDispatched)
	}
	return list[*r.Index], nil
}

// lookUp follows dotted names and list indexes; the name value alone is the whole
// value where there is no such member.
func lookUp(value json.RawMessage, name string) (json.RawMessage, bool) {
	at := value
	for part := range strings.SplitSeq(name, ".") {
		var members map[string]json.RawMessage
		var list []json.RawMessage
		index, err := strconv.Atoi(part)
		if json.Unmarshal(at, &members) == nil && members[part] != nil {
			at = members[part]
		} else if err == nil && json.Unmarshal(at, &list) == nil && index >= 0 && index < len(list) {
			at = list[index]
		} else {
			return value, name == "value"
		}
	}
	return at, true
}

// text returns a string without its quotes unless it is to be JSON, a list of texts
// line by line where that is asked for, and everything else as JSON.
func text(value json.RawMessage, quoted, lines bool) string {
	var s *string
	var list []string
	switch {
	case quoted:
	case json.Unmarshal(value, &s) == nil && s != nil:
		return *s
	case lines && textual(value) && json.Unmarshal(value, &list) == nil:
		return strings.Join(list, "\n")
	}
	return string(value)
}
