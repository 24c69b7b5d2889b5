package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"golang.org/x/exp/jsonrpc2"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
)

// reader passes jsonrpc2 the messages of the peer, and the responses that this side
// makes for calls that will get no other.
type reader struct {
	frames chan incoming
	local  *localResponses
	batch  []json.RawMessage // messages of a batch that have not been read
	// notified, if set, is called for each notification for the handler, before the message after it
	// is read: an answer that comes after a notification finds it counted.
	notified func()
}

// maxBatch is the largest number of messages in a batch.
const maxBatch = 100

// incoming is a frame or the error of reading it.
type incoming struct {
	frame []byte
	err   error
}

// localResponses queues responses made on this side. Without one, jsonrpc2 would keep
// an abandoned call until the connection ends.
type localResponses struct {
	wake chan struct{}

	mu    sync.Mutex
	queue []*jsonrpc2.Response
}

func (l *localResponses) add(r *jsonrpc2.Response) {
	l.mu.Lock()
	l.queue = append(l.queue, r)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *localResponses) take() *jsonrpc2.Response {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return nil
	}
	first := l.queue[0]
	l.queue = l.queue[1:]
	return first
}

// pump reads the frames until the stream ends or the connection does.
func (r *reader) pump(connCtx context.Context, frames *nativemsg.Reader) {
	defer close(r.frames)
	for {
		frame, err := frames.ReadFrame()
		select {
		case r.frames <- incoming{frame, err}:
		case <-connCtx.Done():
			return
		}
		if err != nil && !errors.Is(err, nativemsg.ErrEmptyFrame) && refusedFrame(err) == nil {
			return
		}
	}
}

func (r *reader) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	msg, n, err := r.next(ctx)
	if request, ok := msg.(*jsonrpc2.Request); ok && r.notified != nil && !request.IsCall() && !isPreempted(request.Method) {
		r.notified()
	}
	return msg, n, err
}

func (r *reader) next(ctx context.Context) (jsonrpc2.Message, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	for {
		if answer := r.local.take(); answer != nil {
			return answer, 0, nil
		}
		if len(r.batch) > 0 {
			first := r.batch[0]
			r.batch = r.batch[1:]
			return decodeOrRefuse(first), int64(len(first)), nil
		}
		select {
		case <-r.local.wake:
		case in, ok := <-r.frames:
			switch {
			case !ok:
				return nil, 0, io.ErrClosedPipe // the connection was closed
			case errors.Is(in.err, nativemsg.ErrEmptyFrame):
				return badMessage(jsonrpc2.ID{}, fault.New(fault.InvalidMessage, "a frame of length zero")), 0, nil
			case refusedFrame(in.err) != nil:
				refused := refusedFrame(in.err)
				return badMessage(idWithin(refused.Start), fault.From(refused.Reason).WithDispatched(fault.NotDispatched)), 0, nil
			case in.err != nil:
				return nil, 0, in.err
			}
			if r.batch = splitBatch(in.frame); len(r.batch) == 0 {
				return decodeOrRefuse(in.frame), int64(len(in.frame)), nil
			}
		}
	}
}

// splitBatch returns the messages of a frame that holds a JSON array of them; nil for
// any other frame, and for an array that is empty or too long, which is then refused.
func splitBatch(frame []byte) (messages []json.RawMessage) {
	if frame = bytes.TrimLeft(frame, " \t\r\n"); len(frame) == 0 || frame[0] != '[' {
		return nil
	}
	if json.Unmarshal(frame, &messages) != nil || len(messages) > maxBatch {
		return nil
	}
	return messages
}

// decodeOrRefuse returns the message of a text, or for an invalid one what refuses it.
func decodeOrRefuse(text []byte) jsonrpc2.Message {
	msg, err := decode(text)
	if err != nil {
		msg = refuse(text, fault.From(err))
	}
	return msg
}

// refuse converts an invalid frame into a message that ends the wait for it: the
// peer's for an answer to its request, or that of a call of this side for the peer's
// answer. Where neither can be read, the peer only gets a notification.
func refuse(frame []byte, f *fault.Error) jsonrpc2.Message {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(frame, &m) != nil || m.ID == nil {
		return badMessage(jsonrpc2.ID{}, f)
	}
	id, err := parseID(m.ID)
	switch {
	case err != nil || m.Method == nil && m.Result == nil && m.Error == nil:
		return badMessage(jsonrpc2.ID{}, f)
	case m.Method == nil:
		return &jsonrpc2.Response{ID: id, Error: f.WithDispatched(fault.DispatchedUnknown)}
	default:
		return badMessage(id, f.WithDispatched(fault.NotDispatched))
	}
}

// badMessage returns a request for the preempter, which answers the refused frame by
// the ID if there is one.
func badMessage(id jsonrpc2.ID, f *fault.Error) jsonrpc2.Message {
	params, err := json.Marshal(errorData(f))
	if err != nil {
		params = []byte(`{}`)
	}
	return &jsonrpc2.Request{ID: id, Method: methodBad, Params: params}
}
