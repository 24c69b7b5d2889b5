package launch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

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

// Error is the browser's error for a command.
type Error struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// errLost is in the errors of a browser that has ended.
var errLost = errors.New("the connection to the browser is lost")

// pipe is the browser's debugging pipe. Its clients number their commands independently, so the
// pipe renumbers them.
type pipe struct {
	in  io.ReadCloser
	out io.WriteCloser

	writing sync.Mutex

	mu         sync.Mutex
	last       int64
	pending    map[int64]pendingCommand
	clients    map[*Client]struct{}
	err        error
	lastOutput func() string // returns the last output of the other end
}

// pendingCommand is a command without a reply yet.
type pendingCommand struct {
	client *Client
	id     int64 // as the client named it
}

func newPipe(in io.ReadCloser, out io.WriteCloser, lastOutput func() string) *pipe {
	p := &pipe{in: in, out: out, lastOutput: lastOutput, pending: map[int64]pendingCommand{}, clients: map[*Client]struct{}{}}
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

// read delivers the messages, each ended by a zero byte, until the browser ends.
func (p *pipe) read() {
	in := bufio.NewReader(p.in)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			p.fail(err)
			return
		}
		var m Message
		if err := json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m); err != nil {
			p.fail(err)
			return
		}
		p.deliver(m)
	}
}

// deliver passes a reply to the client that sent the command, and an event to every client.
func (p *pipe) deliver(m Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.ID != 0 {
		a := p.pending[m.ID]
		delete(p.pending, m.ID)
		if _, open := p.clients[a.client]; open {
			m.ID = a.id
			a.client.put(m)
		}
		return
	}
	for l := range p.clients {
		l.put(m)
	}
}

func (p *pipe) fail(err error) {
	output := ""
	if !errors.Is(err, os.ErrClosed) {
		output = p.lastOutput()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = fault.Wrap(errors.Join(errLost, err), fault.BrowserNotConnected, "the connection to the browser is lost: %v%s", err, output)
	for l := range p.clients {
		l.wake()
	}
}
