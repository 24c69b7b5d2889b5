package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// execution is the state of one run. It belongs to one goroutine.
type execution struct {
	run         Run
	limits      Limits
	scope       scope
	dispatched  fault.Dispatched
	acted       []string // ids of the steps that changed something, in order
	outputBytes int      // of all outputs so far
}

// Run executes the workflow step by step. It never panics on the output of a
// primitive and does not call Invoke once ctx has ended.
func (w *Workflow) Run(ctx context.Context, run Run) Result {
	if run.Timeout <= 0 {
		run.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, run.Timeout)
	defer cancel()
	// One deadline serves calls, expressions and pauses alike.
	e := &execution{run: run, limits: run.Limits.withDefaults(), dispatched: fault.NotDispatched}
	if err := e.scope.start(run.Input); err != nil {
		return Result{Err: fault.From(err).WithDispatched(fault.NotDispatched)}
	}
	var result Result
	for i := range w.steps {
		summary, failed := e.step(withPosition(ctx, Position{Step: i + 1, Steps: len(w.steps)}), &w.steps[i])
		if summary != nil {
			result.Steps = append(result.Steps, *summary)
		}
		if failed != nil {
			result.Err = e.stepFailed(&w.steps[i], failed)
			return result
		}
	}
	result.Output, result.Err = e.output(ctx, w)
	return result
}

func (l Limits) withDefaults() Limits {
	if l.Expression.Timeout == 0 {
		l.Expression.Timeout = DefaultExpressionTimeout
	}
	if l.Expression.MaxOutputBytes == 0 {
		l.Expression.MaxOutputBytes = DefaultExpressionBytes
	}
	if l.Expression.MaxInputBytes == 0 {
		l.Expression.MaxInputBytes = defaultContextBytes
	}
	if l.OutputBytes == 0 {
		l.OutputBytes = DefaultOutputBytes
	}
	if l.StepBytes == 0 {
		l.StepBytes = DefaultStepBytes
	}
	return l
}

// step runs one step and stores its result. The summary is nil when the run
// ended before the step began.
func (e *execution) step(ctx context.Context, s *step) (*Summary, *failure) {
	// A step without a call must not begin after the end either.
	if failed := e.ended(ctx); failed != nil {
		return nil, failed
	}
	began := time.Now()
	summary := &Summary{ID: s.id, Primitive: s.primitive}
	failed := e.runStep(ctx, s, summary)
	summary.DurationMS = time.Since(began).Milliseconds()
	summary.OK = failed == nil
	if failed != nil {
		summary.Code = failed.err.Code
		if failed.step == nil { // else it is of a step of the group
			failed.step = s
		}
		if s.tolerates() && !failed.final {
			failed = nil
		}
	}
	return summary, failed
}

func (e *execution) runStep(ctx context.Context, s *step, summary *Summary) *failure {
	if s.when != nil {
		condition, failed := e.eval(ctx, s.when, e.scope.root())
		if failed != nil {
			e.scope.set(s.id, failedResult(failed.err))
			return failed
		}
		if !condition.Truthy() {
			summary.Skipped = true
			e.scope.set(s.id, skippedResult())
			return nil
		}
	}
	// The parser rejects a step that is both.
	switch {
	case s.forEach != nil:
		return e.loop(ctx, s, summary)
	case s.retryUntil != nil:
		return e.retry(ctx, s, summary)
	}
	return e.runOnce(ctx, s, summary)
}

// runOnce runs the step once and lets the page settle. Only the first of
// two failures is reported; a tolerated one does not skip the settling.
func (e *execution) runOnce(ctx context.Context, s *step, summary *Summary) *failure {
	at := StepCall{Item: e.scope.index()}
	output, failed := e.once(ctx, s, e.scope.root(), at)
	e.scope.set(s.id, result(output, failed))
	if failed != nil && (failed.final || !s.tolerates()) {
		return failed
	}
	if unsettled := e.settle(ctx, s, e.scope.root(), at, summary); unsettled != nil {
		if unsettled.final || !s.tolerates() {
			// The step's output is not reliable: the page is not in the state that
			// its author waited for.
			e.scope.set(s.id, failedResult(unsettled.err))
			return unsettled
		}
	}
	return failed
}

