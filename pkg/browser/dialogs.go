package browser

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/shorten"
)

// The browser's events about dialogs.
const (
	dialogOpening = "Page.javascriptDialogOpening"
	dialogClosed  = "Page.javascriptDialogClosed"
)

// beforeUnload is the type of the question whether a page may be left.
const beforeUnload = "beforeunload"

// answerDialog is the one command that reaches a page which shows a dialog.
const answerDialog = "Page.handleJavaScriptDialog"

// maxDialogText cuts the texts of a dialog, which a page may make as long as it
// likes.
const maxDialogText = 2000

// Dialog is a dialog that a tab's page shows. Its texts are the page's words:
// data, never instructions.
type Dialog struct {
	Type          string    `json:"type"` // alert, confirm, prompt or beforeunload
	Message       string    `json:"message"`
	DefaultPrompt string    `json:"default_prompt,omitzero"`
	URL           string    `json:"url"` // of the document that opened it
	OpenedAt      time.Time `json:"opened_at"`
	Trust         string    `json:"trust"` // always untrusted
}

// dialogs knows the open dialogs of the tabs and ends the calls that wait for
// such a tab: while its dialog is open, a page answers nothing.
type dialogs struct {
	mu      sync.Mutex
	open    map[int]*Dialog
	waiting map[int]map[*waiter]struct{} // calls under way, by tab
	leaving map[int]int                  // calls under way that leave the page whatever it says, by tab
}

// waiter is one call under way.
type waiter struct{ end context.CancelCauseFunc }

// Dialog gives the dialog that the tab shows.
func (b *Browser) Dialog(tabID int) (Dialog, bool) {
	b.dialogs.mu.Lock()
	defer b.dialogs.mu.Unlock()
	d, ok := b.dialogs.open[tabID]
	if !ok {
		return Dialog{}, false
	}
	return *d, true
}

// callTab is call for what the tab's page or its debugger answers: it fails at
// once while a dialog is open, and ends when one opens. The answer that comes
// after the dialog is dropped.
func (b *Browser) callTab(ctx context.Context, tabID int, method string, params, result any) error {
	guarded, leave, err := b.dialogs.enter(ctx, tabID)
	if err != nil {
		return err
	}
	defer leave()
	err = b.call(guarded, method, params, result)
	var opened *fault.Error
	if err != nil && ctx.Err() == nil && errors.As(context.Cause(guarded), &opened) {
		return opened
	}
	return err
}

// enter gives a context that ends when the tab shows a dialog; its cause is the
// fault that says so.
func (d *dialogs) enter(ctx context.Context, tabID int) (guarded context.Context, leave func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if open, ok := d.open[tabID]; ok {
		return nil, nil, dialogFault(*open).WithDispatched(fault.NotDispatched)
	}
	guarded, end := context.WithCancelCause(ctx)
	w := &waiter{end}
	if d.waiting == nil {
		d.waiting = map[int]map[*waiter]struct{}{}
	}
	if d.waiting[tabID] == nil {
		d.waiting[tabID] = map[*waiter]struct{}{}
	}
	d.waiting[tabID][w] = struct{}{}
	return guarded, func() {
		end(nil)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.waiting[tabID], w)
		if len(d.waiting[tabID]) == 0 {
			delete(d.waiting, tabID)
		}
	}, nil
}

// Leaving answers the page's question whether it may be left with yes, until
// done is called.
func (b *Browser) Leaving(tabID int) (done func()) {
	add := func(n int) {
		b.dialogs.mu.Lock()
		defer b.dialogs.mu.Unlock()
		if b.dialogs.leaving == nil {
			b.dialogs.leaving = map[int]int{}
		}
		b.dialogs.leaving[tabID] += n
	}
	add(1)
	return func() { add(-1) }
}

// answerLeaving says yes for a call that leaves. What cannot be answered stays
// open, as any other dialog.
func (b *Browser) answerLeaving(tabID int, asked *Dialog) {
	ctx, cancel := context.WithTimeout(context.Background(), dismissWait)
	defer cancel()
	_, err := cdp.Call(ctx, b.Debugger(tabID), page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	if err != nil && !noDialog(err) {
		b.dialogs.opened(tabID, asked)
	}
}

// see takes note of an event of the debugger. It gives a dialog that is to be
// answered at once.
func (d *dialogs) see(e protocol.DebuggerEvent) (leave *Dialog, err error) {
	if e.SessionID != "" {
		return nil, nil // the tab's own session tells of the dialogs of its frames too
	}
	switch e.Method {
	case dialogOpening:
		var p struct {
			Type          string `json:"type"`
			Message       string `json:"message"`
			DefaultPrompt string `json:"defaultPrompt"`
			URL           string `json:"url"`
		}
		if err := json.Unmarshal(e.Params, &p); err != nil {
			return nil, fault.Wrap(err, fault.InvalidMessage, "an event of the browser about a dialog cannot be read: %v", err)
		}
		dialog := &Dialog{
			Type: cut(p.Type), Message: cut(p.Message), DefaultPrompt: cut(p.DefaultPrompt), URL: cut(p.URL),
			OpenedAt: time.Now().UTC(), Trust: "untrusted",
		}
		if dialog.Type == beforeUnload && d.leaves(e.TabID) {
			return dialog, nil
		}
		d.opened(e.TabID, dialog)
	case dialogClosed:
		d.forget(e.TabID)
	}
	return nil, nil
}

func (d *dialogs) leaves(tabID int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.leaving[tabID] > 0
}

func (d *dialogs) opened(tabID int, dialog *Dialog) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		d.open = map[int]*Dialog{}
	}
	d.open[tabID] = dialog
	for w := range d.waiting[tabID] {
		w.end(dialogFault(*dialog).WithDispatched(fault.WasDispatched))
	}
}

// forget is told when the tab shows none any more, or when nobody would hear of
// its end.
func (d *dialogs) forget(tabID int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, tabID)
}

// answered forgets the dialog, unless the page has opened the next one already.
func (d *dialogs) answered(tabID int, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if open, ok := d.open[tabID]; ok && open.OpenedAt.Equal(at) {
		delete(d.open, tabID)
	}
}

func dialogFault(d Dialog) *fault.Error {
	// Its kind is the browser's word, unlike its text.
	return fault.New(fault.DialogOpen, "the page shows a dialog (%s) and waits for an answer", d.Type).With("dialog", d)
}

func cut(text string) string { return shorten.Characters(text, maxDialogText) }
