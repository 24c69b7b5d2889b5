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
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitzero"`
	Method  string          `json:"method,omitzero"`
	Params  json.RawMessage `json:"params,omitzero"`
	Result  json.RawMessage `json:"result,omitzero"`
	Error   *wireError      `json:"error,omitzero"`
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
	case m.Method != "" && (m.Result != nil || m.Error != nil):
		return nil, fault.New(fault.InvalidMessage, "the message is both a request and a response")
	case m.Method == methodBad:
		return nil, fault.New(fault.InvalidMessage, "the method %s is reserved", methodBad)
	case m.Method != "":
		return &jsonrpc2.Request{ID: id, Method: m.Method, Params: m.Params}, nil
	case !id.IsValid():
		return nil, fault.New(fault.InvalidMessage, "the message has neither a method nor an id")
	case m.Error != nil:
		return &jsonrpc2.Response{ID: id, Error: m.Error.fault()}, nil
	case m.Result == nil:
		return nil, fault.New(fault.InvalidMessage, "the message has an id, but neither a method nor a result nor an error")
	default:
		return &jsonrpc2.Response{ID: id, Result: m.Result}, nil
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

func encode(msg jsonrpc2.Message) ([]byte, error) {
	m := message{Version: "2.0"}
	var id jsonrpc2.ID
	switch msg := msg.(type) {
	case *jsonrpc2.Request:
		id, m.Method, m.Params = msg.ID, msg.Method, msg.Params
	case *jsonrpc2.Response:
		id, m.Result = msg.ID, msg.Result
		if msg.Error != nil {
			f := fault.From(msg.Error)
			data, err := json.Marshal(errorData(f))
			if err != nil {
				return nil, err
			}
			number := numberFault
			if errors.Is(msg.Error, jsonrpc2.ErrMethodNotFound) {
				number = numberMethodNotFound
			}
			m.Result, m.Error = nil, &wireError{Code: number, Message: f.Message, Data: data}
		}
	}
	if id.IsValid() {
		raw, err := json.Marshal(id.Raw())
		if err != nil {
			return nil, err
		}
		m.ID = raw
	}
	return json.Marshal(m)
}
