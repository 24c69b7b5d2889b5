package lint

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// described reports whether the tool describes its target.
func (t *tool) described() bool {
	for _, key := range []string{"selector", "selectors", "role", "name", "text_contains", "xpath"} {
		if !t.Get("target", key).Absent() {
			return true
		}
	}
	return false
}

// checkInsert reports inserts without a target: the focus depends on all previous
// events.
func (l *linter) checkInsert(s *step) {
	if s.primitive == "text.insert" && s.Get("args", "target").Absent() {
		l.add("ambient_text_insert", s.Node, "step %q inserts text without a target", s.id)
	}
}

// checkGeometry checks the points of pointer steps.
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
			if slices.Contains(r.Path, "bounding_box") || slices.Contains(r.Path, "viewport") {
				l.add("brittle_viewport_geometry", point, "step %q computes its point from %s", s.id, strings.Join(r.Path, "."))
				return
			}
		}
	}
}

// points returns the coordinates of the step, also those of a drag.
func (s *step) points() (list []jsonnode.Node) {
	for _, at := range []jsonnode.Node{s.Get("args"), s.Get("args", "from"), s.Get("args", "to")} {
		for _, key := range []string{"x", "y"} {
			if point := at.Get(key); !point.Absent() {
				list = append(list, point)
			}
		}
	}
	return list
}

// origins reports the sources of a coordinate: a position from a step or an item, the
// caller's input, or constants independent of the page.
func origins(point jsonnode.Node) (found, input, fixed bool) {
	text := source(point)
	if text == "" {
		return false, false, true
	}
	list, err := expr.References(text)
	if err != nil {
		return true, false, false // another finding
	}
	for _, r := range list {
		found = found || r.Is("steps") || r.Is("item")
		input = input || r.Is("input")
	}
	return found, input, !found && !input
}

// checkDescribed reports clicks and typing without a description: a reviewer must see
// the target of an action.
func (l *linter) checkDescribed(t *tool) {
	if t.described() {
		return
	}
	focused := false // by a step that describes its target
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
				l.add("undescribed_target", s.Node, "step %q does not say what it clicks", s.id)
			}
			focused = true
		case s.primitive == "text.insert" && !s.Get("args", "target").Absent():
			focused = true
		case (s.primitive == "text.insert" || s.primitive == "text.type") && !focused:
			l.add("undescribed_target", s.Node, "step %q does not say where it types", s.id)
			focused = true // once is enough
		}
	}
}

// checkReadiness reports actions right after a navigation: the new document may not
// have loaded yet.
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
		case s.reads():
			navigated = ""
		case s.effect == "input" && navigated != "":
			l.add("missing_mutation_readiness", s.Node, "step %q acts right after the navigation %q", s.id, navigated)
			navigated = ""
		}
	}
}