// callPrimitive evaluates the step's arguments and calls its primitive. at holds
// the item or the attempt.
func (e *execution) callPrimitive(ctx context.Context, s *step, data expr.Value, at StepCall) (expr.Value, *failure) {
	at.StepID, at.Primitive, at.Phase = s.id, s.primitive, PhaseStep
	return e.invoke(ctx, at, s.args, data)
}

// invoke is the only place that calls a primitive.
func (e *execution) invoke(ctx context.Context, c StepCall, args *slot, data expr.Value) (expr.Value, *failure) {
	// Evaluating the arguments may take long: the check is after it, directly
	// before the call.
	arguments, err := args.evalObject(ctx, data, e.limits.Expression)
	if failed := e.ended(ctx); failed != nil {
		return expr.Undefined(), failed
	}
	if err != nil {
		return expr.Undefined(), &failure{err: fault.From(err).WithDispatched(fault.NotDispatched)}
	}
	c.Arguments = arguments
	output, err := e.run.Invoke(ctx, c)
	if err != nil {
		return expr.Undefined(), e.callFailed(ctx, c, fault.From(err))
	}
	// Recorded before anything else can fail: the primitive did run.
	e.recordCall(c, nil)
	if e.outputBytes += len(output); e.outputBytes > e.limits.StepBytes {
		return expr.Undefined(), &failure{err: fault.New(fault.PayloadTooLarge,
			"the outputs of this workflow's steps exceed %d bytes", e.limits.StepBytes)}
	}
	return e.decode(output)
}

// callFailed returns the failure of the run for that of a primitive. An ended
// context explains any failure but an unknown outcome.
func (e *execution) callFailed(ctx context.Context, c StepCall, err *fault.Error) *failure {
	e.recordCall(c, err)
	if failed := e.ended(ctx); failed != nil && err.Code != fault.OutcomeUnknown {
		failed.err = failed.err.With("cause", err)
		if err.Dispatched == fault.DispatchedUnknown {
			failed.err = failed.err.WithDispatched(fault.DispatchedUnknown)
		}
		return failed
	}
	return &failure{err: err, final: slices.Contains(passThrough, err.Code)}
}

// decode decodes an output once; all later expressions share the value.
func (e *execution) decode(output json.RawMessage) (expr.Value, *failure) {
	if len(output) == 0 {
		return expr.Undefined(), nil
	}
	value, err := expr.Decode(output)
	if err != nil {
		return expr.Undefined(), &failure{err: fault.Wrap(err, fault.InvalidResult, "the output is not JSON: %v", err)}
	}
	return value, nil
}

func (e *execution) eval(ctx context.Context, s *slot, data expr.Value) (expr.Value, *failure) {
	value, err := s.eval(ctx, data, e.limits.Expression)
	if err == nil {
		return value, nil
	}
	if failed := e.ended(ctx); failed != nil {
		return value, failed
	}
	return value, &failure{err: fault.From(err)}
}

// ended returns a failure if the run's time is over or it was cancelled, else nil.
func (e *execution) ended(ctx context.Context) *failure {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return &failure{final: true, err: fault.Wrap(err, fault.WorkflowTimeout,
			"the workflow's time (at most %s) is used up", e.run.Timeout)}
	default:
		return &failure{final: true, err: fault.Wrap(err, fault.Cancelled, "the workflow was cancelled")}
	}
}

// output evaluates the workflow's value. Its failure is not that of a step: it
// keeps the expression's code and reports that the steps ran.
func (e *execution) output(ctx context.Context, w *Workflow) (json.RawMessage, *fault.Error) {
	value := e.scope.all()
	if w.output != nil {
		var failed *failure
		if value, failed = e.eval(ctx, w.output, e.scope.root()); failed != nil {
			out := failed.err
			if e.dispatched != fault.NotDispatched {
				out = out.WithNextStep(fault.New(fault.WorkflowOutputFailed, "").NextStep)
			}
			return nil, e.seal(out.With("field", "output"), out.Retryable)
		}
	}
	// The caller's envelope always has an output; JSON has no undefined.
	text := json.RawMessage("null")
	if !value.IsUndefined() {
		text = value.JSON()
	}
	if len(text) > e.limits.OutputBytes {
		return nil, e.seal(fault.New(fault.WorkflowOutputTooLarge, "the workflow's value has %d bytes, at most %d are allowed",
			len(text), e.limits.OutputBytes), false)
	}
	return text, nil
}
