package actionmap

import (
	"encoding/json"
	"slices"
	"strings"
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

// str gives a string, and "" for anything else: prose in place of a name is no
// name.
func str(raw json.RawMessage) string {
	s, _ := isString(raw)
	return s
}

// isString tells an empty string from no string.
func isString(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// member walks into nested objects.
func member(raw json.RawMessage, keys ...string) json.RawMessage {
	for _, key := range keys {
		members, _ := object(raw)
		raw = members[key]
	}
	return raw
}

// absent treats null like a missing member, as the authors of maps do.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// texts reads a string or an array of strings; blank ones are left out.
func texts(raw json.RawMessage) []string {
	elements, ok := array(raw)
	if !ok {
		elements = []json.RawMessage{raw}
	}
	var out []string
	for _, e := range elements {
		if s := strings.TrimSpace(str(e)); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// names reads an array whose elements are names or objects with a name.
func names(raw json.RawMessage) []string {
	elements, _ := array(raw)
	var out []string
	for _, e := range elements {
		name := str(e)
		if name == "" {
			name = str(member(e, "name"))
		}
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

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
