package actionmap_test

import (
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/actionmap"
)

// Loading is lenient: a tool that cannot be used is a problem, not an error.
func ExampleParse() {
	m, err := actionmap.Parse([]byte(`{
		"protocol": "actions.json", "version": 1,
		"tools": [
			{"name": "help.show", "description": "Shows help.", "x_actions": {"static_output": {"text": "Press ?"}}},
			{"description": "This one has no name."}
		]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range m.Tools {
		fmt.Println(tool.Name, tool.Kind)
	}
	for _, p := range m.Problems {
		fmt.Println(p.Pointer, p.Message)
	}
	// Output:
	// help.show static
	// /tools/1/name a tool must have a name
}

// Validation is strict: it reports every violated rule, with its position.
func ExampleValidate() {
	text := []byte(`{
  "protocol": "actions.json",
  "tools": [{"name": "7up", "description": "Begins with a digit."}]
}`)
	for _, f := range actionmap.Validate(text, nil) {
		fmt.Printf("%d:%d %s\n", f.Line, f.Column, f)
	}
	// Output:
	// 1:1 error: /version: version must be the number 1 (S2)
	// 3:13 error: /tools/0/input_schema: a tool must have an input_schema (S6)
	// 3:13 error: /tools/0: nothing runs this tool: it needs x_actions.static_output, workflow or x_actions.handler (S7)
	// 3:22 error: /tools/0/name: name "7up" must be an identifier such as search.submit (S4)
}

// A map binds arguments to a handler; the caller's come on top.
func ExampleMergeArguments() {
	merged, err := actionmap.MergeArguments(
		json.RawMessage(`{"locator":{"role":"button","name":"Buy"},"button":"left"}`),
		json.RawMessage(`{"locator":{"name":"Add"},"count":2}`))
	fmt.Println(string(merged), err)
	// Output: {"button":"left","count":2,"locator":{"name":"Add","role":"button"}} <nil>
}
