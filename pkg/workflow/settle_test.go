package workflow_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

const settleOn = `,"settle_after":{"locator":{"selector":"{% input.s %}"}}`

func TestSettleOnLocator(t *testing.T) {
	// Ensure a settling runs after the step with evaluated slots and the
	// defaults, on every kind of step, and that its timeout fails the step
	// unless it is tolerated.
	timeout := fail(fault.Timeout)
	for _, c := range []struct {
		name, steps, calls, output string
		wait, click                []answer
		ok                         bool // of the first step's settling
		code                       fault.Code
	}{
		{name: "plain", steps: click + settleOn + `},` + last, calls: "click wait_for info", ok: true},
		{name: "plain, timeout", steps: click + settleOn + `},` + last, wait: timeout, calls: "click wait_for", code: fault.WorkflowStepFailed},
		{name: "plain, timeout tolerated", steps: click + settleOn + `,"on_error":"continue"},` + last, wait: timeout, calls: "click wait_for info"},
		{name: "the step fails", steps: click + settleOn + `},` + last, click: fail(fault.TargetNotFound), calls: "click", code: fault.WorkflowStepFailed},
		{name: "after each item", steps: click + `,"for_each":[1,2],"max_items":5` + settleOn + `},` + last, calls: "click wait_for click wait_for info", ok: true},
		{name: "after each item, timeout", steps: click + `,"for_each":[1,2],"max_items":5` + settleOn + `},` + last, wait: timeout, calls: "click wait_for", code: fault.WorkflowStepFailed},
		{name: "after each item, first timeout tolerated", steps: click + `,"for_each":[1,2],"max_items":5,"on_error":"continue"` + settleOn + `},` + last,
			wait: append(timeout, ok(`{}`)...), calls: "click wait_for click wait_for info"},
		{name: "a ladder", steps: click + `,"retry_until":true,"max_attempts":5` + settleOn + `},` + last, calls: "click wait_for info", ok: true},
		{name: "a ladder, timeout", steps: click + `,"retry_until":true,"max_attempts":5` + settleOn + `},` + last, wait: timeout, calls: "click wait_for", code: fault.WorkflowStepFailed},
		{name: "skipped", steps: click + `,"when":false` + settleOn + `},` + last, calls: "info", ok: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &browser{answers: map[string][]answer{"locator.wait_for": c.wait, "pointer.click": c.click}}
			result := run(t, b, c.steps, `"{% 1 %}"`, `{"s":"#done"}`)
			if b.names() != c.calls {
				t.Fatalf("calls are %q, wanted %q", b.names(), c.calls)
			}
			check(t, result, "1", c.code)
			settled := result.Steps[0].Settle
			if settled == nil {
				if c.name != "skipped" && c.name != "the step fails" {
					t.Fatal("the summary says nothing of the settling")
				}
				return
			}
			if settled.OK != c.ok || settled.Mode != "locator" || !c.ok && settled.Reason != "timeout" {
				t.Fatalf("the summary says %+v", settled)
			}
			var got map[string]any
			if err := json.Unmarshal(b.calls[1].Arguments, &got); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"locator": map[string]any{"selector": "#done"}, "state": "visible", "timeout_ms": 8000.0}
			if diff := cmp.Diff(want, got); diff != "" || b.calls[1].Phase != workflow.PhaseSettle {
				t.Fatalf("wait_for got %s in phase %s", diff, b.calls[1].Phase)
			}
		})
	}
}

func TestSettleTimeoutIsTheCause(t *testing.T) {
	// Ensure a settling that timed out is told from a step that failed.
	b := &browser{answers: map[string][]answer{"locator.wait_for": fail(fault.Timeout)}}
	err := run(t, b, click+settleOn+`}`, "", "{}").Err
	if evidence(err, "cause", "code") != string(fault.WorkflowSettleTimeout) ||
		evidence(err, "cause", "evidence", "cause", "reason") != "timeout" || err.Retryable {
		t.Fatalf("%+v", err)
	}
	b = &browser{answers: map[string][]answer{"locator.wait_for": fail(fault.InvalidSelector)}}
	if err := run(t, b, click+settleOn+`}`, "", "{}").Err; evidence(err, "cause", "code") != string(fault.InvalidSelector) {
		t.Fatalf("another failure of the wait became %+v", err)
	}
}

func TestSettleDelay(t *testing.T) {
	// Ensure a delay lasts its evaluated time, calls nothing, and refuses what
	// is no time.
	synctest.Test(t, func(t *testing.T) {
		b := &browser{}
		began := time.Now()
		result := run(t, b, click+`,"settle_after":{"delay_ms":"{% input.ms %}"}},`+last, `"{% 1 %}"`, `{"ms":1500}`)
		check(t, result, "1", "")
		if took := time.Since(began); took != 1500*time.Millisecond || b.names() != "click info" {
			t.Fatalf("took %s, calls are %s", took, b.names())
		}
		if s := result.Steps[0]; s.Settle.Mode != "delay" || s.Settle.DelayMS != 1500 || s.DurationMS != 1500 {
			t.Fatalf("the summary is %+v", s)
		}
		for _, input := range []string{`{}`, `{"ms":0}`, `{"ms":-1}`, `{"ms":"soon"}`, `{"ms":null}`} {
			result := run(t, &browser{}, click+`,"settle_after":{"delay_ms":"{% input.ms %}"}}`, "", input)
			if evidence(result.Err, "cause", "code") != string(fault.InvalidArguments) {
				t.Errorf("%s gave %v", input, result.Err)
			}
		}
	})
}

func TestDelayHonoursTheContext(t *testing.T) {
	// Ensure a cancellation or the end of the workflow's time cuts a delay
	// short, whatever on_error says.
	steps := click + `,"on_error":"continue","settle_after":{"delay_ms":1e300}},` + last
	for code, limit := range map[fault.Code]time.Duration{fault.WorkflowTimeout: 3 * time.Second, fault.Cancelled: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			b := &browser{}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(30*time.Second, cancel)
			began := time.Now()
			result := parse(t, flow(steps, "")).Run(ctx, workflow.Run{Invoke: b.invoke, Dictionary: dict, Timeout: limit})
			if result.Err == nil || result.Err.Code != code || b.names() != "click" {
				t.Fatalf("%v after %s", result.Err, b.names())
			}
			if took := time.Since(began); took != min(limit, 30*time.Second) {
				t.Fatalf("took %s", took)
			}
			if evidence(result.Err, "step_id") != "click" || result.Err.Dispatched != fault.WasDispatched || result.Err.Retryable {
				t.Fatalf("%+v", result.Err)
			}
		})
	}
}
