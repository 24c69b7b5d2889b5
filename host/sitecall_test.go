package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestPrintPreview(t *testing.T) {
	// Ensure that a person sees a line a step, what is unknown and why, and whether the action would run.
	for output, want := range map[string]string{
		`{"action":"a.b","would_run":"yes","known_steps":2,"total_steps":4,"decision":{"verdict":"allow","rule":"approval","section":"ask_effects in policy.json","origin":"https://x.example"},
			"effects":["view","input"],"addresses":["https://x.example/send"],"postcondition":"a.state","steps":[
			{"step":1,"state":"ran","does":"look at searchbox \"Search\""},{"step":2,"state":"planned","does":"type 6 characters into searchbox \"Search\"","item":1,"items":3},
			{"step":3,"state":"unknown","does":"click","needs":["a","b"]},{"step":4,"state":"skipped","does":"press button \"Note\"","runs":["press it"]}]}`: "a.b would run; nothing was done\n" +
			"✓  1. look at searchbox \"Search\"\n   2. type 6 characters into searchbox \"Search\" (item 1 of 3)\n?  3. click: known once a and b has run\n–  4. press button \"Note\": not due\n       press it\n" +
			"  known up to step 2 of 4\n  then checks the page's state: a.state\n  effects: input, view\n  address: https://x.example/send\n  policy: allow on https://x.example, by approval (ask_effects in policy.json)\n",
		`{"action":"a.b","would_run":"no","why":{"code":"multiple_targets","message":"2 elements match","next_step":"Name one."},"known_steps":0,"total_steps":1,"decision":{"verdict":"ask","rule":"r","section":"s","origin":"o"},
			"steps":[{"step":1,"state":"planned","does":"press \"x\"","error":{"code":"multiple_targets","message":"2 elements match"}}]}`: "a.b would not run; nothing was done\n" +
			"✗  1. press \"x\": 2 elements match (multiple_targets)\n  known up to step 0 of 1\n  policy: ask on o, by r (s)\n  why not: 2 elements match (multiple_targets)\n  → Name one.\n",
	} {
		var p preview
		if err := json.Unmarshal([]byte(output), &p); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		(&app{stdout: &out}).printPreview(p)
		if out.String() != want {
			t.Errorf("printed\n%s\nwanted\n%s", out.String(), want)
		}
	}
}

func TestPlaceInMap(t *testing.T) {
	// Ensure that a failure is found in the map's own text: its step, schema or postcondition, else the action, and that a map that is gone or was changed is no failure of the trace.
	const text = `{
  "protocol": "actions.json",
  "version": 1,
  "state_projections": [{ "name": "s", "postconditions": {
    "a.b": { "projection": "s" } } }],
  "tools": [
    { "name": "a.b",
      "input_schema": { "type": "object" },
      "workflow": { "version": 1, "steps": [
        { "id": "x" },
        { "id": "y" }],
        "output": "{% 1 %}" } }]
}`
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "actions.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		failed *fault.Error
		line   int
	}{
		{nil, 7},
		{fault.New(fault.WorkflowStepFailed, "x").With("step_id", "y"), 11},
		{fault.New(fault.WorkflowStepFailed, "x").With("step_id", "gone"), 7},
		{fault.New(fault.InvalidInput, "x"), 8},
		{fault.New(fault.StatePostconditionFailed, "x"), 5},
		{fault.New(fault.WorkflowOutputFailed, "x"), 12},
		{fault.New(fault.Cancelled, "x"), 7},
	} {
		at, tool := placeInMap(root, "actions.json", "a.b", c.failed)
		if at.Line != c.line || tool == nil || at.Member == nil {
			t.Errorf("%v is at line %d, not %d", c.failed, at.Line, c.line)
		}
	}
	if at, tool := placeInMap(root, "gone.json", "a.b", nil); at.Line != 0 || tool != nil || filepath.Base(at.File) != "gone.json" {
		t.Errorf("%+v %v", at, tool)
	}
	if at, tool := placeInMap(root, "actions.json", "other", nil); tool != nil || at.Pointer != "" {
		t.Errorf("%+v %v", at, tool)
	}
}
