package actionmap

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/schema"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// checkTools applies the rules of tools: S6, S7, their part of S14 and the
// workflows of S15.
func (c *checker) checkTools() {
	for _, tool := range c.section("tools").elements() {
		if !tool.isObject() {
			c.add("S6", tool, "a tool must be an object")
			continue
		}
		if tool.get("description").text() == "" {
			c.add("S6", tool.get("description"), "a tool must have a description")
		}
		c.checkSchema(tool.get("input_schema"), true)
		extra := tool.get("x_actions")
		for _, at := range []node{tool, extra} {
			c.checkSchema(at.get("output_schema"), false)
			c.checkSchema(at.get("result_schema"), false)
		}
		c.oneOf(extra.get("direction"), directions)
		c.oneOf(extra.get("scope"), scopes)
		c.checkExecution(tool, extra)
	}
}

// checkSchema compiles a schema: one that cannot be used would refuse every
// call of its tool.
func (c *checker) checkSchema(n node, required bool) {
	switch {
	case n.absent() && required:
		c.add("S6", n, "a tool must have an input_schema")
	case n.absent():
	case !n.isObject():
		c.add("S6", n, "must be an object")
	default:
		if _, err := schema.Compile(n.raw); err != nil {
			f := fault.From(err)
			inner, _ := f.Evidence["pointer"].(string)
			c.add("S6", node{pointer: n.pointer + inner}, "is no usable JSON Schema: %s", f.Message)
		}
	}
}

// checkExecution checks what runs the tool. Several ways are allowed; the
// first in the order static, workflow, handler is the one that runs.
func (c *checker) checkExecution(tool, extra node) {
	flow, handler := tool.get("workflow"), extra.get("handler")
	// Documented steps describe what a handler of the page's own code does. They
	// are for readers; nothing runs them.
	documented := len(extra.get("execution").get("steps").elements()) > 0
	if extra.get("static_output").absent() && flow.absent() && handler.absent() && !documented {
		c.add("S7", tool, "nothing runs this tool: it needs x_actions.static_output, workflow or x_actions.handler")
	}
	if !flow.absent() {
		c.checkWorkflow(flow)
	}
	if handler.absent() {
		return
	}
	name := handler.text()
	switch {
	case name == "":
		c.add("S7", handler, "handler must be the name of a primitive")
	case c.dict == nil || c.dict.Step(name):
	case c.dict.Effect(name) != "":
		c.add("S7", handler, "the primitive %q cannot be the handler of a tool", name)
	case documented:
		c.warn("S7", handler, "the handler %q is no primitive of this host, and documented steps are not run", name)
	default:
		c.add("S7", handler, "the handler %q is no primitive of this host", name)
	}
	c.isObject("S7", extra.get("binding").get("arguments"))
}

// checkWorkflow applies the rules of workflows. A fault of an expression gets
// the place of that expression, where the parser names the member around it.
func (c *checker) checkWorkflow(flow node) {
	_, problems := workflow.Parse(flow.raw, c.dict)
	expanded := map[string]bool{}
	for _, p := range problems {
		at := node{pointer: flow.pointer + p.Pointer}
		if p.Code == fault.InvalidWorkflow {
			c.add("S15", at, "%s", p.Message)
			continue
		}
		if expanded[p.Pointer] {
			continue // all of them were found with the first
		}
		expanded[p.Pointer] = true
		before := len(c.findings)
		c.checkSlots(flow.find(p.Pointer))
		if len(c.findings) == before {
			c.add("S15", at, "%s", p.Message)
		}
	}
}

// checkSlots reports each slot in a tree that does not compile.
func (c *checker) checkSlots(n node) {
	for _, member := range n.members() {
		c.checkSlots(member.node)
	}
	for _, element := range n.elements() {
		c.checkSlots(element)
	}
	if !n.isString() {
		return
	}
	source, isSlot, err := expr.Slot(n.text())
	if isSlot {
		_, err = expr.Compile(source)
	}
	if err != nil {
		f := fault.From(err)
		c.expression(n, fmt.Sprintf("%s (%s)", f.Message, f.Code))
	}
}
