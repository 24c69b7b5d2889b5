package browser

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

const confirms = `{"type":"confirm","message":"Delete it?","url":"https://example.com/","hasBrowserHandler":false}`

// frozen is a browser whose pages and debugger answer only dialogs; asked counts
// what reached it, ended what was taken back.
func frozen(t *testing.T) (b *Browser, w *worker, asked, ended *atomic.Int32) {
	asked, ended = new(atomic.Int32), new(atomic.Int32)
	b, w = greeted(t, func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		if strings.Contains(string(params), answerDialog) {
			return protocol.DebuggerResult{Result: json.RawMessage(`{}`)}, nil
		}
		asked.Add(1)
		<-ctx.Done()
		ended.Add(1)
		return nil, ctx.Err()
	})
	return b, w, asked, ended
}

func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.After(patience); !condition(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatal("it did not happen: " + what)
		}
	}
}

func TestDialogEndsCalls(t *testing.T) {
	// Ensure that a dialog ends every kind of call under way on its tab, and no other, that they are taken back, and that while it is open nothing is sent but its answer.
	b, w, asked, ended := frozen(t)
	calls := map[string]func(tabID int) error{
		"page": func(tabID int) error {
			_, err := b.Page(limited(t), protocol.ActionCall{CallID: "c", Name: "pointer.click", Arguments: json.RawMessage(`{}`), TabID: tabID})
			return err
		},
		"debugger": func(tabID int) error {
			return b.Debugger(tabID).Call(limited(t), "Input.dispatchMouseEvent", json.RawMessage(`{}`), nil)
		},
		"navigate": func(tabID int) error {
			_, err := b.Navigate(limited(t), tabID, "https://example.com/", time.Second)
			return err
		},
		"close": func(tabID int) error { return b.CloseTab(limited(t), tabID) },
	}
	failed := make(chan error, len(calls))
	for _, call := range calls {
		go func() { failed <- call(1) }()
	}
	elsewhere := make(chan error, 1)
	other, cancel := context.WithCancel(limited(t))
	go func() {
		_, err := b.Page(other, protocol.ActionCall{CallID: "o", Name: "page.info", Arguments: json.RawMessage(`{}`), TabID: 2})
		elsewhere <- err
	}()
	until(t, "all are sent", func() bool { return int(asked.Load()) == len(calls)+1 })

	fire(t, w, protocol.DebuggerEvent{TabID: 1, SessionID: "child", Method: dialogOpening, Params: json.RawMessage(confirms)})
	if _, open := b.Dialog(1); open {
		t.Fatal("a child session's event counts")
	}
	fire(t, w, event(1, dialogOpening, confirms))
	for range calls {
		f := fault.From(<-failed)
		if f == nil || f.Code != fault.DialogOpen || f.Dispatched != fault.WasDispatched || f.Evidence["dialog"].(Dialog).Message != "Delete it?" {
			t.Errorf("got %+v", f)
		}
	}
	until(t, "they are taken back", func() bool { return int(ended.Load()) == len(calls) })
	for name, call := range calls {
		if f := fault.From(call(1)); f == nil || f.Code != fault.DialogOpen || f.Dispatched != fault.NotDispatched {
			t.Errorf("%s while it is open: %+v", name, f)
		}
	}
	if int(asked.Load()) != len(calls)+1 {
		t.Errorf("%d calls were sent", asked.Load())
	}
	if err := b.Debugger(1).Call(limited(t), answerDialog, json.RawMessage(`{"accept":true}`), nil); err != nil {
		t.Errorf("the answer: %v", err)
	}
	fire(t, w, event(1, dialogClosed, `{"result":true,"userInput":""}`))
	if _, open := b.Dialog(1); open {
		t.Error("still open")
	}
	cancel()
	if err := <-elsewhere; !fault.Is(err, fault.Cancelled) {
		t.Errorf("the other tab's call ended with %v", err)
	}
}

