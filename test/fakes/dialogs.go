package fakes

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// Dialog reports to the host that a page opened a dialog.
func (b *Browser) Dialog(ctx context.Context, tabID int, kind, message string) error {
	params, err := json.Marshal(map[string]any{"type": kind, "message": message, "url": b.tab(tabID).URL, "hasBrowserHandler": false, "defaultPrompt": ""})
	if err != nil {
		return err
	}
	return b.event(ctx, tabID, "Page.javascriptDialogOpening", params)
}

// DialogClosed reports to the host that the dialog is gone.
func (b *Browser) DialogClosed(ctx context.Context, tabID int) error {
	return b.event(ctx, tabID, "Page.javascriptDialogClosed", json.RawMessage(`{"result":true,"userInput":""}`))
}

// Detach reports to the host that the debugger left the tab.
func (b *Browser) Detach(ctx context.Context, tabID int, reason string) error {
	return b.Conn.Notify(ctx, protocol.MethodDebuggerDetached, protocol.DebuggerDetached{TabID: tabID, Reason: reason})
}

// OpenedBy reports to the host that a page opened a tab.
func (b *Browser) OpenedBy(ctx context.Context, opener, tabID int, url string) error {
	return b.Conn.Notify(ctx, protocol.MethodTabOpened, protocol.TabOpened{OpenerTabID: opener, TabID: tabID, URL: url})
}

func (b *Browser) event(ctx context.Context, tabID int, method string, params json.RawMessage) error {
	return b.Conn.Notify(ctx, protocol.MethodDebuggerEvent, protocol.DebuggerEvent{TabID: tabID, Method: method, Params: params})
}

// command answers debugger_command: as the test has set, or that there is no
// debugger.
func (b *Browser) command(ctx context.Context, command protocol.DebuggerCommand) (any, error) {
	if b.Debugger == nil {
		return nil, fault.New(fault.DebuggerUnavailable, "the fake has no debugger").WithDispatched(fault.NotDispatched)
	}
	result, err := b.Debugger(ctx, command)
	if err != nil {
		return nil, err
	}
	return protocol.DebuggerResult{Result: result}, nil
}

// openTab makes a tab, and claims it as the extension does where the host passes
// on the user's setting.
func (b *Browser) openTab(ctx context.Context, p protocol.TabOpen) (any, error) {
	b.mu.Lock()
	id := 1000 + len(b.tabs)
	b.mu.Unlock()
	tab := protocol.Tab{TabID: id, WindowID: 1, URL: p.URL, Active: p.Active}
	b.remember(tab)
	if !p.Claim {
		return protocol.TabOpenResult{Tab: tab}, nil
	}
	if err := b.Claim(ctx, id, p.URL); err != nil {
		return nil, err
	}
	return protocol.TabOpenResult{Tab: b.tab(id), Claimed: true}, nil
}
