package lint

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// checkExpressions follows the paths in all expressions of a workflow.
func (l *linter) checkExpressions(t *tool) {
	for i := range t.steps {
		s := &t.steps[i]
		for _, slot := range workflow.StepSlots {
			done := i
			switch {
			case slot.BeforeItems:
				done = s.first
			case slot.AfterCall: // its own result is available
				done = i + 1
			}
			names := slot.Names(s.loops(), s.retries(), s.group != "")
			group := s.group
			if slot.Member == "output" {
				group = s.id
			}
			l.slots(t, s.Get(slot.Member), place{done, group, names})
		}
	}
	if t.runs {
		l.slots(t, t.Get("workflow", "output"), place{len(t.steps), "", workflow.OutputNames})
	}
}

// place is where a slot stands: how many steps have run before it, of which group it
// sees the steps, and what else it sees.
type place struct {
	done  int
	group string
	names []string
}

// slots checks every slot of a value.
func (l *linter) slots(t *tool, value jsonnode.Node, in place) {
	value.Walk(func(n jsonnode.Node) {
		if !n.IsString() {
			return
		}
		text, isSlot, err := expr.Slot(n.Text())
		if isSlot {
			_, err = expr.Compile(text)
		}
		if err != nil {
			l.add("invalid_expression", n, "%s", fault.From(err).Message)
			return
		}
		if !isSlot {
			l.template(t, n)
			return
		}
		l.names(n, text, in.names)
		for _, r := range references(text) {
			l.reference(t, n, r, in)
		}
	})
}

// names checks that an expression reads nothing but what there is. What is inside of a filter or
// a function is read from values that nobody knows here, and who asks whether a name exists
// knows that it may not.
func (l *linter) names(at jsonnode.Node, text string, allowed []string) {
	list := references(text)
	asked := func(name string) bool {
		return slices.ContainsFunc(list, func(r expr.Reference) bool { return r.Exists && r.Is(name) })
	}
	for _, r := range list {
		if len(r.Path) > 0 && (!r.Inner || r.Root) && !slices.Contains(allowed, r.Path[0]) && !asked(r.Path[0]) {
			l.add("unknown_name", at, "%s: there is no %s here, only %s", strings.Join(r.Path, "."), r.Path[0], strings.Join(allowed, ", "))
		}
	}
	unbound, _ := expr.Unbound(text) // one that does not compile is another finding
	for _, name := range unbound {
		l.add("unknown_function", at, "there is no $%s", name)
	}
}

var templateSlot = pattern(`\{\{\s*\$?([A-Za-z_]\w*)(\.[\w.]+)?\s*\}\}|\$\{\s*([A-Za-z_]\w*)(\.[\w.]+)?\s*\}`)

// template reports a literal that names an input as other template languages do.
func (l *linter) template(t *tool, at jsonnode.Node) {
	for _, found := range templateSlot().FindAllStringSubmatch(at.Text(), -1) {
		name := found[1] + found[3]
		if slices.Contains([]string{"input", "inputs", "steps", "args", "arguments", "params", "parameters"}, name) ||
			!t.Get("input_schema", "properties", name).Absent() {
			l.add("foreign_template", at, "%s is used as it stands", found[0])
		}
	}
}

// reference checks one path of an expression.
func (l *linter) reference(t *tool, at jsonnode.Node, r expr.Reference, in place) {
	if len(r.Path) < 2 {
		return
	}
	second := r.Path[1]
	position, known := t.index[second]
	if r.Inner && !r.Root {
		// The elements may have members of these names; one that the workflow has too
		// is hardly a coincidence.
		if r.Is("steps") && known || r.Is("input") && !t.Get("input_schema", "properties", second).Absent() {
			l.add("root_lost_in_filter", at, "%s stands in a filter, where it is read from each element", strings.Join(r.Path, "."))
		}
		return
	}
	switch {
	case r.Is("input"):
		l.input(t, at, second)
	case !r.Is("steps"):
	case !known:
		l.add("unknown_step", at, "steps.%s: the workflow has no such step", second)
	case t.steps[position].group != "" && t.steps[position].group != in.group:
		l.add("unknown_step", at, "steps.%s runs inside of the for_each of %q and is not seen here; its value is in steps.%s.output",
			second, t.steps[position].group, t.steps[position].group)
	case position >= in.done:
		l.add("later_step", at, "steps.%s has not run when this is evaluated", second)
	default:
		l.output(t, at, r, &t.steps[position])
	}
}

// input checks a read of the caller's arguments. Only a closed schema
// excludes other members.
func (l *linter) input(t *tool, at jsonnode.Node, name string) {
	schema := t.Get("input_schema")
	if string(schema.Get("additionalProperties").Raw) == "false" && schema.Get("properties", name).Absent() &&
		schema.Get("patternProperties").Absent() {
		l.add("undeclared_input", at, "input.%s is not declared, and the schema allows nothing else", name)
	}
}

// results are the members of steps.<id>; those of the second list exist for loops only.
var (
	results     = []string{"ok", "output", "error", "skipped", "attempts", "settle"}
	loopResults = []string{"items", "truncated", "total"}
)

// output checks a read of a step's result.
func (l *linter) output(t *tool, at jsonnode.Node, r expr.Reference, s *step) {
	path := r.Path[2:]
	if len(path) == 0 || s.record == nil {
		return
	}
	if s.loops() && path[0] == "items" && len(path) > 1 {
		path = path[1:] // each item has a result of its own
	}
	if !slices.Contains(results, path[0]) && !(s.loops() && slices.Contains(loopResults, path[0])) {
		l.add("unknown_primitive_output_field", at, "steps.%s has no %q; what the primitive gives is in steps.%s.output", s.id, path[0], s.id)
		return
	}
	if path[0] != "output" {
		return
	}
	if unknown := l.unknownField(s.record.OutputSchema, path[1:]); unknown != "" {
		l.add("unknown_primitive_output_field", at, "%s gives no %q", s.primitive, unknown)
	}
}

// unknownField follows a path through a schema and returns the path to the first
// field that the schema rules out, "" for none. Arrays are mapped over, as
// JSONata does.
func (l *linter) unknownField(schema json.RawMessage, path []string) string {
	root := jsonnode.Node{Raw: schema}
	for i := range path {
		if !allows(root, root, path[:i+1], 0) {
			return strings.Join(path[:i+1], ".")
		}
	}
	return ""
}

// maxReferences is the maximum number of references and lists followed on the path to
// one field.
const maxReferences = 50

func allows(root, schema jsonnode.Node, path []string, followed int) bool {
	if followed > maxReferences {
		return true
	}
	ref := schema.Get("$ref").Text()
	if pointer, ok := strings.CutPrefix(ref, "#/"); ok {
		return allows(root, root.Find("/"+pointer), path, followed+1)
	} else if ref == "#" {
		return allows(root, root, path, followed+1)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if list := schema.Get(key).Elements(); len(list) > 0 {
			return slices.ContainsFunc(list, func(e jsonnode.Node) bool { return allows(root, e, path, followed+1) })
		}
	}
	if items := schema.Get("items"); items.IsObject() {
		return allows(root, items, path, followed+1)
	}
	if len(path) == 0 {
		return true
	}
	if property := schema.Get("properties", path[0]); !property.Absent() {
		return allows(root, property, path[1:], followed)
	}
	if more := schema.Get("additionalProperties"); more.IsObject() {
		return allows(root, more, path[1:], followed+1)
	} else if string(more.Raw) == "false" {
		return false
	}
	switch schema.Get("type").Text() {
	case "string", "number", "integer", "boolean", "null":
		return false
	}
	return true
}
