package actionmap

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/schema"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// checkTools applies the rules of tools: S6, S7, their part of S14 and the
// workflows of S15.
func (c *checker) checkTools() {
	for _, tool := range c.section("tools").Elements() {
		if !tool.IsObject() {
			c.add("S6", tool, "a tool must be an object")
			continue
		}
		if tool.Get("description").Text() == "" {
			c.add("S6", tool.Get("description"), "a tool must have a description")
		}
		c.checkSchema(tool.Get("input_schema"), true)
		extra := tool.Get("x_actions")
		for _, at := range []jsonnode.Node{tool, extra} {
			c.checkSchema(at.Get("output_schema"), false)
			c.checkSchema(at.Get("result_schema"), false)
		}
		c.oneOf(extra.Get("direction"), directions)
		c.oneOf(extra.Get("scope"), scopes)
		c.checkExecution(tool, extra)
	}
}

// checkSchema compiles a schema: an unusable one would reject every call of its tool.
func (c *checker) checkSchema(n jsonnode.Node, required bool) {
	switch {
	case n.Absent() && required:
		c.add("S6", n, "a tool must have an input_schema")
	case n.Absent():
	case !n.IsObject():
		c.add("S6", n, "must be an object")
	default:
		if _, err := schema.Compile(n.Raw); err != nil {
			f := fault.From(err)
			inner, _ := f.Evidence["pointer"].(string)
			c.add("S6", jsonnode.Node{Pointer: n.Pointer + inner}, "is no usable JSON Schema: %s", f.Message)
		}
	}
}

// checkExecution checks what runs the tool. Several kinds are allowed; the
// first in the order static, workflow, handler is the one that runs.
func (c *checker) checkExecution(tool, extra jsonnode.Node) {
	flow, handler := tool.Get("workflow"), extra.Get("handler")
	// Documented steps describe what a handler of the page's own code does. They
	// are for readers; nothing runs them.
	documented := len(extra.Get("execution").Get("steps").Elements()) > 0
	if extra.Get("static_output").Absent() && flow.Absent() && handler.Absent() && !documented {
		c.add("S7", tool, "nothing runs this tool: it needs x_actions.static_output, workflow or x_actions.handler")
	}
	if !flow.Absent() {
		c.checkWorkflow(flow)
	}
	if handler.Absent() {
		return
	}
	name := handler.Text()
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
	c.isObject("S7", extra.Get("binding").Get("arguments"))
}

// checkWorkflow applies the rules of workflows. An error in an expression
// has the position of that expression; the parser only knows its member.
func (c *checker) checkWorkflow(flow jsonnode.Node) {
	_, problems := workflow.Parse(flow.Raw, c.dict)
	expanded := map[string]bool{}
	for _, p := range problems {
		at := jsonnode.Node{Pointer: flow.Pointer + p.Pointer}
		if p.Code == fault.InvalidWorkflow {
			c.add("S15", at, "%s", p.Message)
			continue
		}
		if expanded[p.Pointer] {
			continue // all of them were found with the first
		}
		expanded[p.Pointer] = true
		before := len(c.findings)
		c.checkSlots(flow.Find(p.Pointer))
		if len(c.findings) == before {
			c.add("S15", at, "%s", p.Message)
		}
	}
}

// checkSlots reports each slot in a tree that does not compile.
func (c *checker) checkSlots(n jsonnode.Node) {
	for _, member := range n.Members() {
		c.checkSlots(member.Node)
	}
	for _, element := range n.Elements() {
		c.checkSlots(element)
	}
	if !n.IsString() {
		return
	}
	source, isSlot, err := expr.Slot(n.Text())
	if isSlot {
		_, err = expr.Compile(source)
	}
	if err != nil {
		f := fault.From(err)
		c.expression(n, fmt.Sprintf("%s (%s)", f.Message, f.Code))
	}
}
