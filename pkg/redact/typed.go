package redact

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// TypedText returns a copy of call arguments in which the text of the fields is
// replaced by {"length":n}, n in characters. A field is a member's name, or
// names joined by dots; arrays on the path mean each of their elements.
// Intents hold this copy: what was typed is logged only once the target is known
// not to be sensitive. Arguments that are not a JSON object yield {}.
func TypedText(args json.RawMessage, fields ...string) json.RawMessage {
	object := decodeObject(args)
	for _, field := range fields {
		measure(object, strings.Split(field, "."))
	}
	return Encode(object)
}

func measure(value any, path []string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			measure(item, path)
		}
	case map[string]any:
		member, ok := v[path[0]]
		switch {
		case !ok:
		case len(path) > 1:
			measure(member, path[1:])
		default:
			v[path[0]] = length(member)
		}
	}
}

// length hides a text. Other values are not typed text, but an unexpected one may
// hold anything: the length of its encoded form is used.
func length(value any) any {
	switch v := value.(type) {
	case nil, bool:
		return value
	case string:
		return map[string]any{"length": utf8.RuneCountInString(v)}
	default:
		return map[string]any{"length": utf8.RuneCount(Encode(v))}
	}
}

// TextsOf returns the texts and numbers that are in the fields of call arguments,
// whose names are those of TypedText.
func TextsOf(args json.RawMessage, fields ...string) (texts []string) {
	object := decodeObject(args)
	for _, field := range fields {
		texts = append(texts, textsAt(object, strings.Split(field, "."))...)
	}
	return texts
}

// Texts returns all texts and numbers of a value, and the names in it. What is not JSON has none.
func Texts(value json.RawMessage) []string {
	decoded, _ := jsonnode.Decode(value)
	return textsAt(decoded, nil)
}

func textsAt(value any, path []string) (texts []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case json.Number:
		return []string{v.String()}
	case []any:
		for _, item := range v {
			texts = append(texts, textsAt(item, path)...)
		}
	case map[string]any:
		if len(path) > 0 {
			return textsAt(v[path[0]], path[1:])
		}
		for name, member := range v {
			texts = append(append(texts, name), textsAt(member, nil)...)
		}
	}
	return texts
}

// Measure returns a copy of an object in which the texts and numbers that are hidden
// are replaced by {"length":n}; hides is called for each, with the member of the
// object that holds it. An object with a name that is hidden is replaced as
// a whole. What is not a JSON object yields {}.
func Measure(object json.RawMessage, hides func(member, text string) bool) map[string]any {
	members := decodeObject(object)
	for name, value := range members {
		members[name] = measured(value, func(text string) bool { return hides(name, text) })
	}
	return members
}

func measured(value any, hides func(string) bool) any {
	switch v := value.(type) {
	case string:
		if hides(v) {
			return length(v)
		}
	case json.Number:
		if hides(v.String()) {
			return length(v)
		}
	case []any:
		for i := range v {
			v[i] = measured(v[i], hides)
		}
	case map[string]any:
		for name := range v {
			if hides(name) {
				return length(v)
			}
		}
		for name, member := range v {
			v[name] = measured(member, hides)
		}
	}
	return value
}

// decodeObject returns an object; empty for any other value.
func decodeObject(text json.RawMessage) map[string]any {
	value, err := jsonnode.Decode(text)
	if object, ok := value.(map[string]any); ok && err == nil {
		return object
	}
	return map[string]any{}
}
