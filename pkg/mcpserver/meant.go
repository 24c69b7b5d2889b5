package mcpserver

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// localKinds are the types of the arguments of the tools that no primitive is
// behind.
var localKinds = kinds{
	"name": "string", "arguments": "object", "query": "string", "offset": "integer", "allowed": "boolean",
}

// kinds are the types of arguments by name, of those that have one type only.
// An argument whose schema is a choice has the empty one.
type kinds map[string]string

// kindsOf reads the types of a primitive's arguments.
func kindsOf(r *primitive.Record) kinds {
	found := kinds{}
	schema, err := primitive.Compact(r.InputSchema)
	if err != nil {
		return found // no such record is built in: a test reads all of them
	}
	properties, err := primitive.Properties(schema)
	if err != nil {
		return found
	}
	for _, p := range properties {
		var of struct {
			Type string          `json:"type"`
			Enum json.RawMessage `json:"enum"`
			One  json.RawMessage `json:"oneOf"`
			Any  json.RawMessage `json:"anyOf"`
		}
		takesNull := bytes.Contains(p.Schema, []byte("null"))
		if json.Unmarshal(p.Schema, &of) != nil || takesNull || of.Type == "" && of.Enum == nil && of.One == nil && of.Any == nil {
			continue // any value is meant as it stands
		}
		found[p.Name] = of.Type
	}
	return found
}

// meant reads arguments as models write them, where they can mean one thing
// only: null is an argument left out, and the JSON text of an object, a list, a
// number or a truth value is that value where no text is taken. Models write
// such texts for every argument whose schema they are not shown.
func (args members) meant(types kinds) {
	for name, raw := range args {
		kind, known := types[name]
		switch name {
		case reportMember:
			kind, known = "object", true
		case detailMember:
			kind, known = "boolean", true
		}
		switch {
		case !known:
		case string(raw) == "null":
			delete(args, name)
		default:
			if value, ok := insideText(raw, kind); ok {
				args[name] = value
			}
		}
	}
}

// insideText gives the value of a type that a JSON string holds as text.
func insideText(raw json.RawMessage, kind string) (json.RawMessage, bool) {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return nil, false
	}
	value, err := strictjson.Canonical([]byte(strings.TrimSpace(text)), strictjson.Limits{})
	if err != nil || len(value) == 0 {
		return nil, false
	}
	begins := map[string]string{"object": "{", "array": "[", "boolean": "tf", "integer": "-0123456789", "number": "-0123456789"}[kind]
	return value, strings.IndexByte(begins, value[0]) >= 0
}

// beside takes what models write beside the arguments of primitives.call and
// mean inside. What the primitive does not know is refused there by name.
func (args members) beside(wrapped members) members {
	for name, value := range args {
		if name != "name" && name != "arguments" && wrapped[name] == nil {
			wrapped[name] = value
		}
	}
	return wrapped
}

// into stores the arguments of a tool that no primitive is behind, which are
// exactly those that v declares, and of what every tool takes: the report and
// the target, which mean nothing to it.
func (args members) into(tool, example string, v any) error {
	own := maps.Clone(args)
	for _, name := range []string{reportMember, "target_url_contains", "target_runtime_id"} {
		delete(own, name)
	}
	raw, err := primitive.Output(own)
	if err == nil {
		err = strictjson.Decode(raw, v, strictjson.Limits{})
	}
	if err != nil {
		return fault.Wrap(err, fault.InvalidInput, "the arguments of %s are not valid: %s", tool, fault.From(err).Message).
			WithNextStep("Call it like " + example + ".")
	}
	return nil
}
