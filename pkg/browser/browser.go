// Package browser is the host's connection to one browser profile: it speaks
// with the extension's worker, relays primitives to content scripts and carries
// the Chrome DevTools Protocol over chrome.debugger.
//
// Rules of this package:
//   - The first message is the handshake; until it is answered nothing else is handled and
//     nothing is sent.
//   - It keeps no state of its own but the connection: reports of the extension about tabs and
//     documents go to the Delegate.
//   - The error of a call that cannot be sent has dispatched: no; that of a call whose answer
//     was lost has dispatched: unknown.
package browser

import (
	"context"
	"encoding/json"
	"io"
	"sync/atomic"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// Delegate handles what the extension reports. Its methods are called one after the other,
// except Handshake, Claim and Release, which may overlap with them.
type Delegate interface {
	// Handshake opens the profile and returns the IDs of its claimed tabs.
	Handshake(ctx context.Context, b *Browser, h protocol.Handshake) (claims []int, err error)
	// Claim records the user's hand-over of a tab; it returns all claims.
	Claim(ctx context.Context, tab protocol.Tab) ([]int, error)
	// Release ends one; it returns the claims that are left.
	Release(ctx context.Context, tabID int, reason string) ([]int, error)
	// TabChanged, RuntimeReady and RuntimeRemoved report changes of claimed tabs.
	TabChanged(tab protocol.Tab)
	RuntimeReady(tabID int, runtimeID string)
	RuntimeRemoved(tabID int, runtimeID string)
	// DOMEvent reports an event in a claimed tab's page: untrusted data.
	DOMEvent(event protocol.DomEvent)
	// LauncherClicked reports the user's click on a launcher in a claimed tab.
	LauncherClicked(click protocol.LauncherClick)
	// Announced reports announcements of live regions in a claimed tab's page: untrusted data.
	Announced(announcements protocol.Announcements)
	// DebuggingCancelled reports that the user ended the debugging in the browser itself. It is
	// called before the calls fail that used it.
	DebuggingCancelled(tabID int)
	// RegisterPages adds the handlers of what the extension's own pages request. It is
	// called once, after a successful Handshake.
	RegisterPages(m *rpc.Mux)
	// Refused reports a message that was not understood, or a failed handshake.
	Refused(err error)
}

// Browser is one connected extension. It is safe for concurrent use.
type Browser struct {
	conn                    *rpc.Conn
	mux                     *rpc.Mux
	delegate                Delegate
	version                 string
	handshaking             atomic.Bool   // a handshake is running or has succeeded
	handshakeDone           atomic.Bool   // it has succeeded
	handshakeAnswered       chan struct{} // closed when its answer is written
	supportsShown           atomic.Bool   // the extension can show what happens in a page
	supportsShownArgument   atomic.Bool   // and what it is about
	supportsUndrawnFields   atomic.Bool   // the extension can leave fields undrawn
	supportsWork            atomic.Bool   // the extension can show what runs and is stopped
	supportsClipboardOrigin atomic.Bool   // the extension keeps the clipboard to the page of one origin
	supportsMet             atomic.Bool   // the extension describes the target of a call
	supportsRecordings      atomic.Bool   // the extension records what the user does
	supportsRepl            atomic.Bool   // the extension runs code in a sandbox and in pages
	supportsPerform         atomic.Bool   // the extension performs an action in one message
	spent                   atomic.Int64  // on the answers of calls, side by side too, in nanoseconds
	debugger                debuggers
	repls                   replRuns
	natives                 nativeInputs
	dialogs                 dialogs
	openedTabs              openedTabs
	media                   *Media
}

// Connect connects to the extension at the other end of the stream. Version is the host's own.
func Connect(ctx context.Context, stream io.ReadWriteCloser, version string, delegate Delegate) (*Browser, error) {
	b := &Browser{delegate: delegate, version: version, handshakeAnswered: make(chan struct{})}
	b.media = newMedia(b)
	b.mux = b.newMux()
	ready := make(chan struct{})
	conn, err := rpc.Connect(ctx, stream, rpc.Options{
		Handler: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			<-ready
			return b.handle(ctx, method, params)
		},
		MaxIn: nativemsg.MaxFromBrowser, MaxOut: nativemsg.MaxToBrowser,
		OnBadFrame: delegate.Refused,
	})
	if err != nil {
		return nil, err
	}
	b.conn = conn
	close(ready)
	go func() {
		<-conn.Done()
		b.debugger.close()
	}()
	return b, nil
}

// Spent returns how long all calls so far waited for the extension; those side by side count each
// for itself.
func (b *Browser) Spent() time.Duration { return time.Duration(b.spent.Load()) }

// Done is closed when the connection has ended.
func (b *Browser) Done() <-chan struct{} { return b.conn.Done() }

// Close ends the connection.
func (b *Browser) Close() error { return b.conn.Close() }

// call sends a request, though not before the handshake is answered: only then
// does the extension know which tabs it may touch.
func (b *Browser) call(ctx context.Context, method string, params, result any) error {
	began := time.Now()
	defer func() { b.spent.Add(int64(time.Since(began))) }()
	sent, err := b.start(ctx, method, params)
	if err != nil {
		return err
	}
	return sent.Await(ctx, result)
}

// start is call without the wait for the answer.
func (b *Browser) start(ctx context.Context, method string, params any) (*rpc.Pending, error) {
	select {
	case <-b.handshakeAnswered:
	case <-b.conn.Done(): // starting returns the error
	case <-ctx.Done():
		return nil, fault.From(ctx.Err()).WithDispatched(fault.NotDispatched)
	}
	return b.conn.Start(ctx, method, params)
}

