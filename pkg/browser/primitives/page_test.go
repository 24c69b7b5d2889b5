package primitives

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// pageCall makes a call of a primitive to tab 1.
func pageCall(t *testing.T, name, args string) primitive.Call {
	t.Helper()
	r, ok := primitive.Load().Record(name)
	if !ok {
		t.Fatalf("no primitive %s", name)
	}
	return primitive.Call{ID: "c1", Record: r, Arguments: json.RawMessage(args), TabID: 1, Origin: "https://example.com"}
}

// replaced is a page whose document is replaced under the first calls.
func replaced(t *testing.T, times int32) (*Handlers, *atomic.Int32) {
	t.Helper()
	var calls atomic.Int32
	b := connect(t, func(context.Context, string, json.RawMessage) (any, error) {
		if calls.Add(1) <= times {
			return nil, fault.New(fault.RuntimeReplaced, "gone")
		}
		return protocol.ActionCallOutput{Output: json.RawMessage(`{"ok":1}`), RuntimeID: "new", URL: "https://example.com/"}, nil
	})
	return &Handlers{Browser: b, Tabs: claimed(t), KnownPrimitives: []string{"page.info", "pointer.click"}}, &calls
}

func TestPage(t *testing.T) {
	// Ensure that a call reaches the page with its address and gives its output, and that the registry learns of the document that answered.
	h, calls := replaced(t, 0)
	out, err := h.page(limited(t), pageCall(t, "pointer.click", `{"x":1,"y":2}`))
	if err != nil || string(out) != `{"ok":1}` || calls.Load() != 1 {
		t.Fatalf("got %s, %v after %d calls", out, err, calls.Load())
	}
	if tab, _ := h.Tabs.Get(1); tab.RuntimeID != "new" {
		t.Errorf("the tab's document is %q", tab.RuntimeID)
	}
}

func TestReadIsRepeated(t *testing.T) {
	// Ensure that a read which lost its document to a navigation is read in the new one.
	h, calls := replaced(t, 2)
	out, err := h.page(limited(t), pageCall(t, "page.info", `{}`))
	if err != nil || string(out) != `{"ok":1}` || calls.Load() != 3 {
		t.Errorf("got %s, %v after %d calls", out, err, calls.Load())
	}
}

func TestActingIsNeverRepeated(t *testing.T) {
	// Ensure that a call which may have acted is not sent again, nor a read of one certain document.
	h, calls := replaced(t, 1)
	if _, err := h.page(limited(t), pageCall(t, "pointer.click", `{"x":1,"y":2}`)); !fault.Is(err, fault.RuntimeReplaced) || calls.Load() != 1 {
		t.Errorf("got %v after %d calls", err, calls.Load())
	}
	h, calls = replaced(t, 1)
	c := pageCall(t, "page.info", `{}`)
	c.RuntimeID = "old"
	if _, err := h.page(limited(t), c); !fault.Is(err, fault.RuntimeReplaced) || calls.Load() != 1 {
		t.Errorf("got %v after %d calls", err, calls.Load())
	}
}

func TestReadEndsWithItsTime(t *testing.T) {
	// Ensure that a page which is replaced for ever does not hold a read beyond its cancellation.
	ctx, cancel := context.WithCancel(limited(t))
	var calls atomic.Int32
	b := connect(t, func(context.Context, string, json.RawMessage) (any, error) {
		if calls.Add(1) == 3 {
			cancel()
		}
		return nil, fault.New(fault.RuntimeReplaced, "gone")
	})
	h := &Handlers{Browser: b, Tabs: claimed(t), KnownPrimitives: []string{"page.info"}}
	if _, err := h.page(ctx, pageCall(t, "page.info", `{}`)); err == nil || calls.Load() != 3 {
		t.Errorf("got %v after %d calls", err, calls.Load())
	}
}

func TestUnknownToTheExtension(t *testing.T) {
	// Ensure that a primitive which this extension lacks is not sent, and that the error says what to update.
	h, calls := replaced(t, 0)
	h.KnownPrimitives = []string{"page.info"}
	_, err := h.page(limited(t), pageCall(t, "pointer.click", `{"x":1,"y":2}`))
	f := fault.From(err)
	if f == nil || f.Code != fault.CapabilityUnavailable || f.Dispatched != fault.NotDispatched || !strings.Contains(f.NextStep, "Update the extension") || calls.Load() != 0 {
		t.Errorf("got %+v after %d calls", f, calls.Load())
	}
}
