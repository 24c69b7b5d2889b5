package projection

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"sync"
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
	// NeedsBefore reports whether the state before the action is to be read: the condition
	// sees it, or the map asks what changed.
	NeedsBefore bool

	mustChange bool
	source     string
	expression *expr.Expression // nil: only a change is demanded
}

// orAlready is the value of "changed" by which a map asks whether an action found everything done.
const orAlready = "or_already"

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
		}
		p.changed(m.Get("changed"), c)
		if verify := verify.Get("expression"); !verify.Absent() || !c.mustChange {
			c.expression = p.expression(verify)
		}
		c.NeedsBefore = c.NeedsBefore || readsBefore(c.source)
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

// changed reads what the map demands of the change.
func (p *parser) changed(n jsonnode.Node, c *Postcondition) {
	switch {
	case n.Absent():
	case string(n.Raw) == "true":
		c.mustChange, c.NeedsBefore = true, true
	case n.Text() == orAlready:
		c.NeedsBefore = true
	default:
		p.add(n, "changed must be true or %q", orAlready)
	}
}

// throughContext matches what may read the state before the action by no path of its own, as
// $.before, **.before, $.(before.n) and $lookup($, "before"). Where it errs, the page is read once in vain.
var throughContext = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)(?:[^\pL\pN_\x60\s]|\$[\pL\pN_]*)\s*\.\s*["'\x60]?before\b|["']before["']|\$\s*\.\s*[(\[{].*\bbefore\b`)
})

// readsBefore reports whether an expression, bare or in {% %}, reads the state before the action.
func readsBefore(text string) bool {
	source, isSlot, err := expr.Slot(text)
	if err != nil || !isSlot {
		source = text
	}
	list, _ := expr.References(source) // one that does not compile is a problem of its own
	return slices.ContainsFunc(list, func(r expr.Reference) bool { return r.Is("before") && (!r.Inner || r.Root) }) ||
		throughContext().MatchString(source)
}

// Facts are what a condition sees; a state that there was not is undefined.
type Facts struct {
	State, Before, Input json.RawMessage
}

// Check reports whether the condition holds. The errors are those of an expression.
func (c *Postcondition) Check(ctx context.Context, facts Facts) (bool, error) {
	if c.expression == nil {
		return true, nil
	}
	var members []expr.Member
	for i, raw := range []json.RawMessage{facts.State, facts.Input, facts.Before} {
		if len(raw) == 0 {
			continue // undefined
		}
		value, err := expr.Decode(raw)
		if err != nil {
			return false, err
		}
		members = append(members, expr.Member{Name: PostconditionNames[i], Value: value})
	}
	result, err := c.expression.Eval(ctx, expr.Object(members...), expr.Limits{LargeInput: true})
	return result.Truthy(), err
}

// Before is what the page showed before an action; the zero value is that it was not read.
type Before struct {
	Read  bool
	State json.RawMessage // nil: the page had no such state
}

// changed reports whether a state is another one than before. A state that was not there before is.
func (b Before) changed(state json.RawMessage) (bool, error) {
	if b.State == nil {
		return true, nil
	}
	was, err := Hash(b.State)
	if err != nil {
		return false, err
	}
	is, err := Hash(state)
	return was != is, err
}

// Proof is what a postcondition that holds says of its action.
type Proof struct {
	Changed *bool // nil: the state before was not read
	Already bool  // the condition held before, and nothing changed
}

// Await polls the state until the condition holds and the state has changed as far as that is
// demanded, or SettleMS have passed. It retries a failed reading too: after a navigation the page
// may not be ready yet. So it does one that is not complete: what a page that is being drawn lacks is
// no effect of the action. The error is the last one of reading or checking, or
// state_postcondition_failed.
func (c *Postcondition) Await(ctx context.Context, input json.RawMessage, before Before, read func(context.Context) (Reading, error)) (Proof, error) {
	end := time.Now().Add(time.Duration(c.SettleMS) * time.Millisecond)
	for {
		reading, err := read(ctx)
		state, holds, changed := reading.State, false, false
		if err == nil {
			holds, err = c.Check(ctx, Facts{State: state, Before: before.State, Input: input})
		}
		if err == nil && holds && !reading.Diagnostics.Complete {
			err = c.partial(reading)
		}
		if err == nil && holds && before.Read {
			changed, err = before.changed(state)
		}
		switch {
		case ctx.Err() != nil:
			return Proof{}, fault.From(ctx.Err())
		case err == nil && holds && !before.Read:
			return Proof{}, nil
		case err == nil && holds && (changed || !c.mustChange):
			return Proof{Changed: &changed, Already: !changed}, nil
		case time.Now().Add(pollInterval).After(end) && err != nil:
			return Proof{}, err
		case time.Now().Add(pollInterval).After(end) && holds:
			return Proof{Changed: &changed}, c.unchanged(state)
		case time.Now().Add(pollInterval).After(end):
			return Proof{}, c.failure(state)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollInterval):
		}
	}
}

// unchanged returns the error of an action after which the page is as it was.
func (c *Postcondition) unchanged(state json.RawMessage) error {
	message := "the action ran and changed nothing: the page is as it was before"
	next := "Nothing changed. Read the page's state: what the action should do may have been done already, or the page ignored it."
	return c.seen(fault.New(fault.StatePostconditionFailed, "%s", message), state).With("changed", false).WithNextStep(next)
}

// partial returns the error of a condition that holds on a page which lacks what the map requires of it.
func (c *Postcondition) partial(reading Reading) error {
	message, d := "the action ran, but what the page shows is no proof: required fields are missing", reading.Diagnostics
	if d.Truncated {
		message = "the action ran, but what the page shows is no proof: it has more records than are read"
	}
	return c.seen(fault.New(fault.StatePostconditionFailed, "%s", message), reading.State).
		With("missing_required_fields", d.MissingRequiredFields).With("truncated", d.Truncated)
}

// failure returns an error with the expected condition and the observed state.
func (c *Postcondition) failure(state json.RawMessage) error {
	message := c.FailureMessage
	if message == "" {
		message = "the action ran, but the page does not show its effect"
	}
	return c.seen(fault.New(fault.StatePostconditionFailed, "%s", message), state)
}

// seen adds what was expected and what the page shows.
func (c *Postcondition) seen(f *fault.Error, state json.RawMessage) *fault.Error {
	f = f.With("action", c.Action).With("projection", c.Projection).With("expected", c.source)
	if len(state) > maxSeenBytes {
		return f.With("seen_bytes", len(state)).With("seen", string(state[:maxSeenBytes]))
	}
	return f.With("seen", state)
}
