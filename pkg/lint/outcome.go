package lint

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/projection"
)

// verifies reports whether the step fails when the page is not as expected.
func (s *step) verifies() bool {
	return s.looks() && !s.tolerates() && s.Get("when").Absent() || s.settles() && !s.tolerates()
}

// checkOutcome checks how the workflow verifies its effect.
func (l *linter) checkOutcome(t *tool) {
	if !t.runs {
		return
	}
	checked := l.checked[t.name]
	last := -1 // the last step that acts
	for i := range t.steps {
		s := &t.steps[i]
		if s.effect != "input" {
			continue
		}
		last = i
		if !checked && !s.tolerates() && skipsWhenMissing(source(s.Get("when"))) && !verifiedFrom(t, i+1) {
			l.add("self_skipping_mutation", s.Get("when"), "step %q is skipped when its target is not found, and nothing notices", s.id)
		}
	}
	if last >= 0 && !checked && !t.steps[last].settles() && !verifiedFrom(t, last+1) {
		l.add("missing_postcondition", t.Node, "%s changes the page and nothing checks the result", t.name)
	}
	l.absence(t, t.Get("workflow", "output"))
	for i := range t.steps {
		l.absence(t, t.steps[i].Get("retry_until"))
	}
}

// verifiedFrom reports whether a step from the index on verifies.
func verifiedFrom(t *tool, from int) bool {
	return slices.ContainsFunc(t.steps[from:], func(s step) bool { return s.verifies() })
}

// skipsWhenMissing reports whether a condition is that something was found. The
// opposite, acting only where something is missing, is a sound guard.
func skipsWhenMissing(condition string) bool {
	return slices.ContainsFunc(references(condition), func(r expr.Reference) bool {
		return r.Exists && !r.Absent && !r.Root && r.Is("steps")
	})
}

// absence reports results that count a failed search as success: a search fails for
// many reasons.
func (l *linter) absence(t *tool, value jsonnode.Node) {
	value.Walk(func(n jsonnode.Node) {
		for _, r := range references(source(n)) {
			proof := r.Absent && !r.Root || r.False && len(r.Path) == 3 && r.Path[2] == "ok"
			if !proof || !r.Is("steps") || len(r.Path) < 2 {
				continue
			}
			id := r.Path[1]
			position, ok := t.index[id]
			if ok && t.steps[position].reads() && t.steps[position].tolerates() {
				l.add("inverted_absence_check", n, "that step %q found nothing is taken as proof of absence", id)
				return
			}
		}
	})
}

var (
	// always matches conditions that hold whenever they can be evaluated.
	always = pattern(`^\s*(?:state|\$exists\(\s*state\s*\)|\$boolean\(\s*state\s*\))\s*$`)
	orTrue = pattern(`\bor\s+true\s*\)?\s*$|^\s*true\s+or\b`)
)

// checkProjections checks the expressions of projections and their postconditions.
func (l *linter) checkProjections() {
	for _, p := range l.root.Get("state_projections").Elements() {
		l.reads(p.Get("snapshot", "projection", "expression"), projection.StateNames)
		for _, summary := range p.Get("summaries").Elements() {
			l.reads(summary.Get("expression"), projection.SummaryNames)
		}
		l.checkStateLists(p)
		for _, condition := range p.Get("postconditions").Members() {
			verify := condition.Get("verify")
			if verify.Absent() {
				verify = condition.Node
			}
			expression := verify.Get("expression")
			if !expression.IsString() || !l.compiles(expression) {
				continue
			}
			l.checkPostcondition(expression, string(condition.Get("changed").Raw) == "true")
		}
	}
}

// checkPostcondition checks the expression of a postcondition. One that also demands a change
// can fail whatever it says itself.
func (l *linter) checkPostcondition(n jsonnode.Node, change bool) {
	text := bare(n)
	l.names(n, text, projection.PostconditionNames)
	list := references(text)
	reads := slices.ContainsFunc(list, func(r expr.Reference) bool { return r.Is("state") })
	if !change && (!reads || always().MatchString(text) || orTrue().MatchString(text)) {
		l.add("weak_postcondition", n, "the condition holds whatever the page shows")
	}
	for _, r := range list {
		if r.Inner && !r.Root && r.Is("input") && len(r.Path) > 1 {
			l.add("root_lost_in_filter", n, "%s stands in a filter, where it is read from each element", strings.Join(r.Path, "."))
			return
		}
	}
}

// reads checks an expression and the names that it reads.
func (l *linter) reads(n jsonnode.Node, names []string) {
	if n.IsString() && l.compiles(n) {
		l.names(n, bare(n), names)
	}
}

// compiles reports whether an expression compiles, and adds a finding if not.
func (l *linter) compiles(n jsonnode.Node) bool {
	if !n.IsString() {
		return true
	}
	if _, err := expr.Compile(bare(n)); err != nil {
		l.add("invalid_expression", n, "%s", fault.From(err).Message)
		return false
	}
	return true
}
