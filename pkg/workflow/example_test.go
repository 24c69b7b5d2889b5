package workflow_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/workflow"
)

// The caller runs the primitives; the engine decides which, with what arguments
// and in what order.
func Example() {
	w, problems := workflow.Parse(json.RawMessage(`{
		"version": 1, "expression_language": "jsonata",
		"steps": [
			{"id": "find", "primitive": "locator.element_info", "args": {"locator": {"name": "{% input.button %}"}}},
			{"id": "press", "primitive": "pointer.click", "args": {"x": "{% steps.find.output.x %}", "y": 7}}
		],
		"output": {"pressed": "{% input.button %}"}
	}`), nil)
	if problems != nil {
		fmt.Println(problems)
		return
	}
	result := w.Run(context.Background(), workflow.Run{
		Input: json.RawMessage(`{"button":"Buy"}`),
		Invoke: func(_ context.Context, call workflow.StepCall) (json.RawMessage, error) {
			fmt.Println(call.StepID, call.Primitive, string(call.Arguments))
			return json.RawMessage(`{"x":5}`), nil
		},
	})
	fmt.Println(string(result.Output), result.Err == nil)
	// Output:
	// find locator.element_info {"locator":{"name":"Buy"}}
	// press pointer.click {"x":5,"y":7}
	// {"pressed":"Buy"} true
}

func ExampleParse() {
	_, problems := workflow.Parse(json.RawMessage(`{
		"version": 1, "expression_language": "jsonata",
		"steps": [{"id": "a", "primitive": "page.info"}, {"id": "a", "args": {"x": "{% steps. %}"}}]
	}`), nil)
	for _, p := range problems {
		fmt.Println(p.Pointer, p.Code, p.Message)
	}
	// Output:
	// /steps/1/id invalid_workflow step "a", id: duplicate step id "a"
	// /steps/1/primitive invalid_workflow step "a", primitive: primitive must be a name
	// /steps/1/args invalid_expression step "a", args: x: the expression cannot be parsed at position 6: S0201 at token "EOF": unexpected end of expression (invalid_expression)
}
