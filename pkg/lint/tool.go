package lint

import (
	"strconv"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// tool is one tool in the form for the rules.
type tool struct {
	jsonnode.Object // decoded once: each rule reads members of it
	name            string
	runs            bool // by its workflow: a static answer takes precedence
	// steps has a step with a group after the steps of it: their results are there before its own.
	steps []step
	index map[string]int // of the steps, by id
}

// step is one step of a workflow.
type step struct {
	jsonnode.Object
	id, primitive string
	index         int
	first         int               // index of the first step of its group; its own without one
	group         string            // id of the step whose group it belongs to, "" outside of one
	record        *primitive.Record // nil if it is not a primitive
	effect        string
}

func (l *linter) readTool(n jsonnode.Node) tool {
	t := tool{Object: n.Object(), index: map[string]int{}}
	t.name = t.Get("name").Text()
	t.runs = t.Get("workflow").IsObject() && t.Get("x_actions", "static_output").Absent()
	if !t.runs {
		return t
	}
	l.readSteps(&t, t.Get("workflow", "steps"), "")
	return t
}

// readSteps appends the steps of a list.
func (l *linter) readSteps(t *tool, list jsonnode.Node, group string) {
	for i, s := range list.Elements() {
		entry := step{Object: s.Object(), first: len(t.steps), group: group}
		entry.id, entry.primitive = entry.Get("id").Text(), entry.Get("primitive").Text()
		entry.record, _ = l.catalogue.Record(entry.primitive)
		if entry.record != nil {
			entry.effect = entry.record.Effect
		}
		if entry.id == "" {
			entry.id = strconv.Itoa(i) // validation says that the id is missing
		}
		if group == "" { // a group in a group does not run
			l.readSteps(t, entry.Get("steps"), entry.id)
		}
		entry.index = len(t.steps)
		t.steps = append(t.steps, entry)
		if _, twice := t.index[entry.id]; !twice {
			t.index[entry.id] = entry.index
		}
	}
}

// acts reports whether the step changes the page or a tab.
func (s *step) acts() bool { return s.record != nil && s.record.Acts() }

// reads reports whether the step reads or finds something on the page.
func (s *step) reads() bool {
	return s.effect == "read" || s.primitive == "locator.element_info"
}

// looks reports whether the step reads the page or asserts something.
func (s *step) looks() bool { return s.reads() || !s.Get("assert").Absent() }

// retries and loops report whether the step may run several times.
func (s *step) retries() bool { return !s.Get("retry_until").Absent() }
func (s *step) loops() bool   { return !s.Get("for_each").Absent() }

// tolerates reports whether a failure of the step lets the workflow go on.
func (s *step) tolerates() bool { return s.Get("on_error").Text() == "continue" }

// settles reports whether the workflow waits for an element after the step.
func (s *step) settles() bool { return !s.Get("settle_after", "locator").Absent() }

// source returns the text of an expression: a slot's inside, and "" if it
// is not one.
func source(n jsonnode.Node) string { return slot(n.Text()) }

func slot(text string) string {
	text, isSlot, err := expr.Slot(text)
	if !isSlot || err != nil {
		return ""
	}
	return text
}

// bare returns the text of an expression that may be without {% %}, as in projections.
func bare(n jsonnode.Node) string {
	if text := source(n); text != "" {
		return text
	}
	return n.Text()
}

// references returns the paths of an expression; none of one that does not compile,
// which is another finding.
func references(text string) []expr.Reference {
	list, _ := expr.References(text)
	return list
}
