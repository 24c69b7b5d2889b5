package actionmap

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// properties are the properties that a field can extract from an element.
var properties = []string{"innerText", "textContent", "value", "checked", "ariaLabel", "boundingClientRect"}

// checkProjections applies S15 to the state projections: their shape, what
// they extract, and every expression in them.
func (c *checker) checkProjections() {
	projections := c.section("state_projections")
	if !projections.Absent() && !projections.IsArray() {
		c.add("S15", projections, "state_projections must be an array")
	}
	declared := c.declared("state_projections", "name")
	tools := c.declared("tools", "name")
	seen, conditioned := map[string]bool{}, map[string]bool{}
	for _, p := range projections.Elements() {
		c.findings = append(c.findings, checkProjection(p)...)
		if name := p.Get("name"); name.Text() != "" && seen[name.Text()] {
			c.add("S5", name, "name %q stands twice in state_projections", name.Text())
		}
		seen[p.Get("name").Text()] = true
		snapshot := p.Get("snapshot")
		for _, extractor := range snapshot.Get("extract").Elements() {
			if extractor.Get("id").Text() == "" {
				c.add("S15", extractor.Get("id"), "an extractor must have an id, the name of its records")
			}
			c.checkField(extractor)
		}
		c.checkOutputSchema(snapshot.Get("output_schema"))
		c.checkProjectionExpressions(p)
		for _, condition := range p.Get("postconditions").Members() {
			c.checkPostcondition(condition, tools, declared)
			if conditioned[condition.Name] {
				c.add("S15", condition.Node, "%q has a postcondition already: join them in one", condition.Name)
			}
			conditioned[condition.Name] = true
		}
	}
}

// checkField checks an extractor or a field of one, and the fields within.
func (c *checker) checkField(field jsonnode.Node) {
	if !field.IsObject() {
		c.add("S15", field, "must be an object")
		return
	}
	for _, key := range []string{"xpath", "closest", "attribute", "property"} {
		if n := field.Get(key); !n.Absent() && !n.IsString() {
			c.add("S15", n, "%s must be a string", key)
		}
	}
	for _, key := range []string{"many", "required", "trim"} {
		if n := field.Get(key); !n.Absent() && string(n.Raw) != "true" && string(n.Raw) != "false" {
			c.add("S15", n, "%s must be true or false", key)
		}
	}
	if n := field.Get("property"); n.IsString() && !slices.Contains(properties, n.Text()) {
		c.add("S15", n, "property %q cannot be read; one of %v can", n.Text(), properties)
	}
	fields := field.Get("fields")
	if !fields.Absent() && !fields.IsObject() && !fields.IsArray() {
		c.add("S15", fields, "fields must be an object from names to fields")
	}
	for _, inner := range fields.Members() {
		c.checkField(inner.Node)
	}
	for _, inner := range fields.Elements() {
		c.checkField(inner)
	}
}

func (c *checker) checkOutputSchema(n jsonnode.Node) {
	if n.Absent() {
		return
	}
	if _, err := schema.Compile(n.Raw); err != nil {
		f := fault.From(err)
		inner, _ := f.Evidence["pointer"].(string)
		c.add("S15", jsonnode.Node{Pointer: n.Pointer + inner}, "is no usable JSON Schema: %s", f.Message)
	}
}

// checkProjectionExpressions compiles every expression of a projection. They
// may be bare or in {% %}.
func (c *checker) checkProjectionExpressions(p jsonnode.Node) {
	c.compiles(p.Get("snapshot").Get("projection").Get("expression"))
	for _, summary := range p.Get("summaries").Elements() {
		if summary.Get("name").Text() == "" {
			c.add("S15", summary.Get("name"), "a summary must have a name")
		}
		if expression := summary.Get("expression"); !expression.IsString() {
			c.add("S15", expression, "a summary must have an expression")
		}
		c.compiles(summary.Get("expression"))
	}
	if markers := p.Get("markers"); markers.IsString() {
		c.compiles(markers)
	}
}

// checkPostcondition checks a condition that must hold after an action. The members may
// be in verify or next to it.
func (c *checker) checkPostcondition(condition jsonnode.Member, tools, projections []string) {
	if !condition.IsObject() {
		c.add("S15", condition.Node, "a postcondition must be an object")
		return
	}
	verify := condition.Get("verify")
	if verify.Absent() {
		verify = condition.Node
	}
	changed := condition.Get("changed")
	must := string(changed.Raw) == "true"
	if !changed.Absent() && !must && changed.Text() != "or_already" {
		c.add("S15", changed, `changed must be true or "or_already"`)
	}
	if expression := verify.Get("expression"); !expression.IsString() && !(expression.Absent() && must) {
		c.add("S15", expression, "a postcondition must have an expression")
	}
	c.compiles(verify.Get("expression"))
	if language := verify.Get("language"); !language.Absent() && language.Text() != "jsonata" {
		c.add("S15", language, `language must be "jsonata"`)
	}
	if name := condition.Get("projection"); !name.Absent() && !slices.Contains(projections, name.Text()) {
		c.add("S15", name, "unknown state projection %q", name.Text())
	}
	// A postcondition for a name that no tool has never runs, mostly after a
	// tool was renamed.
	if !slices.Contains(tools, condition.Name) {
		c.warn("S15", condition.Node, "the postcondition is for %q, which is no tool of this map", condition.Name)
	}
}

// compiles checks the syntax of an optional expression.
func (c *checker) compiles(n jsonnode.Node) {
	if !n.IsString() {
		return
	}
	source, isSlot, err := expr.Slot(n.Text())
	if err == nil {
		if !isSlot {
			source = n.Text()
		}
		_, err = expr.Compile(source)
	}
	if err != nil {
		c.expression(n, fault.From(err).Message)
	}
}
