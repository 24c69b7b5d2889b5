package primitives

import (
	"context"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// stopTimeout bounds the disabling of what a wait has enabled.
const stopTimeout = time.Second

// networkWait is a wait for a quiet network.
type networkWait struct {
	traffic   *traffic
	following *browser.Following // nil until it follows
	unlisten  func()
}

// watchNetwork follows the tab's requests until stop is called. It does so only during a wait,
// and costs nothing at other times.
func (h *Handlers) watchNetwork(ctx context.Context, c primitive.Call, want pageCondition) (*networkWait, error) {
	bounded, cancel := context.WithDeadline(ctx, want.deadline)
	defer cancel()
	w := &networkWait{traffic: newTraffic()}
	d := h.Browser.Debugger(c.TabID)
	w.unlisten = d.Listen(w.traffic.listener())
	if err := w.follow(bounded, d); err != nil {
		w.stop(ctx)
		return nil, w.timeoutError(ctx, bounded, want, err)
	}
	w.traffic.start()
	return w, nil
}

// follow enables the events of the tab and its frames. Earlier events were delivered when it
// returns. A page that is just unloading does not answer.
func (w *networkWait) follow(ctx context.Context, d *browser.Debugger) (err error) {
	w.following, err = d.Follow(ctx, browser.Follower{Domain: browser.NetworkDomain(), Early: true, Detached: w.traffic.sessionDetached})
	if err != nil {
		return err
	}
	if err := w.following.Enable(ctx, ""); err != nil {
		return err
	}
	if err := w.following.CatchUp(ctx, ""); err != nil && !fault.Is(err, fault.HandlerFailed) {
		return err
	}
	return nil
}

// stop stops listening.
func (w *networkWait) stop(ctx context.Context) {
	w.unlisten()
	if w.following == nil {
		return
	}
	// A page that is gone, or hangs, has nothing to switch off in time.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	_ = w.following.Stop(ending)
}

// awaitIdle waits until no request of the tab has been under way for a while.
func (w *networkWait) awaitIdle(ctx context.Context, want pageCondition) (observed bool, err error) {
	bounded, cancel := context.WithDeadline(ctx, want.deadline)
	defer cancel()
	if err := w.traffic.await(bounded, networkIdleInterval); err != nil {
		return false, w.timeoutError(ctx, bounded, want, err)
	}
	return w.traffic.state().observed, nil
}

// timeoutError returns the error of a wait that timed out, or else err.
func (w *networkWait) timeoutError(ctx, bounded context.Context, want pageCondition, err error) error {
	if bounded.Err() == nil || ctx.Err() != nil {
		return err
	}
	now := w.traffic.state()
	return want.timeoutError("the network did not become idle").
		With("pending_requests", now.pending).With("quiet_ms", now.quietFor.Milliseconds()).With("network_observed", now.observed)
}
