package browser

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

const loaded = "Page.loadEventFired"

// fire sends an event and returns when the host has handled it.
func fire(t *testing.T, w *worker, e protocol.DebuggerEvent) {
	t.Helper()
	if err := w.Notify(limited(t), protocol.MethodDebuggerEvent, e); err != nil {
		t.Fatal(err)
	}
	settle(t, w)
}

// settle waits until the host has handled all notifications before it: they
// are handled in order, and this request behind them.
func settle(t *testing.T, w *worker) {
	t.Helper()
	if err := w.Call(limited(t), protocol.MethodRelease, protocol.ReleaseParams{TabID: 99, Reason: "user"}, nil); err != nil {
		t.Fatal(err)
	}
}

func event(tabID int, method, params string) protocol.DebuggerEvent {
	return protocol.DebuggerEvent{TabID: tabID, Method: method, Params: json.RawMessage(params)}
}

// next takes one event, and fails when none comes.
func next(t *testing.T, events <-chan jsontext.Value) (string, bool) {
	t.Helper()
	select {
	case e, ok := <-events:
		return string(e), ok
	case <-time.After(patience):
		t.Fatal("no event came")
		return "", false
	}
}

func TestDebuggerCall(t *testing.T) {
	// Ensure that a typed command of cdproto travels to the tab and its result back, and that a fault keeps its code.
	var got protocol.DebuggerCommand
	b, _ := greeted(t, func(_ context.Context, method string, params json.RawMessage) (any, error) {
		if err := json.Unmarshal(params, &got); err != nil {
			return nil, err
		}
		if got.TabID == 2 {
			return nil, fault.New(fault.DebuggerUnavailable, "taken").WithDispatched(fault.NotDispatched)
		}
		return protocol.DebuggerResult{Result: json.RawMessage(`{"frameId":"f","loaderId":"l"}`)}, nil
	})
	result, err := cdp.Call(limited(t), b.Debugger(1), page.Navigate, page.NavigateParams{URL: "https://example.com/"})
	if err != nil || result.FrameID != "f" {
		t.Fatalf("got %+v, %v", result, err)
	}
	if got.TabID != 1 || got.Method != "Page.navigate" || string(got.Params) != `{"url":"https://example.com/"}` {
		t.Errorf("sent %+v %s", got, got.Params)
	}
	err = b.Debugger(2).Call(limited(t), "Page.enable", nil, nil)
	if f := fault.From(err); f.Code != fault.DebuggerUnavailable || f.Dispatched != fault.NotDispatched {
		t.Errorf("got %+v", f)
	}
	if string(got.Params) != `{}` {
		t.Errorf("no parameters became %s", got.Params)
	}
}

func TestDebuggerResultOfAnotherShape(t *testing.T) {
	// Ensure that a result which is not what the command gives is invalid_result.
	b, _ := greeted(t, func(context.Context, string, json.RawMessage) (any, error) {
		return protocol.DebuggerResult{Result: json.RawMessage(`{"frameId":1}`)}, nil
	})
	_, err := cdp.Call(limited(t), b.Debugger(1), page.Navigate, page.NavigateParams{URL: "x"})
	if !fault.Is(err, fault.InvalidResult) {
		t.Errorf("got %v", err)
	}
}

func TestSubscribeBuffersInOrder(t *testing.T) {
	// Ensure that events wait for a reader that comes late, in their order, without holding up the connection.
	b, w := greeted(t, nil)
	events, cancel := b.Debugger(1).Subscribe(loaded)
	defer cancel()
	const count = 500
	for i := range count {
		if err := w.Notify(limited(t), protocol.MethodDebuggerEvent, event(1, loaded, strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	settle(t, w) // all are handled and nobody has read one
	for i := range count {
		if got, ok := next(t, events); !ok || got != strconv.Itoa(i) {
			t.Fatalf("event %d is %q, %t", i, got, ok)
		}
	}
}

func TestSubscribeSelects(t *testing.T) {
	// Ensure that a subscriber gets the events of its own tab, session and method only, and that two subscribers both get them.
	b, w := greeted(t, nil)
	first, cancelFirst := b.Debugger(1).Subscribe(loaded)
	defer cancelFirst()
	second, cancelSecond := b.Debugger(1).Subscribe(loaded)
	defer cancelSecond()
	other := event(1, loaded, `"child"`)
	other.SessionID = "child"
	for _, e := range []protocol.DebuggerEvent{event(2, loaded, `"tab"`), event(1, "Page.frameNavigated", `"method"`), other, event(1, loaded, `"mine"`)} {
		fire(t, w, e)
	}
	for _, events := range []<-chan jsontext.Value{first, second} {
		if got, _ := next(t, events); got != `"mine"` {
			t.Errorf("got %s", got)
		}
	}
}

func TestSubscribeCloses(t *testing.T) {
	// Ensure that a channel closes when its reader cancels, also twice, and when the debugger is detached from its tab, and not from another.
	b, w := greeted(t, nil)
	events, cancel := b.Debugger(1).Subscribe(loaded)
	cancel()
	cancel()
	if _, ok := next(t, events); ok {
		t.Error("an event after cancel")
	}
	fire(t, w, event(1, loaded, `1`)) // nobody is there to take it

	mine, cancelMine := b.Debugger(1).Subscribe(loaded)
	defer cancelMine()
	theirs, cancelTheirs := b.Debugger(2).Subscribe(loaded)
	defer cancelTheirs()
	if err := w.Notify(limited(t), protocol.MethodDebuggerDetached, protocol.DebuggerDetached{TabID: 1, Reason: "canceled_by_user"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := next(t, mine); ok {
		t.Error("an event after detaching")
	}
	fire(t, w, event(2, loaded, `2`))
	if got, ok := next(t, theirs); !ok || got != `2` {
		t.Errorf("the other tab's reader got %q, %t", got, ok)
	}
}

func TestSubscribeEndsWithTheConnection(t *testing.T) {
	// Ensure that a reader does not wait for ever for the events of a browser that is gone.
	b, w := greeted(t, nil)
	events, cancel := b.Debugger(1).Subscribe(loaded)
	defer cancel()
	w.Close()
	<-b.Done()
	if _, ok := next(t, events); ok {
		t.Error("an event came from nowhere")
	}
	late, cancelLate := b.Debugger(1).Subscribe(loaded)
	defer cancelLate()
	if _, ok := next(t, late); ok {
		t.Error("an event for a late subscriber")
	}
}
