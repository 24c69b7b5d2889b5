package projection

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

const (
	// defaultSettleMS is the default time for a page to show the effect of an action.
	defaultSettleMS = 2000
	maxSettleMS     = 30_000
	// pollInterval is the delay between two readings of the page.
	pollInterval = 100 * time.Millisecond
	// maxSeenBytes is the maximum size of the state in an error.
	maxSeenBytes = 2000
)

// Postcondition is a condition that must hold on the page after an action.
type Postcondition struct {
	Action         string // name of the tool
	Projection     string // name of the projection whose state is checked
	FailureMessage string
	SettleMS       int // maximum wait until it holds; 0 checks once

	source     string
	expression *expr.Expression
}

func (p *parser) postconditions(n jsonnode.Node, projection string) []*Postcondition {
	if !n.Absent() && !n.IsObject() {
		p.add(n, "postconditions must be an object from actions to conditions")
	}
	var out []*Postcondition
	for _, m := range n.Members() {
		if !m.IsObject() {
			p.add(m.Node, "a postcondition must be an object")
			continue
		}
		verify := m.Get("verify")
		if verify.Absent() {
			verify = m.Node // the wrapper may be left out
		}
		p.language(verify.Get("language"), false)
		c := &Postcondition{
			Action:         m.Name,
			Projection:     p.text(m.Get("projection"), "projection"),
			FailureMessage: p.text(m.Get("failure_message"), "failure_message"),
			SettleMS:       defaultSettleMS,
			source:         verify.Get("expression").Text(),
			expression:     p.expression(verify.Get("expression")),
		}
		if c.Projection == "" {
			c.Projection = projection
		}
		if settle := m.Get("settle_ms"); !settle.Absent() {
			c.SettleMS = p.count(settle, "settle_ms", 0)
			if c.SettleMS > maxSettleMS {
				p.add(settle, "settle_ms must be %d or less", maxSettleMS)
			}
		}
		out = append(out, c)
	}
	return out
}

// Check reports whether the condition holds for a whole state and the action's
// input. The errors are those of an expression.
func (c *Postcondition) Check(ctx context.Context, state, input json.RawMessage) (bool, error) {
	values := make([]expr.Value, 2)
	for i, raw := range []json.RawMessage{state, input} {
		if len(raw) == 0 {
			continue // undefined
		}
		var err error
		if values[i], err = expr.Decode(raw); err != nil {
			return false, err
		}
	}
	facts := expr.Object(expr.Member{Name: "state", Value: values[0]}, expr.Member{Name: "input", Value: values[1]})
	result, err := c.expression.Eval(ctx, facts, expr.Limits{})
	return result.Truthy(), err
}

// Await polls the state until the condition holds or SettleMS have passed. It
// retries a failed reading too: after a navigation the page may not be ready yet. The error is the last one of reading or checking, or
// state_postcondition_failed.
func (c *Postcondition) Await(ctx context.Context, input json.RawMessage, read func(context.Context) (json.RawMessage, error)) error {
	end := time.Now().Add(time.Duration(c.SettleMS) * time.Millisecond)
	for {
		state, err := read(ctx)
		holds := false
		if err == nil {
			holds, err = c.Check(ctx, state, input)
		}
		switch {
		case ctx.Err() != nil:
			return fault.From(ctx.Err())
		case err == nil && holds:
			return nil
		case time.Now().Add(pollInterval).After(end) && err != nil:
			return err
		case time.Now().Add(pollInterval).After(end):
			return c.failure(state)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollInterval):
		}
	}
}

// failure returns an error with the expected condition and the observed state.
func (c *Postcondition) failure(state json.RawMessage) error {
	message := c.FailureMessage
	if message == "" {
		message = "the action ran, but the page does not show its effect"
	}
	f := fault.New(fault.StatePostconditionFailed, "%s", message).
		With("action", c.Action).With("projection", c.Projection).With("expected", c.source)
	if len(state) > maxSeenBytes {
		return f.With("seen_bytes", len(state)).With("seen", string(state[:maxSeenBytes]))
	}
	return f.With("seen", state)
}
