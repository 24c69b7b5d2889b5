package browser

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestBurst(t *testing.T) {
	// Ensure that commands of a burst are all sent before the first is answered, bound to the origin except for those that let go, and that a failure says whether any of them reached the browser.
	var mu sync.Mutex
	origins := map[string]string{}
	all := make(chan struct{})
	refuse := map[string]bool{}
	b, _ := greeted(t, func(ctx context.Context, _ string, params json.RawMessage) (any, error) {
		var got protocol.DebuggerCommand
		if err := json.Unmarshal(params, &got); err != nil {
			return nil, err
		}
		mu.Lock()
		origins[got.Method] = got.Origin
		if len(origins) == 3 {
			close(all)
		}
		refused := refuse[got.Method]
		mu.Unlock()
		select {
		case <-all:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if refused {
			return nil, fault.New(fault.StateMismatch, "gone").WithDispatched(fault.NotDispatched)
		}
		return protocol.DebuggerResult{Result: json.RawMessage(`{}`)}, nil
	})
	send := func() error {
		clear(origins)
		all = make(chan struct{})
		return b.Debugger(1).On("https://example.com").burst(limited(t),
			command{method: "Input.a", params: struct{}{}}, command{method: "Input.b", params: struct{}{}}, command{method: "Input.c", params: struct{}{}, anywhere: true})
	}
	if err := send(); err != nil {
		t.Fatal(err)
	}
	if origins["Input.a"] != "https://example.com" || origins["Input.c"] != "" {
		t.Errorf("bound to %v", origins)
	}
	refuse["Input.b"] = true
	if f := fault.From(send()); f == nil || f.Code != fault.StateMismatch || f.Dispatched != fault.WasDispatched {
		t.Errorf("one of three refused: %+v", f)
	}
	refuse["Input.a"], refuse["Input.c"] = true, true
	if f := fault.From(send()); f == nil || f.Dispatched != fault.NotDispatched {
		t.Errorf("all refused: %+v", f)
	}
}

func TestBurstMeetsADialog(t *testing.T) {
	// Ensure that a burst comes back when the page shows a dialog, and is not sent while it does.
	var w *worker
	var b *Browser
	b, w = greeted(t, func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		event := protocol.DebuggerEvent{TabID: 1, Method: dialogOpening, Params: json.RawMessage(`{"type":"alert","message":"hi","url":"u"}`)}
		if err := w.Notify(ctx, protocol.MethodDebuggerEvent, event); err != nil {
			return nil, err
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	click := command{method: "Input.dispatchMouseEvent", params: struct{}{}}
	for _, want := range []fault.Dispatched{fault.WasDispatched, fault.NotDispatched} {
		if f := fault.From(b.Debugger(1).burst(limited(t), click)); f == nil || f.Code != fault.DialogOpen || f.Dispatched != want {
			t.Errorf("got %+v, want dispatched %s", f, want)
		}
	}
}
