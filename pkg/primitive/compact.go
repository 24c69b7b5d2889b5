package primitive

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// summarizedDefinitions lists the definitions that are described once in the instructions; inlining
// them in every tool would dominate the catalogue.
var summarizedDefinitions = []string{"locator", "frame", "scope", "expectation"}

// omittedKeywords are the keywords that a model does not need: dispatch checks them.
var omittedKeywords = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "pattern", "default"}

// Compact returns the schema of a record as it is offered to a model: closed as before and
// in the same order of members, without definitions; references to the definitions in
// summarizedDefinitions become plain objects, all others are inlined.
func Compact(schema json.RawMessage) json.RawMessage {
	root := jsonnode.Node{Raw: schema}
	return rewrite(root, root.Get("definitions").Object(), 0, false)
}

// maxDepth bounds schemas that refer to themselves.
const maxDepth = 12

// rewrite copies a schema, or where properties is set the table of a schema's
// properties, whose member names are not keywords.
func rewrite(n jsonnode.Node, definitions jsonnode.Object, depth int, properties bool) json.RawMessage {
	switch {
	case n.IsArray():
		out := []byte{'['}
		for i, item := range n.Elements() {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, rewrite(item, definitions, depth+1, false)...)
		}
		return append(out, ']')
	case !n.IsObject():
		return n.Raw
	case depth > maxDepth:
		return json.RawMessage(`{}`)
	}
	object := n.Object()
	if ref := object.Get("$ref"); !ref.Absent() {
		name := strings.TrimPrefix(ref.Text(), "#/definitions/")
		if slices.Contains(summarizedDefinitions, name) {
			return json.RawMessage(`{"type":"object"}`)
		}
		return rewrite(definitions.Get(name), definitions, depth+1, false)
	}
	var members []jsonnode.Member
	for _, m := range object.Members {
		if m.Name == "definitions" && depth == 0 || !properties && slices.Contains(omittedKeywords, m.Name) {
			continue
		}
		m.Raw = rewrite(m.Node, definitions, depth+1, m.Name == "properties" && !properties)
		members = append(members, m)
	}
	return jsonnode.Join(members)
}
