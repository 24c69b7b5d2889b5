package actionmap

import (
	"bytes"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// MergeArguments merges a caller's arguments into those that a map binds to a
// handler. Objects merge member by member; any other value, also an array or null,
// is replaced by the caller's. An absent side counts as {}. The error is invalid_map
// for an invalid binding and invalid_input for the caller's arguments.
func MergeArguments(binding, caller json.RawMessage) (json.RawMessage, error) {
	base, err := argumentsOf(binding, fault.InvalidMap, "the bound arguments")
	if err != nil {
		return nil, err
	}
	over, err := argumentsOf(caller, fault.InvalidInput, "the arguments")
	if err != nil {
		return nil, err
	}
	merge(base, over)
	text, err := jsonnode.Encode(base)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the arguments cannot be written: %v", err)
	}
	return text, nil
}

func argumentsOf(raw json.RawMessage, code fault.Code, what string) (map[string]any, error) {
	if absent(bytes.TrimSpace(raw)) {
		return map[string]any{}, nil
	}
	strict, err := strictjson.Canonical(raw, limits)
	if err != nil {
		return nil, fault.Wrap(err, code, "%s cannot be read: %s", what, fault.From(err).Message)
	}
	value, err := jsonnode.Decode(strict)
	if err != nil {
		return nil, fault.Wrap(err, code, "%s cannot be read: %v", what, err)
	}
	members, ok := value.(map[string]any)
	if !ok {
		return nil, fault.New(code, "%s must be a JSON object", what)
	}
	return members, nil
}

// merge merges over into base.
func merge(base, over map[string]any) {
	// Both sides have passed the depth limit, which bounds the recursion.
	for key, value := range over {
		inner, isObject := value.(map[string]any)
		below, wasObject := base[key].(map[string]any)
		if isObject && wasObject {
			merge(below, inner)
			continue
		}
		base[key] = value
	}
}
