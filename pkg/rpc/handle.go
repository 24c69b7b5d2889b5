package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"golang.org/x/exp/jsonrpc2"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

type cancelParams struct {
	ID any `json:"id"`
}

// streamDialer passes an open stream to jsonrpc2.
type streamDialer struct{ stream io.ReadWriteCloser }

func (d streamDialer) Dial(context.Context) (io.ReadWriteCloser, error) { return d.stream, nil }

type binder struct {
	conn    *Conn
	opt     Options
	connCtx context.Context
}

func (b binder) Bind(_ context.Context, conn *jsonrpc2.Connection) (jsonrpc2.ConnectionOptions, error) {
	b.conn.conn = conn
	return jsonrpc2.ConnectionOptions{
		Framer:    framer(b),
		Preempter: preempter{conn, b.opt, b.conn},
		Handler:   jsonrpc2.HandlerFunc(b.handle),
	}, nil
}

// handle runs a request beside the others, since a synchronous handler would block
// the connection; notifications stay in order.
func (b binder) handle(ctx context.Context, r *jsonrpc2.Request) (any, error) {
	if !r.IsCall() {
		defer b.conn.notifications.countHandled()
		_, err := b.opt.Handler(ctx, r.Method, r.Params)
		if err != nil && b.opt.OnBadFrame != nil {
			b.opt.OnBadFrame(err)
		}
		return nil, nil
	}
	return b.conn.serve(ctx, r, b.opt.Handler)
}

// serve runs the handler of a request on a goroutine of its own, which answers it.
func (c *Conn) serve(ctx context.Context, r *jsonrpc2.Request, handler Handler) (any, error) {
	c.beginRequest()
	go func() {
		defer c.endRequest()
		c.answer(ctx, r, handler)
	}()
	return nil, jsonrpc2.ErrAsyncResponse
}

// answer runs the handler of a request and queues its answer.
func (c *Conn) answer(ctx context.Context, r *jsonrpc2.Request, handler Handler) {
	result, err := handler(ctx, r.Method, r.Params)
	if answer, ok := result.(Answer); ok {
		defer c.callWhenWritten(answer.OnSent)
		result = answer.Result
	}
	var encoded Encoded
	if err == nil {
		encoded, err = encodeResult(result)
	}
	outcome := error(encoded)
	if err != nil {
		outcome = fault.From(err)
	}
	// A response that cannot be sent means that the connection ended, which
	// ends everything else too.
	_ = c.conn.Respond(r.ID, nil, outcome)
}

// Answer is a result with a callback: OnSent is called once the result is written to
// the stream, or the connection has ended.
type Answer struct {
	Result any
	OnSent func()
}

// callWhenWritten calls onSent once everything queued so far is written.
func (c *Conn) callWhenWritten(onSent func()) {
	defer onSent()
	written := make(chan struct{})
	// It fails only with the connection.
	if c.out.enqueue(context.Background(), outgoing{written: written}) != nil {
		return
	}
	select {
	case <-written:
	case <-c.out.failed:
	}
}

// preempter handles the messages that must not wait in the queue.
type preempter struct {
	conn *jsonrpc2.Connection
	opt  Options
	self *Conn
}

// isPreempted reports whether messages of the method never get to the handler.
func isPreempted(method string) bool {
	return method == methodCancel || method == methodBad || method == methodRefuse
}

func (p preempter) Preempt(ctx context.Context, r *jsonrpc2.Request) (any, error) {
	switch r.Method {
	case methodCancel:
		var params struct {
			ID json.RawMessage `json:"id"`
		}
		if err := strictjson.Decode(r.Params, &params, strictjson.Limits{}); err != nil {
			return nil, nil
		}
		if id, err := parseID(params.ID); err == nil {
			p.conn.Cancel(id)
		}
		return nil, nil
	case methodBad:
		if p.opt.OnBadFrame != nil {
			p.opt.OnBadFrame(errors.New(string(r.Params)))
		}
		if r.IsCall() {
			return nil, rejectionOf(r.Params)
		}
		_ = p.conn.Notify(ctx, methodError, r.Params)
		return nil, nil
	case methodRefuse:
		var params protocol.MessageRefused
		if err := strictjson.Decode(r.Params, &params, strictjson.Limits{}); err != nil || params.ID < 1 {
			return nil, nil
		}
		if id, ok := p.self.out.requestOf(uint64(params.ID)); ok {
			// The call will get no other answer.
			p.self.local.add(&jsonrpc2.Response{ID: id, Error: FaultFrom(params.Error)})
		}
		return nil, nil
	}
	if p.opt.Limiter != nil {
		return p.admit(ctx, r)
	}
	return nil, jsonrpc2.ErrNotHandled
}
