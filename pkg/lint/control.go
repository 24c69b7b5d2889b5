package lint

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/expr"
)

// checkRetry reports retries that cannot succeed.
func (l *linter) checkRetry(s *step) {
	condition := s.Get("retry_until")
	if !s.retries() {
		return
	}
	if s.Get("on_error").Text() == "stop" {
		l.add("disarmed_retry_loop", s.Get("on_error"), "step %q stops at its first failure, so nothing is retried", s.id)
	}
	if attempts := s.Get("max_attempts"); string(attempts.Raw) == "1" {
		l.add("disarmed_retry_loop", attempts, "step %q has one attempt", s.id)
	}
	own := func(r expr.Reference) bool { return r.Is("steps", s.id) || r.Is("steps") && len(r.Path) == 1 }
	if list, err := expr.References(source(condition)); err == nil && !slices.ContainsFunc(list, own) {
		l.add("retry_condition_mismatch", condition, "the condition does not read steps.%s, so an attempt cannot change it", s.id)
	}
}

// checkSettle reports waits for the data itself, which cannot distinguish "absent"
// from "not loaded yet".
func (l *linter) checkSettle(s *step) {
	for _, member := range s.Get("settle_after", "locator").Members() {
		if strings.HasPrefix(member.Name, "x_") {
			continue
		}
		goal := func(r expr.Reference) bool { return r.Is("input") || r.Is("item") }
		if slices.ContainsFunc(references(source(member.Node)), goal) {
			l.add("settle_after_asserts_goal_not_surface", member.Node, "step %q waits for what the caller asked for", s.id)
			return
		}
	}
}

// checkDialog checks the answer to a dialog: maps of other runtimes mean OK by default.
func (l *linter) checkDialog(s *step) {
	args := s.Get("args")
	if s.primitive == "browser.dismiss_dialog" && args.Get("accept").Absent() && args.Get("prompt_text").Absent() && source(args) == "" {
		l.add("unstated_dialog_answer", s.Get("primitive"), "step %q does not say how it answers the dialog", s.id)
	}
}

// checkAssertions reports states that are only named: nothing checks that they hold.
func (l *linter) checkAssertions(t *tool) {
	first := slices.IndexFunc(t.steps, func(s step) bool { return s.acts() })
	if first < 0 || t.described() ||
		slices.ContainsFunc(t.steps[:first], func(s step) bool { return s.looks() && !s.tolerates() }) {
		return
	}
	requires := t.Get("workflow", "x_state_machine", "requires_state")
	name := requires.Text()
	for _, key := range []string{"name", "state"} {
		if name == "" {
			name = requires.Get(key).Text()
		}
	}
	switch {
	case requires.Absent():
	case name != "" && !prose(name):
		l.add("missing_required_state_assertion", requires, "the workflow requires the state %q and acts without looking for it", name)
	default:
		l.add("prose_precondition_without_state_assertion", requires, "the required state is prose, and the workflow acts without looking at the page")
	}
	for _, transition := range l.leads[t.name] {
		for _, condition := range transition.Get("preconditions").Elements() {
			if prose(condition.Text()) {
				l.add("prose_precondition_without_state_assertion", condition, "%s acts without looking whether this holds", t.name)
			}
		}
	}
}

// prose reports whether a text is a sentence rather than a name.
func prose(text string) bool { return strings.ContainsAny(strings.TrimSpace(text), " \n") }
