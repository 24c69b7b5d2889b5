package browser

import "context"

// Passive returns a relay for observers. Its commands attach the debugger but do not keep it
// attached; see [Debugger.DetachIfIdle].
func (d *Debugger) Passive() *Debugger {
	passive := *d
	passive.passive = true
	return &passive
}

// DetachIfIdle detaches the debugger if only passive relays have used it since it was attached,
// and no dialog is open that only the debugger can answer.
func (d *Debugger) DetachIfIdle(ctx context.Context) error {
	if _, open := d.browser.Dialog(d.tabID); open || d.browser.debugger.isInUse(d.tabID) {
		return nil
	}
	return d.Release(ctx)
}

// DebuggerInUse reports whether commands rely on the debugger's attachment to the tab.
func (b *Browser) DebuggerInUse(tabID int) bool { return b.debugger.isInUse(tabID) }

// markInUse records that the attachment is needed as it is.
func (d *debuggers) markInUse(tabID int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inUse == nil {
		d.inUse = map[int]bool{}
	}
	d.inUse[tabID] = true
}

func (d *debuggers) isInUse(tabID int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inUse[tabID]
}
