package primitive

import (
	"bytes"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Arguments decodes the arguments of a call, which its record has validated.
func Arguments[T any](c Call) (T, error) {
	var v T
	if err := json.Unmarshal(c.Arguments, &v); err != nil {
		return v, fault.Wrap(err, fault.InvalidInput, "the arguments of %s are not valid: %v", c.Record.Name, err).WithDispatched(fault.NotDispatched)
	}
	return v, nil
}

// Output encodes what a handler gives.
func Output(v any) (json.RawMessage, error) {
	var raw bytes.Buffer
	encoder := json.NewEncoder(&raw)
	encoder.SetEscapeHTML(false) // a model reads the text: an address stays as it is
	if err := encoder.Encode(v); err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "an output cannot be written: %v", err)
	}
	return bytes.TrimSpace(raw.Bytes()), nil
}
