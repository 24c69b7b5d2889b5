package pagemodel

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// How long an effect may take to show, and how often the page is checked for it. It
// is the timeout of postconditions.
const (
	convergeTimeout  = 2 * time.Second
	convergeInterval = 100 * time.Millisecond
)

// Converge waits, after an action has performed the transition, until it is
// complete. url returns the tab's present address. The verdict is Unknown where the
// map has the condition in prose only; a transition that is not complete in time is
// transition_not_converged with what was expected and what was seen.
func (s *Model) Converge(ctx context.Context, read Read, url func() string, tr Transition) (Verdict, error) {
	c := tr.Convergence
	if c.State == "" && c.Target == nil && c.Expression == nil {
		return Unknown, nil
	}
	var seen any
	done, err := poll(ctx, func() (bool, error) {
		ok, now, err := s.complete(ctx, newPageReader(read), url(), c)
		if err != nil {
			// The page may be on its way to the next document. Only what is still
			// wrong at the end counts.
			now = map[string]any{"error": fault.From(err)}
		}
		seen = now
		return ok && err == nil, nil
	})
	if err != nil {
		return Unknown, err
	}
	if done {
		return Holds, nil
	}
	return Fails, fault.New(fault.TransitionNotConverged, "the action ran, but the transition %s was not complete within %v", tr.Name, convergeTimeout).
		With("transition", tr.Name).With("expected", c.expected()).With("seen", seen).
		With("max_attempts", c.MaxAttempts).With("url", url()).WithDispatched(fault.WasDispatched)
}

// poll calls holds until it returns true or the timeout ends, at least once.
func poll(ctx context.Context, holds func() (bool, error)) (bool, error) {
	tick := time.NewTicker(convergeInterval)
	defer tick.Stop()
	end := time.NewTimer(convergeTimeout)
	defer end.Stop()
	for {
		ok, err := holds()
		if ok || err != nil {
			return ok, err
		}
		select {
		case <-tick.C:
		case <-end.C:
			return false, nil
		case <-ctx.Done():
			return false, fault.From(ctx.Err())
		}
	}
}

// complete checks the condition once.
func (s *Model) complete(ctx context.Context, l *pageReader, url string, c Convergence) (ok bool, seen any, err error) {
	if c.Target != nil {
		e, err := l.target(ctx, *c.Target)
		want := c.Target.Visible == nil || *c.Target.Visible
		return e.Visible == want, e, err
	}
	states := s.evaluateStates(ctx, l, url)
	if c.State != "" {
		for _, r := range states {
			if r.Name == c.State {
				return r.Holds == Holds, r, nil
			}
		}
		return false, nil, nil
	}
	input, err := stateInput(states, url)
	if err != nil {
		return false, nil, err
	}
	value, err := c.Expression.Eval(ctx, input, expr.Limits{})
	if err != nil {
		return false, nil, err
	}
	return value.Truthy(), map[string]any{"value": value.JSON(), "states": verdicts(states)}, nil
}

// stateInput returns the input of an expression: {states: {name: true, false or
// "unknown"}, url}.
func stateInput(states []StateResult, url string) (expr.Value, error) {
	raw, err := json.Marshal(map[string]any{"states": verdicts(states), "url": url})
	if err != nil {
		return expr.Undefined(), fault.Wrap(err, fault.InternalError, "the states cannot be written: %v", err)
	}
	return expr.Decode(raw)
}

func verdicts(states []StateResult) map[string]Verdict {
	byName := map[string]Verdict{}
	for _, s := range states {
		byName[s.Name] = s.Holds
	}
	return byName
}

func (c Convergence) expected() any {
	switch {
	case c.Target != nil:
		return c.Target
	case c.State != "":
		return map[string]string{"state": c.State}
	}
	return map[string]string{"expression": c.Prose}
}
