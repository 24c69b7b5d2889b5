package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/json"
)

// OnlyStep is Step for the one step that the call of the context consists of: it may leave the
// tab's lane as a call of its own may.
func (d *Dispatcher) OnlyStep(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	return d.runStep(ctx, name, args, true)
}

// leaveTabLane lets other calls into the tab, unless the call is a step among others.
func (in invocation) leaveTabLane() {
	if in.leaveLane != nil {
		in.leaveLane()
	}
}

// detach begins another call in place of the one of the context, which is about to be
// answered: it is listed, stopped and ended with its session as that one would be. The
// returned function must be called when it has ended.
func (r *running) detach(ctx context.Context) (context.Context, func()) {
	from, _ := ctx.Value(runningKey{}).(*runningCall)
	own, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	call := &runningCall{of: r, stop: stop, ended: make(chan struct{}), action: from.action}
	r.mu.Lock()
	defer r.mu.Unlock()
	call.shown = from.shown
	call.shown.CallID = "call_" + rand.Text()
	r.calls[call.shown.CallID] = call
	if why := context.Cause(ctx); why != nil {
		stop(why) // as it would have been a moment later
	}
	return own, func() { r.end(call) }
}
