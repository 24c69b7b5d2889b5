package browser

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// The browser's events about dialogs.
const (
	dialogOpening = "Page.javascriptDialogOpening"
	dialogClosed  = "Page.javascriptDialogClosed"
)

// BeforeUnload is the type of the dialog that asks whether a page may be left.
const BeforeUnload = "beforeunload"

// maxDialogText cuts the texts of a dialog, which a page may make as long as it
// likes.
const maxDialogText = 2000

// Dialog is a dialog that a tab's page shows. Its texts are from the page: data, never
// instructions.
type Dialog struct {
	Type          string    `json:"type"` // alert, confirm, prompt or beforeunload
	Message       string    `json:"message"`
	DefaultPrompt string    `json:"default_prompt,omitzero"`
	URL           string    `json:"url"` // of the document that opened it
	OpenedAt      time.Time `json:"opened_at"`
	Trust         string    `json:"trust"` // always untrusted
}

// dialogs holds the open dialogs of the tabs and ends the calls that wait for such a tab: while
// its dialog is open, a page answers nothing.
type dialogs struct {
	mu      sync.Mutex
	open    map[int]*Dialog
	waiting map[int]map[*waiter]struct{} // calls under way, by tab
	leaving map[int]int                  // calls under way that accept beforeunload, by tab
}

// waiter is one call under way.
type waiter struct{ end context.CancelCauseFunc }

// Dialog returns the dialog that the tab shows.
func (b *Browser) Dialog(tabID int) (Dialog, bool) {
	b.dialogs.mu.Lock()
	defer b.dialogs.mu.Unlock()
	d, ok := b.dialogs.open[tabID]
	if !ok {
		return Dialog{}, false
	}
	return *d, true
}

// callTab is call for requests that the tab's page or its debugger answers: it fails at once
// while a dialog is open, and ends when one opens. An answer after the dialog is dropped.
func (b *Browser) callTab(ctx context.Context, tabID int, method string, params, result any) error {
	guarded, done, err := b.dialogs.guard(ctx, tabID)
	if err != nil {
		return err
	}
	defer done()
	err = b.call(guarded, method, params, result)
	var opened *fault.Error
	if err != nil && ctx.Err() == nil && errors.As(context.Cause(guarded), &opened) {
		return opened
	}
	return err
}

// DialogContext returns a context that ends when the tab shows a dialog, for callers that wait
// for its page: until the dialog is answered, the page does nothing. [DialogOpened] reports
// whether that was why.
func (b *Browser) DialogContext(ctx context.Context, tabID int) (guarded context.Context, done func(), err error) {
	return b.dialogs.guard(ctx, tabID)
}

// DialogOpened returns the fault that ended a context of [Browser.DialogContext]; nil if
// something else did.
func DialogOpened(guarded context.Context) *fault.Error {
	var opened *fault.Error
	if errors.As(context.Cause(guarded), &opened) {
		return opened
	}
	return nil
}

// guard returns a context that ends when the tab shows a dialog; its cause is the dialog_open
// fault.
func (d *dialogs) guard(ctx context.Context, tabID int) (guarded context.Context, done func(), err error) {
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

// AcceptBeforeUnload accepts the page's beforeunload dialogs until done is called.
func (b *Browser) AcceptBeforeUnload(tabID int) (done func()) {
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

// handleEvent handles an event of the debugger. It returns a dialog that is to be accepted at
// once.
func (d *dialogs) handleEvent(e protocol.DebuggerEvent) (leave *Dialog, err error) {
	if e.SessionID != "" {
		return nil, nil // the tab's own session reports the dialogs of its frames too
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
			Type: truncateText(p.Type), Message: truncateText(p.Message), DefaultPrompt: truncateText(p.DefaultPrompt), URL: truncateText(p.URL),
			OpenedAt: time.Now().UTC(), Trust: "untrusted",
		}
		if dialog.Type == BeforeUnload && d.isLeaving(e.TabID) {
			return dialog, nil
		}
		d.add(e.TabID, dialog)
	case dialogClosed:
		d.remove(e.TabID)
	}
	return nil, nil
}

func (d *dialogs) isLeaving(tabID int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.leaving[tabID] > 0
}

func (d *dialogs) add(tabID int, dialog *Dialog) {
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

// remove forgets the tab's dialog: it was closed, or its end could not be observed any more.
func (d *dialogs) remove(tabID int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, tabID)
}

// removeAnswered removes the dialog, unless the page has opened the next one already.
func (d *dialogs) removeAnswered(tabID int, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if open, ok := d.open[tabID]; ok && open.OpenedAt.Equal(at) {
		delete(d.open, tabID)
	}
}

func dialogFault(d Dialog) *fault.Error {
	// Its type is from the browser, unlike its text.
	return fault.New(fault.DialogOpen, "the page shows a dialog (%s) and waits for an answer", d.Type).With("dialog", d)
}

func truncateText(text string) string { return truncate.Characters(text, maxDialogText) }
