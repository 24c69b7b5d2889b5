// Package lint finds problems in action maps that the format allows: what will not
// work, or may do harm.
//
// Rules of this package:
//   - A finding has a stable code of Codes. Codes are never renamed: lists of
//     accepted findings name them.
//   - A rule uses the text and the dictionary, never a page. It reports only what
//     a reader of the map would agree with; in doubt it reports nothing.
//   - Nothing is fetched, run or written. Files are read only through the fs.FS
//     of the caller.
//   - Findings of Validate are not repeated, except where they make the advice
//     meaningless: a map that does not load, an expression that does not compile.
package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Finding is one piece of advice. Its Rule is a code of Codes.
type Finding struct {
	actionmap.Finding
	// ID is stable when the map's order changes: the code and the position, with
	// names instead of indexes, such as
	// broad_selector:/tools/search.submit/workflow/steps/find/args/locator.
	ID        string `json:"id"`
	Accepted  bool   `json:"accepted"`            // by the site's accepted-gaps.json
	Rationale string `json:"rationale,omitempty"` // why it was accepted
}

// Map checks one map on its own. The place determines the rules; for the zero
// Place, an unknown folder, the rules of public maps apply.
func Map(text []byte, place Place, catalogue *primitive.Catalogue) []Finding {
	m, err := actionmap.Parse(text)
	if err != nil {
		return []Finding{unreadable(text, err)}
	}
	l := newLinter(m, place, catalogue)
	l.run()
	return l.finish(text)
}

// broken are the codes of what does not run, or not as it is written, whoever publishes it.
var broken = []string{
	"invalid_expression", "unknown_step", "later_step", "unknown_name", "unknown_function", "foreign_template", "undeclared_input",
	"unknown_primitive_output_field", "argument_schema_violation", "invalid_selector",
}

// Broken returns the findings about what does not run, or not as it is written: all else that
// [Map] finds is advice.
func Broken(text []byte, catalogue *primitive.Catalogue) []Finding {
	m, err := actionmap.Parse(text)
	if err != nil {
		return nil // as Validate says
	}
	l := newLinter(m, Place{}, catalogue)
	l.run()
	return slices.DeleteFunc(l.finish(text), func(f Finding) bool { return !slices.Contains(broken, f.Rule) })
}

// unreadable returns the finding for a map that does not load, with the position from
// strict validation.
func unreadable(text []byte, err error) Finding {
	f := code("map_unreadable").at("", "%s", fault.From(err).Message)
	for _, broken := range actionmap.Validate(text, nil) {
		switch broken.Rule {
		case actionmap.RuleJSON, "S1", "S3":
			f.Pointer, f.Line, f.Column, f.Hint = broken.Pointer, broken.Line, broken.Column, broken.Hint
			return f
		}
	}
	f.Line, f.Column = 1, 1
	return f
}

// linter collects the findings of one map.
type linter struct {
	parsed    *actionmap.Map
	root      jsonnode.Object                     // decoded once: every rule reads members of it
	children  map[string]map[string]jsonnode.Node // of the ancestors of findings, by their pointers
	checked   map[string]bool                     // the actions with a check after them
	leads     map[string][]jsonnode.Node          // the transitions, by their tools
	place     Place
	catalogue *primitive.Catalogue
	tools     []tool
	findings  []Finding
}

func newLinter(m *actionmap.Map, place Place, catalogue *primitive.Catalogue) *linter {
	l := &linter{
		parsed: m, root: jsonnode.Node{Raw: m.Raw}.Object(), place: place, catalogue: catalogue,
		children: map[string]map[string]jsonnode.Node{}, checked: map[string]bool{}, leads: map[string][]jsonnode.Node{},
	}
	for _, p := range l.root.Get("state_projections").Elements() {
		for _, condition := range p.Get("postconditions").Members() {
			l.checked[condition.Name] = l.checked[condition.Name] || condition.IsObject()
		}
	}
	for _, transition := range l.root.Get("transitions").Elements() {
		name := transition.Get("tool").Text()
		l.leads[name] = append(l.leads[name], transition)
	}
	for _, t := range l.root.Get("tools").Elements() {
		l.tools = append(l.tools, l.readTool(t))
	}
	return l
}

func (l *linter) run() {
	l.checkPlace()
	l.checkTexts()
	l.checkContext()
	l.checkProjections()
	l.checkSetups()
	l.checkSelectors()
	for i := range l.tools {
		l.checkTool(&l.tools[i])
	}
}

// checkTool applies the rules of one tool.
func (l *linter) checkTool(t *tool) {
	l.checkName(t)
	l.checkScript(t)
	l.checkTarget(t)
	l.checkHandler(t)
	for i := range t.steps {
		s := &t.steps[i]
		l.checkLocators(s)
		l.checkArguments(s)
		l.checkInsert(s)
		l.checkGeometry(s)
		l.checkRetry(s)
		l.checkSettle(s)
		l.checkDialog(s)
	}
	l.checkDescribed(t)
	l.checkReadiness(t)
	l.checkAssertions(t)
	l.checkExpressions(t)
	l.checkCollapse(t)
	l.checkOutcome(t)
}

// add reports a finding at a node.
func (l *linter) add(name string, at jsonnode.Node, format string, args ...any) {
	l.findings = append(l.findings, code(name).at(at.Pointer, format, args...))
}

// finish adds positions and ids to the findings, sorts them and removes duplicates.
func (l *linter) finish(text []byte) []Finding {
	plain := make([]actionmap.Finding, len(l.findings))
	for i, f := range l.findings {
		plain[i] = f.Finding
	}
	actionmap.Locate(text, plain)
	for i := range l.findings {
		l.findings[i].Finding = plain[i]
		l.findings[i].ID = plain[i].Rule + ":" + l.stable(plain[i].Pointer)
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return slices.CompactFunc(l.findings, func(a, b Finding) bool { return a.Finding == b.Finding })
}

// stable returns a pointer with names and ids in place of indexes.
func (l *linter) stable(pointer string) string {
	var out strings.Builder
	at := l.root.Node
	for _, token := range strings.Split(pointer, "/")[1:] {
		inList := at.IsArray()
		at = l.step(at, token)
		for _, key := range []string{"name", "id"} {
			if !inList {
				break // not even looked at: an object may have thousands of members
			}
			if name := at.Get(key).Text(); name != "" {
				token = jsonnode.Escape(name)
				break
			}
		}
		out.WriteString("/" + token)
	}
	return out.String()
}

// step follows one token. All children of a node are decoded at once and kept: each one alone
// would cost the whole text of the node.
func (l *linter) step(from jsonnode.Node, token string) jsonnode.Node {
	children, known := l.children[from.Pointer]
	if !known {
		children = map[string]jsonnode.Node{}
		for _, child := range from.Members() {
			children[jsonnode.Escape(child.Name)] = child.Node
		}
		for i, child := range from.Elements() {
			children[strconv.Itoa(i)] = child
		}
		l.children[from.Pointer] = children
	}
	if child, ok := children[token]; ok {
		return child
	}
	return jsonnode.Node{Pointer: from.Pointer + "/" + token}
}
