package lint

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonpart"
)

// described tells whether the tool says at what it acts.
func (t *tool) described() bool {
	for _, key := range []string{"selector", "selectors", "role", "name", "text_contains", "xpath"} {
		if !t.Get("target", key).Absent() {
			return true
		}
	}
	return false
}

// checkInsert: what has the focus depends on everything that happened before.
func (l *linter) checkInsert(s *step) {
	if s.primitive == "text.insert" && s.Get("args", "target").Absent() {
		l.add("ambient_text_insert", s.Part, "step %q inserts text without a target", s.id)
	}
}

// checkGeometry looks at the points of pointer steps.
func (l *linter) checkGeometry(s *step) {
	if !strings.HasPrefix(s.primitive, "pointer.") {
		return
	}
	for _, point := range s.points() {
		if _, _, fixed := origins(point); fixed {
			l.add("brittle_viewport_geometry", point, "step %q goes to a fixed point of the viewport", s.id)
			return
		}
		for _, r := range references(source(point)) {
			if slices.Contains(r.parts, "bounding_box") || slices.Contains(r.parts, "viewport") {
				l.add("brittle_viewport_geometry", point, "step %q computes its point from %s", s.id, strings.Join(r.parts, "."))
				return
			}
		}
	}
}

// points lists the coordinates that the step gives, also those of a drag.
func (s *step) points() (list []jsonpart.Part) {
	for _, at := range []jsonpart.Part{s.Get("args"), s.Get("args", "from"), s.Get("args", "to")} {
		for _, key := range []string{"x", "y"} {
			if point := at.Get(key); !point.Absent() {
				list = append(list, point)
			}
		}
	}
	return list
}

// origins tells what a coordinate is made of: a place that a step or an item
// gave, the caller's input, or nothing that depends on the page.
func origins(point jsonpart.Part) (found, input, fixed bool) {
	text := source(point)
	if text == "" {
		return false, false, true
	}
	for _, r := range references(text) {
		found = found || r.is("steps") || r.is("item")
		input = input || r.is("input")
	}
	return found, input, !found && !input
}

// checkDescribed: a reviewer must be able to see at what an action clicks and
// where it types.
func (l *linter) checkDescribed(t *tool) {
	if t.described() {
		return
	}
	focused := false // by a step that names what it acts on
	for i := range t.steps {
		s := &t.steps[i]
		switch {
		case strings.HasPrefix(s.primitive, "pointer.") && s.acts():
			clear := true
			for _, point := range s.points() {
				found, _, _ := origins(point)
				clear = clear && found
			}
			if !clear {
				l.add("undescribed_target", s.Part, "step %q does not say what it clicks", s.id)
			}
			focused = true
		case s.primitive == "text.insert" && !s.Get("args", "target").Absent():
			focused = true
		case (s.primitive == "text.insert" || s.primitive == "text.type") && !focused:
			l.add("undescribed_target", s.Part, "step %q does not say where it types", s.id)
			focused = true // once is enough
		}
	}
}

// checkReadiness: a document that has just been asked for is not there yet.
func (l *linter) checkReadiness(t *tool) {
	navigated := ""
	for i := range t.steps {
		s := &t.steps[i]
		switch {
		case s.effect == "tab":
			navigated = s.id
			if s.settles() {
				navigated = ""
			}
		case s.looks():
			navigated = ""
		case s.effect == "input" && navigated != "":
			l.add("missing_mutation_readiness", s.Part, "step %q acts right after the navigation %q", s.id, navigated)
			navigated = ""
		}
	}
}
