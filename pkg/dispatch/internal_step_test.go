package dispatch

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/test/callpath"
)

func TestInternalStep(t *testing.T) {
	// Ensure that a step of code is logged, is decided anew for the page of its moment, by the maps' names for code too, that the user is asked once for one origin and again for another, and that nothing of another effect goes this way.
	r := newRig(t)
	r.session.AllowCode = true
	r.Policy.File = callpath.Asking(policy.EffectCode)
	ran := 0
	r.Handlers.Named["automation.browserjs"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
		ran++
		return json.RawMessage(`{"value":1,"logs":[]}`), nil
	}
	r.AutomationEnabled = func() bool { return true }
	var step func(ctx context.Context) error
	r.Handlers.Named[ReplTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		return json.RawMessage(`{"output":"","files":[]}`), step(ctx)
	}
	inPage := func(ctx context.Context) error {
		_, err := r.InternalStep(ctx, "automation.browserjs", json.RawMessage(`{"source":"() => 1"}`))
		return err
	}
	step = inPage
	call := func() Envelope {
		t.Helper()
		args := value(`{"title":"t","code":"c","policy_exception_report":{"kind":"debugger","intended_tool":"automation.repl","actions_json_path":"none","reason":"a test"}}`)
		return r.Call(t.Context(), r.session, Call{Name: ReplTool, Arguments: args})
	}
	allow := func() {
		t.Helper()
		id, _ := wantCode(t, call(), fault.NeedsApproval).Evidence["id"].(string)
		if err := r.Answer(t.Context(), policy.Answer{ID: id, Allow: true, Scope: policy.ScopeOnce, Face: policy.FacePopup}); err != nil {
			t.Fatal(err)
		}
	}
	allow()
	if e := call(); !e.OK || ran != 1 {
		t.Fatalf("%+v, ran %d times", e.Error, ran)
	}
	intents := 0
	for _, record := range r.records(t) {
		if record.Type == journal.TypeIntent && record.Name == "automation.browserjs" && record.ParentID != "" {
			intents++
		}
	}
	if intents != 1 {
		t.Errorf("%d intents", intents)
	}

	allow()
	step = func(ctx context.Context) error {
		r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://other.test/", RuntimeID: "r2"})
		return inPage(ctx)
	}
	wantCode(t, call(), fault.NeedsApproval)
	r.Tabs.Update(tabs.Tab{TabID: 1, URL: callpath.Example.URL, RuntimeID: "r1"})

	allow()
	step = func(ctx context.Context) error {
		r.blocked = []string{ReplTool}
		return inPage(ctx)
	}
	wantCode(t, call(), fault.PrimitiveBlocked)
	r.blocked = nil

	allow()
	step = func(ctx context.Context) error {
		_, err := r.InternalStep(ctx, "pointer.click", json.RawMessage(`{"x":1,"y":1}`))
		return err
	}
	wantCode(t, call(), fault.InternalError)
	if ran != 1 {
		t.Errorf("it ran %d times", ran)
	}
}

func TestCodeThatActedWasSent(t *testing.T) {
	// Ensure that code whose later step was refused has been sent once a step of it has run, and not where the first one was refused.
	for ran, want := range []fault.Dispatched{fault.NotDispatched, fault.WasDispatched} {
		r := newRig(t)
		r.session.AllowCode = true
		r.AutomationEnabled = func() bool { return true }
		steps := 0
		r.Handlers.Named["automation.browserjs"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
			if steps++; steps > ran {
				return nil, fault.New(fault.NeedsApproval, "a question").WithDispatched(fault.NotDispatched)
			}
			return json.RawMessage(`{"value":1,"logs":[]}`), nil
		}
		r.Handlers.Named[ReplTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
			for {
				if _, err := r.InternalStep(ctx, "automation.browserjs", json.RawMessage(`{"source":"() => 1"}`)); err != nil {
					return nil, err
				}
			}
		}
		args := value(`{"title":"t","code":"c","policy_exception_report":{"kind":"debugger","intended_tool":"automation.repl","actions_json_path":"none","reason":"a test"}}`)
		f := wantCode(t, r.Call(t.Context(), r.session, Call{Name: ReplTool, Arguments: args}), fault.NeedsApproval)
		if f.Dispatched != want || f.Retryable != (ran == 0) {
			t.Errorf("after %d steps: dispatched %q, retryable %t", ran, f.Dispatched, f.Retryable)
		}
	}
}
