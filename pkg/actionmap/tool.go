package actionmap

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/schema"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// Kind is how a tool runs.
type Kind string

// The kinds, in order of precedence when a tool declares several.
const (
	KindStatic   Kind = "static"   // answers with a stored value
	KindWorkflow Kind = "workflow" // runs a stored workflow
	KindHandler  Kind = "handler"  // calls one primitive with bound arguments
	KindNone     Kind = "none"     // is documentation; nothing runs it
)

// closedSchema is the input schema of a tool that declares none.
var closedSchema = json.RawMessage(`{"type":"object","additionalProperties":false}`)

// Tool is one action of a map.
type Tool struct {
	Name              string
	Description       string
	InputSchema       json.RawMessage // an object; never empty
	Kind              Kind
	StaticOutput      json.RawMessage
	Handler           string
	BindingArguments  json.RawMessage // an object, or nil
	TargetURLContains string          // "" applies on every page of the map
	Workflow          json.RawMessage
	OutputSchema      json.RawMessage // of the action's value; nil when none is declared
	Provenance        Provenance      // of a recorded action
	Digest            string          // SHA-256 of the whole definition, hex
	Target            json.RawMessage // the element that must exist before the first step; nil for none

	pointer string // JSON pointer into the map

	// Both are created on first use: a page may offer a hundred tools and run one.
	schema      func() (*schema.Schema, error)
	output      func() (*schema.Schema, error)
	once        sync.Once
	compiled    *workflow.Workflow
	workflowErr error
}

// Provenance is what a tool that was made from a run or a demonstration says of itself.
type Provenance struct {
	RecordedAt string `json:"recorded_at"`
	VerifiedAt string `json:"verified_at"`
}

// Recorded reports whether the tool was made from what somebody did, and its author has not
// said that it was verified.
func (t *Tool) Recorded() bool { return t.Provenance.RecordedAt != "" && t.Provenance.VerifiedAt == "" }

// Applies reports whether the tool's binding accepts the page.
func (t *Tool) Applies(pageURL string) bool {
	return strings.Contains(pageURL, t.TargetURLContains)
}

// Pointer returns where the tool stands in its map, as a JSON pointer.
func (t *Tool) Pointer() string { return t.pointer }

// CheckArguments validates a caller's arguments against the input schema. The
// fault is invalid_input with violations and missing_required as evidence, or
// invalid_map when the schema itself cannot be used.
func (t *Tool) CheckArguments(args json.RawMessage) error {
	if absent(args) {
		args = json.RawMessage(`{}`)
	}
	if _, ok := object(args); !ok {
		return fault.New(fault.InvalidInput, "the arguments of %s must be a JSON object", t.Name).
			WithDispatched(fault.NotDispatched).With("input_schema", t.InputSchema)
	}
	s, err := t.schema()
	if err != nil {
		return fault.Wrap(err, fault.InvalidMap, "the input schema of %s cannot be used: %s", t.Name, fault.From(err).Message).
			WithDispatched(fault.NotDispatched)
	}
	violations := s.Validate(args)
	if len(violations) == 0 {
		return nil
	}
	return fault.New(fault.InvalidInput, "the arguments of %s do not match its input schema: %s", t.Name, summarize(violations)).
		WithDispatched(fault.NotDispatched).
		With("violations", violations).With("missing_required", missingRequired(args, t.InputSchema))
}

func summarize(violations []schema.Violation) string {
	// The evidence has all of them; the message is short.
	const shown = 3
	var names []string
	for i, v := range violations {
		if i == shown {
			names = append(names, fmt.Sprintf("and %d more", len(violations)-shown))
			break
		}
		names = append(names, strings.TrimSpace(v.Path+" "+v.Message))
	}
	return strings.Join(names, "; ")
}

