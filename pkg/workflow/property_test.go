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

// drawStep makes a random step that the parser accepts: an assertion, a group or a primitive.
func drawStep(t *rapid.T, id string, inGroup bool) string {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	when := pick("when", "", "", `,"when":"{% input.on %}"`, `,"when":0`)
	loop := `,"for_each":` + pick("over", `[1,2,3]`, `"{% input.list %}"`, `"{% steps.s0.output %}"`, `"{% [1..60] %}"`) +
		fmt.Sprintf(`,"max_items":%d`, rapid.IntRange(1, 50).Draw(t, "max_items")) + pick("min_items", "", `,"min_items":1`)
	settle := pick("settle", "", "", `,"settle_after":{"locator":{"selector":"x"}}`, `,"settle_after":{"delay_ms":0.001}`)
	onError := pick("on_error", "", `,"on_error":"continue"`, `,"on_error":"stop"`)
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if inGroup && kind == 1 || kind == 3 {
		s := fmt.Sprintf(`{"id":%q,"assert":%s%s`, id, pick("condition", `"{% true %}"`, `"{% input.on %}"`, `"{% item != 2 %}"`, `"{% $number('x') %}"`), when)
		if !inGroup && rapid.Bool().Draw(t, "of each") {
			s += loop
		}
		return s + pick("message", "", `,"message":"no"`, `,"message":"{% item %}"`) + "}"
	}
	if kind == 4 && !inGroup {
		var inner []string
		for i := range rapid.IntRange(1, 3).Draw(t, "inner steps") {
			inner = append(inner, drawStep(t, fmt.Sprintf("%s_%d", id, i), true))
		}
		return fmt.Sprintf(`{"id":%q,"steps":[%s]`, id, strings.Join(inner, ",")) + when + loop + settle + onError +
			pick("item's output", "", `,"output":"{% steps.`+id+`_0.output %}"`, `,"output":"{% $number('x') %}"`) + "}"
	}
	s := fmt.Sprintf(`{"id":%q,"primitive":%q,"args":{"v":%s}`, id,
		pick("primitive", "page.info", "pointer.click", "locator.element_info"),
		pick("args", `"{% steps.s0.output.x %}"`, `"{% index %}"`, `"{% $number(item) %}"`, `"literal"`, `[1,"{% input %}"]`)) + when
	switch kind {
	case 1:
		s += loop
	case 2:
		s += `,"retry_until":` + pick("until", `"{% steps.`+id+`.output.x > 1 %}"`, `true`, `false`, `"{% $number('x') %}"`) +
			fmt.Sprintf(`,"max_attempts":%d`, rapid.IntRange(1, 50).Draw(t, "max_attempts")) +
			pick("between", "", `,"after_each":{"primitive":"viewport.scroll"}`)
	}
	return s + settle + onError + "}"
}

func TestRunProperties(t *testing.T) {
	// Ensure for any workflow and any answers: no panic, no call after a
	// cancellation, all limits held, and an output exactly when nothing failed.
	rapid.Check(t, func(t *rapid.T) {
		var list []string
		for i := range rapid.IntRange(0, 5).Draw(t, "steps") {
			list = append(list, drawStep(t, fmt.Sprintf("s%d", i), false))
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
			if c.Phase == workflow.PhaseStep && c.Attempt <= 1 {
				items[c.StepID]++
			}
			if c.Item >= workflow.MaxLoop || c.Attempt > workflow.MaxLoop {
				t.Fatalf("%+v is beyond the limit", c)
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
		summaries := 0
		for _, s := range result.Steps {
			summaries += 1 + len(s.Steps)
		}
		if summaries > workflow.MaxSteps {
			t.Fatalf("%d summaries", summaries)
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
