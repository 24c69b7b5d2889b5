package browser

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// heard is a listener that notes what it is told.
type heard struct {
	mu   sync.Mutex
	told []string
}

func (h *heard) note(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, what)
}

func (h *heard) notes() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.told)
}

func (h *heard) listener() Listener {
	return Listener{
		Event:    func(method string, params json.RawMessage) { h.note(method + string(params)) },
		Detached: func(reason string) { h.note("detached " + reason) },
	}
}

func TestListen(t *testing.T) {
	// Ensure that a listener hears the events of all methods of its tab in order, none of another tab or a child session, the end once, and nothing when it was taken off.
	b, w := greeted(t, nil)
	var one, off heard
	b.Debugger(1).Listen(one.listener())
	b.Debugger(1).Listen(off.listener())()
	for _, e := range []protocol.DebuggerEvent{
		event(1, "Log.entryAdded", `{"n":1}`), event(2, "Log.entryAdded", `{"n":2}`), event(1, "Network.dataReceived", `{"n":3}`),
		{TabID: 1, SessionID: "child", Method: "Log.entryAdded", Params: json.RawMessage(`{"n":4}`)},
	} {
		fire(t, w, e)
	}
	if err := w.Notify(limited(t), protocol.MethodDebuggerDetached, protocol.DebuggerDetached{TabID: 1, Reason: "canceled_by_user"}); err != nil {
		t.Fatal(err)
	}
	fire(t, w, event(1, "Log.entryAdded", `{"n":5}`))
	want := []string{`Log.entryAdded{"n":1}`, `Network.dataReceived{"n":3}`, "detached canceled_by_user"}
	if got := one.notes(); !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
	if got := off.notes(); len(got) != 0 {
		t.Errorf("heard %q after it was taken off", got)
	}
}

func TestListenEndsWithTheConnection(t *testing.T) {
	// Ensure that a listener learns that the connection has ended, also one that comes later.
	b, w := greeted(t, nil)
	ended := make(chan string, 2)
	listener := Listener{Event: func(string, json.RawMessage) {}, Detached: func(reason string) { ended <- reason }}
	b.Debugger(1).Listen(listener)
	w.Close()
	for _, late := range []bool{false, true} {
		if late {
			b.Debugger(1).Listen(listener)
		}
		select {
		case reason := <-ended:
			if reason != connectionEnded {
				t.Errorf("the reason is %q", reason)
			}
		case <-time.After(patience):
			t.Fatalf("nobody told it (late: %t)", late)
		}
	}
}

// fencing is a page whose binding is answered, or is not, before the command.
func fencing(t *testing.T, sign func(w *worker, expression string) (result string)) *Browser {
	t.Helper()
	var w *worker
	b, far := greeted(t, func(ctx context.Context, _ string, params json.RawMessage) (any, error) {
		var c protocol.DebuggerCommand
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, err
		}
		result := `{}`
		switch c.Method {
		case "Page.getFrameTree":
			result = `{"frameTree":{"frame":{"id":"f","loaderId":"l","url":"","domainAndRegistry":"","securityOrigin":"","mimeType":"","secureContextType":"Secure","crossOriginIsolatedContextType":"Isolated","gatedAPIFeatures":[]}}}`
		case "Page.createIsolatedWorld":
			result = `{"executionContextId":7}`
		case "Runtime.evaluate":
			var e struct{ Expression string }
			if err := json.Unmarshal(c.Params, &e); err != nil {
				return nil, err
			}
			result = sign(w, e.Expression)
		}
		return protocol.DebuggerResult{Result: json.RawMessage(result)}, nil
	})
	w = far
	return b
}

func TestFence(t *testing.T) {
	// Ensure that the fence is passed only with the page's own sign, behind all events before it, and that a page which cannot give one is an error, as is a debugger that leaves before it comes.
	var one heard
	b := fencing(t, func(w *worker, expression string) string {
		token := strings.TrimSuffix(strings.TrimPrefix(expression, fenceBinding+`("`), `")`)
		for _, e := range []protocol.DebuggerEvent{
			event(1, "Log.entryAdded", `{}`), event(1, "Runtime.bindingCalled", `{"payload":"`+token+`"}`),
		} {
			if err := w.Notify(context.Background(), protocol.MethodDebuggerEvent, e); err != nil {
				t.Error(err)
			}
		}
		return `{"result":{"type":"undefined"}}`
	})
	b.Debugger(1).Listen(one.listener())
	if err := b.Debugger(1).Fence(limited(t)); err != nil {
		t.Fatal(err)
	}
	if got := one.notes(); len(got) == 0 || got[0] != "Log.entryAdded{}" {
		t.Errorf("heard %q", got)
	}
	b = fencing(t, func(*worker, string) string {
		return `{"result":{"type":"undefined"},"exceptionDetails":{"exceptionId":1,"text":"Uncaught","lineNumber":0,"columnNumber":0}}`
	})
	if err := b.Debugger(1).Fence(limited(t)); !fault.Is(err, fault.HandlerFailed) {
		t.Errorf("without a sign: %v", err)
	}
	b = fencing(t, func(w *worker, _ string) string {
		if err := w.Notify(context.Background(), protocol.MethodDebuggerDetached, protocol.DebuggerDetached{TabID: 1, Reason: "target_closed"}); err != nil {
			t.Error(err)
		}
		return `{"result":{"type":"undefined"}}`
	})
	if err := b.Debugger(1).Fence(limited(t)); !fault.Is(err, fault.DebuggerUnavailable) {
		t.Errorf("detached: %v", err)
	}
}
