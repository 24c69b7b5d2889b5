package maptest

import (
	"fmt"
	"io/fs"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/suggest"
)

// Check holds the cases against the map that they test and the folder that both are in, and
// returns their mistakes: unknown actions and steps, inputs that the action refuses where no
// error is expected, saved pages that are not there. The text is that of the file.
func (f *File) Check(text []byte, m *actionmap.Map, folder fs.FS) []Problem {
	var problems []Problem
	for i := range f.Cases {
		c := &f.Cases[i]
		report := func(below, format string, args ...any) {
			problems = append(problems, Problem{Pointer: c.pointer + below, Message: fmt.Sprintf(format, args...)})
		}
		if c.PageKind() == PageFile {
			if info, err := fs.Stat(folder, c.Page); err != nil || !info.Mode().IsRegular() {
				report("/page", "the saved page %s is not in this folder", c.Page)
			}
		}
		t, ok := m.Tool(c.Action)
		if !ok {
			report("/action", "%s", unknown(m, c.Action))
			continue
		}
		if err := t.CheckArguments(c.Input); err != nil && !c.failure.given {
			report("/input", "%s", fault.From(err).Message)
		}
		steps := map[string]bool{}
		addSteps(steps, jsonnode.Node{Raw: t.Workflow})
		for n, id := range c.NotRun {
			if !steps[id] {
				report(fmt.Sprintf("/not_run/%d", n), "the action %s has no step %s", t.Name, id)
			}
		}
	}
	return locate(text, problems)
}

func unknown(m *actionmap.Map, name string) string {
	var names []string
	for _, t := range m.Tools {
		names = append(names, t.Name)
	}
	f := suggest.AddTo(fault.New(fault.UnknownAction, "the map has no action %s", name), name, names)
	return f.Message
}

// addSteps adds the ids of the steps of a workflow, or of a for_each in it.
func addSteps(ids map[string]bool, of jsonnode.Node) {
	for _, step := range of.Get("steps").Elements() {
		if id, ok := decoded(step.Get("id").Raw).(string); ok {
			ids[id] = true
		}
		addSteps(ids, step)
	}
}
