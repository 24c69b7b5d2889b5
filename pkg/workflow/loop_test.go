package workflow_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

func TestForEach(t *testing.T) {
	// Ensure loops take lists, single values and nothing, keep to max_items and
	// say so, and that one failure ends them unless it is tolerated.
	loop := func(over, more string) string {
		return `{"id":"l","primitive":"locator.element_info","args":{"n":"{% item %}","i":"{% index %}"},"for_each":` + over + `,"max_items":2` + more + `}`
	}
	second := append(ok(`{"n":1}`), fail(fault.TargetNotFound)...)
	for _, c := range []struct {
		name, over, more, want string
		answers                []answer
		calls                  int
		code                   fault.Code
	}{
		{name: "a list", over: `["a","{% input.b %}"]`, want: `[true,2,[{},{}],null]`, calls: 2},
		{name: "more than max_items", over: `[1,2,3]`, want: `[true,2,[{},{}],3]`, calls: 2},
		{name: "a singleton", over: `"{% input.list[id=1] %}"`, want: `[true,1,[{}],null]`, calls: 1},
		{name: "undefined", over: `"{% input.none %}"`, want: `[true,0,[],null]`},
		{name: "null in a slot", over: `"{% null %}"`, want: `[true,0,[],null]`},
		{name: "a failure", over: `[1,2]`, answers: second, calls: 2, code: fault.WorkflowStepFailed},
		{name: "a first failure", over: `[1,2]`, answers: fail(fault.Timeout), calls: 1, code: fault.WorkflowStepFailed},
		{name: "a tolerated failure", over: `[1,2]`, more: `,"on_error":"continue"`, answers: second, calls: 2, want: `[false,2,[{"n":1},null],null]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &browser{answers: map[string][]answer{"locator.element_info": c.answers}}
			result := run(t, b, loop(c.over, c.more),
				`"{% [steps.l.ok, $count(steps.l.items), [steps.l.output], $exists(steps.l.total) ? steps.l.total : null] %}"`, `{"b":"B","list":[{"id":1}]}`)
			if len(b.calls) != c.calls {
				t.Fatalf("%d calls", len(b.calls))
			}
			if c.code != "" {
				check(t, result, "", c.code)
				return
			}
			if result.Err != nil {
				t.Fatal(result.Err)
			}
			var got []any
			if err := json.Unmarshal(result.Output, &got); err != nil {
				t.Fatal(err)
			}
			var want []any
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if got[2] == nil {
				got[2] = []any{}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
			if s := result.Steps[0]; s.Items != c.calls || s.Truncated != (c.name == "more than max_items") {
				t.Errorf("the summary is %+v", s)
			}
			for i, call := range b.calls {
				if call.Item != i {
					t.Errorf("call %d says item %d", i, call.Item)
				}
			}
		})
	}
}

func TestRetryUntil(t *testing.T) {
	// Ensure a ladder tries until its condition holds, absorbs failed attempts
	// unless on_error says stop, and fails when it is exhausted whatever it says.
	visible, hidden := ok(`{"visible":true}`), ok(`{"visible":false}`)
	missing := fail(fault.TargetNotFound)
	for _, c := range []struct {
		name, more    string
		info, between []answer
		calls         string
		attempts      int
		code          fault.Code
	}{
		{name: "on the second", info: append(ok(`{"visible":false}`), visible...), calls: "element_info scroll element_info info", attempts: 2},
		{name: "at once", info: visible, calls: "element_info info", attempts: 1},
		{name: "never", info: hidden, more: `,"on_error":"continue"`, calls: "element_info scroll element_info scroll element_info", attempts: 3, code: fault.WorkflowRetryExhausted},
		{name: "never, without on_error", info: hidden, calls: "element_info scroll element_info scroll element_info", attempts: 3, code: fault.WorkflowRetryExhausted},
		{name: "failures are absorbed", info: append(fail(fault.TargetNotFound), visible...), calls: "element_info scroll element_info info", attempts: 2},
		{name: "only failures", info: missing, calls: "element_info scroll element_info scroll element_info", attempts: 3, code: fault.WorkflowRetryExhausted},
		{name: "stop is written", info: missing, more: `,"on_error":"stop"`, calls: "element_info", attempts: 1, code: fault.WorkflowStepFailed},
		{name: "after_each fails", info: append(ok(`{}`), visible...), between: fail(fault.Timeout), calls: "element_info scroll element_info info", attempts: 2},
		{name: "after_each fails, stop is written", info: hidden, more: `,"on_error":"stop"`, between: fail(fault.Timeout), calls: "element_info scroll", attempts: 1, code: fault.WorkflowStepFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &browser{answers: map[string][]answer{"locator.element_info": c.info, "viewport.scroll": c.between}}
			result := run(t, b, find+`,"retry_until":"{% steps.find.output.visible %}","max_attempts":3,
				"after_each":{"primitive":"viewport.scroll","args":{"delta_y":"{% index * 100 %}"}}`+c.more+`},`+last,
				`"{% $count(steps.find.attempts) > 0 %}"`, "")
			if b.names() != c.calls {
				t.Fatalf("calls are %q, wanted %q", b.names(), c.calls)
			}
			if result.Steps[0].Attempts != c.attempts {
				t.Errorf("the summary is %+v", result.Steps[0])
			}
			if len(b.calls) > 2 && (string(b.calls[1].Arguments) != `{"delta_y":100}` || b.calls[1].Phase != workflow.PhaseAfterEach || b.calls[2].Attempt != 2) {
				t.Errorf("after_each is %+v, then %+v", b.calls[1], b.calls[2])
			}
			check(t, result, "true", c.code)
		})
	}
}
