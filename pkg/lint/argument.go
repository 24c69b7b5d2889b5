package lint

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// combinators are keywords that report a whole value for an error in it.
var combinators = []string{"oneOf", "anyOf", "allOf", "not", "if", "then", "else"}

// checkArguments checks the literal arguments of a step, and of its other
// calls, against their schemas. A slot may have any value.
func (l *linter) checkArguments(s *step) {
	every := func(schema.Violation) bool { return true }
	l.violations(s.Get("args"), s.record, every)
	after := s.Get("after_each")
	for _, m := range after.Members() {
		if m.Name != "primitive" && m.Name != "args" {
			l.add("argument_schema_violation", m.Node, "after_each has primitive and args alone; %s is not used", m.Name)
		}
	}
	if record, ok := l.catalogue.Record(after.Get("primitive").Text()); ok {
		l.violations(after.Get("args"), record, every)
	}
	// The members of settle_after are arguments of locator.wait_for.
	if settle := s.Get("settle_after"); settle.Get("locator").IsObject() {
		if record, ok := l.catalogue.Record("locator.wait_for"); ok {
			l.violations(settle, record, every)
		}
	}
}

// checkSetups checks the literal arguments of the setups of checks.
func (l *linter) checkSetups() {
	for _, check := range l.root.Get("checks").Elements() {
		for _, e := range check.Get("setup").Elements() {
			if record, ok := l.catalogue.Record(e.Get("primitive").Text()); ok {
				l.violations(e.Get("args"), record, func(schema.Violation) bool { return true })
			}
		}
	}
}

// checkHandler checks the arguments that a tool binds to its handler. The caller's are
// merged in, so a missing one may come from there.
func (l *linter) checkHandler(t *tool) {
	handler := t.Get("x_actions", "handler").Text()
	record, ok := l.catalogue.Record(handler)
	if !ok || t.runs || !t.Get("x_actions", "static_output").Absent() {
		return
	}
	args := t.Get("x_actions", "binding", "arguments")
	l.violations(args, record, func(v schema.Violation) bool {
		return v.Keyword != "required" && v.Keyword != "minProperties" && !(v.Path == "" && slices.Contains(combinators, v.Keyword))
	})
	if strings.HasPrefix(handler, "locator.") {
		l.checkLocator(args.Get("locator"), false)
	}
	if handler == "text.insert" {
		l.checkLocator(args.Get("target"), true)
	}
}

// violations reports the violations that counts selects.
func (l *linter) violations(args jsonnode.Node, record *primitive.Record, counts func(schema.Violation) bool) {
	if record == nil || !args.IsObject() && !args.Absent() {
		return
	}
	text := []byte("{}")
	if !args.Absent() {
		text = args.Raw
	}
	err := record.CheckInput(text)
	if err == nil {
		return
	}
	list, _ := fault.From(err).Evidence["violations"].([]schema.Violation)
	for _, v := range list {
		at := args.Find(v.Path)
		open := source(at) != "" || slices.Contains(combinators, v.Keyword) && hasSlot(at)
		if !open && counts(v) {
			l.add("argument_schema_violation", at, "%s: %s", record.Name, v.Message)
		}
	}
}

// hasSlot reports whether a value contains an expression.
func hasSlot(n jsonnode.Node) (found bool) {
	n.Walk(func(inner jsonnode.Node) { found = found || source(inner) != "" })
	return found
}
