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

// message is every JSON-RPC message at once: which members are there tells
// what it is.
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

// JSON-RPC error numbers that mean something here; all others are -32000 with
// a fault in data.
const (
	numberFault          = -32000
	numberMethodNotFound = -32601
	numberCancelled      = -32800
)

type framer struct {
	conn *Conn
	opt  Options
	life context.Context
}

func (f framer) Reader(r io.Reader) jsonrpc2.Reader {
	return &reader{frames: nativemsg.NewReader(r, f.opt.MaxIn)}
}

func (f framer) Writer(w io.Writer) jsonrpc2.Writer {
	out := &writer{queue: make(chan outgoing, 64), failed: make(chan struct{}), max: f.opt.MaxOut}
	f.conn.out = out
	go out.run(f.life, nativemsg.NewWriter(w, f.opt.MaxOut))
	return out
}

type reader struct{ frames *nativemsg.Reader }

func (r *reader) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	frame, err := r.frames.ReadFrame()
	if errors.Is(err, nativemsg.ErrEmptyFrame) {
		return bad(fault.New(fault.InvalidMessage, "a frame of length zero")), 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	msg, err := decode(frame)
	if err != nil {
		return bad(fault.From(err)), int64(len(frame)), nil
	}
	return msg, int64(len(frame)), nil
}

// bad turns a refused frame into a request that the preempter answers.
func bad(f *fault.Error) jsonrpc2.Message {
	params, err := json.Marshal(errorData(f))
	if err != nil {
		params = []byte(`{}`)
	}
	return &jsonrpc2.Request{Method: methodBad, Params: params}
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

// fault gives the peer's error as it was, or the nearest code for an error of
// the JSON-RPC layer itself.
func (e *wireError) fault() *fault.Error {
	var data protocol.ErrorData
	if len(e.Data) > 0 && strictjson.DecodeOpen(e.Data, &data, strictjson.Limits{}) == nil && data.Code != "" {
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
	switch e.Code {
	case numberMethodNotFound:
		return fault.New(fault.CapabilityUnavailable, "the peer does not know this method: %s", e.Message)
	case numberCancelled:
		return fault.New(fault.Cancelled, "the call was cancelled")
	default:
		return fault.New(fault.HandlerFailed, "%s", e.Message)
	}
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

// writer queues messages for the one goroutine that owns the stream.
type writer struct {
	queue  chan outgoing
	failed chan struct{}
	max    int
}

// outgoing is a frame to write, or, without data, a request to say when all
// frames before it are written.
type outgoing struct {
	data    []byte
	written chan<- struct{}
}

func (w *writer) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	data, err := encode(msg)
	if err != nil {
		return 0, err
	}
	if len(data) > w.max {
		tooLarge := fault.New(fault.PayloadTooLarge, "the message has %d bytes, the limit is %d", len(data), w.max)
		response, ok := msg.(*jsonrpc2.Response)
		if !ok {
			return 0, tooLarge.WithDispatched(fault.NotDispatched)
		}
		// The peer waits for an answer: it gets one that says why.
		if data, err = encode(&jsonrpc2.Response{ID: response.ID, Error: tooLarge}); err != nil {
			return 0, err
		}
	}
	return int64(len(data)), w.put(ctx, outgoing{data: data})
}

func (w *writer) put(ctx context.Context, item outgoing) error {
	select {
	case <-w.failed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	case w.queue <- item:
		return nil
	}
}

func (w *writer) run(life context.Context, frames *nativemsg.Writer) {
	defer close(w.failed)
	for {
		select {
		case <-life.Done():
			return
		case item := <-w.queue:
			if item.written != nil {
				close(item.written)
				continue
			}
			if err := frames.WriteFrame(item.data); err != nil {
				return
			}
		}
	}
}
