package lint

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonpart"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// combinators report the whole of a value for a part of it.
var combinators = []string{"oneOf", "anyOf", "allOf", "not", "if", "then", "else"}

// checkArguments checks the literal arguments of a step, and of what it calls
// besides its primitive, against their schemas. A slot may give anything.
func (l *linter) checkArguments(s *step) {
	every := func(schema.Violation) bool { return true }
	l.violations(s.Get("args"), s.record, every)
	after := s.Get("after_each")
	if record, ok := l.catalogue.Record(after.Get("primitive").Text()); ok {
		l.violations(after.Get("args"), record, every)
	}
	// What a settle_after holds are arguments of locator.wait_for.
	if settle := s.Get("settle_after"); settle.Get("locator").IsObject() {
		if record, ok := l.catalogue.Record("locator.wait_for"); ok {
			l.violations(settle, record, every)
		}
	}
}

// checkHandler checks what a tool binds to its handler. The caller's arguments
// are merged in, so that what is missing here may come from there.
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

// violations reports those that count.
func (l *linter) violations(args jsonpart.Part, record *primitive.Record, counts func(schema.Violation) bool) {
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
		at := args
		for _, token := range strings.Split(v.Path, "/")[1:] {
			at = at.Step(token)
		}
		open := source(at) != "" || slices.Contains(combinators, v.Keyword) && hasSlot(at)
		if !open && counts(v) {
			l.add("argument_schema_violation", at, "%s: %s", record.Name, v.Message)
		}
	}
}

// hasSlot tells whether an expression stands anywhere in a value.
func hasSlot(n jsonpart.Part) (found bool) {
	n.Walk(func(inner jsonpart.Part) { found = found || source(inner) != "" })
	return found
}
