package projection

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonpart"
)

// Set holds the state projections of one map. A broken one takes no other away.
type Set struct{ entries []entry }

// entry is one declaration: a projection, or what is wrong with it.
type entry struct {
	name       string
	projection *Projection // nil with problems
	problems   []Problem
	actions    []string // with a postcondition, also where the declaration is broken
}

// ParseSet reads the map's state_projections, an array. Anything else holds none.
func ParseSet(raw json.RawMessage) *Set {
	s := &Set{}
	for _, n := range (jsonpart.Part{Raw: raw}).Elements() {
		e := entry{name: n.Get("name").Text()}
		e.projection, e.problems = Parse(n.Raw)
		for _, m := range n.Get("postconditions").Members() {
			e.actions = append(e.actions, m.Name)
		}
		s.entries = append(s.entries, e)
	}
	return s
}

// For gives the projections that can run on the page, in the map's order.
func (s *Set) For(url string) []*Projection {
	var out []*Projection
	for _, e := range s.entries {
		if e.projection != nil && e.projection.Matches(url) {
			out = append(out, e.projection)
		}
	}
	return out
}

// Find gives the projection of this name for the page. The errors are
// state_projection_not_found, also where its scope excludes the page, and
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

// Postcondition gives what must hold after the action, nil if nothing is
// declared. Where the declaration is broken it is an error
// (invalid_state_postcondition): the action's effect could not be judged.
func (s *Set) Postcondition(action string) (*Postcondition, error) {
	for _, e := range s.entries {
		if !slices.Contains(e.actions, action) {
			continue
		}
		if e.projection == nil {
			return nil, fault.New(fault.InvalidStatePostcondition, "the postcondition of %q cannot be checked: %s", action, e.first()).
				With("action", action).With("projection", e.name).With("problems", e.problems).WithDispatched(fault.NotDispatched)
		}
		i := slices.IndexFunc(e.projection.Postconditions, func(c *Postcondition) bool { return c.Action == action })
		return e.projection.Postconditions[i], nil
	}
	return nil, nil
}

func (e entry) broken() error {
	return fault.New(fault.InvalidStateProjection, "the state projection %q is not valid: %s", e.name, e.first()).
		With("projection", e.name).With("problems", e.problems)
}

func (e entry) first() string { return e.problems[0].Pointer + ": " + e.problems[0].Message }
