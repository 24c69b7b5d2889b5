package rpc

import (
	"encoding/json"
	"errors"

	"golang.org/x/exp/jsonrpc2"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// jsonrpc2 encodes the result of a response once more before it is written, and decodes that of an
// answer once more before it is read: each time it goes through all of it. An error it
// passes on as it is, so results travel through it as errors.

// Encoded is the result of a request of the peer, as JSON. A [Handler] that returns one vouches
// for it.
type Encoded json.RawMessage

// Error implements error.
func (Encoded) Error() string { return "a result" }

// checkedResult is the result of a call of this side.
type checkedResult struct{ strictjson.Value }

// Error implements error.
func (checkedResult) Error() string { return "a result" }

// resultIn returns the result that a response holds; nil for one that failed.
func resultIn(r *jsonrpc2.Response) json.RawMessage {
	var encoded Encoded
	var checked checkedResult
	switch {
	case errors.As(r.Error, &encoded):
		return json.RawMessage(encoded)
	case errors.As(r.Error, &checked):
		return checked.Raw()
	default:
		return r.Result
	}
}

// encodeResult returns the result as JSON, an empty object for none. [jsonrpc2.Connection.Respond]
// would leave a request without any answer if the result could not be encoded.
func encodeResult(result any) (Encoded, error) {
	switch result := result.(type) {
	case nil:
		return Encoded("{}"), nil
	case Encoded:
		return result, nil
	}
	data, err := json.Marshal(result)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the result cannot be encoded: %v", err)
	}
	return data, nil
}
