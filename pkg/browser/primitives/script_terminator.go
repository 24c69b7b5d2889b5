package primitives

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	// responseTimeout is how long a page whose main thread is free takes at most to
	// evaluate a number.
	responseTimeout = 300 * time.Millisecond
	// terminateTimeout bounds what is done to end code that ran too long. On a machine that
	// is busy with more than this page it may take seconds; what is not ended by
	// then keeps the page until it is reloaded.
	terminateTimeout = 10 * time.Second
)

// scriptTerminator can end code that keeps a page's main thread busy. Chrome lets no extension
// terminate it outright, but pause it and terminate it as it goes on. A busy page can be paused
// only if the debugger domain was enabled before.
type scriptTerminator struct {
	d           *browser.Debugger
	cancel      func()        // takes the listener off
	paused      chan struct{} // gets a token when the page has paused for pull
	terminating atomic.Bool
}

func newScriptTerminator(ctx context.Context, d *browser.Debugger) (*scriptTerminator, error) {
	b := &scriptTerminator{d: d, paused: make(chan struct{}, 1)}
	b.cancel = d.Listen(browser.Listener{
		Event: func(method string, _ json.RawMessage) {
			switch {
			case method != "Debugger.paused":
			case b.terminating.Load():
				select {
				case b.paused <- struct{}{}:
				default:
				}
			default: // a debugger statement of the page
				go func() { _, _ = cdp.Call(ctx, d, debugger.Resume, debugger.ResumeParams{}) }()
			}
		},
		Detached: func(string) {},
	})
	if _, err := cdp.Call(ctx, d, debugger.Enable, debugger.EnableParams{MaxScriptsCacheSize: 1}); err != nil {
		b.cancel()
		return nil, err
	}
	return b, nil
}

// release switches the debugger domain off. A page that a debugger statement of its own has
// paused must not stay paused; a page that is gone needs nothing.
func (b *scriptTerminator) release(ctx context.Context) {
	b.cancel()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), terminateTimeout)
	defer cancel()
	_, _ = cdp.Call(ctx, b.d, debugger.Disable, struct{}{})
}

// terminate stops the running script and reports whether one was running. It leaves a
// responsive page alone: termination would hit its next task.
func (b *scriptTerminator) terminate(ctx context.Context) (ended bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), terminateTimeout)
	defer cancel()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = cdp.Call(ctx, b.d, runtime.Evaluate, runtime.EvaluateParams{Expression: "0", Silent: new(true)})
	}()
	timer := time.NewTimer(responseTimeout)
	defer timer.Stop()
	select {
	case <-answered:
		return false, nil
	case <-timer.C:
	}
	b.terminating.Store(true)
	if _, err := cdp.Call(ctx, b.d, debugger.Pause, struct{}{}); err != nil && ctx.Err() == nil {
		return false, err
	}
	select {
	case <-b.paused:
		if _, err := cdp.Call(ctx, b.d, debugger.Resume, debugger.ResumeParams{TerminateOnResume: new(true)}); err != nil {
			return false, err
		}
	case <-answered: // it had ended by itself
		return false, nil
	case <-ctx.Done():
		return false, notTerminatedError()
	}
	select {
	case <-answered:
		if ctx.Err() == nil {
			return true, nil
		}
	case <-ctx.Done():
	}
	return false, notTerminatedError()
}

func notTerminatedError() error {
	return fault.New(fault.JavascriptTimeout, "the code did not end in time, and the page does not answer").
		WithDispatched(fault.DispatchedUnknown).
		WithNextStep("A dialog may be open; else reload the tab.")
}
