package workflow

import (
	"context"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// loop runs the step once for each item. It stops at the first failure unless
// the step tolerates failures.
func (e *execution) loop(ctx context.Context, s *step, summary *Summary) *failure {
	over, failed := e.eval(ctx, s.forEach, e.scope.root())
	if failed != nil {
		e.scope.set(s.id, failedResult(failed.err))
		return failed
	}
	items := itemsOf(over)
	total := len(items)
	summary.Empty = total == 0
	if failed := s.tooFew(total); failed != nil {
		e.scope.set(s.id, failedResult(failed.err))
		return failed
	}
	if total > s.maxItems {
		summary.Truncated, summary.Total = true, total
		items = items[:s.maxItems]
	}
	// Outputs are also in a list of their own, so that steps.<id>.output reads like
	// that of any other step.
	var results, outputs []expr.Value
	for i, item := range items {
		stored, output, itemFailed := e.item(ctx, s, item, i, summary)
		results, outputs = append(results, stored), append(outputs, output)
		summary.Items = i + 1
		if itemFailed == nil {
			continue
		}
		// The first tolerated failure determines the step's code, unless a later
		// one ends the run.
		if failed == nil || itemFailed.final {
			failed = itemFailed
			failed.err = failed.err.With("item", i).With("items", len(items))
		}
		if failed.final || !s.tolerates() {
			break
		}
	}
	members := []expr.Member{
		{Name: "ok", Value: expr.Bool(failed == nil)},
		{Name: "items", Value: array(results)},
		{Name: "output", Value: array(outputs)},
	}
	if summary.Truncated {
		members = append(members, expr.Member{Name: "truncated", Value: expr.Bool(true)},
			expr.Member{Name: "total", Value: expr.Number(float64(total))})
	}
	e.scope.set(s.id, expr.Object(members...))
	return failed
}

// tooFew returns the failure of a loop over fewer items than it needs.
func (s *step) tooFew(items int) *failure {
	if items >= s.minItems {
		return nil
	}
	return &failure{err: fault.New(fault.WorkflowTooFewItems, "for_each has %d items, at least %d are needed", items, s.minItems).
		With("total", items).With("min_items", s.minItems)}
}

// itemsOf returns the items of for_each: a path over a one-element array is a
// single value in JSONata, so a single value is a list of one.
func itemsOf(over expr.Value) []expr.Value {
	if over.IsUndefined() || string(over.JSON()) == "null" {
		return nil
	}
	if items, ok := over.Items(); ok {
		return items
	}
	return []expr.Value{over}
}

// item runs one item. A missing output is null, so that outputs
// and items keep the same positions.
func (e *execution) item(ctx context.Context, s *step, item expr.Value, index int, summary *Summary) (stored, output expr.Value, failed *failure) {
	at := StepCall{Item: index}
	if s.group != nil {
		output, failed = e.runGroup(ctx, s, item, index, summary)
	} else {
		output, failed = e.once(ctx, s, e.scope.at(item, index), at)
	}
	// Each item settles before the next one: a click per item on a page that is
	// still moving would hit the wrong element.
	if failed == nil || !failed.final && s.tolerates() {
		unsettled := e.settle(ctx, s, e.scope.at(item, index), at, summary)
		if unsettled != nil && (unsettled.final || !s.tolerates()) {
			output, failed = expr.Undefined(), unsettled
		}
	}
	stored = result(output, failed)
	if output.IsUndefined() {
		output = expr.Null()
	}
	return stored, output, failed
}

// retry repeats the step until its condition holds. A failed attempt, or a
// failed after_each, is one more reason to try again unless on_error is
// explicitly stop. Only the condition decides: it may hold after a failed attempt,
// as in a wait for an element to disappear.
func (e *execution) retry(ctx context.Context, s *step, summary *Summary) *failure {
	var history []expr.Value
	var last *failure
	for attempt := 1; attempt <= s.maxAttempts; attempt++ {
		summary.Attempts = attempt
		at, data := StepCall{Item: e.scope.index(), Attempt: attempt}, e.scope.attempt(attempt)
		var output expr.Value
		output, last = e.callPrimitive(ctx, s, data, at)
		history = append(history, result(output, last))
		e.scope.set(s.id, result(output, last))
		if last != nil && (last.final || s.onError == "stop") {
			return last
		}
		// The result is stored by now: conditions read their own step.
		condition, failed := e.eval(ctx, s.retryUntil, e.scope.root())
		if failed != nil {
			e.scope.set(s.id, failedResult(failed.err))
			return failed
		}
		if condition.Truthy() {
			e.scope.set(s.id, result(output, last, attemptsMember(history)))
			return e.satisfied(ctx, s, summary)
		}
		if s.afterEach == nil || attempt == s.maxAttempts {
			continue
		}
		at.StepID, at.Primitive, at.Phase = s.id, s.afterEach.primitive, PhaseAfterEach
		output, failed = e.invoke(ctx, at, s.afterEach.args, data)
		history = append(history, result(output, failed))
		if failed != nil && (failed.final || s.onError == "stop") {
			e.scope.set(s.id, result(output, failed))
			return failed
		}
	}
	// Final: a retry that on_error tolerated would report success for a condition
	// that never held.
	err := fault.New(fault.WorkflowRetryExhausted, "the condition of retry_until did not hold after %d attempts", s.maxAttempts).
		With("attempts", s.maxAttempts)
	if last != nil {
		err = err.With("cause", last.err)
	}
	e.scope.set(s.id, failedResult(err, attemptsMember(history)))
	return &failure{err: err, final: true}
}

// satisfied lets the page settle once the condition holds.
func (e *execution) satisfied(ctx context.Context, s *step, summary *Summary) *failure {
	at := StepCall{Item: e.scope.index(), Attempt: summary.Attempts}
	unsettled := e.settle(ctx, s, e.scope.root(), at, summary)
	if unsettled != nil && (unsettled.final || !s.tolerates()) {
		e.scope.set(s.id, failedResult(unsettled.err))
		return unsettled
	}
	return nil
}

func attemptsMember(history []expr.Value) expr.Member {
	return expr.Member{Name: "attempts", Value: array(history)}
}
