package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voice/record"
)

// network is a listener in memory: a bubble of synthetic time knows who waits on
// it.
type network struct {
	arrived chan net.Conn
	done    chan struct{}
	once    sync.Once
}

func newNetwork() *network { return &network{arrived: make(chan net.Conn), done: make(chan struct{})} }

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case n.arrived <- far:
		return near, nil
	case <-n.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept returns the next connection.
func (n *network) Accept() (net.Conn, error) {
	select {
	case conn := <-n.arrived:
		return conn, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

// Close ends the listening.
func (n *network) Close() error {
	n.once.Do(func() { close(n.done) })
	return nil
}

// Addr returns an address that is not used.
func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// tools answers calls with the recorded outcomes and pictures, at the recorded times.
type tools struct {
	mu       sync.Mutex
	surface  voice.ToolSet
	outcomes map[string]chan voice.Outcome // by the id of the call
	looks    map[int64]chan *voice.Image   // by their numbers, those that the recording has
	looked   int64
}

func newTools(r record.Recording) *tools {
	b := &tools{outcomes: map[string]chan voice.Outcome{}, looks: map[int64]chan *voice.Image{}}
	for _, line := range r.Lines {
		var look record.Look
		if line.From == voice.FromTools && json.Unmarshal(line.Event, &look) == nil && look.Type == "look" {
			b.looks[look.Number] = make(chan *voice.Image, 1)
		}
	}
	return b
}

// Look waits for the recorded end of a look; recordings of before there were looks have none.
func (b *tools) Look(ctx context.Context, _ []voice.Outcome) (*voice.Image, error) {
	b.mu.Lock()
	b.looked++
	ended := b.looks[b.looked]
	b.mu.Unlock()
	if ended == nil {
		return nil, nil
	}
	select {
	case image := <-ended:
		return image, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// show ends a look.
func (b *tools) show(event json.RawMessage) error {
	var look record.Look
	if err := json.Unmarshal(event, &look); err != nil {
		return err
	}
	var image *voice.Image
	if look.Picture {
		image = &voice.Image{DataURL: "data:image/png;base64,AAAA", Caption: look.Caption}
	}
	select {
	case b.looks[look.Number] <- image:
		return nil
	default:
		return fmt.Errorf("look %d ended twice", look.Number)
	}
}

// ToolSet is the recorded one of this moment.
func (b *tools) ToolSet(context.Context) (voice.ToolSet, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.surface, nil
}

// Run waits for the recorded outcome.
func (b *tools) Run(ctx context.Context, c voice.ToolCall) voice.Outcome {
	select {
	case o := <-b.of(c.CallID):
		return o
	case <-ctx.Done():
		return voice.Outcome{Name: c.Name, Code: "cancelled", Output: json.RawMessage(`{"ok":false}`)}
	}
}

func (b *tools) of(callID string) chan voice.Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.outcomes[callID] == nil {
		b.outcomes[callID] = make(chan voice.Outcome, 1)
	}
	return b.outcomes[callID]
}

// offer changes the surface to the line's.
func (b *tools) offer(line record.Line) {
	var s record.ToolSet
	if json.Unmarshal(line.Event, &s) != nil {
		return // the reader has seen that it is an object
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.surface = voice.ToolSet{Instructions: s.Instructions}
	for _, name := range s.Tools {
		b.surface.Functions = append(b.surface.Functions, voice.Function{Name: name, Parameters: json.RawMessage(`{}`)})
	}
}

func (b *tools) finish(callID string, event json.RawMessage) error {
	var o record.Outcome
	if err := json.Unmarshal(event, &o); err != nil {
		return err
	}
	outcome := voice.Outcome{Name: o.Name, OK: o.OK, Code: o.Code, Output: o.Output, Page: o.Page}
	if o.Picture {
		outcome.Image = "data:image/png;base64,AAAA"
	}
	select {
	case b.of(callID) <- outcome:
		return nil
	default:
		return errors.New("the tool call " + callID + " ended twice")
	}
}

// phone is a microphone whose call breaks when the recorded one did.
type phone struct{ lost chan error }

func (phone) Offer(context.Context) (string, error)  { return "v=0\r\n", nil }
func (phone) Accept(context.Context, string) error   { return nil }
func (phone) Mute(context.Context, bool, bool) error { return nil }
func (phone) Close(context.Context) error            { return nil }

// Lost returns the error that ended the connection.
func (p phone) Lost() <-chan error { return p.lost }

// deaf is an observer that does not care.
type deaf struct{}

func (deaf) StateChanged(voice.State) {}
func (deaf) RowChanged(voice.Row)     {}
func (deaf) ToolRan(voice.ToolRun)    {}
func (deaf) LogEvent(string, any)     {}
