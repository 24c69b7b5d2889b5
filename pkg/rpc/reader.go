package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"golang.org/x/exp/jsonrpc2"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
)

// reader gives jsonrpc2 the messages of the peer, and answers that are made on
// this side for calls that will get no other.
type reader struct {
	frames chan incoming
	own    *ownAnswers
}

// incoming is a frame or the reason why there is none.
type incoming struct {
	frame []byte
	err   error
}

// ownAnswers are answers made on this side. Without one jsonrpc2 would remember
// a call that was given up until the connection ends.
type ownAnswers struct {
	wake chan struct{}

	mu      sync.Mutex
	answers []*jsonrpc2.Response
}

func (o *ownAnswers) add(r *jsonrpc2.Response) {
	o.mu.Lock()
	o.answers = append(o.answers, r)
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *ownAnswers) take() *jsonrpc2.Response {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.answers) == 0 {
		return nil
	}
	first := o.answers[0]
	o.answers = o.answers[1:]
	return first
}

// pump reads the frames until the stream ends or the connection does.
func (r *reader) pump(life context.Context, frames *nativemsg.Reader) {
	defer close(r.frames)
	for {
		frame, err := frames.ReadFrame()
		select {
		case r.frames <- incoming{frame, err}:
		case <-life.Done():
			return
		}
		if err != nil && !errors.Is(err, nativemsg.ErrEmptyFrame) {
			return
		}
	}
}

func (r *reader) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	for {
		if answer := r.own.take(); answer != nil {
			return answer, 0, nil
		}
		select {
		case <-r.own.wake:
		case in, ok := <-r.frames:
			switch {
			case !ok:
				return nil, 0, io.ErrClosedPipe // the connection was told to end
			case errors.Is(in.err, nativemsg.ErrEmptyFrame):
				return bad(jsonrpc2.ID{}, fault.New(fault.InvalidMessage, "a frame of length zero")), 0, nil
			case in.err != nil:
				return nil, 0, in.err
			}
			msg, err := decode(in.frame)
			if err != nil {
				msg = refuse(in.frame, fault.From(err))
			}
			return msg, int64(len(in.frame)), nil
		}
	}
}

// refuse turns a frame that is no strict message into what ends the wait of
// those who wait for it: the peer for an answer to its request, a call of this
// side for the peer's answer. Where neither can be read, the peer is only told.
func refuse(frame []byte, f *fault.Error) jsonrpc2.Message {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(frame, &m) != nil || m.ID == nil {
		return bad(jsonrpc2.ID{}, f)
	}
	id, err := parseID(m.ID)
	switch {
	case err != nil || m.Method == nil && m.Result == nil && m.Error == nil:
		return bad(jsonrpc2.ID{}, f)
	case m.Method == nil:
		return &jsonrpc2.Response{ID: id, Error: f.WithDispatched(fault.DispatchedUnknown)}
	default:
		return bad(id, f.WithDispatched(fault.NotDispatched))
	}
}

// bad turns a refused frame into a request that the preempter answers, by the
// id if there is one.
func bad(id jsonrpc2.ID, f *fault.Error) jsonrpc2.Message {
	params, err := json.Marshal(errorData(f))
	if err != nil {
		params = []byte(`{}`)
	}
	return &jsonrpc2.Request{ID: id, Method: methodBad, Params: params}
}
