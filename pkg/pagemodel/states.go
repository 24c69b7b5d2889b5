package pagemodel

import (
	"context"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// maxDiagnostics bounds a state.
const maxDiagnostics = 20

// state is one declared state of the page.
type state struct {
	name        string
	description string
	diagnostics []assertion
}

// StateResult is the present verdict on a declared state.
type StateResult struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Holds       Verdict  `json:"holds"`
	Diagnostics []Result `json:"diagnostics,omitempty"`
}

// readStates reads the list of states, or the object from names to prose that
// real maps have.
func (s *Model) readStates(p jsonnode.Node) {
	for _, m := range p.Members() {
		s.states = append(s.states, readState(m.Name, firstNonEmpty(prose(m.Node), prose(m.Get("description"))), m.Get("diagnostics")))
	}
	if p.IsObject() {
		return
	}
	for _, o := range s.section(p, "name") {
		s.states = append(s.states, readState(o.Get("name").Text(), prose(o.Get("description")), o.Get("diagnostics")))
	}
}

func readState(name, description string, diagnostics jsonnode.Node) state {
	st := state{name: name, description: description}
	for i, d := range diagnostics.Elements() {
		if i == maxDiagnostics {
			break
		}
		a := readAssertion(d)
		// A state is what a person sees: a closed dialog is in the document too.
		if a.target != nil && a.visible == nil {
			shown := true
			a.visible = &shown
		}
		// A state that depends on states could be circular.
		a.state = ""
		st.diagnostics = append(st.diagnostics, a)
	}
	return st
}

// States reports which of the declared states hold on the page, in the order of
// the map. A state that is described in prose only is unknown.
func (s *Model) States(ctx context.Context, read Read, url string) []StateResult {
	return s.evaluateStates(ctx, newPageReader(read), url)
}

func (s *Model) evaluateStates(ctx context.Context, l *pageReader, url string) []StateResult {
	l.prefetch(ctx, s.stateTargets())
	results := make([]StateResult, 0, len(s.states))
	for _, st := range s.states {
		r := StateResult{Name: st.name, Description: st.description}
		var verdicts []Verdict
		for _, d := range st.diagnostics {
			result := l.evaluate(ctx, d, url, nil)
			verdicts = append(verdicts, result.OK)
			r.Diagnostics = append(r.Diagnostics, result)
		}
		r.Holds = combine(verdicts)
		results = append(results, r)
	}
	return results
}

func (s *Model) stateTargets() (targets []Target) {
	for _, st := range s.states {
		targets = append(targets, targetsOf(st.diagnostics)...)
	}
	return targets
}

func targetsOf(assertions []assertion) (targets []Target) {
	for _, a := range assertions {
		if a.target != nil {
			targets = append(targets, *a.target)
		}
	}
	return targets
}

// stateVerdict finds a state's verdict; a state that is not declared is unknown.
func stateVerdict(states []StateResult, name string) Verdict {
	for _, s := range states {
		if s.Name == name {
			return s.Holds
		}
	}
	return Unknown
}

func (s *Model) declares(name string) bool {
	for _, st := range s.states {
		if st.name == name {
			return true
		}
	}
	return false
}
