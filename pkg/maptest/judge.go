package maptest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Answer is what the page and the host answered to a case.
type Answer struct {
	Output json.RawMessage // of the action
	Error  *fault.Error    // that it failed with; nil if it did not
	Steps  []Step          // of its workflow, those that were reached
	// State is the state afterwards, where the case expects one, and StateError why it could
	// not be read.
	State      json.RawMessage
	StateError *fault.Error
}

// Step is a step of a workflow that was reached.
type Step struct {
	ID      string `json:"id"`
	Skipped bool   `json:"skipped,omitzero"`
	Empty   bool   `json:"empty,omitzero"` // a for_each that had no items
	Steps   []Step `json:"steps,omitzero"` // of a for_each
}

// Judge returns how the answer differs from what the case expects; none if it passes.
func (c *Case) Judge(a Answer) (found []string) {
	switch {
	case c.failure.given && a.Error == nil:
		found = append(found, "error: it succeeded with "+show(decoded(a.Output)))
	case c.failure.given:
		found = append(found, c.failure.failureDifferences(a.Error)...)
	case a.Error != nil:
		found = append(found, fmt.Sprintf("error: %s (%s)", a.Error.Message, a.Error.Code))
	default:
		found = append(found, c.output.differences(decoded(a.Output), "output")...)
	}
	for _, id := range c.NotRun {
		if ran(a.Steps, id) {
			found = append(found, "not_run: the step "+id+" ran")
		}
	}
	if c.page.given {
		if a.StateError != nil {
			found = append(found, fmt.Sprintf("state: %s (%s)", a.StateError.Message, a.StateError.Code))
		} else {
			found = append(found, c.page.differences(decoded(a.State), "state")...)
		}
	}
	return found
}

// ran reports whether the step of the id ran, among the steps or in a for_each of them.
func ran(steps []Step, id string) bool {
	return slices.ContainsFunc(steps, func(s Step) bool {
		return s.ID == id && !s.Skipped && !s.Empty || ran(s.Steps, id)
	})
}

// failureDifferences compares an error: a text is its code, an object what its members are.
func (e expectation) failureDifferences(f *fault.Error) []string {
	text, err := jsonnode.Encode(f)
	if err != nil {
		return []string{"error: " + err.Error()} // not reachable: it came as JSON
	}
	if code, ok := e.value.(string); ok {
		e.value = map[string]any{"code": code}
	}
	return e.differences(decoded(text), "error")
}

// decoded returns the value of a JSON text, nil for none.
func decoded(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	value, err := jsonnode.Decode(raw)
	if err != nil {
		return string(raw) // not reachable: it came as JSON
	}
	return value
}
