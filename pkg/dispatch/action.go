package dispatch

import (
	"bytes"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// example is shown where a call's shape is wrong.
var example = json.RawMessage(`{"mode":"call","action":"search.submit","arguments":{"query":"tea"}}`)

// actionOf is the stored action that a call runs, empty for any other call.
func actionOf(tool string, args json.RawMessage) string {
	if tool != SiteTool || TextMember(args, "mode") != "call" {
		return ""
	}
	name, _, _ := StoredAction(args) // a call without a name is refused
	return name
}

// StoredAction returns the name and the input of a call of actions.site, in the forms that
// models use: the name under action, action_name or name, or inside the arguments.
func StoredAction(args json.RawMessage) (name string, input json.RawMessage, err error) {
	var a struct {
		Action     string          `json:"action"`
		ActionName string          `json:"action_name"`
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return "", nil, fault.Wrap(err, fault.InvalidInput, "the arguments cannot be read: %v", err)
	}
	for _, n := range []string{a.Action, a.ActionName, a.Name} {
		if name == "" {
			name = n
		}
	}
	if input, err = objectOf(a.Arguments); err != nil {
		return "", nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(input, &members); err != nil {
		return "", nil, fault.Wrap(err, fault.InvalidInput, "arguments must be an object")
	}
	var nested string
	if raw, ok := members["action"]; ok && json.Unmarshal(raw, &nested) == nil && (name == "" || name == nested) {
		// A name that is repeated inside is a slip; another one is an argument.
		name = nested
		delete(members, "action")
		if input, err = json.Marshal(members); err != nil {
			return "", nil, fault.Wrap(err, fault.InternalError, "the arguments cannot be written: %v", err)
		}
	}
	if name == "" {
		return "", nil, fault.New(fault.InvalidInput, "mode call needs the name of an action").
			With("example", example).WithDispatched(fault.NotDispatched)
	}
	return name, input, nil
}

// objectOf returns the arguments as an object: absent is {}, a text is parsed.
func objectOf(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), nil
	}
	if raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, fault.Wrap(err, fault.InvalidInput, "arguments is not valid JSON: %v", err)
		}
		parsed, err := strictjson.Canonical([]byte(text), strictjson.Limits{})
		if err != nil {
			return nil, fault.New(fault.InvalidInput, "arguments is a text that is not valid JSON: %s", fault.From(err).Message).
				With("example", example).WithDispatched(fault.NotDispatched)
		}
		raw = parsed
	}
	if raw[0] != '{' {
		return nil, fault.New(fault.InvalidInput, "arguments must be an object").
			With("example", example).WithDispatched(fault.NotDispatched)
	}
	return raw, nil
}
