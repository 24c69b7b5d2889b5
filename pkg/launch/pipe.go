package launch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Message is one message of the DevTools protocol: a command, its reply or an
// event.
type Message struct {
	ID        int64           `json:"id,omitzero"`
	SessionID string          `json:"sessionId,omitzero"`
	Method    string          `json:"method,omitzero"`
	Params    json.RawMessage `json:"params,omitzero"`
	Result    json.RawMessage `json:"result,omitzero"`
	Error     *Error          `json:"error,omitzero"`
}

// Error is what the browser says of a command that it did not carry out.
type Error struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// pipe is the browser's debugging pipe. The several lines over it have numbers of
// their own for their commands, so the pipe numbers them anew.
type pipe struct {
	in  io.ReadCloser
	out io.WriteCloser

	writing sync.Mutex

	mu     sync.Mutex
	last   int64
	asked  map[int64]asked
	lines  map[*Line]struct{}
	broken error
}

// asked is a command under way.
type asked struct {
	line *Line
	id   int64 // as the line named it
}

func newPipe(in io.ReadCloser, out io.WriteCloser) *pipe {
	p := &pipe{in: in, out: out, asked: map[int64]asked{}, lines: map[*Line]struct{}{}}
	go p.read()
	return p
}

// Close closes both ends; the browser then ends.
func (p *pipe) Close() error {
	err := p.in.Close()
	if outErr := p.out.Close(); err == nil {
		err = outErr
	}
	return err
}

// read hands out the messages, each ended by a zero byte, until the browser ends.
func (p *pipe) read() {
	in := bufio.NewReader(p.in)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			p.end(err)
			return
		}
		var m Message
		if err := json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m); err != nil {
			p.end(err)
			return
		}
		p.deliver(m)
	}
}

// deliver gives a reply to the line that asked, and an event to every line.
func (p *pipe) deliver(m Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.ID != 0 {
		a := p.asked[m.ID]
		delete(p.asked, m.ID)
		if _, open := p.lines[a.line]; open {
			m.ID = a.id
			a.line.put(m)
		}
		return
	}
	for l := range p.lines {
		l.put(m)
	}
}

func (p *pipe) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = fault.Wrap(err, fault.BrowserNotConnected, "the connection to the browser is lost: %v", err)
	for l := range p.lines {
		l.wake()
	}
}

// Line is one client's share of the debugging pipe: it gets the replies to its own
// commands, and every event.
type Line struct {
	pipe  *pipe
	queue []Message     // under the pipe's mutex
	more  chan struct{} // holds one signal while the queue is not empty
}

// Line opens a further line to the browser.
func (b *Browser) Line() *Line { return b.pipe.line() }

func (p *pipe) line() *Line {
	l := &Line{pipe: p, more: make(chan struct{}, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines[l] = struct{}{}
	return l
}

func (l *Line) put(m Message) {
	l.queue = append(l.queue, m)
	l.wake()
}

func (l *Line) wake() {
	select {
	case l.more <- struct{}{}:
	default: // it is signalled already
	}
}

// Close ends the line; the pipe stays.
func (l *Line) Close() error {
	l.pipe.mu.Lock()
	defer l.pipe.mu.Unlock()
	delete(l.pipe.lines, l)
	l.wake()
	return nil
}

// Send sends a command.
func (l *Line) Send(m Message) error {
	p := l.pipe
	p.mu.Lock()
	p.last++
	number := p.last
	p.asked[number] = asked{l, m.ID}
	p.mu.Unlock()
	m.ID = number
	text, err := json.Marshal(m)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "a command cannot be written: %v", err)
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	if _, err := p.out.Write(append(text, 0)); err != nil {
		return fault.Wrap(err, fault.BrowserNotConnected, "the browser cannot be reached: %v", err)
	}
	return nil
}

// Receive gives the next message, io.EOF when the line is closed.
func (l *Line) Receive(ctx context.Context) (Message, error) {
	for {
		m, ok, err := l.take()
		if ok || err != nil {
			return m, err
		}
		select {
		case <-l.more:
		case <-ctx.Done():
			return Message{}, ctx.Err()
		}
	}
}

func (l *Line) take() (Message, bool, error) {
	l.pipe.mu.Lock()
	defer l.pipe.mu.Unlock()
	if len(l.queue) > 0 {
		m := l.queue[0]
		l.queue = l.queue[1:]
		return m, true, nil
	}
	if l.pipe.broken != nil {
		return Message{}, false, l.pipe.broken
	}
	if _, open := l.pipe.lines[l]; !open {
		return Message{}, false, io.EOF
	}
	return Message{}, false, nil
}

// session is a debugging session over the pipe: that of a target, or the browser's
// own, without an id.
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
	l := s.pipe.line()
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
			continue // an event
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		}
		return jsonv2.Unmarshal(m.Result, result)
	}
}

// Subscribe buffers the session's events of one method from now on.
func (s session) Subscribe(method string) (<-chan jsontext.Value, func()) {
	l := s.pipe.line()
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
