package webmcp

import (
	"context"
	"errors"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

const (
	// lateAnswerTimeout is how long an answer may still be under way when nothing is left that
	// could bring one.
	lateAnswerTimeout = 2 * time.Second
	// cancelTimeout is how long a cancelled tool may take to say that it stopped.
	cancelTimeout = 2 * time.Second
)

// await waits until the run has an answer; nil means that it has one.
func (w *watch) await(ctx context.Context, c primitive.Call, run *registry.Run) error {
	guarded, leave, err := w.tools.Browser.DialogContext(ctx, c.TabID)
	if err != nil {
		return w.dialogError(fault.From(err), run)
	}
	defer leave()
	select {
	case <-run.Done():
		return nil
	case <-guarded.Done():
	case <-run.Lost():
		late := time.NewTimer(lateAnswerTimeout)
		defer late.Stop()
		select {
		case <-run.Done():
			return nil
		case <-late.C:
			return lostError(run)
		case <-guarded.Done():
		}
	}
	if opened := browser.DialogOpened(guarded); opened != nil && ctx.Err() == nil {
		return w.dialogError(opened, run)
	}
	return w.cancelWaiting(ctx, c, run)
}

// lostError returns the error for a run whose end is not known.
func lostError(run *registry.Run) error {
	return fault.New(fault.OutcomeUnknown, "%s was invoked, and no answer came: %s", run.Tool, run.Loss()).
		With("invocation_id", run.ID).WithDispatched(fault.DispatchedUnknown)
}

// dialogError returns the error for a dialog of the tool's page; the tool goes on when it is
// answered.
func (w *watch) dialogError(opened *fault.Error, run *registry.Run) error {
	f := *opened.With("invocation_id", run.ID)
	f.Dispatched = fault.WasDispatched
	return &f
}

// cancelWaiting cancels the run of a caller that no longer waits. An answer that comes first is
// used.
func (w *watch) cancelWaiting(ctx context.Context, c primitive.Call, run *registry.Run) error {
	if run.Loss() != "" {
		return lostError(run)
	}
	why := fault.From(ctx.Err())
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer cancel()
	_, err := w.cancelRun(stop, run.ID)
	select {
	case <-run.Done():
		if run.Response().Status == registry.Completed {
			return nil
		}
		err = nil
	case <-run.Lost(): // the browser's own Cancel ends the call and takes the debugger away
		return lostError(run)
	case <-stop.Done():
		err = errors.Join(err, stop.Err())
	}
	f := fault.New(why.Code, "page:%s was cancelled: %s", run.Tool, why.Message)
	if err != nil {
		f = fault.New(why.Code, "page:%s was told to stop (%s), and the page did not say that it has", run.Tool, why.Message)
	}
	return f.With("invocation_id", run.ID).With("stopped", err == nil).WithDispatched(fault.WasDispatched)
}
