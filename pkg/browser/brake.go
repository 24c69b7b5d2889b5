package browser

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	// brakeTime is how long a page whose main thread is free takes at most to
	// evaluate a number.
	brakeTime = 300 * time.Millisecond
	// stopTime bounds what is done to end code that ran too long. On a machine that
	// is busy with more than this page it may take seconds; what is not ended by
	// then keeps the page until it is reloaded.
	stopTime = 10 * time.Second
)

// brake can end code that keeps a page's main thread busy. Chrome lets no
// extension terminate it outright, but pause it and terminate it as it goes on.
// Only a page that was told beforehand can be paused while it is busy.
type brake struct {
	d      *Debugger
	cancel func()        // takes the listener off
	paused chan struct{} // gets a token when the page has paused for pull
	pulled atomic.Bool
}

func newBrake(ctx context.Context, d *Debugger) (*brake, error) {
	b := &brake{d: d, paused: make(chan struct{}, 1)}
	b.cancel = d.Listen(Listener{
		Event: func(method string, _ json.RawMessage) {
			switch {
			case method != "Debugger.paused":
			case b.pulled.Load():
				select {
				case b.paused <- struct{}{}:
				default:
				}
			default: // a debugger statement of the page's, which means nobody here
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

// release lets the page go. A statement of the page's that stopped it must not
// leave it so; a page that is gone needs no releasing.
func (b *brake) release(ctx context.Context) {
	b.cancel()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	_, _ = cdp.Call(ctx, b.d, debugger.Disable, struct{}{})
}

// pull ends what is busy and tells whether anything was. A page that answers is
// not: terminating would hit whatever code of its own comes next.
func (b *brake) pull(ctx context.Context) (ended bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	free := make(chan struct{})
	go func() {
		defer close(free)
		_, _ = cdp.Call(ctx, b.d, runtime.Evaluate, runtime.EvaluateParams{Expression: "0", Silent: new(true)})
	}()
	timer := time.NewTimer(brakeTime)
	defer timer.Stop()
	select {
	case <-free:
		return false, nil
	case <-timer.C:
	}
	b.pulled.Store(true)
	if _, err := cdp.Call(ctx, b.d, debugger.Pause, struct{}{}); err != nil && ctx.Err() == nil {
		return false, err
	}
	select {
	case <-b.paused:
		if _, err := cdp.Call(ctx, b.d, debugger.Resume, debugger.ResumeParams{TerminateOnResume: new(true)}); err != nil {
			return false, err
		}
	case <-free: // it had ended by itself
		return false, nil
	case <-ctx.Done():
		return false, stuck()
	}
	select {
	case <-free:
		if ctx.Err() == nil {
			return true, nil
		}
	case <-ctx.Done():
	}
	return false, stuck()
}

func stuck() error {
	return fault.New(fault.JavascriptTimeout, "the code did not end in time, and the page does not answer").
		WithDispatched(fault.DispatchedUnknown).
		WithNextStep("A dialog may be open; else reload the tab.")
}
