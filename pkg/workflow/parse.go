package workflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Problem is an error in a workflow's text.
type Problem struct {
	Step    string     // id of the step, or its index if the id is invalid; "" at the root
	Field   string     // the invalid member; "" for the whole
	Message string     // names the step and the field
	Code    fault.Code // invalid_workflow, or the expression code of a slot
	Pointer string     // JSON pointer inside the workflow
}

// Fault returns the problem as the error of a run. Its code is always
// invalid_workflow; an expression's own code is in the evidence.
func (p Problem) Fault() *fault.Error {
	f := fault.New(fault.InvalidWorkflow, "%s", p.Message).WithDispatched(fault.NotDispatched).
		With("step_id", p.Step).With("field", p.Field)
	if p.Code != fault.InvalidWorkflow {
		f = f.With("cause", p.Code)
	}
	return f
}

var (
	rootKeys = []string{"version", "expression_language", "steps", "output", "x_state_machine"}
	stepKeys = []string{"id", "primitive", "args", "assert", "message", "steps", "output", "when", "for_each", "min_items",
		"max_items", "retry_until", "max_attempts", "after_each", "on_error", "settle_after"}

	// afterEachPrimitives only read or scroll: a retry whose wait clicks would
	// repeat an action with every attempt.
	afterEachPrimitives = []string{waitFor, "locator.element_info", "dom.observe.visible",
		"viewport.scroll", "overlay.menu.hide", "overlay.menu.show"}
)

// Parse checks a workflow. It returns the workflow, or every problem in the
// order of the rules; a run reports the first. Without a dictionary
// any primitive name is accepted.
func Parse(text json.RawMessage, dict Dictionary) (*Workflow, []Problem) {
	p := &parser{dict: dict, ids: map[string]bool{}}
	w := p.root(text)
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return w, nil
}

// parser collects the problems; step, base and group are its position.
type parser struct {
	dict     Dictionary
	ids      map[string]bool
	steps    int // so far, of all lists
	problems []Problem
	step     string // "" at the root
	base     string // JSON pointer of the step
	group    string // id of the step whose group is parsed, "" outside of one
}

func (p *parser) add(field, format string, args ...any) {
	p.report(fault.InvalidWorkflow, field, fmt.Sprintf(format, args...))
}

func (p *parser) report(code fault.Code, field, message string) {
	where := "workflow"
	if p.step != "" {
		where = fmt.Sprintf("step %q", p.step)
	}
	pointer := p.base
	if field != "" {
		where += ", " + field
		pointer += "/" + jsonnode.Escape(field)
	}
	p.problems = append(p.problems, Problem{
		Step: p.step, Field: field, Code: code, Message: where + ": " + message, Pointer: pointer,
	})
}

func (p *parser) root(text json.RawMessage) *Workflow {
	// A duplicate key would let two readers see two workflows.
	text, err := strictjson.Canonical(text, strictjson.Limits{})
	if err != nil {
		p.add("", "%s", fault.From(err).Message)
		return nil
	}
	root, ok := members(text)
	if !ok {
		p.add("", "must be an object")
		return nil
	}
	// x_state_machine is known and opaque: maps keep prose of their own in it.
	p.unknownKeys(root, rootKeys)
	if !bytes.Equal(root["version"], []byte("1")) {
		p.add("version", "must be the number 1")
	}
	if string(root["expression_language"]) != `"jsonata"` {
		p.add("expression_language", `must be "jsonata"`)
	}
	return &Workflow{steps: p.list(root["steps"]), output: p.slot(root, "output")}
}

// list checks the steps of the workflow or of a group.
func (p *parser) list(raw json.RawMessage) (steps []step) {
	var elements []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &elements) != nil {
		p.add("steps", "must be an array")
	}
	// The surplus is not checked: it could be megabytes of further problems.
	if p.steps += len(elements); p.steps > MaxSteps {
		p.add("steps", "too many steps: %d, at most %d", p.steps, MaxSteps)
		elements = elements[:max(0, len(elements)-(p.steps-MaxSteps))]
		p.steps = MaxSteps
	}
	step, base := p.step, p.base
	for i, element := range elements {
		p.base = base + "/steps/" + strconv.Itoa(i)
		steps = append(steps, p.parseStep(i, element))
	}
	p.step, p.base = step, base
	return steps
}

func (p *parser) unknownKeys(object map[string]json.RawMessage, known []string) {
	var unknown []string
	for key := range object {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown) // a map has no order and the first problem must not vary
	for _, key := range unknown {
		p.add(key, "unknown field %q; known are %v", key, known)
	}
}

// slot compiles a member that may be evaluated. It returns nil if it is absent or null.
func (p *parser) slot(object map[string]json.RawMessage, key string) *slot {
	raw := object[key]
	if absent(raw) {
		return nil
	}
	s, errs := compileSlot(raw)
	p.expressions(key, errs)
	return s
}

func (p *parser) expressions(field string, errs []error) {
	for _, err := range errs {
		f := fault.From(err)
		message := fmt.Sprintf("%s (%s)", f.Message, f.Code)
		if inside, _ := f.Evidence["path"].(string); inside != "" {
			message = inside + ": " + message
		}
		p.report(f.Code, field, message)
	}
}

// members decodes an object. Its text has passed strictjson, so that keys are
// unique; map keys match exactly, unlike the fields of a struct.
func members(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return nil, false
	}
	var object map[string]json.RawMessage
	return object, json.Unmarshal(raw, &object) == nil
}

// absent reports whether a member is missing or, as authors of maps mean it, null.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
