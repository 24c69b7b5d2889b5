// Package rpc is JSON-RPC 2.0 in both directions over length-prefixed frames:
// the one way in which the host talks, to the extension and to local clients.
//
// Rules of this package:
//   - Frames are those of pkg/nativemsg; every incoming text passes
//     pkg/strictjson before anything reads it.
//   - Requests are handled concurrently; notifications in the order they came.
//   - A call ends when its context does: the peer is told by $/cancelRequest,
//     and the answer that comes later is dropped.
//   - A connection that breaks ends every call that waits on it, at once.
//   - A bad frame costs that frame only: it is answered by its id, or without
//     one by the notification action_error, and the connection goes on. An
//     oversized or truncated one ends it.
//   - A message that fits no frame goes in parts where the peer takes them, and
//     never holds up the others.
//   - An error keeps its code, evidence and next step across the wire.
package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"golang.org/x/exp/jsonrpc2"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

const (
	methodCancel = "$/cancelRequest"
	methodBad    = "$/badMessage" // never on the wire: how the reader reports a bad frame
	methodError  = protocol.MethodActionError
	methodRefuse = protocol.MethodMessageRefused
)

// Handler answers a request or takes a notification, whose result is ignored.
// The context ends when the peer cancels or the connection breaks.
type Handler func(ctx context.Context, method string, params json.RawMessage) (any, error)

// Options sets up a connection.
type Options struct {
	// Handler takes what the peer sends. It must not be nil.
	Handler Handler
	// MaxIn and MaxOut bound a frame's bytes.
	MaxIn, MaxOut int
	// OnBad, if set, learns of each frame that was refused.
	OnBad func(error)
}

// Conn is one connection. It is safe for concurrent use.
type Conn struct {
	conn *jsonrpc2.Connection
	out  *writer
	done chan struct{}
	err  error // set before done is closed

	mu     sync.Mutex
	active int             // requests of the peer that are not answered yet
	idle   []chan struct{} // closed when active is 0 again

	answers *ownAnswers
	heard   notices
}

// Connect runs JSON-RPC over the stream until it ends or Close is called.
func Connect(ctx context.Context, stream io.ReadWriteCloser, opt Options) (*Conn, error) {
	c := &Conn{done: make(chan struct{}), answers: &ownAnswers{wake: make(chan struct{}, 1)}}
	life, end := context.WithCancel(ctx)
	conn, err := jsonrpc2.Dial(life, dialed{stream}, binder{c, opt, life})
	if err != nil {
		end()
		return nil, fault.Wrap(err, fault.TransportFailed, "the connection could not be set up: %v", err)
	}
	go func() {
		c.err = conn.Wait()
		end()
		close(c.done)
		stream.Close()
	}()
	return c, nil
}

// Call sends a request and decodes its answer into result (nil: dropped),
// strictly. A fault that the peer sent comes back as it was.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	sent, err := c.Start(ctx, method, params)
	if err != nil {
		return err
	}
	return sent.Await(ctx, result)
}

// Pending is a request that was sent and whose answer was not read yet.
type Pending struct {
	conn *Conn
	call *jsonrpc2.AsyncCall
}

// Start sends a request and returns when it is on its way: what one goroutine
// starts arrives in this order, without waiting for answers in between.
func (c *Conn) Start(ctx context.Context, method string, params any) (*Pending, error) {
	select {
	case <-c.done:
		return nil, c.broken(fault.NotDispatched)
	default:
		return &Pending{c, c.conn.Call(ctx, method, params)}, nil
	}
}

// Await waits for the answer; Call says what it gives.
func (p *Pending) Await(ctx context.Context, result any) error {
	c := p.conn
	defer c.out.forget(p.call.ID())
	wait, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-c.done:
			cancel()
		case <-wait.Done():
		}
	}()
	var raw json.RawMessage
	if err := p.call.Await(wait, &raw); err != nil {
		return c.failed(ctx, p.call.ID(), err)
	}
	if result == nil {
		return nil
	}
	return strictjson.Decode(raw, result, strictjson.Limits{})
}

func (c *Conn) failed(ctx context.Context, id jsonrpc2.ID, err error) error {
	var f *fault.Error
	ended := false
	select {
	case <-c.done:
		ended = true
	default:
	}
	switch {
	case errors.As(err, &f):
		return f
	case ended:
		// Also when the caller gave up at the same moment: that the connection
		// ended is the better reason.
		return c.broken(fault.DispatchedUnknown)
	case ctx.Err() != nil:
		// The caller gave up: no answer matters any more, so neither does whether
		// the peer can still be told.
		c.answers.add(&jsonrpc2.Response{ID: id, Error: ctx.Err()})
		if c.out.abandon(id) {
			return fault.From(ctx.Err()).WithDispatched(fault.NotDispatched)
		}
		_ = c.conn.Notify(context.WithoutCancel(ctx), methodCancel, cancelParams{ID: id.Raw()})
		return fault.From(ctx.Err()).WithDispatched(fault.DispatchedUnknown)
	default:
		return c.broken(fault.DispatchedUnknown)
	}
}

func (c *Conn) broken(d fault.Dispatched) error {
	f := fault.New(fault.TransportFailed, "the connection ended").WithDispatched(d)
	if d == fault.NotDispatched {
		return f
	}
	// The code's own hint is for calls that were not sent.
	f.Retryable = false
	return f.WithNextStep("The connection broke while the call ran: read the page's state before you call again.")
}

// Notify sends a notification.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	select {
	case <-c.done:
		return c.broken(fault.NotDispatched)
	default:
		return c.conn.Notify(ctx, method, params)
	}
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err gives the reason of the end; nil for a clean one, and before it.
func (c *Conn) Err() error {
	select {
	case <-c.done:
		if errors.Is(c.err, io.EOF) {
			return nil
		}
		return c.err
	default:
		return nil
	}
}

func (c *Conn) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active++
}

func (c *Conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active--
	if c.active == 0 {
		for _, idle := range c.idle {
			close(idle)
		}
		c.idle = nil
	}
}

// Drain waits until the peer's requests are answered and everything was written
// to the stream.
func (c *Conn) Drain(ctx context.Context) error {
	c.mu.Lock()
	if c.active > 0 {
		idle := make(chan struct{})
		c.idle = append(c.idle, idle)
		c.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	} else {
		c.mu.Unlock()
	}
	written := make(chan struct{})
	if err := c.out.put(ctx, outgoing{written: written}); err != nil {
		return err
	}
	select {
	case <-written:
		return nil
	case <-c.out.failed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CatchUp waits until the handler has taken every notification that arrived so
// far. An answer is given at once, while notifications wait for their turn: what
// the peer told before it answered may else still be on its way.
func (c *Conn) CatchUp(ctx context.Context) error {
	select {
	case <-c.heard.caughtUp():
		return nil
	case <-ctx.Done():
		return fault.From(ctx.Err())
	case <-c.done:
		return c.broken(fault.DispatchedUnknown)
	}
}

// Close ends the connection. Calls that wait on it fail.
func (c *Conn) Close() error { return c.conn.Close() }
