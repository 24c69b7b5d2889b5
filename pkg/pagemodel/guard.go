package pagemodel

import (
	"context"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// CheckGuards evaluates, before an action runs, the critical checks that guard it. A
// failing one is unsafe_state and nothing runs; one that cannot be decided
// stops nothing.
func (s *Model) CheckGuards(ctx context.Context, read Read, url, tool string) error {
	guards := s.Guards(tool)
	if len(guards) == 0 {
		return nil
	}
	l := newPageReader(read)
	var states []StateResult
	for _, c := range guards {
		if states == nil && c.namesState() {
			states = s.evaluateStates(ctx, l, url)
		}
	}
	for _, c := range guards {
		run := checkRun{model: s, check: c, read: read, url: func() string { return url }}
		result := run.evaluate(ctx, l, states)
		if result.Status == Failed {
			result.Contingency = c.OnFail.Contingency
			return fault.New(fault.UnsafeState, "the check %s, which guards %s, fails: %s", c.ID, tool, result.Reason).
				With("check", result).WithDispatched(fault.NotDispatched)
		}
	}
	if err := ctx.Err(); err != nil {
		return fault.From(err).WithDispatched(fault.NotDispatched)
	}
	return nil
}

func (c Check) namesState() bool {
	for _, a := range c.assertions {
		if a.state != "" {
			return true
		}
	}
	return false
}
