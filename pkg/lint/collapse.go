package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// checkCollapse reports the values of a workflow that are lists for several elements and single
// values for one. It goes by the schemas alone: a value is reported where its path maps over
// what is declared as a list, and its place is declared as one or not declared at all.
func (l *linter) checkCollapse(t *tool) {
	if !t.runs {
		return
	}
	lists := func(path []string, beyond bool) bool { return l.listsOn(t, path, beyond) }
	l.collapse(t.Get("workflow", "output"), schemaAt{t.outputSchema(), nil}, lists, false)
	for i := range t.steps {
		s := &t.steps[i]
		l.collapse(s.Get("output"), schemaAt{}, lists, false)
		if s.record != nil {
			l.collapse(s.Get("args"), schemaAt{jsonnode.Node{Raw: s.record.InputSchema}, nil}, lists, true)
		}
	}
}

// outputSchema returns what the tool declares of its value.
func (t *tool) outputSchema() jsonnode.Node {
	for _, at := range []jsonnode.Node{t.Node, t.Get("x_actions")} {
		for _, key := range []string{"output_schema", "result_schema"} {
			if s := at.Get(key); s.IsObject() {
				return s
			}
		}
	}
	return jsonnode.Node{}
}

// schemaAt is a place in a schema, by the members that lead to it.
type schemaAt struct {
	root jsonnode.Node
	path []string
}

func (s schemaAt) below(members ...string) schemaAt {
	return schemaAt{s.root, append(slices.Clone(s.path), members...)}
}

// declared reports whether the schema says what stands at the place, and whether that is a list.
func (s schemaAt) declared() (known, list bool) {
	n := s.root
	for _, name := range s.path {
		if n = resolve(s.root, n).Get("properties", name); n.Absent() {
			return false, false
		}
	}
	n = resolve(s.root, n)
	return !n.Get("type").Absent() || !n.Get("enum").Absent(), isList(n)
}

// collapse follows the members of a value to its slots. certain: only a place that is declared as
// a list counts.
func (l *linter) collapse(value jsonnode.Node, at schemaAt, lists func(path []string, beyond bool) bool, certain bool) {
	for _, m := range value.Members() {
		l.collapse(m.Node, at.below(m.Name), lists, certain)
	}
	places, _ := expr.Collapses(source(value)) // what does not compile is another finding
	l.collapsing(value, places, at, lists, certain)
}

func (l *linter) collapsing(value jsonnode.Node, places []expr.Collapse, at schemaAt, lists func(path []string, beyond bool) bool, certain bool) {
	for _, c := range places {
		known, list := at.below(c.Member...).declared()
		if known && !list || certain && !list || !list && (c.Selects || c.Path == nil) {
			continue
		}
		if c.Path != nil && !lists(c.Path, c.Selects) {
			continue
		}
		what := "the value"
		if len(c.Member) > 0 {
			what = strconv.Quote(strings.Join(c.Member, "."))
		}
		l.add("collapsing_list", value, "%s is a list for several elements, and one value for one", what)
		return // once is enough for one slot
	}
}

// listsOn reports whether a path of a workflow goes through a list: beyond says that it goes on
// after its last name.
func (l *linter) listsOn(t *tool, path []string, beyond bool) bool {
	switch {
	case path[0] == "input":
		return crosses(t.Get("input_schema"), path[1:], beyond)
	case path[0] != "steps" || len(path) < 3:
		return false
	}
	position, known := t.index[path[1]]
	if !known {
		return false
	}
	s, rest := &t.steps[position], path[3:]
	if s.loops() && (path[2] == "output" || path[2] == "items") {
		return len(rest) > 0 || beyond
	}
	return path[2] == "output" && s.record != nil && crosses(jsonnode.Node{Raw: s.record.OutputSchema}, rest, beyond)
}

// crosses reports whether a path maps over a list of the schema.
func crosses(root jsonnode.Node, path []string, beyond bool) bool {
	n := resolve(root, root)
	for _, name := range path {
		if isList(n) {
			return true
		}
		if n = resolve(root, n.Get("properties", name)); n.Absent() {
			return false
		}
	}
	return beyond && isList(n)
}

func isList(n jsonnode.Node) bool { return n.Get("type").Text() == "array" }

// resolve follows references within the schema; one to elsewhere says nothing.
func resolve(root, n jsonnode.Node) jsonnode.Node {
	for range maxReferences {
		pointer, ok := strings.CutPrefix(n.Get("$ref").Text(), "#/")
		if !ok {
			return n
		}
		n = root.Find("/" + pointer)
	}
	return jsonnode.Node{}
}

// checkStateLists reports the same of the state and the summaries of a projection. Records are
// lists by default, also where a page has one of them, so that only what is declared as a list, by
// the schema of the state or by "many", counts.
func (l *linter) checkStateLists(p jsonnode.Node) {
	state := p.Get("snapshot", "output_schema")
	lists := func(path []string, beyond bool) bool {
		switch path[0] {
		case "state":
			return crosses(state, path[1:], beyond)
		case "records":
			return recordLists(p.Get("snapshot", "extract"), path[1:], beyond)
		}
		return false
	}
	check := func(n jsonnode.Node, at schemaAt) {
		if n.IsString() {
			places, _ := expr.Collapses(bare(n))
			l.collapsing(n, places, at, lists, false)
		}
	}
	check(p.Get("snapshot", "projection", "expression"), schemaAt{state, nil})
	for _, summary := range p.Get("summaries").Elements() {
		check(summary.Get("expression"), schemaAt{})
	}
}

// recordLists reports whether a path of records maps over a list that the map declares with
// "many": true.
func recordLists(extract jsonnode.Node, path []string, beyond bool) bool {
	if len(path) == 0 {
		return false
	}
	i := slices.IndexFunc(extract.Elements(), func(e jsonnode.Node) bool { return e.Get("id").Text() == path[0] })
	if i < 0 {
		return false
	}
	field := extract.At(i)
	list := string(field.Get("many").Raw) != "false" // of records, without it too
	many, crossed := string(field.Get("many").Raw) == "true", false
	for _, name := range path[1:] {
		crossed = crossed || list
		field = field.Get("fields", name)
		list = string(field.Get("many").Raw) == "true"
		many = many || list
	}
	return many && (crossed || beyond && list)
}
