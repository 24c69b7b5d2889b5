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
// transfer_format_unsupported, transfer_payload_too_large and, for a template that
// names what the value does not have, invalid_input.
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
	size := len(r.Template)
	members := containers{}
	filled := slot.ReplaceAllStringFunc(r.Template, func(found string) string {
		if size > MaxText {
			return ""
		}
		name := slot.FindStringSubmatch(found)[1]
		member, ok := members.lookUp(value, name)
		if !ok {
			missing = append(missing, name)
			return ""
		}
		shown := show(member)
		size += len(shown) - len(found)
		return shown
	})
	if missing != nil {
		return "", fault.New(fault.InvalidInput, "the value has no %q", missing[0]).
			With("missing", missing).WithDispatched(fault.NotDispatched)
	}
	if size > MaxText {
		return "", fault.New(fault.TransferPayloadTooLarge, "the template makes more than %d bytes of text of the value", MaxText).
			With("max_bytes", MaxText).WithNextStep("Insert less at once: name single members, or give item_selector.").WithDispatched(fault.NotDispatched)
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

// containers holds what was decoded of a value, by where its JSON begins in memory: a template
// may name it thousands of times.
type containers map[*byte]container

type container struct {
	members map[string]json.RawMessage
	list    []json.RawMessage
}

func (c containers) at(value json.RawMessage) container {
	if len(value) == 0 {
		return container{}
	}
	decoded, ok := c[&value[0]]
	if !ok {
		// Each fails where the value is something else.
		_ = json.Unmarshal(value, &decoded.members)
		_ = json.Unmarshal(value, &decoded.list)
		c[&value[0]] = decoded
	}
	return decoded
}

// lookUp follows dotted names and list indexes; the name value alone is the whole
// value where there is no such member.
func (c containers) lookUp(value json.RawMessage, name string) (json.RawMessage, bool) {
	at := value
	for part := range strings.SplitSeq(name, ".") {
		decoded := c.at(at)
		index, err := strconv.Atoi(part)
		if member := decoded.members[part]; member != nil {
			at = member
		} else if err == nil && index >= 0 && index < len(decoded.list) {
			at = decoded.list[index]
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
