package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
)

// EmulateFocus makes keys reach a tab that is not in front, without bringing
// it there. It holds for as long as the debugger is attached.
func (d *Debugger) EmulateFocus(ctx context.Context) error {
	if d.browser.debugger.isFocusEmulated(d.tabID) {
		return nil
	}
	_, err := cdp.Call(ctx, d, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	if err == nil {
		d.browser.debugger.setFocusEmulated(d.tabID)
	}
	return err
}

// isFocusEmulated reports whether the tab's focus is emulated already.
func (d *debuggers) isFocusEmulated(tabID int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.focused[tabID]
}

func (d *debuggers) setFocusEmulated(tabID int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.focused == nil {
		d.focused = map[int]bool{}
	}
	d.focused[tabID] = true
}
