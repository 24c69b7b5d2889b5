package primitives

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestPressThatNobodySaw(t *testing.T) {
	// Ensure that a press counts as done only where its document, or what it said before it left, has got it.
	gone := fault.New(fault.RuntimeReplaced, "gone")
	for what, row := range map[string]struct {
		document string
		gone     *fault.Error
		last     []string // what a document that is gone had reported
		want     fault.Code
	}{
		"seen":                   {document: `{"taken":false,"seen":["pointerdown"]}`},
		"another event":          {document: `{"taken":false,"seen":["pointerup"]}`, want: fault.OutcomeUnknown},
		"nothing":                {document: `{"taken":false,"seen":[]}`, want: fault.OutcomeUnknown},
		"seen before it left":    {gone: gone, last: []string{"mousedown"}},
		"nothing before it left": {gone: gone, want: fault.OutcomeUnknown},
		"a dialog":               {gone: fault.New(fault.DialogOpen, "a dialog"), want: fault.DialogOpen},
	} {
		b := connect(t, func(_ context.Context, method string, _ json.RawMessage) (any, error) {
			if method == protocol.MethodInputEnd {
				return protocol.InputSeen{Events: append([]string{}, row.last...)}, nil
			}
			if row.gone != nil {
				return nil, row.gone
			}
			return protocol.ActionCallOutput{Output: json.RawMessage(row.document), RuntimeID: "new", URL: "https://example.com/"}, nil
		})
		h := &Handlers{Browser: b, Tabs: claimed(t), KnownPrimitives: []string{"target.dropped"}}
		err := h.requirePointerSeen(limited(t), pageCall(t, "pointer.down", `{"x":1,"y":2}`), newHold(), "", []string{"pointerdown", "mousedown"})
		switch {
		case row.want == "" && err != nil, row.want != "" && !fault.Is(err, row.want):
			t.Errorf("%s: %v", what, err)
		case err != nil && fault.From(err).Dispatched == fault.NotDispatched:
			t.Errorf("%s: it says that nothing was sent", what)
		}
	}
}

func TestPressEndsWithItsDocument(t *testing.T) {
	// Ensure that a pointer which was pressed in a document moves in no later one of the tab.
	b := connect(t, func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		return protocol.ActionCallOutput{Output: json.RawMessage(`{"point":{"x":1,"y":2}}`), RuntimeID: "new"}, nil
	})
	h := &Handlers{Browser: b, Tabs: claimed(t), KnownPrimitives: []string{"target.destination"}}
	pressed := &pressedPointer{call: pageCall(t, "pointer.down", `{"x":1,"y":2}`), runtimeID: "old", used: make(chan struct{}, 1), done: make(chan struct{})}
	h.pointers.keep(1, pressed)
	_, err := h.movePressed(limited(t), pageCall(t, "pointer.move", `{"x":1,"y":2}`), pressed, func(point) []command { return nil })
	if f := fault.From(err); !fault.Is(err, fault.PointerNotPressed) || f.Evidence["reason"] != "document_left" || h.pointers.pressedIn(1) != nil {
		t.Errorf("%v, still pressed: %t", err, h.pointers.pressedIn(1) != nil)
	}
}

func TestPressEndsBeforeOtherInput(t *testing.T) {
	// Ensure that a pressed pointer is let go before keys are sent to its tab and before the tab leaves its page.
	b := connect(t, func(context.Context, string, json.RawMessage) (any, error) {
		return nil, fault.New(fault.HandlerFailed, "no")
	})
	h := &Handlers{Browser: b, Tabs: claimed(t)}
	for what, run := range map[string]func() error{
		"keys": func() error {
			_, err := h.sendKeys(limited(t), pageCall(t, "keyboard.press", `{}`), focusQuery{}, nil)
			return err
		},
		"navigate": func() error {
			_, err := h.navigate(limited(t), pageCall(t, "browser.navigate", `{"url":"https://example.com/","force":true}`))
			return err
		},
	} {
		h.pointers.keep(1, &pressedPointer{call: pageCall(t, "pointer.down", `{"x":1,"y":2}`), mouse: mouse{button: "left"}, done: make(chan struct{})})
		if err := run(); err == nil || h.pointers.pressedIn(1) != nil {
			t.Errorf("%s: %v, still pressed: %t", what, err, h.pointers.pressedIn(1) != nil)
		}
	}
}
