package workflow

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// once runs the primitive or the assertion of a step.
func (e *execution) once(ctx context.Context, s *step, data expr.Value, at StepCall) (expr.Value, *failure) {
	if s.assert != nil {
		return expr.Undefined(), e.assert(ctx, s, data)
	}
	return e.callPrimitive(ctx, s, data, at)
}

// assert fails unless the condition holds.
func (e *execution) assert(ctx context.Context, s *step, data expr.Value) *failure {
	condition, failed := e.eval(ctx, s.assert, data)
	if failed != nil || condition.Truthy() {
		return failed
	}
	message := "the condition does not hold"
	if s.message != nil {
		value, failed := e.eval(ctx, s.message, data)
		if failed != nil {
			return failed
		}
		var text string
		if !value.IsUndefined() && json.Unmarshal(value.JSON(), &text) == nil && text != "" {
			message = text
		}
	}
	return &failure{err: fault.New(fault.WorkflowAssertionFailed, "%s", message).With("expected", s.assert.source)}
}

// runGroup runs the steps of a group for one item and returns the item's value.
func (e *execution) runGroup(ctx context.Context, s *step, item expr.Value, index int, summary *Summary) (expr.Value, *failure) {
	defer e.scope.enter(item, index)()
	for i := range s.group {
		inner, failed := e.step(ctx, &s.group[i])
		if inner != nil {
			summary.add(*inner)
		}
		if failed != nil {
			return expr.Undefined(), failed
		}
	}
	if s.output == nil {
		return e.scope.inGroup(), nil
	}
	return e.eval(ctx, s.output, e.scope.root())
}

// add adds the result that a step of the group had for one item.
func (s *Summary) add(inner Summary) {
	if !inner.Skipped {
		inner.Items = 1
	}
	i := slices.IndexFunc(s.Steps, func(known Summary) bool { return known.ID == inner.ID })
	if i < 0 {
		s.Steps = append(s.Steps, inner)
		return
	}
	known := &s.Steps[i]
	known.OK = known.OK && inner.OK
	known.Skipped = known.Skipped && inner.Skipped
	known.DurationMS += inner.DurationMS
	known.Items += inner.Items
	known.Attempts = max(known.Attempts, inner.Attempts)
	if known.Code == "" {
		known.Code = inner.Code
	}
	// As in a loop, a later success must not hide an earlier failure.
	if known.Settle == nil || known.Settle.OK && inner.Settle != nil {
		known.Settle = inner.Settle
	}
}
