package workflow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// drawStep makes a random step that the parser accepts.
func drawStep(t *rapid.T, i int) string {
	id := fmt.Sprintf("s%d", i)
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	s := fmt.Sprintf(`{"id":%q,"primitive":%q,"args":{"v":%s}`, id,
		pick("primitive", "page.info", "pointer.click", "locator.element_info"),
		pick("args", `"{% steps.s0.output.x %}"`, `"{% index %}"`, `"{% $number(item) %}"`, `"literal"`, `[1,"{% input %}"]`))
	s += pick("when", "", "", `,"when":"{% input.on %}"`, `,"when":0`)
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 1:
		s += `,"for_each":` + pick("over", `[1,2,3]`, `"{% input.list %}"`, `"{% steps.s0.output %}"`, `"{% [1..60] %}"`) +
			fmt.Sprintf(`,"max_items":%d`, rapid.IntRange(1, 50).Draw(t, "max_items"))
	case 2:
		s += `,"retry_until":` + pick("until", `"{% steps.`+id+`.output.x > 1 %}"`, `true`, `false`, `"{% $number('x') %}"`) +
			fmt.Sprintf(`,"max_attempts":%d`, rapid.IntRange(1, 50).Draw(t, "max_attempts")) +
			pick("between", "", `,"after_each":{"primitive":"viewport.scroll"}`)
	}
	return s + pick("settle", "", "", `,"settle_after":{"locator":{"selector":"x"}}`, `,"settle_after":{"delay_ms":0.001}`) +
		pick("on_error", "", `,"on_error":"continue"`, `,"on_error":"stop"`) + "}"
}

func TestRunProperties(t *testing.T) {
	// Ensure for any workflow and any answers: no panic, no call after a
	// cancellation, all limits held, and an output exactly when nothing failed.
	rapid.Check(t, func(t *rapid.T) {
		var list []string
		for i := range rapid.IntRange(0, 5).Draw(t, "steps") {
			list = append(list, drawStep(t, i))
		}
		output := rapid.SampledFrom([]string{"", `,"output":"{% steps %}"`, `,"output":"{% $number('x') %}"`}).Draw(t, "output")
		w, problems := workflow.Parse(flow(strings.Join(list, ","), output), dict)
		if len(problems) > 0 {
			t.Fatalf("%+v", problems)
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		cancelAt := rapid.IntRange(0, 40).Draw(t, "cancel at call")
		items, calls := map[string]int{}, 0
		invoke := func(_ context.Context, c workflow.StepCall) (json.RawMessage, error) {
			if ctx.Err() != nil {
				t.Fatalf("%+v was called after the cancellation", c)
			}
			if calls++; calls == cancelAt {
				cancel()
			}
			if c.Phase == workflow.PhaseStep {
				items[c.StepID]++
			}
			if len(c.Arguments) == 0 || c.Arguments[0] != '{' {
				t.Fatalf("arguments are %s", c.Arguments)
			}
			switch rapid.IntRange(0, 5).Draw(t, "answer") {
			case 0:
				return nil, fault.New(rapid.SampledFrom([]fault.Code{fault.TargetNotFound, fault.Timeout, fault.HandlerFailed, fault.NeedsApproval}).Draw(t, "code"), "x")
			case 1:
				return json.RawMessage(`[1,2,{"x":null}]`), nil
			case 2:
				return nil, nil
			}
			return json.RawMessage(`{"x":2,"y":"text"}`), nil
		}
		result := w.Run(ctx, workflow.Run{Input: json.RawMessage(`{"on":true,"list":["1","2"]}`), Invoke: invoke, Dictionary: dict})
		if (result.Err == nil) != (result.Output != nil) || len(result.Output) > workflow.DefaultOutputBytes {
			t.Fatalf("%v and %d bytes", result.Err, len(result.Output))
		}
		for id, n := range items {
			if n > workflow.MaxLoop {
				t.Fatalf("step %s was called %d times", id, n)
			}
		}
		if result.Err == nil {
			return
		}
		if _, err := json.Marshal(result.Err); err != nil {
			t.Fatal(err)
		}
		if result.Err.Retryable && result.Err.Evidence["acted_steps"] != nil {
			t.Fatalf("retryable after a step acted: %+v", result.Err)
		}
	})
}
