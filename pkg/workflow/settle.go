package workflow

import (
	"context"
	"time"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// settle runs the step's settle_after and records its result in the summary.
func (e *execution) settle(ctx context.Context, s *step, data expr.Value, at StepCall, summary *Summary) *failure {
	if s.settle == nil {
		return nil
	}
	var outcome SettleSummary
	var failed *failure
	if s.settle.delay != nil {
		outcome.Mode = "delay"
		outcome.DelayMS, failed = e.pause(ctx, s.settle.delay, data)
	} else {
		outcome.Mode = "locator"
		failed = e.await(ctx, s, data, at)
	}
	outcome.OK = failed == nil
	if failed != nil {
		outcome.Reason = string(failed.err.Code)
		if failed.err.Code == fault.WorkflowSettleTimeout {
			outcome.Reason = "timeout"
		}
	}
	// In a loop a later success must not hide an earlier failure.
	if summary.Settle == nil || summary.Settle.OK {
		summary.Settle = &outcome
	}
	return failed
}

// pause waits for the evaluated milliseconds or for the end of the run.
func (e *execution) pause(ctx context.Context, delay *slot, data expr.Value) (float64, *failure) {
	value, failed := e.eval(ctx, delay, data)
	if failed != nil {
		return 0, failed
	}
	ms, err := number(value)
	if err != nil || ms <= 0 {
		return 0, &failure{err: fault.New(fault.InvalidArguments, "settle_after.delay_ms must evaluate to a number above 0")}
	}
	// A delay longer than the run's timeout ends only with the run; as a Duration
	// it might overflow.
	var timer <-chan time.Time
	if ms < float64(e.run.Timeout/time.Millisecond) {
		timer = time.After(time.Duration(ms * float64(time.Millisecond)))
	}
	select {
	case <-timer:
	case <-ctx.Done():
	}
	return ms, e.ended(ctx)
}

// await waits for the locator. A page that does not settle in time has a code
// of its own; every other failure of the wait keeps its code.
func (e *execution) await(ctx context.Context, s *step, data expr.Value, at StepCall) *failure {
	at.StepID, at.Primitive, at.Phase = s.id, waitFor, PhaseSettle
	_, failed := e.invoke(ctx, at, s.settle.wait, data)
	if failed == nil || failed.final || failed.err.Code != fault.Timeout {
		return failed
	}
	// The evidence has the shape of steps.<id>.error that maps rely on.
	return &failure{err: fault.Wrap(failed.err, fault.WorkflowSettleTimeout, "the page did not settle after step %q", s.id).
		With("step_id", s.id).
		With("cause", map[string]any{"ok": false, "mode": "locator", "reason": "timeout", "message": failed.err.Message})}
}
