package primitive

import (
	"encoding/json"
	"strings"
	"unicode"
)

// labelLength bounds the argument in a label, in characters.
const labelLength = 40

// locatorNames are the members of a locator that say something to a person, the best first.
// A ref says nothing.
var locatorNames = []string{"name", "label", "text_equals", "text", "text_contains", "name_contains", "placeholder", "test_id", "role", "selector", "xpath"}

// LabelArgument returns the argument that the record's label has a place for: a text, or what
// a locator names its target with. It is one short line without control characters, and
// empty where the label stays without it.
func (r *Record) LabelArgument(args json.RawMessage) string {
	found := placeholder.FindStringSubmatch(r.Labels.WithParam)
	if found == nil {
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil {
		return ""
	}
	return shorten(labelText(members[found[1]]))
}

// labelText returns the text of an argument.
func labelText(argument json.RawMessage) string {
	var text string
	if json.Unmarshal(argument, &text) == nil {
		return text
	}
	var locator map[string]json.RawMessage
	if json.Unmarshal(argument, &locator) != nil {
		return ""
	}
	for _, name := range locatorNames {
		if json.Unmarshal(locator[name], &text) == nil && strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// shorten returns the text as one line of at most labelLength characters. Characters that
// are not seen are left out: they could turn the words of the label around.
func shorten(text string) string {
	text = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c), unicode.Is(unicode.Cf, c):
			return -1
		}
		return c
	}, text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= labelLength {
		return string(runes)
	}
	return strings.TrimSpace(string(runes[:labelLength-1])) + "…"
}
