package surface

import (
	"context"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Safe looks, before an action runs, at the critical checks that guard it. A
// failing one is unsafe_state and nothing runs; one that cannot be decided
// stops nothing.
func (s *Surface) Safe(ctx context.Context, read Read, url, tool string) error {
	guards := s.Guard(tool)
	if len(guards) == 0 {
		return nil
	}
	l := newLook(read)
	var states []StateResult
	for _, c := range guards {
		if states == nil && c.namesState() {
			states = s.evaluateStates(ctx, l, url)
		}
	}
	for _, c := range guards {
		run := checkRun{surface: s, check: c, read: read, url: func() string { return url }}
		result := run.look(ctx, l, states)
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
