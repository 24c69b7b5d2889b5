package browser

import (
	"context"
	"errors"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Beside gives the relay for what only watches a tab: its commands attach the
// debugger like all others, and Leave may detach it again.
func (d *Debugger) Beside() *Debugger {
	beside := *d
	beside.beside = true
	return &beside
}

// Leave takes the debugger off the tab if nothing but watchers beside has used
// it since it was attached, and if no dialog waits that only it can answer.
func (d *Debugger) Leave(ctx context.Context) error {
	if _, open := d.browser.Dialog(d.tabID); open || d.browser.debugger.isUsed(d.tabID) {
		return nil
	}
	return d.Release(ctx)
}

// UntilDialog gives a context that ends when the tab shows a dialog, for whoever
// waits for its page: until the dialog is answered, a page does nothing. Opened
// says whether that was why.
func (b *Browser) UntilDialog(ctx context.Context, tabID int) (guarded context.Context, leave func(), err error) {
	return b.dialogs.enter(ctx, tabID)
}

// DialogOpened gives the fault that ended a context of UntilDialog; nil where
// something else did.
func DialogOpened(guarded context.Context) *fault.Error {
	var opened *fault.Error
	if errors.As(context.Cause(guarded), &opened) {
		return opened
	}
	return nil
}

// use notes that somebody needs the attachment as it is.
func (d *debuggers) use(tabID int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.used == nil {
		d.used = map[int]bool{}
	}
	d.used[tabID] = true
}

func (d *debuggers) isUsed(tabID int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used[tabID]
}
