package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"golang.org/x/exp/jsonrpc2"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// message is any JSON-RPC message; its kind follows from the members that are set.
type message struct {
	Version string           `json:"jsonrpc"`
	ID      json.RawMessage  `json:"id,omitzero"`
	Method  string           `json:"method,omitzero"`
	Params  json.RawMessage  `json:"params,omitzero"`
	Result  strictjson.Value `json:"result,omitzero"`
	Error   *wireError       `json:"error,omitzero"`
}

type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitzero"`
}

// JSON-RPC error numbers that are distinguished here; all others are -32000 with
// a fault in data.
const (
	numberFault          = -32000
	numberMethodNotFound = -32601
	numberCancelled      = -32800
)

type framer struct {
	conn    *Conn
	opt     Options
	connCtx context.Context
}

func (f framer) Reader(r io.Reader) jsonrpc2.Reader {
	in := &reader{frames: make(chan incoming), local: f.conn.local}
	frames := nativemsg.NewReader(r, f.opt.MaxIn)
	if f.opt.Limiter != nil {
		frames.Limit(f.opt.Limiter)
	} else {
		in.notified = f.conn.notifications.countArrived
	}
	go in.pump(f.connCtx, frames)
	return in
}

func (f framer) Writer(w io.Writer) jsonrpc2.Writer {
	go f.conn.out.run(f.connCtx, nativemsg.NewWriter(w, f.opt.MaxOut))
	return f.conn.out
}

func decode(frame []byte) (jsonrpc2.Message, error) {
	var m message
	if err := strictjson.Decode(frame, &m, strictjson.Limits{}); err != nil {
		return nil, err
	}
	if m.Version != "2.0" {
		return nil, fault.New(fault.InvalidMessage, "the message is not JSON-RPC 2.0")
	}
	var id jsonrpc2.ID
	if len(m.ID) > 0 {
		var err error
		if id, err = parseID(m.ID); err != nil {
			return nil, err
		}
	}
	switch {
	case m.Method != "" && (!m.Result.IsZero() || m.Error != nil):
		return nil, fault.New(fault.InvalidMessage, "the message is both a request and a response")
	case m.Method == methodBad:
		return nil, fault.New(fault.InvalidMessage, "the method %s is reserved", methodBad)
	case m.Method != "":
		return &jsonrpc2.Request{ID: id, Method: m.Method, Params: m.Params}, nil
	case !id.IsValid():
		return nil, fault.New(fault.InvalidMessage, "the message has neither a method nor an id")
	case m.Error != nil:
		return &jsonrpc2.Response{ID: id, Error: m.Error.fault()}, nil
	case m.Result.IsZero():
		return nil, fault.New(fault.InvalidMessage, "the message has an id, but neither a method nor a result nor an error")
	default:
		return &jsonrpc2.Response{ID: id, Error: checkedResult{m.Result}}, nil
	}
}

func parseID(raw json.RawMessage) (jsonrpc2.ID, error) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return jsonrpc2.Int64ID(n), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return jsonrpc2.ID{}, fault.New(fault.InvalidMessage, "the id must be a string or an integer")
	}
	return jsonrpc2.StringID(s), nil
}

// fault returns the peer's error unchanged, or the nearest code for an error of
// the JSON-RPC layer itself.
func (e *wireError) fault() *fault.Error {
	var data protocol.ErrorData
	if len(e.Data) > 0 && strictjson.DecodeOpen(e.Data, &data, strictjson.Limits{}) == nil && data.Code != "" {
		return FaultFrom(data)
	}
	switch e.Code {
	case numberMethodNotFound:
		return fault.New(fault.CapabilityUnavailable, "the peer does not know this method: %s", e.Message)
	case numberCancelled:
		return fault.New(fault.Cancelled, "the call was cancelled")
	default:
		return fault.New(fault.HandlerFailed, "%s", e.Message)
	}
}

// FaultFrom returns the error that the data describes, as its sender had it.
func FaultFrom(data protocol.ErrorData) *fault.Error {
	f := fault.New(fault.Code(data.Code), "%s", data.Message)
	if len(data.Evidence) > 0 {
		// Evidence is free-form by contract; what does not decode as an object
		// was refused by the strict reader already.
		_ = json.Unmarshal(data.Evidence, &f.Evidence)
	}
	if data.NextStep != "" {
		f.NextStep = data.NextStep
	}
	f.Dispatched = fault.Dispatched(data.Dispatched)
	return f
}

// rejectionOf returns the error for a request that could not be read.
func rejectionOf(params json.RawMessage) error {
	var data protocol.ErrorData
	if err := strictjson.DecodeOpen(params, &data, strictjson.Limits{}); err != nil {
		return fault.New(fault.InvalidMessage, "the message cannot be read")
	}
	return FaultFrom(data)
}

func errorData(f *fault.Error) protocol.ErrorData {
	data := protocol.ErrorData{Code: string(f.Code), Message: f.Message, Dispatched: string(f.Dispatched), NextStep: f.NextStep}
	if len(f.Evidence) > 0 {
		if raw, err := json.Marshal(f.Evidence); err == nil {
			data.Evidence = raw
		}
	}
	return data
}

// encode returns the text of a message. What its members hold is JSON already and is not
// encoded once more.
func encode(msg jsonrpc2.Message) ([]byte, error) {
	switch msg := msg.(type) {
	case *jsonrpc2.Request:
		method, err := json.Marshal(msg.Method)
		if err != nil {
			return nil, err
		}
		return join(msg.ID, member{"method", method}, member{"params", msg.Params})
	case *jsonrpc2.Response:
		if result := resultIn(msg); result != nil {
			return join(msg.ID, member{"result", result})
		}
		failure, err := encodeError(msg.Error)
		if err != nil {
			return nil, err
		}
		return join(msg.ID, member{"error", failure})
	default:
		return nil, fault.New(fault.InternalError, "a message cannot be a %T", msg)
	}
}

// encodeError returns the error member of a response.
func encodeError(err error) (json.RawMessage, error) {
	f := fault.From(err)
	data, encodeErr := json.Marshal(errorData(f))
	if encodeErr != nil {
		return nil, encodeErr
	}
	number := numberFault
	if errors.Is(err, jsonrpc2.ErrMethodNotFound) {
		number = numberMethodNotFound
	}
	return json.Marshal(wireError{Code: number, Message: f.Message, Data: data})
}

// member is one of a message, absent without a value.
type member struct {
	name  string
	value json.RawMessage
}

// join returns the text of the message with an ID, if that is valid, and members.
func join(id jsonrpc2.ID, members ...member) ([]byte, error) {
	const start = `{"jsonrpc":"2.0"`
	if id.IsValid() {
		raw, err := json.Marshal(id.Raw())
		if err != nil {
			return nil, err
		}
		members = append([]member{{"id", raw}}, members...)
	}
	size := len(start) + len("}")
	for _, m := range members {
		size += len(`,"":`) + len(m.name) + len(m.value)
	}
	text := append(make([]byte, 0, size), start...)
	for _, m := range members {
		if len(m.value) == 0 {
			continue
		}
		text = append(append(append(text, `,"`...), m.name...), `":`...)
		text = append(text, m.value...)
	}
	return append(text, '}'), nil
}
