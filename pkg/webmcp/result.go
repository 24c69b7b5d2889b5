package webmcp

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

type resultArguments struct {
	InvocationID string `json:"invocation_id"`
	WaitMS       int    `json:"wait_ms"`
}

// detach lets the run go on without its call. It is cancelled when the time is over (0: never),
// when the user stops the tab's calls and when the session ends.
func (w *watch) detach(c primitive.Call, run *registry.Run, timeout time.Duration) {
	w.reportInvocations(run.Detach())
	ctx, ended := c.Detach()
	cancel := func() {}
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	go func() {
		defer ended()
		defer cancel()
		select {
		case <-run.Done():
		case <-run.Lost():
		case <-ctx.Done():
			stop, end := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
			defer end()
			_, _ = w.cancelRun(stop, run.ID) // who asks for the result learns what became of it
		}
	}()
}

// result answers webmcp.result.
func (t *Tools) result(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[resultArguments](c)
	if err != nil {
		return nil, err
	}
	w := t.existingWatch(c.TabID, c.Session.SessionID())
	if w == nil {
		return nil, noInvocationError(args.InvocationID)
	}
	one, err := w.resolveInvocation(ctx, args.InvocationID, c.Session.SessionID())
	if err != nil {
		return nil, err
	}
	run := w.registry.Run(one.ID)
	if run == nil { // the page's own
		return nil, noInvocationError(args.InvocationID)
	}
	if err := permitOrigin(c, one.Origin); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, time.Duration(args.WaitMS)*time.Millisecond)
	defer cancel()
	select {
	case <-run.Done():
	case <-run.Lost():
	case <-wait.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	out := invocationOutput{InvocationID: run.ID, Name: run.Tool, Origin: run.Origin, Trust: untrusted}
	switch run.State() {
	case registry.Running:
		out.Status = string(registry.Running)
		return primitive.Output(out)
	case registry.Lost:
		return nil, lostError(run)
	default:
		return out.encode(run)
	}
}

// permitOrigin decides for the origin of an invocation's tool, where the call was not decided
// for it.
func permitOrigin(c primitive.Call, origin string) error {
	if origin == c.Origin || origin == "" || slices.Contains(c.FrameOrigins, origin) {
		return nil
	}
	return c.Permit(origin)
}
