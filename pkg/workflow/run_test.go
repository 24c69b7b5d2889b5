package workflow_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

const (
	find  = `{"id":"find","primitive":"locator.element_info","args":{"locator":{"selector":"#go"}}`
	click = `{"id":"click","primitive":"pointer.click"`
	last  = `{"id":"last","primitive":"page.info"}`
)

func TestRun(t *testing.T) {
	// Ensure a run calls what its steps say, in order, and returns the declared
	// output: each row is one scenario.
	for _, c := range []struct {
		name    string
		answers map[string][]answer
		steps   string
		output  string
		input   string
		calls   string
		want    string     // output as JSON, "" when it fails
		code    fault.Code // of the run's fault
	}{
		{name: "find and click", answers: map[string][]answer{"locator.element_info": ok(`{"candidates":[{"clickable_center":{"x":5,"y":7}}]}`)},
			steps:  find + `},` + click + `,"args":{"x":"{% steps.find.output.candidates[0].clickable_center.x %}","y":"{% steps.find.output.candidates[0].clickable_center.y %}"}}`,
			output: `"{% {'ok': true, 'q': input.q} %}"`, input: `{"q":"é"}`, calls: "element_info click", want: `{"ok":true,"q":"é"}`},
		{name: "an output with a member named value stays whole", answers: map[string][]answer{"page.info": ok(`{"ok":true,"value":3}`)},
			steps: last, output: `"{% steps.last.output %}"`, calls: "info", want: `{"ok":true,"value":3}`},
		{name: "no output declared", steps: find + `,"when":false},` + last, calls: "info",
			want: `{"steps":{"find":{"ok":true,"skipped":true},"last":{"ok":true,"output":{}}}}`},
		{name: "no steps", output: `{"url":"{% 'https://x.test/' & input.id %}","n":1}`, input: `{"id":"7"}`, want: `{"url":"https://x.test/7","n":1}`},
		{name: "an input that is no object", output: `"{% $type(input) %}"`, input: `[1]`, want: `"object"`},
		{name: "an output of nothing", output: `"{% input.missing %}"`, want: `null`},
		{name: "when decides as JavaScript does", steps: `{"id":"a","primitive":"page.info","when":[]},{"id":"b","primitive":"page.info","when":""},{"id":"c","primitive":"page.info","when":"{% input.x %}"}`,
			output: `"{% [steps.a.skipped = true, steps.b.skipped, steps.c.skipped] %}"`, calls: "info", want: `[false,true,true]`},
		{name: "a failed step ends the run", answers: map[string][]answer{"locator.element_info": fail(fault.TargetNotFound)},
			steps: find + `},` + last, calls: "element_info", code: fault.WorkflowStepFailed},
		{name: "a tolerated failure", answers: map[string][]answer{"locator.element_info": fail(fault.TargetNotFound)},
			steps: find + `,"on_error":"continue"},` + last, calls: "element_info info",
			output: `"{% [steps.find.ok, steps.find.error.code, $exists(steps.find.output)] %}"`, want: `[false,"target_not_found",false]`},
		{name: "an expression that fails in arguments", steps: `{"id":"a","primitive":"page.info","args":{"x":"{% $number('x') %}"}}`, code: fault.WorkflowStepFailed},
		{name: "an expression that fails in when, tolerated", steps: `{"id":"a","primitive":"page.info","when":"{% $number('x') %}","on_error":"continue"}`,
			output: `"{% steps.a.ok %}"`, want: `false`},
		{name: "an expression that fails in the output", steps: last, output: `"{% $number('x') %}"`, calls: "info", code: fault.ExpressionEvaluationFailed},
		{name: "an output that is too large", steps: last, answers: map[string][]answer{"page.info": ok(`"` + strings.Repeat("x", 33_000) + `"`)},
			calls: "info", code: fault.WorkflowOutputTooLarge},
		{name: "a slot that is too large", steps: last, output: `"{% steps.last.output %}"`, answers: map[string][]answer{"page.info": ok(`"` + strings.Repeat("x", 17_000) + `"`)},
			calls: "info", code: fault.ExpressionOutputTooLarge},
		{name: "an output that is no JSON", steps: last, answers: map[string][]answer{"page.info": ok(`{`)}, calls: "info", code: fault.WorkflowStepFailed},
		{name: "an input that is no JSON", steps: last, input: `{`, code: fault.InvalidInput},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &browser{answers: c.answers}
			result := run(t, b, c.steps, c.output, c.input)
			if b.names() != c.calls {
				t.Errorf("calls are %q, wanted %q", b.names(), c.calls)
			}
			check(t, result, c.want, c.code)
		})
	}
}

