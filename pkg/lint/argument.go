package lint

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// combinators report the whole of a value for a part of it.
var combinators = []string{"oneOf", "anyOf", "allOf", "not", "if", "then", "else"}

// checkArguments checks the literal arguments of a step, and of what it calls
// besides its primitive, against their schemas. A slot may give anything.
func (l *linter) checkArguments(s *step) {
	every := func(schema.Violation) bool { return true }
	l.violations(s.get("args"), s.record, every)
	after := s.get("after_each")
	if record, ok := l.catalogue.Record(after.get("primitive").text()); ok {
		l.violations(after.get("args"), record, every)
	}
	// What a settle_after holds are arguments of locator.wait_for.
	if settle := s.get("settle_after"); settle.get("locator").isObject() {
		if record, ok := l.catalogue.Record("locator.wait_for"); ok {
			l.violations(settle, record, every)
		}
	}
}

// checkHandler checks what a tool binds to its handler. The caller's arguments
// are merged in, so that what is missing here may come from there.
func (l *linter) checkHandler(t *tool) {
	handler := t.get("x_actions", "handler").text()
	record, ok := l.catalogue.Record(handler)
	if !ok || t.runs || !t.get("x_actions", "static_output").absent() {
		return
	}
	args := t.get("x_actions", "binding", "arguments")
	l.violations(args, record, func(v schema.Violation) bool {
		return v.Keyword != "required" && v.Keyword != "minProperties" && !(v.Path == "" && slices.Contains(combinators, v.Keyword))
	})
	if strings.HasPrefix(handler, "locator.") {
		l.checkLocator(args.get("locator"), false)
	}
	if handler == "text.insert" {
		l.checkLocator(args.get("target"), true)
	}
}

// violations reports those that count.
func (l *linter) violations(args node, record *primitive.Record, counts func(schema.Violation) bool) {
	if record == nil || !args.isObject() && !args.absent() {
		return
	}
	text := []byte("{}")
	if !args.absent() {
		var err error
		if text, err = json.Marshal(args.value); err != nil {
			return // it was decoded from JSON a moment ago
		}
	}
	err := record.CheckInput(text)
	if err == nil {
		return
	}
	list, _ := fault.From(err).Evidence["violations"].([]schema.Violation)
	for _, v := range list {
		at := args
		for _, token := range strings.Split(v.Path, "/")[1:] {
			at = at.step(token)
		}
		open := source(at) != "" || slices.Contains(combinators, v.Keyword) && hasSlot(at)
		if !open && counts(v) {
			l.add("argument_schema_violation", at, "%s: %s", record.Name, v.Message)
		}
	}
}

// hasSlot tells whether an expression stands anywhere in a value.
func hasSlot(n node) (found bool) {
	n.walk(func(inner node) { found = found || source(inner) != "" })
	return found
}
