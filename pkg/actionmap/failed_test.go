package actionmap

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestPlaceOf(t *testing.T) {
	// Ensure that a failure is found in the map's own text: its step, schema or postcondition, else the action; in a map that was changed nothing is.
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
		at, tool := PlaceOf([]byte(text), "a.b", c.failed)
		if at.Line != c.line || tool == nil || at.Member == nil {
			t.Errorf("%v is at line %d, not %d", c.failed, at.Line, c.line)
		}
	}
	if at, tool := PlaceOf([]byte(text), "other", nil); tool != nil || at.Pointer != "" {
		t.Errorf("%+v %v", at, tool)
	}
	if at, tool := PlaceOf([]byte(`{"tools":`), "a.b", nil); tool != nil || at.Line != 0 {
		t.Errorf("%+v %v", at, tool)
	}
}
