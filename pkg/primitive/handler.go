package primitive

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Arguments decodes the arguments of a call, which its record has validated.
func Arguments[T any](c Call) (T, error) {
	var v T
	if err := json.Unmarshal(c.Arguments, &v); err != nil {
		return v, fault.Wrap(err, fault.InvalidInput, "the arguments of %s are not valid: %v", c.Record.Name, err).WithDispatched(fault.NotDispatched)
	}
	return v, nil
}

// Either returns the value of an argument that has two names. The fault is
// invalid_input where both were given and differ.
func Either[T comparable](name string, value T, other string, otherValue T) (T, error) {
	var none T
	switch {
	case value == none:
		return otherValue, nil
	case otherValue != none && otherValue != value:
		return none, fault.New(fault.InvalidInput, "%s and %s are the same argument and have different values", name, other).
			WithNextStep("Give " + name + " alone.").WithDispatched(fault.NotDispatched)
	}
	return value, nil
}

// Output encodes the output of a handler.
func Output(v any) (json.RawMessage, error) {
	raw, err := jsonnode.Encode(v)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "an output cannot be written: %v", err)
	}
	return raw, nil
}
