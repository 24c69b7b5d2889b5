package dispatch

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestConfirm(t *testing.T) {
	// Ensure that a handler can have the user asked for an origin of its own whatever the settings say: a standing grant answers it unless the approval must be fresh, and a refusal is kept.
	const frame = "https://frame.example"
	r := newRig(t)
	fresh, ran := false, 0
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		if err := c.Confirm("page:pay", frame, fresh); err != nil {
			return nil, err
		}
		ran++
		return json.RawMessage(`{"clicked":true}`), nil
	}
	click := func() Envelope { return r.call(t, "pointer.click", `{"x":1,"y":2}`) }
	allow := func(scope policy.Scope) {
		t.Helper()
		f := wantCode(t, click(), fault.NeedsApproval)
		if waiting := r.Approvals.List(); len(waiting) != 1 || waiting[0].Name != "page:pay" || waiting[0].Origin != frame || f.Dispatched != fault.NotDispatched {
			t.Fatalf("asked %+v, said %+v", waiting, f)
		}
		if err := r.Answer(t.Context(), f.Evidence["id"].(string), true, scope); err != nil {
			t.Fatal(err)
		}
	}
	allow(policy.ScopeSession)
	click()
	click()
	if fresh = true; ran != 2 {
		t.Fatalf("it ran %d times", ran)
	}
	allow(policy.ScopeSession)
	click()
	wantCode(t, click(), fault.NeedsApproval)
	if ran != 3 {
		t.Errorf("it ran %d times", ran)
	}
	r.session.Mode = policy.ModeAsk
	wantCode(t, click(), fault.PermissionDenied)
}

func TestStepsKnowWhetherTheyWereDecided(t *testing.T) {
	// Ensure that a step of an action that was decided as a whole is told apart from one that no map stands behind.
	r := newRig(t)
	var authorized []bool
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		authorized = append(authorized, c.Authorized)
		return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
	}
	decided := false
	r.Handlers.Named[SiteTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		if decided {
			if err := r.Authorize(ctx, "a.b", []string{"page.info"}); err != nil {
				return nil, err
			}
		}
		return r.Step(ctx, "page.info", json.RawMessage(`{}`))
	}
	for _, decided = range []bool{false, true} {
		if e := r.call(t, SiteTool, `{"mode":"call","action":"a.b"}`); !e.OK {
			t.Fatalf("%+v", e.Error)
		}
	}
	r.call(t, "page.info", `{}`)
	if len(authorized) != 3 || authorized[0] || !authorized[1] || authorized[2] {
		t.Errorf("decided as a whole: %v", authorized)
	}
}