// check compares a run's end.
func check(t *testing.T, result workflow.Result, want string, code fault.Code) {
	t.Helper()
	if code != "" {
		if result.Err == nil || result.Err.Code != code || result.Output != nil {
			t.Fatalf("wanted the fault %s, got %s and %v", code, result.Output, result.Err)
		}
		return
	}
	if result.Err != nil {
		t.Fatalf("the run failed: %v %+v", result.Err, result.Err.Evidence)
	}
	var got, wanted any
	if err := json.Unmarshal(result.Output, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestRunBoundsExpressions(t *testing.T) {
	// Ensure a banned function fails under any name and an endless expression
	// ends in time, as a step's failure and as the output's.
	for expression, code := range map[string]fault.Code{
		`( $e := $eval; $e('1') )`:              fault.DisallowedExpressionFunction,
		`$now()`:                                fault.DisallowedExpressionFunction,
		`( $f := function($x){$f($x)}; $f(1) )`: fault.ExpressionTimeout,
	} {
		slot := `"{% ` + expression + ` %}"`
		b := &browser{}
		result := runWithin(t, workflow.Limits{}, b, `{"id":"a","primitive":"page.info","args":{"x":`+slot+`}},`+last, "", "")
		if result.Err == nil || result.Err.Code != fault.WorkflowStepFailed || evidence(result.Err, "cause", "code") != string(code) || len(b.calls) > 0 {
			t.Errorf("%s in a step gives %+v", expression, result.Err)
		}
		result = runWithin(t, workflow.Limits{}, b, last, slot, "")
		if result.Err == nil || result.Err.Code != code || !strings.Contains(result.Err.NextStep, "The steps ran") || len(result.Steps) != 1 {
			t.Errorf("%s in the output gives %+v", expression, result.Err)
		}
	}
	check(t, runWithin(t, workflow.Limits{}, &browser{}, "", `"{% 'text with $now( and $eval(' %}"`, ""), `"text with $now( and $eval("`, "")
}

func TestRunTimeout(t *testing.T) {
	// Ensure a run ends at its time limit, also within a call, and names the
	// step and what the call said.
	synctest.Test(t, func(t *testing.T) {
		invoke := func(ctx context.Context, _ workflow.StepCall) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		w := parse(t, flow(click+`,"on_error":"continue"},`+last, ""))
		for limit, want := range map[time.Duration]time.Duration{0: workflow.DefaultTimeout, time.Second: time.Second} {
			began := time.Now()
			err := w.Run(t.Context(), workflow.Run{Invoke: invoke, Dictionary: dict, Timeout: limit}).Err
			if err == nil || err.Code != fault.WorkflowTimeout || time.Since(began) != want ||
				evidence(err, "step_id") != "click" || evidence(err, "cause", "code") != string(fault.HandlerTimeout) || err.Retryable {
				t.Fatalf("after %s: %+v", time.Since(began), err)
			}
		}
	})
}

func TestRunPassesArguments(t *testing.T) {
	// Ensure arguments reach the primitive with their types, literals
	// untouched, and without what an expression leaves undefined.
	b := &browser{}
	result := run(t, b, `{"id":"a","primitive":"pointer.drag","args":{"from":"{% input.from %}","n":"{% input.n + 2 %}","trusted":true,
		"list":["{% input.n %}","as it is"],"gone":"{% input.missing %}","delta":"{% input.zero = 0 ? 900 : input.zero %}"}},`+last,
		"", `{"from":{"x":1,"y":2.5},"n":3,"zero":0}`)
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.calls[0].Arguments, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"from": map[string]any{"x": 1.0, "y": 2.5}, "n": 5.0, "trusted": true, "list": []any{3.0, "as it is"}, "delta": 900.0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if string(b.calls[1].Arguments) != "{}" || b.calls[0].Phase != workflow.PhaseStep || b.calls[0].StepID != "a" {
		t.Fatalf("calls are %+v", b.calls)
	}
}
