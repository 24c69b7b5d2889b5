package launch

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Client is one client of the debugging pipe: it receives the replies to its own commands, and
// every event.
type Client struct {
	pipe  *pipe
	queue []Message     // under the pipe's mutex
	ready chan struct{} // holds one signal while the queue is not empty
}

// NewClient returns a further client of the debugging pipe.
func (b *Browser) NewClient() *Client { return b.pipe.newClient() }

func (p *pipe) newClient() *Client {
	l := &Client{pipe: p, ready: make(chan struct{}, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients[l] = struct{}{}
	return l
}

func (l *Client) put(m Message) {
	l.queue = append(l.queue, m)
	l.wake()
}

func (l *Client) wake() {
	select {
	case l.ready <- struct{}{}:
	default: // it is signalled already
	}
}

// Close removes the client; the pipe stays open.
func (l *Client) Close() error {
	l.pipe.mu.Lock()
	defer l.pipe.mu.Unlock()
	delete(l.pipe.clients, l)
	l.wake()
	return nil
}

// Send sends a command.
func (l *Client) Send(m Message) error {
	p := l.pipe
	p.mu.Lock()
	p.last++
	number := p.last
	p.pending[number] = pendingCommand{l, m.ID}
	p.mu.Unlock()
	m.ID = number
	text, err := json.Marshal(m)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "a command cannot be written: %v", err)
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	if _, err := p.out.Write(append(text, 0)); err != nil {
		return fault.Wrap(errors.Join(errLost, err), fault.BrowserNotConnected, "the browser cannot be reached: %v", err)
	}
	return nil
}

// Receive returns the next message, io.EOF when the client is closed.
func (l *Client) Receive(ctx context.Context) (Message, error) {
	for {
		m, ok, err := l.take()
		if ok || err != nil {
			return m, err
		}
		select {
		case <-l.ready:
		case <-ctx.Done():
			return Message{}, ctx.Err()
		}
	}
}

func (l *Client) take() (Message, bool, error) {
	l.pipe.mu.Lock()
	defer l.pipe.mu.Unlock()
	if len(l.queue) > 0 {
		m := l.queue[0]
		l.queue = l.queue[1:]
		return m, true, nil
	}
	if l.pipe.err != nil {
		return Message{}, false, l.pipe.err
	}
	if _, open := l.pipe.clients[l]; !open {
		return Message{}, false, io.EOF
	}
	return Message{}, false, nil
}

// session is a debugging session over the pipe: that of a target, or the browser's own, without
// an ID.
type session struct {
	pipe *pipe
	id   string
}

var _ cdp.Session = session{}

// Call sends one command and decodes its result.
func (s session) Call(ctx context.Context, method string, params, result any) error {
	raw, err := jsonv2.Marshal(params)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "the parameters of %s cannot be written: %v", method, err)
	}
	l := s.pipe.newClient()
	defer l.Close()
	if err := l.Send(Message{ID: 1, SessionID: s.id, Method: method, Params: json.RawMessage(raw)}); err != nil {
		return err
	}
	for {
		m, err := l.Receive(ctx)
		switch {
		case err != nil:
			return err
		case m.ID == 0:
			if s.ended(m) {
				return ErrDetached
			}
			continue
		case m.Error != nil && s.id != "" && m.Error.Code == codeNoSession:
			return ErrDetached
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		return jsonv2.Unmarshal(m.Result, result)
	}
}

// ended reports whether an event ends the session.
func (s session) ended(m Message) bool {
	var e struct {
		SessionID string `json:"sessionId"`
	}
	return s.id != "" && m.Method == target.DetachedFromTarget.Method && json.Unmarshal(m.Params, &e) == nil && e.SessionID == s.id
}

// Subscribe buffers the session's events of one method from now on.
func (s session) Subscribe(method string) (<-chan jsontext.Value, func()) {
	l := s.pipe.newClient()
	ctx, cancel := context.WithCancel(context.Background())
	events := make(chan jsontext.Value)
	go func() {
		defer close(events)
		defer l.Close()
		for {
			m, err := l.Receive(ctx)
			if err != nil {
				return
			}
			if m.Method != method || m.SessionID != s.id {
				continue
			}
			select {
			case events <- jsontext.Value(m.Params):
			case <-ctx.Done():
				return
			}
		}
	}()
	return events, cancel
}
