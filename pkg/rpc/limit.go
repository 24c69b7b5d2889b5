package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"golang.org/x/exp/jsonrpc2"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
)

// Limiter limits what the peer of a connection may ask for.
type Limiter interface {
	// Room is asked about the frames of the peer.
	nativemsg.Room
	// Admit is called for each request with the size of its parameters in bytes, for one
	// after the other. It does not wait; an error refuses the request.
	Admit(size int) (Admission, error)
}

// Admission is a request that was admitted.
type Admission interface {
	// Begin waits until the request may be handled.
	Begin(context.Context) error
	// End is called before the request is answered, whether Begin let it in or not.
	End()
}

// admit handles a request of a limited peer. It runs on the goroutine that reads: a refusal
// that the peer does not take keeps it from asking for more.
func (p preempter) admit(ctx context.Context, r *jsonrpc2.Request) (any, error) {
	if !r.IsCall() {
		f := fault.New(fault.InvalidMessage, "the notification %.50q is not known here", r.Method).WithDispatched(fault.NotDispatched)
		if p.opt.OnBadFrame != nil {
			p.opt.OnBadFrame(f)
		}
		_ = p.conn.Notify(ctx, methodError, errorData(f))
		return nil, nil
	}
	admission, err := p.opt.Limiter.Admit(len(r.Params))
	if err != nil {
		return nil, fault.From(err)
	}
	return p.self.serve(ctx, r, func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		defer admission.End() // before the answer: whoever has that may send the next request
		if err := admission.Begin(ctx); err != nil {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
		return p.opt.Handler(ctx, method, params)
	})
}

// refusedFrame returns the error of a frame that was skipped; nil for any other.
func refusedFrame(err error) *nativemsg.RefusedFrame {
	var refused *nativemsg.RefusedFrame
	errors.As(err, &refused)
	return refused
}

// idWithin returns the ID of the request whose message begins so; none if the beginning
// does not have it.
func idWithin(start []byte) jsonrpc2.ID {
	in := json.NewDecoder(bytes.NewReader(start))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return jsonrpc2.ID{}
	}
	for {
		name, err := in.Token()
		if err != nil {
			return jsonrpc2.ID{}
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return jsonrpc2.ID{}
		}
		if name == "id" {
			id, _ := parseID(value) // none for one of another type
			return id
		}
	}
}
