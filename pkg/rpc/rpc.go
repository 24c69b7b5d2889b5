// Package rpc is JSON-RPC 2.0 in both directions over length-prefixed frames:
// the host's only protocol, with the extension and with local clients.
//
// Rules of this package:
//   - Frames are those of pkg/nativemsg; every incoming message passes
//     pkg/strictjson before anything reads it.
//   - Requests are handled concurrently; notifications in the order they came.
//   - A call ends when its context does: the peer gets $/cancelRequest, and an
//     answer that comes later is dropped.
//   - A connection that breaks ends every call that waits on it, at once.
//   - A bad frame costs that frame only: it is answered by its id, or without
//     one by the notification action_error, and the connection goes on. An
//     oversized or truncated one ends it.
//   - A frame with a list of messages is those messages, one by one: each is
//     answered by itself, and a bad one costs itself only.
//   - A message that fits no frame is sent in chunks if the peer accepts them, and
//     never holds up the others.
//   - With a Limiter the peer is not trusted: its requests are admitted before anything
//     is kept of them, its notifications are refused, and while it does not take the
//     refusals nothing more is read from it.
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
)

const (
	methodCancel = "$/cancelRequest"
	methodBad    = "$/badMessage" // never on the wire: how the reader reports a bad frame
	methodError  = protocol.MethodActionError
	methodRefuse = protocol.MethodMessageRefused
)

// Handler answers a request or handles a notification, whose result is ignored.
// The context ends when the peer cancels or the connection breaks; its cause is
// then a fault with the reason.
type Handler func(ctx context.Context, method string, params json.RawMessage) (any, error)

// errPeerGone is the cause of a handler's context that ended with the connection.
var errPeerGone = fault.New(fault.Cancelled, "the caller went away while the call ran")

// Options sets up a connection.
type Options struct {
	// Handler takes what the peer sends. It must not be nil.
	Handler Handler
	// MaxIn and MaxOut bound a frame's bytes.
	MaxIn, MaxOut int
	// OnBadFrame, if set, is called with the reason for each frame that was refused.
	OnBadFrame func(error)
	// Limiter, if set, limits what the peer may ask for.
	Limiter Limiter
}

// Conn is one connection. It is safe for concurrent use.
type Conn struct {
	conn         *jsonrpc2.Connection
	out          *writer
	done         chan struct{}
	handlersDone chan struct{}
	err          error // set before done is closed

	mu     sync.Mutex
	active int             // requests of the peer that are not answered yet
	idle   []chan struct{} // closed when active is 0 again

	local         *localResponses
	notifications notificationCounter
}

// newConn returns a connection that has all its parts before its peer's first message is read.
func newConn(opt Options) *Conn {
	return &Conn{
		out: newWriter(opt.MaxOut), done: make(chan struct{}), handlersDone: make(chan struct{}),
		local: &localResponses{wake: make(chan struct{}, 1)},
	}
}

// Connect runs JSON-RPC over the stream until it ends or Close is called.
func Connect(ctx context.Context, stream io.ReadWriteCloser, opt Options) (*Conn, error) {
	c := newConn(opt)
	connCtx, end := context.WithCancelCause(ctx)
	conn, err := jsonrpc2.Dial(connCtx, streamDialer{stream}, binder{c, opt, connCtx})
	if err != nil {
		end(err)
		return nil, fault.Wrap(err, fault.TransportFailed, "the connection could not be set up: %v", err)
	}
	go func() {
		c.err = conn.Wait()
		end(errPeerGone)
		close(c.done)
		stream.Close()
		<-c.noRequests()
		close(c.handlersDone)
	}()
	return c, nil
}

// Call sends a request and strictly decodes its answer into result; a nil result
// drops it. A fault that the peer sent is returned unchanged.
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

// Start sends a request and returns once it is queued: requests that one goroutine
// starts arrive in this order, without waiting for answers in between.
func (c *Conn) Start(ctx context.Context, method string, params any) (*Pending, error) {
	if c.ended() {
		return nil, c.connectionError(fault.NotDispatched)
	}
	return &Pending{c, c.conn.Call(ctx, method, params)}, nil
}

// Await waits for the answer; its result and errors are those of [Conn.Call].
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
	err := p.call.Await(wait, nil)
	// The peer may have answered and ended: an answer that is there goes before the end.
	// jsonrpc2 can only be asked for it by a select that chooses at random between the
	// answer and the context, so 64 tries miss it once in 2⁶⁴.
	for i := 0; i < 64 && err != nil && errors.Is(err, wait.Err()) && c.ended(); i++ {
		err = p.call.Await(wait, nil)
	}
	var answer checkedResult
	switch {
	case !errors.As(err, &answer):
		return c.callError(ctx, p.call.ID(), err)
	case result == nil:
		return nil
	default:
		return answer.Decode(result)
	}
}

// ended reports whether the connection has ended.
func (c *Conn) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func (c *Conn) callError(ctx context.Context, id jsonrpc2.ID, err error) error {
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return f
	case c.ended():
		// Also when the caller gave up at the same moment: that the connection
		// ended is the better reason.
		return c.connectionError(fault.DispatchedUnknown)
	case ctx.Err() != nil:
		// The caller gave up: no answer matters any more, so neither does whether
		// the cancellation still reaches the peer.
		c.local.add(&jsonrpc2.Response{ID: id, Error: ctx.Err()})
		if c.out.abandon(id) {
			return fault.From(ctx.Err()).WithDispatched(fault.NotDispatched)
		}
		_ = c.conn.Notify(context.WithoutCancel(ctx), methodCancel, cancelParams{ID: id.Raw()})
		return fault.From(ctx.Err()).WithDispatched(fault.DispatchedUnknown)
	default:
		return c.connectionError(fault.DispatchedUnknown)
	}
}

func (c *Conn) connectionError(d fault.Dispatched) error {
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
	if c.ended() {
		return c.connectionError(fault.NotDispatched)
	}
	return c.conn.Notify(ctx, method, params)
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns the reason of the end; nil for a clean one, and before it.
func (c *Conn) Err() error {
	if !c.ended() || errors.Is(c.err, io.EOF) {
		return nil
	}
	return c.err
}

// HandlersDone is closed when the connection has ended and every handler that it had
// called has returned.
func (c *Conn) HandlersDone() <-chan struct{} { return c.handlersDone }

func (c *Conn) beginRequest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active++
}

func (c *Conn) endRequest() {
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

// noRequests returns a channel that is closed when no request of the peer is being handled.
func (c *Conn) noRequests() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	idle := make(chan struct{})
	if c.active == 0 {
		close(idle)
	} else {
		c.idle = append(c.idle, idle)
	}
	return idle
}

// Drain waits until the peer's requests are answered and everything was written
// to the stream.
func (c *Conn) Drain(ctx context.Context) error {
	select {
	case <-c.noRequests():
	case <-ctx.Done():
		return ctx.Err()
	}
	written := make(chan struct{})
	if err := c.out.enqueue(ctx, outgoing{written: written}); err != nil {
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

// WaitForNotifications waits until every notification that arrived so far is handled.
// An answer is delivered at once, while notifications wait for their turn, so those
// that the peer sent before its answer may not be handled yet.
func (c *Conn) WaitForNotifications(ctx context.Context) error {
	select {
	case <-c.notifications.caughtUp():
		return nil
	case <-ctx.Done():
		return fault.From(ctx.Err())
	case <-c.done:
		return c.connectionError(fault.DispatchedUnknown)
	}
}

// Close ends the connection. Calls that wait on it fail.
func (c *Conn) Close() error { return c.conn.Close() }
