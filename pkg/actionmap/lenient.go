package actionmap

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonpart"
)

// The readers below give a zero value for anything of another shape: a map
// with prose in place of an object still loads.

// object opens an object. A Go map keeps keys letter by letter, which the
// fields of a struct do not.
func object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return nil, false
	}
	var members map[string]json.RawMessage
	return members, json.Unmarshal(raw, &members) == nil
}

// array opens an array.
func array(raw json.RawMessage) ([]json.RawMessage, bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	var elements []json.RawMessage
	return elements, json.Unmarshal(raw, &elements) == nil
}

// part walks a text from here on.
func part(raw json.RawMessage) jsonpart.Part { return jsonpart.Part{Raw: raw} }

// str gives a string; prose in place of a name is no name.
func str(raw json.RawMessage) string { return part(raw).Text() }

// isString tells an empty string from no string.
func isString(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// member walks into nested objects.
func member(raw json.RawMessage, keys ...string) json.RawMessage { return part(raw).Get(keys...).Raw }

func absent(raw json.RawMessage) bool { return part(raw).Absent() }

func texts(raw json.RawMessage) []string { return part(raw).Texts() }

func names(raw json.RawMessage) []string { return part(raw).Names() }

// prose renders any value for a reader: strings as they are, lists as lines,
// objects as "key: value" in the given order of keys and then by name.
func prose(raw json.RawMessage, first ...string) string {
	if s, ok := isString(raw); ok {
		return strings.TrimSpace(s)
	}
	if elements, ok := array(raw); ok {
		var lines []string
		for _, e := range elements {
			if text := prose(e); text != "" {
				lines = append(lines, "- "+text)
			}
		}
		return strings.Join(lines, "\n")
	}
	members, ok := object(raw)
	if !ok {
		if absent(raw) {
			return ""
		}
		return string(raw) // a number or a boolean
	}
	var lines []string
	for _, key := range orderedKeys(members, first) {
		text := prose(members[key])
		switch {
		case text == "":
		case strings.Contains(text, "\n"):
			lines = append(lines, key+":\n"+text)
		default:
			lines = append(lines, key+": "+text)
		}
	}
	return strings.Join(lines, "\n")
}

// orderedKeys gives the keys named in first and then the others by name, so
// that the same map always reads the same.
func orderedKeys(members map[string]json.RawMessage, first []string) []string {
	keys := make([]string, 0, len(members))
	for _, key := range first {
		if _, ok := members[key]; ok {
			keys = append(keys, key)
		}
	}
	var rest []string
	for key := range members {
		if !slices.Contains(first, key) {
			rest = append(rest, key)
		}
	}
	slices.Sort(rest)
	return append(keys, rest...)
}
