package actionmap

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// properties are what a field of an extractor can read of an element.
var properties = []string{"innerText", "textContent", "value", "checked", "ariaLabel", "boundingClientRect"}

// checkProjections applies S15 to the state projections: their shape, what
// they extract, and every expression in them.
func (c *checker) checkProjections() {
	projections := c.section("state_projections")
	if !projections.absent() && !projections.isArray() {
		c.add("S15", projections, "state_projections must be an array")
	}
	declared := c.declared("state_projections", "name")
	tools := c.declared("tools", "name")
	seen := map[string]bool{}
	for _, p := range projections.elements() {
		c.findings = append(c.findings, checkProjection(p)...)
		if name := p.get("name"); name.text() != "" && seen[name.text()] {
			c.add("S5", name, "name %q stands twice in state_projections", name.text())
		}
		seen[p.get("name").text()] = true
		snapshot := p.get("snapshot")
		for _, extractor := range snapshot.get("extract").elements() {
			if extractor.get("id").text() == "" {
				c.add("S15", extractor.get("id"), "an extractor must have an id, the name of its records")
			}
			c.checkField(extractor)
		}
		c.checkOutputSchema(snapshot.get("output_schema"))
		c.checkProjectionExpressions(p)
		for _, condition := range p.get("postconditions").members() {
			c.checkPostcondition(condition, tools, declared)
		}
	}
}

// checkField checks an extractor or a field of one, and the fields within.
func (c *checker) checkField(field node) {
	if !field.isObject() {
		c.add("S15", field, "must be an object")
		return
	}
	for _, key := range []string{"xpath", "closest", "attribute", "property"} {
		if n := field.get(key); !n.absent() && !n.isString() {
			c.add("S15", n, "%s must be a string", key)
		}
	}
	for _, key := range []string{"many", "required", "trim"} {
		if n := field.get(key); !n.absent() && string(n.raw) != "true" && string(n.raw) != "false" {
			c.add("S15", n, "%s must be true or false", key)
		}
	}
	if n := field.get("property"); n.isString() && !slices.Contains(properties, n.text()) {
		c.add("S15", n, "property %q cannot be read; one of %v can", n.text(), properties)
	}
	fields := field.get("fields")
	if !fields.absent() && !fields.isObject() && !fields.isArray() {
		c.add("S15", fields, "fields must be an object from names to fields")
	}
	for _, inner := range fields.members() {
		c.checkField(inner.node)
	}
	for _, inner := range fields.elements() {
		c.checkField(inner)
	}
}

func (c *checker) checkOutputSchema(n node) {
	if n.absent() {
		return
	}
	if _, err := schema.Compile(n.raw); err != nil {
		f := fault.From(err)
		inner, _ := f.Evidence["pointer"].(string)
		c.add("S15", node{pointer: n.pointer + inner}, "is no usable JSON Schema: %s", f.Message)
	}
}

// checkProjectionExpressions compiles every expression of a projection. They
// may stand bare or in {% %}.
func (c *checker) checkProjectionExpressions(p node) {
	c.compiles(p.get("snapshot").get("projection").get("expression"))
	for _, summary := range p.get("summaries").elements() {
		if summary.get("name").text() == "" {
			c.add("S15", summary.get("name"), "a summary must have a name")
		}
		if expression := summary.get("expression"); !expression.isString() {
			c.add("S15", expression, "a summary must have an expression")
		}
		c.compiles(summary.get("expression"))
	}
	if markers := p.get("markers"); markers.isString() {
		c.compiles(markers)
	}
}

// checkPostcondition checks what must hold after an action. The members may
// stand in verify or beside it.
func (c *checker) checkPostcondition(condition namedNode, tools, projections []string) {
	if !condition.isObject() {
		c.add("S15", condition.node, "a postcondition must be an object")
		return
	}
	verify := condition.get("verify")
	if verify.absent() {
		verify = condition.node
	}
	if expression := verify.get("expression"); !expression.isString() {
		c.add("S15", expression, "a postcondition must have an expression")
	}
	c.compiles(verify.get("expression"))
	if language := verify.get("language"); !language.absent() && language.text() != "jsonata" {
		c.add("S15", language, `language must be "jsonata"`)
	}
	if name := condition.get("projection"); !name.absent() && !slices.Contains(projections, name.text()) {
		c.add("S15", name, "unknown state projection %q", name.text())
	}
	// A postcondition for a name that no tool has never runs, mostly after a
	// tool was renamed.
	if !slices.Contains(tools, condition.name) {
		c.warn("S15", condition.node, "the postcondition is for %q, which is no tool of this map", condition.name)
	}
}

// compiles checks the syntax of an optional expression.
func (c *checker) compiles(n node) {
	if !n.isString() {
		return
	}
	source, isSlot, err := expr.Slot(n.text())
	if err == nil {
		if !isSlot {
			source = n.text()
		}
		_, err = expr.Compile(source)
	}
	if err != nil {
		c.expression(n, fault.From(err).Message)
	}
}
