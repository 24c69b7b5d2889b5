package pagetools

import (
	"context"
	"errors"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp"
)

const (
	// leftTime is how long an answer may still come when the document was left:
	// that of a form which loaded another page comes with that page.
	leftTime = 2 * time.Second
	// cancelTime is how long a cancelled tool may take to say that it stopped.
	cancelTime = 2 * time.Second
)

// await waits until the run has an answer; nil means that it has one.
func (w *watch) await(ctx context.Context, c primitive.Call, run *webmcp.Run) error {
	guarded, leave, err := w.tools.Browser.UntilDialog(ctx, c.TabID)
	if err != nil {
		return w.blocked(fault.From(err), run)
	}
	defer leave()
	select {
	case <-run.Done():
		return nil
	case <-guarded.Done():
	case <-run.Lost():
		late := time.NewTimer(leftTime)
		defer late.Stop()
		select {
		case <-run.Done():
			return nil
		case <-late.C:
			return fault.New(fault.OutcomeUnknown, "%s was invoked and its answer cannot come any more: %s", run.Tool, run.Loss()).
				With("invocation_id", run.ID).WithDispatched(fault.DispatchedUnknown)
		case <-guarded.Done():
		}
	}
	if opened := browser.DialogOpened(guarded); opened != nil && ctx.Err() == nil {
		return w.blocked(opened, run)
	}
	return w.giveUp(ctx, c, run)
}

// blocked tells of a dialog that the tool's page shows; the tool goes on when it
// is answered.
func (w *watch) blocked(opened *fault.Error, run *webmcp.Run) error {
	f := *opened.With("invocation_id", run.ID)
	f.Dispatched = fault.WasDispatched
	return &f
}

// giveUp cancels the run, as nobody waits for it any longer. An answer that comes
// first is taken.
func (w *watch) giveUp(ctx context.Context, c primitive.Call, run *webmcp.Run) error {
	why := fault.From(ctx.Err())
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer cancel()
	_, err := w.cancelRun(stop, c.TabID, run.ID)
	select {
	case <-run.Done():
		if run.Response().Status == webmcp.Completed {
			return nil
		}
		err = nil
	case <-stop.Done():
		err = errors.Join(err, stop.Err())
	}
	f := fault.New(why.Code, "page:%s was cancelled: %s", run.Tool, why.Message)
	if err != nil {
		f = fault.New(why.Code, "page:%s was told to stop (%s), and the page did not say that it has", run.Tool, why.Message)
	}
	return f.With("invocation_id", run.ID).With("stopped", err == nil).WithDispatched(fault.WasDispatched)
}