func TestScreencastEndsUnderADialog(t *testing.T) {
	// Ensure that a screencast, which makes a hidden tab draw, can be ended while the page shows a dialog.
	var c commands
	b, w := greeted(t, c.answer)
	fire(t, w, event(1, dialogOpening, confirms))
	if err := b.Debugger(1).Call(limited(t), "Page.stopScreencast", struct{}{}, nil); err != nil || !slices.Equal(c.of(""), []string{"Page.stopScreencast"}) {
		t.Errorf("%v was sent: %v", c.of(""), err)
	}
}

func TestDialogStaysUntilItIsAnswered(t *testing.T) {
	// Ensure that a dialog whose answer was refused is still known, and one that was answered, or that the browser does not show, is not.
	var refusal atomic.Pointer[fault.Error]
	b, w := greeted(t, func(context.Context, string, json.RawMessage) (any, error) {
		if f := refusal.Load(); f != nil {
			return nil, f
		}
		return protocol.DebuggerResult{Result: json.RawMessage(`{}`)}, nil
	})
	for _, row := range []struct {
		refusal *fault.Error
		open    bool
	}{
		{fault.New(fault.StateMismatch, "the tab shows another page"), true},
		{fault.New(fault.HandlerFailed, "No dialog is showing"), false},
		{nil, false},
	} {
		refusal.Store(row.refusal)
		fire(t, w, event(1, dialogOpening, confirms))
		dialog, _ := b.Dialog(1)
		err := b.AnswerDialog(limited(t), 1, "", dialog, page.HandleJavaScriptDialogParams{})
		if _, open := b.Dialog(1); open != row.open || (err == nil) != (row.refusal == nil) {
			t.Errorf("%v: open %t, %v", row.refusal, open, err)
		}
	}
}

func TestDialogIsForgotten(t *testing.T) {
	// Ensure that a dialog whose end nobody would hear of is not believed to be open, and that an answer closes its own dialog only.
	b, w, _, _ := frozen(t)
	fire(t, w, event(1, dialogOpening, confirms))
	if err := w.Notify(limited(t), protocol.MethodDebuggerDetached, protocol.DebuggerDetached{TabID: 1, Reason: "canceled_by_user"}); err != nil {
		t.Fatal(err)
	}
	settle(t, w)
	if _, open := b.Dialog(1); open {
		t.Error("open without a debugger")
	}
	fire(t, w, event(1, dialogOpening, confirms))
	if err := w.Call(limited(t), protocol.MethodRelease, protocol.ReleaseParams{TabID: 1, Reason: "user"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, open := b.Dialog(1); open {
		t.Error("open in a tab that was released")
	}
	fire(t, w, event(1, dialogOpening, confirms))
	first, _ := b.Dialog(1)
	fire(t, w, event(1, dialogClosed, `{"result":true,"userInput":""}`))
	fire(t, w, event(1, dialogOpening, `{"type":"alert","message":"next","url":""}`))
	b.dialogs.removeAnswered(1, first.OpenedAt)
	if next, open := b.Dialog(1); !open || next.Message != "next" {
		t.Errorf("the next dialog is %+v", next)
	}
}

// FuzzDialogEvent ensures that no event of the browser about a dialog breaks the
// host, and that what is kept of it is short, whole text.
func FuzzDialogEvent(f *testing.F) {
	f.Add(confirms)
	f.Add(`{"type":"prompt","message":"\ud800` + strings.Repeat("ü", 3000) + `","defaultPrompt":"x"}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, params string) {
		var d dialogs
		_, err := d.handleEvent(protocol.DebuggerEvent{TabID: 1, Method: dialogOpening, Params: json.RawMessage(params)})
		open := d.open[1]
		if (err == nil) != (open != nil) {
			t.Fatalf("%v, %+v", err, open)
		}
		if open == nil {
			return
		}
		for _, text := range []string{open.Type, open.Message, open.DefaultPrompt, open.URL} {
			if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxDialogText {
				t.Fatalf("kept %q", text)
			}
		}
	})
}
