package dispatch

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/callpath"
)

func TestOnlyLook(t *testing.T) {
	// Ensure that a call which may only look runs an action that reads and none that acts, however much its session may do, and that nobody is asked.
	r := newRig(t)
	run := func(step string) Envelope {
		t.Helper()
		r.Handlers.Named[SiteTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
			return json.RawMessage(`{}`), r.Authorize(ctx, policy.Action{Name: "a.transcript", Primitives: []string{step}}, nil)
		}
		return r.Call(t.Context(), r.session, Call{Name: SiteTool, Arguments: value(`{"mode":"call","action":"a.transcript"}`), OnlyLook: true})
	}
	if e := run("page.info"); !e.OK {
		t.Errorf("reading: %v", e.Error)
	}
	wantCode(t, run("locator.click"), fault.PermissionDenied)
	r.Policy.File = callpath.Asking(policy.EffectRead)
	wantCode(t, run("page.info"), fault.PermissionDenied)
	if open := r.Approvals.List(); len(open) > 0 {
		t.Errorf("somebody is asked: %v", open)
	}
}