// Page runs a page primitive in a tab's document and returns its output and the document.
func (b *Browser) Page(ctx context.Context, call protocol.ActionCall) (protocol.ActionCallOutput, error) {
	var out protocol.ActionCallOutput
	err := b.callTab(ctx, call.TabID, protocol.MethodActionCall, b.understood(ctx, call), &out)
	return out, err
}

// understood returns the call with its time, and without what this extension does not know.
func (b *Browser) understood(ctx context.Context, call protocol.ActionCall) protocol.ActionCall {
	call.TimeoutMS = remainingMS(ctx)
	if !b.supportsShown.Load() {
		call.Shown = ""
	}
	if !b.supportsShownArgument.Load() {
		call.ShownArgument = ""
	}
	call.Met = call.Met && b.supportsMet.Load()
	return call
}

// CanPerform reports whether the extension knows [Browser.Perform].
func (b *Browser) CanPerform() bool { return b.supportsPerform.Load() }

// Perform prepares a target, sends real input to it and reads the outcome, in one message. An
// error that is not certain to have come before the input leaves the run to [Browser.EndInput].
func (b *Browser) Perform(ctx context.Context, p protocol.ActionPerform) (protocol.ActionPerformed, error) {
	b.debugger.markInUse(p.Input.TabID)
	p.Prepare, p.Verify = b.understood(ctx, p.Prepare), b.understood(ctx, p.Verify)
	var out protocol.ActionPerformed
	err := b.callTab(ctx, p.Input.TabID, protocol.MethodActionPerform, p, &out)
	return out, err
}

// Frames lists the documents of the tab, its frames included, the tab's own
// first. Each has its content script: a call may name it by its document id.
func (b *Browser) Frames(ctx context.Context, tabID int) (protocol.TabFramesResult, error) {
	var out protocol.TabFramesResult
	err := b.call(ctx, protocol.MethodTabFrames, protocol.TabFrames{TabID: tabID}, &out)
	return out, err
}

// Activate selects the tab in its window and raises the window.
func (b *Browser) Activate(ctx context.Context, tabID int) (protocol.Tab, error) {
	var out protocol.TabUpdate
	err := b.call(ctx, protocol.MethodTabActivate, protocol.TabActivate{TabID: tabID}, &out)
	return out.Tab, err
}

// Navigate loads the URL, or reloads where it is empty, and waits for the new
// document within the context's deadline.
func (b *Browser) Navigate(ctx context.Context, tabID int, url string, wait time.Duration) (protocol.TabNavigateResult, error) {
	var out protocol.TabNavigateResult
	err := b.callTab(ctx, tabID, protocol.MethodTabNavigate, protocol.TabNavigate{
		TabID: tabID, URL: url, TimeoutMS: timeoutWithin(ctx, wait),
	}, &out)
	return out, err
}

// Ping asks the worker whether it is awake.
func (b *Browser) Ping(ctx context.Context) (protocol.Pong, error) {
	var out protocol.Pong
	err := b.call(ctx, protocol.MethodPing, protocol.Ping{}, &out)
	return out, err
}

// AgentChanged sends a change of the hosted agent's view to the extension's pages.
func (b *Browser) AgentChanged(ctx context.Context, change json.RawMessage) error {
	return b.conn.Notify(ctx, protocol.MethodAgentChanged, protocol.AgentChanged{Change: change})
}

// WorkChanged sends the extension what runs and what the user has stopped, once it has the
// answer to its handshake. One that does not know the message is sent nothing.
func (b *Browser) WorkChanged(ctx context.Context, work protocol.Work) error {
	select {
	case <-b.handshakeAnswered:
	case <-b.conn.Done():
		return nil
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
	if !b.supportsWork.Load() {
		return nil
	}
	if !b.supportsRecordings.Load() {
		work.Recordings = nil
	}
	return b.conn.Notify(ctx, protocol.MethodWorkChanged, work)
}

// ClaimsChanged replaces the extension's mirror of the claims.
func (b *Browser) ClaimsChanged(ctx context.Context, ids []int) error {
	return b.conn.Notify(ctx, protocol.MethodClaimsChanged, protocol.Claims{TabIDs: append([]int{}, ids...)})
}

// WithinCall returns the wait, limited by what is left of the call's own time. A part of that is
// reserved for the answer of the browser, which knows more of what happened than the host, whose
// time is over a moment later. On a busy machine the answer comes late.
func WithinCall(ctx context.Context, wait time.Duration) time.Duration {
	remaining := time.Duration(remainingMS(ctx)) * time.Millisecond
	answerDelay := min(max(remaining/8, 200*time.Millisecond), time.Second)
	return max(0, min(wait, remaining-answerDelay)).Truncate(time.Millisecond)
}

// timeoutWithin returns the milliseconds of the wait [WithinCall].
func timeoutWithin(ctx context.Context, wait time.Duration) int {
	return max(1, int(WithinCall(ctx, wait).Milliseconds()))
}

// remainingMS returns the milliseconds until the context's deadline, at least 1.
func remainingMS(ctx context.Context) int {
	deadline, ok := ctx.Deadline()
	if !ok {
		return int((30 * time.Second).Milliseconds())
	}
	return max(1, int(time.Until(deadline).Milliseconds()))
}

func claimsResult(ids []int, err error) (protocol.Claims, error) {
	return protocol.Claims{TabIDs: append([]int{}, ids...)}, err
}
