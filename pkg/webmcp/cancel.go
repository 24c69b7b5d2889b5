package webmcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	cdpwebmcp "github.com/chromedp/cdproto/webmcp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

type cancelArguments struct {
	InvocationID string `json:"invocation_id"`
}

// cancel answers webmcp.cancel.
func (t *Tools) cancel(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[cancelArguments](c)
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
	if err := permitOrigin(c, one.Origin); err != nil {
		return nil, err
	}
	sent, err := w.cancelRun(ctx, one.ID)
	if err != nil {
		return nil, err
	}
	return primitive.Output(map[string]any{"invocation_id": one.ID, "name": one.Tool, "cancelled": sent})
}

// resolveInvocation returns the invocation to cancel: the named one, or the only one that runs
// for the session. A page may run its tool before the browser has returned the invocation's ID,
// so one without an ID is waited for.
func (w *watch) resolveInvocation(ctx context.Context, id, session string) (registry.Invocation, error) {
	if id != "" {
		one, _, ok := w.registry.Invocation(id)
		switch {
		case !ok:
			return one, noInvocationError(id)
		case one.By != session && one.By != registry.OtherClient:
			return one, fault.New(fault.PermissionDenied, "the invocation %s belongs to another session", id).
				WithNextStep("Only the session that made it can use it; the user can stop it in the extension's popup.").WithDispatched(fault.NotDispatched)
		}
		return one, nil
	}
	for next := w.registry.PendingID(session); next != nil; next = w.registry.PendingID(session) {
		select {
		case <-next:
		case <-ctx.Done():
			return registry.Invocation{}, fault.From(ctx.Err()).WithDispatched(fault.NotDispatched)
		}
	}
	var running []registry.Invocation
	for _, one := range w.registry.Invocations() {
		if one.State == registry.Running && one.By == session {
			running = append(running, one)
		}
	}
	switch len(running) {
	case 0:
		return registry.Invocation{}, noInvocationError("")
	case 1:
		return running[0], nil
	}
	return registry.Invocation{}, fault.New(fault.InvalidArguments, "%d invocations run; say which one with invocation_id", len(running)).
		With("running", running[:min(len(running), maxShownRuns)]).WithDispatched(fault.NotDispatched)
}

// cancelRun makes the browser cancel an invocation; false if it had ended already.
func (w *watch) cancelRun(ctx context.Context, id string) (bool, error) {
	one, session, ok := w.registry.Invocation(id)
	if !ok || one.State != registry.Running && one.State != registry.Lost {
		return false, nil
	}
	_, err := cdp.Call(ctx, w.debugger("").Child(session), cdpwebmcp.CancelInvocation, cdpwebmcp.CancelInvocationParams{InvocationID: id})
	if f := fault.From(err); f != nil && f.Code == fault.HandlerFailed &&
		(strings.Contains(f.Message, "No pending execution") || strings.Contains(f.Message, "Invalid invocation")) {
		return false, nil
	}
	return err == nil, err
}

func noInvocationError(id string) *fault.Error {
	f := fault.New(fault.PageToolNotFound, "no invocation of a page tool runs")
	if id != "" {
		f = fault.New(fault.PageToolNotFound, "no invocation %s is known", id).With("invocation_id", id)
	}
	return f.WithNextStep("webmcp.list shows the invocations and their ids.").WithDispatched(fault.NotDispatched)
}
