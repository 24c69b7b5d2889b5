package workflow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// dictionary maps names to effects.
type dictionary map[string]string

func (d dictionary) Step(name string) bool     { return d[name] != "" && name != "actions.site" }
func (d dictionary) Effect(name string) string { return d[name] }

var dict = dictionary{
	"locator.element_info": "read", "locator.wait_for": "read", "page.info": "read", "dom.observe.visible": "read",
	"viewport.scroll": "view", "overlay.menu.hide": "view", "overlay.menu.show": "view",
	"pointer.click": "input", "pointer.drag": "input", "keyboard.press": "input", "text.type": "input", "text.insert": "input",
	"browser.navigate": "tab", "actions.site": "read",
}

// browser is a scripted browser: each primitive answers with its answers in
// turn, the last one for ever. What is not scripted answers {}.
type browser struct {
	answers map[string][]answer
	calls   []workflow.StepCall
	hook    func(workflow.StepCall) // runs before each answer
}

type answer struct {
	output string
	err    error
}

func ok(outputs ...string) (list []answer) {
	for _, o := range outputs {
		list = append(list, answer{output: o})
	}
	return list
}

func fail(code fault.Code) []answer {
	return []answer{{err: fault.New(code, "scripted %s", code)}}
}

func (b *browser) invoke(_ context.Context, call workflow.StepCall) (json.RawMessage, error) {
	b.calls = append(b.calls, call)
	if b.hook != nil {
		b.hook(call)
	}
	list := b.answers[call.Primitive]
	if len(list) == 0 {
		return json.RawMessage(`{}`), nil
	}
	if len(list) > 1 {
		b.answers[call.Primitive] = list[1:]
	}
	return json.RawMessage(list[0].output), list[0].err
}

// names returns the primitives called, by their last part.
func (b *browser) names() string {
	var names []string
	for _, c := range b.calls {
		names = append(names, c.Primitive[strings.LastIndexByte(c.Primitive, '.')+1:])
	}
	return strings.Join(names, " ")
}

// flow makes a workflow of the steps; more are further members of the root.
func flow(steps, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"version":1,"expression_language":"jsonata","steps":[%s]%s}`, steps, more))
}

func parse(t testing.TB, text json.RawMessage) *workflow.Workflow {
	t.Helper()
	w, problems := workflow.Parse(text, dict)
	if len(problems) > 0 {
		t.Fatalf("the workflow has problems: %+v", problems)
	}
	return w
}

// run executes the steps on the scripted browser.
func run(t testing.TB, b *browser, steps, output, input string) workflow.Result {
	t.Helper()
	return runWithin(t, patient, b, steps, output, input)
}

func runWithin(t testing.TB, limits workflow.Limits, b *browser, steps, output, input string) workflow.Result {
	t.Helper()
	if output != "" {
		output = `,"output":` + output
	}
	w := parse(t, flow(steps, output))
	return w.Run(t.Context(), workflow.Run{Input: json.RawMessage(input), Invoke: b.invoke, Dictionary: dict, Limits: limits})
}

// patient are limits of expressions that only end what hangs: the machine may be busy.
var patient = workflow.Limits{Expression: expr.Limits{Timeout: 10 * time.Second}}

// evidence reads one member of a fault's evidence as the text it has in JSON.
func evidence(err *fault.Error, path ...string) string {
	if err == nil {
		return ""
	}
	text, marshalErr := json.Marshal(err.Evidence)
	if marshalErr != nil {
		return marshalErr.Error()
	}
	var v any
	_ = json.Unmarshal(text, &v)
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	if s, isString := v.(string); isString {
		return s
	}
	text, _ = json.Marshal(v)
	return string(text)
}
