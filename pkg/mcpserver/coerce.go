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

// localArgTypes are the argument types of the tools without a primitive.
var localArgTypes = argTypes{
	"name": "string", "arguments": "object", "query": "string", "offset": "integer", "allowed": "boolean",
}

// argTypes are the types of arguments by name. An argument whose schema is a choice has
// the empty one; one that takes any value is missing.
type argTypes map[string]string

// argTypesOf returns the types of a primitive's arguments.
func argTypesOf(r *primitive.Record) argTypes {
	found := argTypes{}
	for _, p := range primitive.Properties(primitive.Compact(r.InputSchema)) {
		var of struct {
			Type string          `json:"type"`
			Enum json.RawMessage `json:"enum"`
			One  json.RawMessage `json:"oneOf"`
			Any  json.RawMessage `json:"anyOf"`
		}
		takesNull := bytes.Contains(p.Raw, []byte("null"))
		if json.Unmarshal(p.Raw, &of) != nil || takesNull || of.Type == "" && of.Enum == nil && of.One == nil && of.Any == nil {
			continue // any value is valid
		}
		found[p.Name] = of.Type
	}
	return found
}

// coerce converts arguments in place that have one meaning only: null is an omitted
// argument, and a string with the JSON text of an object, array, number or boolean is
// that value if the argument is not a string. Models write such strings for every
// argument whose schema they are not shown.
func (args members) coerce(types argTypes) {
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
			if value, ok := valueInString(raw, kind); ok {
				args[name] = value
			}
		}
	}
}

// valueInString returns the value of a type that a JSON string holds as text.
func valueInString(raw json.RawMessage, kind string) (json.RawMessage, bool) {
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

// mergeOuter adds to wrapped the members that models write next to the arguments of
// primitives.call instead of inside. The primitive refuses unknown ones by name.
func (args members) mergeOuter(wrapped members) members {
	for name, value := range args {
		if name != "name" && name != "arguments" && wrapped[name] == nil {
			wrapped[name] = value
		}
	}
	return wrapped
}

// decodeInto decodes the arguments of a tool without a primitive into v, strictly. The
// report and the target, which every tool takes, are ignored.
func (args members) decodeInto(tool, example string, v any) error {
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
