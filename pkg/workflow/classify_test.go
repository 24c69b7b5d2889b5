package workflow_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

func TestFailureClass(t *testing.T) {
	// Ensure the class, the state and what may be retried come from codes and
	// effects, and that nothing is retryable once a step has acted.
	ladder := find + `,"retry_until":"{% false %}","max_attempts":2},`
	for _, c := range []struct {
		name, steps          string
		answers              map[string][]answer
		code                 fault.Code
		class, state         string
		retryable, recovered bool
		dispatched           fault.Dispatched
	}{
		{name: "exhausted", steps: ladder + last, code: fault.WorkflowRetryExhausted, class: "control_not_ready", state: "readiness", retryable: true, recovered: true},
		{name: "exhausted after a click", steps: click + `},` + ladder + last, code: fault.WorkflowRetryExhausted, class: "control_not_ready", state: "readiness", recovered: true},
		{name: "overlay", steps: click + `}`, answers: map[string][]answer{"pointer.click": fail(fault.OverlayInterference)}, class: "overlay_interference", state: "mutation", retryable: true, recovered: true},
		{name: "overlay after a click", steps: `{"id":"first","primitive":"text.insert"},` + click + `}`, answers: map[string][]answer{"pointer.click": fail(fault.OverlayInterference)}, class: "overlay_interference", state: "mutation", recovered: true},
		{name: "postcondition", steps: last, answers: map[string][]answer{"page.info": fail(fault.StatePostconditionFailed)}, class: "postcondition_failed", state: "postcondition", recovered: true},
		{name: "covered", steps: click + `}`, answers: map[string][]answer{"pointer.click": fail(fault.TargetNotActionable)}, class: "control_not_ready", state: "readiness", retryable: true, recovered: true},
		{name: "not found", steps: find + `}`, answers: map[string][]answer{"locator.element_info": fail(fault.TargetNotFound)}, class: "target_not_found", state: "precondition", recovered: true},
		{name: "a click that may have landed", steps: click + `}`, answers: map[string][]answer{"pointer.click": fail(fault.HandlerTimeout)}, class: "step_error", state: "mutation", recovered: true},
		{name: "a read that failed", steps: last, answers: map[string][]answer{"page.info": fail(fault.HandlerFailed)}, class: "step_error", state: "precondition", recovered: true},
		{name: "never sent", steps: click + `}`, answers: map[string][]answer{"pointer.click": {{err: fault.New(fault.TransportFailed, "x").WithDispatched(fault.NotDispatched)}}},
			class: "step_error", state: "precondition", retryable: true, recovered: true, dispatched: fault.NotDispatched},
		{name: "a plain Go error", steps: last, answers: map[string][]answer{"page.info": {{err: context.DeadlineExceeded}}}, class: "step_error", state: "precondition", recovered: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := run(t, &browser{answers: c.answers}, c.steps, "", "").Err
			if c.code == "" {
				c.code = fault.WorkflowStepFailed
			}
			if c.dispatched == "" {
				c.dispatched = fault.WasDispatched
			}
			if err == nil || err.Code != c.code || evidence(err, "failure_class") != c.class || evidence(err, "failed_state") != c.state {
				t.Fatalf("%+v", err)
			}
			if err.Retryable != c.retryable || err.Recoverable != c.recovered || err.Dispatched != c.dispatched {
				t.Fatalf("retryable %v, recoverable %v, dispatched %v", err.Retryable, err.Recoverable, err.Dispatched)
			}
			acted := evidence(err, "acted_steps") != "null"
			if strings.Contains(evidence(err, "safe_recovery"), "already acted") != acted || acted && err.Retryable {
				t.Fatalf("safe_recovery is %q", evidence(err, "safe_recovery"))
			}
		})
	}
}

func TestFailureNamesItsStep(t *testing.T) {
	// Ensure a failure names its step, its item and its cause, and that the
	// summaries show what ran before.
	b := &browser{answers: map[string][]answer{"pointer.click": append(ok(`{}`), fail(fault.TargetNotFound)...)}}
	result := run(t, b, find+`},`+click+`,"for_each":[1,2,3],"max_items":3},`+last, "", "")
	err := result.Err
	if evidence(err, "step_id") != "click" || evidence(err, "primitive") != "pointer.click" ||
		evidence(err, "cause", "code") != string(fault.TargetNotFound) || evidence(err, "cause", "evidence", "item") != "1" ||
		!strings.HasPrefix(err.Message, `step "click" (pointer.click) failed at item 2 of 3: `) {
		t.Fatalf("%+v", err)
	}
	for i := range result.Steps {
		result.Steps[i].DurationMS = 0
	}
	text, marshalErr := json.Marshal(result.Steps)
	if marshalErr != nil {
		t.Fatal(marshalErr)
	}
	want := `[{"id":"find","primitive":"locator.element_info","ok":true,"skipped":false,"duration_ms":0},` +
		`{"id":"click","primitive":"pointer.click","ok":false,"skipped":false,"duration_ms":0,"code":"target_not_found","items":2}]`
	if string(text) != want {
		t.Fatalf("summaries are %s", text)
	}
}

