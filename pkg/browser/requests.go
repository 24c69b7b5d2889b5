package browser

import (
	"context"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

const (
	// openTimeout is how long an opened page that is to be claimed may take to appear.
	openTimeout = 15 * time.Second
	// closeTimeout is how long a tab may take to close.
	closeTimeout = 8 * time.Second
)

// OpenTab opens a tab; claim passes on the user's setting.
func (b *Browser) OpenTab(ctx context.Context, p protocol.TabOpen) (protocol.TabOpenResult, error) {
	p.TimeoutMS = timeoutWithin(ctx, openTimeout)
	var out protocol.TabOpenResult
	err := b.call(ctx, protocol.MethodTabOpen, p, &out)
	return out, err
}

// ClaimOpenedTab claims a tab that the page of a claimed tab has opened.
func (b *Browser) ClaimOpenedTab(ctx context.Context, p protocol.TabClaimOpened) (protocol.TabOpenResult, error) {
	p.TimeoutMS = timeoutWithin(ctx, openTimeout)
	var out protocol.TabOpenResult
	err := b.call(ctx, protocol.MethodTabClaimOpened, p, &out)
	return out, err
}

// CloseTab closes a claimed tab and returns when its claim has ended.
func (b *Browser) CloseTab(ctx context.Context, tabID int) error {
	return b.callTab(ctx, tabID, protocol.MethodTabClose, protocol.TabClose{
		TabID: tabID, TimeoutMS: timeoutWithin(ctx, closeTimeout),
	}, nil)
}

// ReadClipboard returns the content of the system's clipboard, for a call on the tab while it
// shows a page of the origin; empty: any.
func (b *Browser) ReadClipboard(ctx context.Context, tabID int, origin string) (protocol.ClipboardContent, error) {
	var out protocol.ClipboardContent
	err := b.call(ctx, protocol.MethodClipboardRead, protocol.ClipboardRead{TabID: tabID, Origin: b.clipboardOrigin(origin)}, &out)
	return out, err
}

// WriteClipboard puts text, and HTML if there is any, on the system's clipboard while the tab
// shows a page of the origin; empty: any.
func (b *Browser) WriteClipboard(ctx context.Context, tabID int, origin, text, html string) error {
	return b.call(ctx, protocol.MethodClipboardWrite, protocol.ClipboardWrite{TabID: tabID, Text: text, HTML: html, Origin: b.clipboardOrigin(origin)}, nil)
}

func (b *Browser) clipboardOrigin(origin string) string {
	if !b.supportsClipboardOrigin.Load() {
		return "" // an older extension does not know the member
	}
	return origin
}

// SendInput sends real input to a tab. The caller checks what it may reach and whether it
// arrived.
func (b *Browser) SendInput(ctx context.Context, in protocol.InputSend) error {
	b.debugger.markInUse(in.TabID)
	return b.callTab(ctx, in.TabID, protocol.MethodInputSend, in, nil)
}

// EndInput ends a run of real input, if it still lasts, and returns the reports of its
// documents, including those that are gone by now.
func (b *Browser) EndInput(ctx context.Context, in protocol.InputEnd) (protocol.InputSeen, error) {
	var seen protocol.InputSeen
	err := b.call(ctx, protocol.MethodInputEnd, in, &seen)
	return seen, err
}

// CoverFrames hides all frames of the tab's documents, and with fields all fields that show
// text, but those that match the CSS selector.
func (b *Browser) CoverFrames(ctx context.Context, tabID int, except string, fields bool) (protocol.TabCoverResult, error) {
	var out protocol.TabCoverResult
	if fields && !b.supportsUndrawnFields.Load() {
		return out, fault.New(fault.CapabilityUnavailable, "the extension in this browser cannot leave fields out of a picture").
			WithNextStep("Update the extension and restart the browser.").WithDispatched(fault.NotDispatched)
	}
	err := b.callTab(ctx, tabID, protocol.MethodTabCover, protocol.TabCover{TabID: tabID, On: true, Except: except, Fields: fields}, &out)
	return out, err
}

// UncoverFrames ends what [Browser.CoverFrames] began.
func (b *Browser) UncoverFrames(ctx context.Context, tabID int) error {
	return b.call(ctx, protocol.MethodTabCover, protocol.TabCover{TabID: tabID}, nil)
}

// FromProtocol turns the extension's description of a tab into the registry's.
func FromProtocol(t protocol.Tab) tabs.Tab {
	return tabs.Tab{
		TabID: t.TabID, WindowID: t.WindowID, URL: t.URL, Title: t.Title,
		RuntimeID: t.RuntimeID, Active: t.Active, Loading: t.Loading,
	}
}

// RunUserScript runs code in a document by chrome.userScripts. In an extension that has none
// the result says that they are not supported, and nothing ran.
func (b *Browser) RunUserScript(ctx context.Context, p protocol.UserScriptRun) (protocol.UserScriptResult, error) {
	var out protocol.UserScriptResult
	if !b.supportsRepl.Load() {
		return out, nil
	}
	p.TimeoutMS = remainingMS(ctx)
	err := b.callTab(ctx, p.TabID, protocol.MethodUserScriptRun, p, &out)
	return out, err
}
