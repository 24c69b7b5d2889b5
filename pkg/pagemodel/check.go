package pagemodel

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Severity of a check.
type Severity string

// The severities. A check that names none is major: its author meant it.
const (
	Info     Severity = "info"
	Minor    Severity = "minor"
	Major    Severity = "major"
	Critical Severity = "critical"
)

// Bounds of one check.
const (
	maxAssertions = 50
	maxSteps      = 20
)

// Check is what the map's author expects of the page.
type Check struct {
	ID          string
	Description string
	Severity    Severity
	Tools       []string // actions that it is about, in tool or tools
	OnFail      OnFail

	setup      []setupStep
	assertions []assertion
	steps      []checkStep
	expected   json.RawMessage // expected_result of the last step
}

// OnFail is what to do when a check fails.
type OnFail struct {
	StoreEvidence      []string // url, title or dom_snapshot
	Contingency        string
	AlternateSelectors []string
}

// checkStep is one call of a stored action.
type checkStep struct {
	kind      string // call; others cannot be run
	tool      string
	arguments json.RawMessage
}

func (s *Model) readChecks(p jsonnode.Node) {
	for _, o := range s.section(p, "id") {
		c := Check{
			ID: o.Get("id").Text(), Description: prose(o.Get("description")), Severity: Severity(o.Get("severity").Text()),
			Tools: append(o.Get("tool").Texts(), o.Get("tools").Texts()...), setup: s.readSetup(o.Get("setup")),
		}
		if !slices.Contains([]Severity{Info, Minor, Major, Critical}, c.Severity) {
			if !o.Get("severity").Absent() {
				s.problem(o.Get("severity"), "severity must be info, minor, major or critical; it counts as major")
			}
			c.Severity = Major
		}
		for i, e := range o.Get("assertions").Elements() {
			if i == maxAssertions {
				s.problem(e, "too many assertions; those from here on are not used")
				break
			}
			c.assertions = append(c.assertions, readAssertion(e))
		}
		for i, e := range o.Get("steps").Elements() {
			if i == maxSteps {
				s.problem(e, "too many steps; the check cannot be run")
				c.steps = append(c.steps, checkStep{kind: "too many steps"})
				break
			}
			step := checkStep{kind: firstNonEmpty(e.Get("type").Text(), "call"), tool: e.Get("tool").Text(), arguments: e.Get("arguments").Raw}
			c.steps = append(c.steps, step)
		}
		if expected := o.Get("expected_result"); !expected.Absent() {
			c.expected = expected.Raw
		}
		fail := o.Get("on_fail")
		c.OnFail = OnFail{fail.Get("store_evidence").Texts(), prose(fail.Get("contingency")), fail.Get("alternate_selectors").Texts()}
		s.Checks = append(s.Checks, c)
	}
}

// Guards lists the critical checks that guard an action: those that name
// it, those about its states or its target, and those that name no action at
// all. Only their assertions are evaluated; their steps are never run for it. The
// assertions of a check with steps hold after them: it guards neither the actions that
// it calls itself nor, without a name, all others.
func (s *Model) Guards(tool string) []Check {
	states, target := s.statesAndTarget(tool)
	var guards []Check
	for _, c := range s.Checks {
		if c.Severity != Critical || len(c.assertions) == 0 || c.calls(tool) {
			continue
		}
		shares := slices.ContainsFunc(c.assertions, func(a assertion) bool {
			return slices.Contains(states, a.state) && a.state != "" || a.target != nil && a.target.same(target)
		})
		if len(c.Tools)+len(c.steps) == 0 || slices.Contains(c.Tools, tool) || shares {
			guards = append(guards, c)
		}
	}
	return guards
}

// statesAndTarget returns the states that an action starts from and its target.
func (s *Model) statesAndTarget(tool string) (states []string, target Target) {
	target = s.tools[tool]
	states = append(states, target.State)
	for _, t := range s.TransitionsOf(tool) {
		states = append(states, t.From)
	}
	return states, target
}

// same reports whether both describe the same element in the map's words.
func (t Target) same(other Target) bool {
	return t.Selector != "" && t.Selector == other.Selector ||
		t.Role != "" && t.Name != "" && t.Role == other.Role && t.Name == other.Name
}
