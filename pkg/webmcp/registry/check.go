package registry

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// maxRelaxed bounds how many parts of a schema are set aside before the rest of
// it is not understood either.
const maxRelaxed = 30

// Check validates arguments against the tool's input schema, as far as the schema is supported:
// unchecked lists the JSON pointers of its parts that were set aside, "" standing for all of
// it. The browser itself checks nothing.
func (t Tool) Check(args json.RawMessage) (violations []schema.Violation, unchecked []string) {
	if t.SchemaLeftOut {
		return nil, []string{""}
	}
	compiled, unchecked := compile(t.Schema())
	if compiled == nil {
		return nil, []string{""}
	}
	return compiled.Validate(args), unchecked
}

// compile removes what the validator does not support, one part after the other, until it
// accepts the rest.
func compile(text json.RawMessage) (*schema.Schema, []string) {
	unchecked := []string{}
	for range maxRelaxed {
		compiled, err := schema.Compile(text)
		if err == nil {
			slices.Sort(unchecked)
			return compiled, unchecked
		}
		pointer, _ := fault.From(err).Evidence["pointer"].(string)
		smaller, ok := removeAt(text, pointer)
		if !ok {
			return nil, nil
		}
		text = smaller
		unchecked = append(unchecked, pointer)
	}
	return nil, nil
}

// removeAt removes the value at the JSON pointer from a document.
func removeAt(text json.RawMessage, pointer string) (json.RawMessage, bool) {
	tokens := strings.Split(pointer, "/")
	if len(tokens) < 2 {
		return nil, false
	}
	var root any
	if json.Unmarshal(text, &root) != nil {
		return nil, false
	}
	at := root
	for i, token := range tokens[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		last := i == len(tokens)-2
		switch parent := at.(type) {
		case map[string]any:
			child, ok := parent[token]
			if !ok {
				return nil, false
			}
			if last {
				delete(parent, token)
			}
			at = child
		case []any:
			index, err := strconv.Atoi(token)
			if err != nil || index < 0 || index >= len(parent) {
				return nil, false
			}
			if last {
				parent[index] = map[string]any{} // one that everything fits: the others keep their places
			}
			at = parent[index]
		default:
			return nil, false
		}
	}
	smaller, err := json.Marshal(root)
	return smaller, err == nil
}