// missingRequired returns the required top-level members that the caller left out:
// the most common mistake, reported separately.
func missingRequired(args, inputSchema json.RawMessage) []string {
	given, _ := object(args)
	missing := []string{}
	for _, name := range names(member(inputSchema, "required")) {
		if _, ok := given[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing
}

// CheckOutput validates the action's value against its output schema. The
// fault is invalid_result with violations as evidence.
func (t *Tool) CheckOutput(value json.RawMessage) error {
	if t.OutputSchema == nil {
		return nil
	}
	s, err := t.output()
	if err != nil {
		return fault.Wrap(err, fault.InvalidMap, "the output schema of %s cannot be used: %s", t.Name, fault.From(err).Message)
	}
	if violations := s.Validate(value); len(violations) > 0 {
		return fault.New(fault.InvalidResult, "the value of %s does not match its output schema: %s", t.Name, violations[0].Message).
			With("violations", violations).
			WithNextStep("The action ran; only its value is not what its map promises. Read the page's state instead of repeating it.")
	}
	return nil
}

// firstObject returns the first of the values that is an object, else nil.
func firstObject(values ...json.RawMessage) json.RawMessage {
	for _, v := range values {
		if _, ok := object(v); ok {
			return v
		}
	}
	return nil
}

// Compiled returns the tool's checked workflow. The first call parses it with
// its dictionary and caches the result. The error is invalid_workflow; its evidence
// has the step, the field and the number of problems.
func (t *Tool) Compiled(dict workflow.Dictionary) (*workflow.Workflow, error) {
	t.once.Do(func() {
		w, problems := workflow.Parse(t.Workflow, dict)
		if len(problems) > 0 {
			t.workflowErr = problems[0].Fault().With("action", t.Name).With("problems", len(problems))
			return
		}
		t.compiled = w
	})
	return t.compiled, t.workflowErr
}

// readTools reads the tools one by one. A definition that cannot run is left out and
// reported.
func (m *Map) readTools(elements []json.RawMessage) {
	seen := map[string]bool{}
	for i, e := range elements {
		pointer := "/tools/" + strconv.Itoa(i)
		t, field, message := readTool(e)
		// The first one wins, as between maps; repeating a name must not change which
		// one runs.
		if message == "" && seen[t.Name] {
			field, message = "/name", "an earlier tool of this map has the same name"
		}
		if message != "" {
			m.problem(str(member(e, "name")), pointer+field, message)
			continue
		}
		seen[t.Name] = true
		t.pointer = pointer
		m.Tools = append(m.Tools, t)
	}
}

// readTool returns the tool, or the pointer and the message of its problem.
func readTool(raw json.RawMessage) (t *Tool, field, message string) {
	members, ok := object(raw)
	if !ok {
		return nil, "", "a tool must be an object"
	}
	extra := members["x_actions"]
	binding := member(extra, "binding")
	t = &Tool{
		Name: str(members["name"]), Description: prose(members["description"]), InputSchema: members["input_schema"],
		StaticOutput: member(extra, "static_output"), Handler: str(member(extra, "handler")),
		BindingArguments: member(binding, "arguments"), Workflow: members["workflow"],
		TargetURLContains: str(member(binding, "target_url_contains")),
		OutputSchema:      firstObject(members["output_schema"], members["result_schema"], member(extra, "output_schema"), member(extra, "result_schema")),
		Target:            firstObject(members["target"]),
	}
	if t.Name == "" {
		return nil, "/name", "a tool must have a name"
	}
	t.Digest = fmt.Sprintf("%x", sha256.Sum256(raw))
	t.Provenance = Provenance{RecordedAt: str(member(members["provenance"], "recorded_at")), VerifiedAt: str(member(members["provenance"], "verified_at"))}
	// Without a schema nothing is known of the arguments, so none are taken.
	if absent(t.InputSchema) {
		t.InputSchema = closedSchema
	}
	if t.InputSchema[0] != '{' {
		return nil, "/input_schema", "input_schema must be an object"
	}
	output := t.OutputSchema
	t.output = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(output) })
	input := t.InputSchema
	t.schema = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(input) })
	field, message = t.setKind(member(extra, "handler"))
	return t, field, message
}

// setKind sets the kind and checks what that kind needs.
func (t *Tool) setKind(handler json.RawMessage) (field, message string) {
	switch {
	case !absent(t.StaticOutput):
		t.Kind = KindStatic
	case !absent(t.Workflow):
		t.Kind = KindWorkflow
		if t.Workflow[0] != '{' {
			return "/workflow", "workflow must be an object"
		}
	case !absent(handler):
		t.Kind = KindHandler
		if t.Handler == "" {
			return "/x_actions/handler", "handler must be the name of a primitive"
		}
		if !absent(t.BindingArguments) && t.BindingArguments[0] != '{' {
			return "/x_actions/binding/arguments", "the bound arguments must be an object"
		}
	default:
		t.Kind = KindNone
	}
	return "", ""
}
