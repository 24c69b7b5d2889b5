package actionmap

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// The readers below return the zero value for any other shape: a map with prose in
// place of an object still loads.

// object decodes an object. The keys of a Go map match exactly, unlike the fields of
// a struct.
func object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return nil, false
	}
	var members map[string]json.RawMessage
	return members, json.Unmarshal(raw, &members) == nil
}

// array decodes an array.
func array(raw json.RawMessage) ([]json.RawMessage, bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	var elements []json.RawMessage
	return elements, json.Unmarshal(raw, &elements) == nil
}

// node returns the text as a node.
func node(raw json.RawMessage) jsonnode.Node { return jsonnode.Node{Raw: raw} }

// str returns a string, "" for any other shape.
func str(raw json.RawMessage) string { return node(raw).Text() }

// isString returns a string, and false for any other shape.
func isString(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// member returns a member of nested objects.
func member(raw json.RawMessage, keys ...string) json.RawMessage { return node(raw).Get(keys...).Raw }

func absent(raw json.RawMessage) bool { return node(raw).Absent() }

func texts(raw json.RawMessage) []string { return node(raw).Texts() }

func names(raw json.RawMessage) []string { return node(raw).Names() }

// prose renders any value as text: strings as they are, lists as lines,
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

// orderedKeys returns the keys named in first and then the others by name, so
// that the same map always has the same text.
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
