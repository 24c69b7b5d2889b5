package schema

import "github.com/xeipuuv/gojsonschema"

// keyword returns what is known of a keyword of the object. Beside prefixItems, items has
// the meaning of draft 2020-12: one schema for the elements that follow.
func (c *checked) keyword(name string, object map[string]any) (keyword, bool) {
	if _, tuple := object["prefixItems"]; tuple && c.newer && c.draft == gojsonschema.Hybrid {
		switch name {
		case "prefixItems":
			return keyword{shape: schemaList}, true
		case "items":
			return keyword{shape: aSchema}, true
		case "additionalItems": // has no meaning there
			return keyword{}, false
		}
	}
	known, ok := keywords[name]
	return known, ok
}

// rebuildTuple renames prefixItems and the items beside it to what the validator
// knows. prefixItems itself stays, too, for references that lead into it.
func rebuildTuple(rebuilt map[string]any) {
	prefix, ok := rebuilt["prefixItems"]
	if !ok {
		return
	}
	if rest, ok := rebuilt["items"]; ok {
		rebuilt["additionalItems"] = rest
	}
	rebuilt["items"] = prefix
}
