package primitive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// summarizedDefinitions lists the definitions that are described once in the instructions; inlining
// them in every tool would dominate the catalogue.
var summarizedDefinitions = []string{"locator", "frame", "scope"}

// omittedKeywords are the keywords that a model does not need: dispatch checks them.
var omittedKeywords = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "pattern", "default"}

// Compact returns a schema as it is offered to a model: closed as before and in the
// same order of members, without definitions; references to the definitions in summarizedDefinitions
// become plain objects, all others are inlined.
func Compact(schema json.RawMessage) (json.RawMessage, error) {
	var root struct {
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("a schema cannot be read: %w", err)
	}
	out, err := rewrite(schema, root.Definitions, 0, false)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := json.Compact(&text, out); err != nil {
		return nil, fmt.Errorf("a schema cannot be written: %w", err)
	}
	return text.Bytes(), nil
}

// maxDepth bounds schemas that refer to themselves.
const maxDepth = 12

// rewrite copies a schema, or where properties is set the table of a schema's
// properties, whose member names are not keywords.
func rewrite(value json.RawMessage, definitions map[string]json.RawMessage, depth int, properties bool) (json.RawMessage, error) {
	switch value = bytes.TrimSpace(value); value[0] {
	case '{':
		return rewriteObject(value, definitions, depth, properties)
	case '[':
		return rewriteArray(value, definitions, depth)
	}
	return value, nil
}

func rewriteObject(value json.RawMessage, definitions map[string]json.RawMessage, depth int, properties bool) (json.RawMessage, error) {
	if depth > maxDepth {
		return json.RawMessage(`{}`), nil
	}
	members, err := membersOf(value)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(members, func(m pair) bool { return m.name == "$ref" }); i >= 0 {
		var ref string
		if err := json.Unmarshal(members[i].value, &ref); err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(ref, "#/definitions/")
		if slices.Contains(summarizedDefinitions, name) {
			return json.RawMessage(`{"type":"object"}`), nil
		}
		return rewrite(definitions[name], definitions, depth+1, false)
	}
	out := []byte{'{'}
	for _, m := range members {
		if m.name == "definitions" && depth == 0 || !properties && slices.Contains(omittedKeywords, m.name) {
			continue
		}
		inner, err := rewrite(m.value, definitions, depth+1, m.name == "properties" && !properties)
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), inner...)
	}
	return append(out, '}'), nil
}

func rewriteArray(value json.RawMessage, definitions map[string]json.RawMessage, depth int) (json.RawMessage, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(value, &items); err != nil {
		return nil, err
	}
	out := []byte{'['}
	for i, item := range items {
		inner, err := rewrite(item, definitions, depth+1, false)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, inner...)
	}
	return append(out, ']'), nil
}

// pair is a member of an object, in the order it was written.
type pair struct {
	name  string
	value json.RawMessage
}

func membersOf(object json.RawMessage) ([]pair, error) {
	in := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := in.ReadToken(); err != nil {
		return nil, err
	}
	var members []pair
	for in.PeekKind() == jsontext.KindString {
		token, err := in.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		value, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		members = append(members, pair{name, json.RawMessage(value.Clone())})
	}
	return members, nil
}
