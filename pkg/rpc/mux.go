package rpc

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Mux routes messages to the handlers of their methods. Handlers are registered before
// the first message is served. Those of the extension's pages are registered during the
// handshake, which is safe: no message reaches the Mux before handshakeDone, an atomic
// that is stored afterwards.
type Mux struct {
	handlers map[string]Handler
	unknown  Handler
}

// NewMux returns a Mux that passes the messages of all methods without a handler to unknown.
func NewMux(unknown Handler) *Mux {
	return &Mux{handlers: map[string]Handler{}, unknown: unknown}
}

// Serve passes a message to the handler of its method. It is a [Handler].
func (m *Mux) Serve(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if h, ok := m.handlers[method]; ok {
		return h(ctx, method, params)
	}
	return m.unknown(ctx, method, params)
}

// HandleFunc registers the handler of a method whose parameters are passed on as they are.
// It panics if the method has a handler.
func (m *Mux) HandleFunc(method string, h Handler) {
	if _, ok := m.handlers[method]; ok {
		panic("rpc: two handlers for the method " + method)
	}
	m.handlers[method] = h
}

// Handle registers the handler of a method with parameters of the type P, strictly decoded.
// Parameters that are refused reach no handler: surely nothing was done.
func Handle[P, R any](m *Mux, method string, h func(ctx context.Context, params P) (R, error)) {
	m.HandleFunc(method, func(ctx context.Context, _ string, params json.RawMessage) (any, error) {
		var p P
		if err := strictjson.Decode(params, &p, strictjson.Limits{}); err != nil {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
		return h(ctx, p)
	})
}

// Notify is [Handle] for a notification whose handler cannot fail.
func Notify[P any](m *Mux, method string, h func(params P)) {
	Handle(m, method, func(_ context.Context, params P) (any, error) {
		h(params)
		return nil, nil
	})
}
