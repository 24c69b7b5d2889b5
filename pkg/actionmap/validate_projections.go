package actionmap

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/projection"
)

// checkProjections applies S15 to the state projections: each is parsed as it is to be run.
func (c *checker) checkProjections() {
	projections := c.section("state_projections")
	if !projections.Absent() && !projections.IsArray() {
		c.add("S15", projections, "state_projections must be an array")
	}
	declared := c.declared("state_projections", "name")
	tools := c.declared("tools", "name")
	seen, conditioned := map[string]bool{}, map[string]bool{}
	found := map[string]bool{} // by another rule
	for _, f := range c.findings {
		found[f.Pointer] = true
	}
	for _, p := range projections.Elements() {
		_, problems := projection.Parse(p.Raw)
		for _, problem := range problems {
			if at := p.Find(problem.Pointer); !found[at.Pointer] {
				c.projectionProblem(at, problem.Message)
			}
		}
		if name := p.Get("name"); name.Text() != "" && seen[name.Text()] {
			c.add("S5", name, "name %q stands twice in state_projections", name.Text())
		}
		seen[p.Get("name").Text()] = true
		for _, condition := range p.Get("postconditions").Members() {
			c.checkPostcondition(condition, tools, declared)
			if conditioned[condition.Name] {
				c.add("S15", condition.Node, "%q has a postcondition already: join them in one", condition.Name)
			}
			conditioned[condition.Name] = true
		}
	}
}

// projectionProblem reports a problem; that of an expression has a hint of its own.
func (c *checker) projectionProblem(at jsonnode.Node, message string) {
	if at.IsString() && (at.Key() == "expression" || at.Key() == "markers") {
		c.expression(at, message)
		return
	}
	c.add("S15", at, "%s", message)
}

// checkPostcondition checks what a postcondition names outside of its projection.
func (c *checker) checkPostcondition(condition jsonnode.Member, tools, projections []string) {
	if name := condition.Get("projection"); name.IsString() && !slices.Contains(projections, name.Text()) {
		c.add("S15", name, "unknown state projection %q", name.Text())
	}
	// A postcondition for a name that no tool has never runs, mostly after a
	// tool was renamed.
	if !slices.Contains(tools, condition.Name) {
		c.warn("S15", condition.Node, "the postcondition is for %q, which is no tool of this map", condition.Name)
	}
}
