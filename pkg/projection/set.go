package projection

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Set holds the state projections of one map. A broken one does not affect the others.
type Set struct{ entries []entry }

// entry is one declaration: a projection, or its problems.
type entry struct {
	name       string
	projection *Projection // nil with problems
	problems   []Problem
	actions    []string // with a postcondition, even if the declaration is broken
	anyAction  bool     // may have one: its postconditions are no object
}

// ParseSet parses the map's state_projections, an array. Any other value is an empty set.
func ParseSet(raw json.RawMessage) *Set {
	s := &Set{}
	for _, n := range (jsonnode.Node{Raw: raw}).Elements() {
		e := entry{name: n.Get("name").Text()}
		e.projection, e.problems = Parse(n.Raw)
		conditions := n.Get("postconditions")
		for _, m := range conditions.Members() {
			e.actions = append(e.actions, m.Name)
		}
		e.anyAction = !conditions.Absent() && !conditions.IsObject()
		s.entries = append(s.entries, e)
	}
	return s
}

// For returns the projections that can run on the page, in the map's order.
func (s *Set) For(url string) []*Projection {
	var out []*Projection
	for _, e := range s.entries {
		if e.projection != nil && e.projection.Matches(url) {
			out = append(out, e.projection)
		}
	}
	return out
}

// Find returns the projection of this name for the page. The errors are
// state_projection_not_found, also if its scope excludes the page, and
// invalid_state_projection.
func (s *Set) Find(name, url string) (*Projection, error) {
	var available []string
	for _, p := range s.For(url) {
		if p.Name == name {
			return p, nil
		}
		available = append(available, p.Name)
	}
	for _, e := range s.entries {
		if e.name == name && e.projection == nil {
			return nil, e.broken()
		}
	}
	return nil, fault.New(fault.StateProjectionNotFound, "this page has no state projection %q", name).
		With("projection", name).With("available", append([]string{}, available...))
}

// Postcondition returns the condition that must hold after the action, nil if none is
// declared. A broken declaration, or a second one, is an error (invalid_state_postcondition):
// the action's effect could not be checked, or not all of it.
func (s *Set) Postcondition(action string) (*Postcondition, error) {
	var found *Postcondition
	for _, e := range s.entries {
		if !e.anyAction && !slices.Contains(e.actions, action) {
			continue
		}
		if e.projection == nil {
			return nil, fault.New(fault.InvalidStatePostcondition, "the postcondition of %q cannot be checked: %s", action, e.firstProblem()).
				With("action", action).With("projection", e.name).With("problems", e.problems).WithDispatched(fault.NotDispatched)
		}
		if found != nil {
			return nil, fault.New(fault.InvalidStatePostcondition, "the action %q has two postconditions: join them in one", action).
				With("action", action).With("projection", e.name).WithDispatched(fault.NotDispatched)
		}
		i := slices.IndexFunc(e.projection.Postconditions, func(c *Postcondition) bool { return c.Action == action })
		found = e.projection.Postconditions[i]
	}
	return found, nil
}

func (e entry) broken() error {
	return fault.New(fault.InvalidStateProjection, "the state projection %q is not valid: %s", e.name, e.firstProblem()).
		With("projection", e.name).With("problems", e.problems)
}

func (e entry) firstProblem() string { return e.problems[0].Pointer + ": " + e.problems[0].Message }