func TestPassThrough(t *testing.T) {
	// Ensure what a policy, the tab or the user decided ends the workflow under
	// its own code and is never tolerated or repeated; once a step has acted, its
	// next step warns of calling again.
	for _, code := range []fault.Code{fault.StateMismatch, fault.PrimitiveBlocked, fault.TabNotClaimed, fault.NeedsApproval,
		fault.OutcomeUnknown, fault.JournalUnavailable, fault.Cancelled, fault.CodeDisabled, fault.PermissionDenied} {
		for _, more := range []string{``, `,"on_error":"continue"`, `,"retry_until":true,"max_attempts":3`,
			`,"for_each":[1,2],"max_items":2,"on_error":"continue"`} {
			b := &browser{answers: map[string][]answer{"pointer.click": fail(code)}}
			result := run(t, b, `{"id":"first","primitive":"text.insert"},`+click+more+`},`+last, "", "")
			if result.Err == nil || result.Err.Code != code || b.names() != "insert click" {
				t.Fatalf("%s with %q: %v after %s", code, more, result.Err, b.names())
			}
			if evidence(result.Err, "step_id") != "click" || result.Err.Retryable || result.Err.Dispatched != fault.WasDispatched || len(result.Steps) != 2 {
				t.Fatalf("%s: %+v", code, result.Err)
			}
			if !strings.HasPrefix(result.Err.NextStep, "Do not repeat the action") {
				t.Fatalf("%s: the next step is %q", code, result.Err.NextStep)
			}
		}
	}
	lost := fault.New(fault.OutcomeUnknown, "lost").WithDispatched(fault.DispatchedUnknown)
	b := &browser{answers: map[string][]answer{"pointer.click": {{err: lost}}}}
	if err := run(t, b, `{"id":"first","primitive":"text.insert"},`+click+`}`, "", "").Err; err.Dispatched != fault.DispatchedUnknown {
		t.Fatalf("a lost answer became %+v", err)
	}
}

func TestCancelled(t *testing.T) {
	// Ensure a cancelled run calls nothing more, whichever call was under way
	// and however that call ended.
	for _, answers := range [][]answer{ok(`{}`), fail(fault.TargetNotFound)} {
		ctx, cancel := context.WithCancel(t.Context())
		b := &browser{answers: map[string][]answer{"locator.element_info": answers}, hook: func(workflow.StepCall) { cancel() }}
		result := parse(t, flow(find+`,"on_error":"continue"},`+last, "")).Run(ctx, workflow.Run{Invoke: b.invoke, Dictionary: dict})
		if result.Err == nil || result.Err.Code != fault.Cancelled || b.names() != "element_info" || len(result.Steps) != 1 {
			t.Fatalf("%v after %s, %+v", result.Err, b.names(), result.Steps)
		}
		b = &browser{}
		result = parse(t, flow(last, "")).Run(ctx, workflow.Run{Invoke: b.invoke})
		if result.Err == nil || result.Err.Code != fault.Cancelled || len(b.calls) != 0 || result.Err.Dispatched != fault.NotDispatched {
			t.Fatalf("a run that was cancelled before it began: %+v", result.Err)
		}
	}
}

func TestUnknownOutcomeOfEndedRun(t *testing.T) {
	// Ensure that a run which ends while a call is under way keeps that the call's outcome is unknown, whatever came before it.
	lost := fault.New(fault.Cancelled, "cancelled under way").WithDispatched(fault.DispatchedUnknown)
	for code, limit := range map[fault.Code]time.Duration{fault.WorkflowTimeout: time.Second, fault.Cancelled: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			invoke := func(ctx context.Context, c workflow.StepCall) (json.RawMessage, error) {
				if c.StepID == "first" {
					return json.RawMessage(`{}`), nil
				}
				if code == fault.Cancelled {
					cancel()
				}
				<-ctx.Done()
				return nil, lost
			}
			err := parse(t, flow(`{"id":"first","primitive":"text.insert"},`+click+`}`, "")).Run(ctx, workflow.Run{Invoke: invoke, Dictionary: dict, Timeout: limit}).Err
			if err == nil || err.Code != code || err.Dispatched != fault.DispatchedUnknown || evidence(err, "cause", "code") != string(fault.Cancelled) {
				t.Errorf("%s: %+v", code, err)
			}
		})
	}
}

func TestStepBytes(t *testing.T) {
	// Ensure the outputs that a run keeps are limited together.
	b := &browser{answers: map[string][]answer{"page.info": ok(`"0123456789"`)}}
	result := parse(t, flow(`{"id":"a","primitive":"page.info","for_each":[1,2,3],"max_items":3}`, "")).
		Run(t.Context(), workflow.Run{Invoke: b.invoke, Dictionary: dict, Limits: workflow.Limits{StepBytes: 30}})
	if evidence(result.Err, "cause", "code") != string(fault.PayloadTooLarge) || len(b.calls) != 3 {
		t.Fatalf("%v after %d calls", result.Err, len(b.calls))
	}
}
