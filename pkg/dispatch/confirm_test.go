package dispatch

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/callpath"
)

func TestConfirm(t *testing.T) {
	// Ensure that a handler can have the user asked for an origin of its own whatever the settings say: a standing grant answers it unless the approval must be fresh, a refusal is kept, and the log has what each answer counted for.
	const frame = "https://frame.example"
	r := newRig(t)
	fresh, ran := false, 0
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		if err := c.Confirm(primitive.Question{Name: "page:pay", Origin: frame, RequireNewApproval: fresh}); err != nil {
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
			t.Fatalf("asked %+v, got %+v", waiting, f)
		}
		if err := r.Answer(t.Context(), policy.Answer{ID: f.Evidence["id"].(string), Allow: true, Scope: scope, Face: policy.FacePopup}); err != nil {
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
	var scopes []policy.Scope
	for _, rec := range r.records(t) {
		var event journal.PolicyEvent
		if json.Unmarshal(rec.Data, &event) == nil && event.Face != "" {
			scopes = append(scopes, event.Scope)
		}
	}
	if !slices.Equal(scopes, []policy.Scope{policy.ScopeSession, policy.ScopeOnce}) {
		t.Errorf("the log has the answers for %v", scopes)
	}
	r.session.Mode = policy.ModeAsk
	wantCode(t, click(), fault.PermissionDenied)
}

func TestAsksItself(t *testing.T) {
	// Ensure that a call whose handler asks is asked about once, whatever the settings say, and that the answer for one call is for the name and arguments that were shown, however the call was written.
	r := newRig(t)
	r.Policy.File = callpath.Asking(policy.EffectInput)
	record, _ := r.Catalogue.Record("pointer.click")
	classes := record.Classes
	record.Classes = append(slices.Clone(classes), "asks_itself")
	t.Cleanup(func() { record.Classes = classes }) // all rigs have the same catalogue
	ran := 0
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		if err := c.Confirm(primitive.Question{Name: "page:pay", Origin: c.Origin, Arguments: json.RawMessage(`{"sum":7}`)}); err != nil {
			return nil, err
		}
		ran++
		return json.RawMessage(`{"clicked":true}`), nil
	}
	f := wantCode(t, r.call(t, "pointer.click", `{"x":1,"y":2}`), fault.NeedsApproval)
	if waiting := r.Approvals.List(); len(waiting) != 1 || waiting[0].Name != "page:pay" || waiting[0].Summary != `{"sum":7}` {
		t.Fatalf("asked %+v", waiting)
	}
	if err := r.Answer(t.Context(), policy.Answer{ID: f.Evidence["id"].(string), Allow: true, Scope: policy.ScopeOnce, Face: policy.FacePopup}); err != nil {
		t.Fatal(err)
	}
	if r.call(t, "pointer.click", `{"x":3,"y":4}`); ran != 1 {
		t.Fatalf("with the answer it ran %d times", ran)
	}
	wantCode(t, r.call(t, "pointer.click", `{"x":3,"y":4}`), fault.NeedsApproval)
	x, err := r.Explain(r.session, Call{Name: "pointer.click", Arguments: report("pointer.click", `{"x":1,"y":2}`)})
	if err != nil || x.Verdict != policy.Ask {
		t.Errorf("explained as %+v, %v", x, err)
	}
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
			if err := r.Authorize(ctx, policy.Action{Name: "a.b", Primitives: []string{"page.info"}}, nil); err != nil {
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

func TestWouldPermit(t *testing.T) {
	// Ensure that a handler learns how another origin would be decided without a question to anybody, and whether it could be refused at all.
	const frame = "https://frame.example"
	r := newRig(t)
	r.Policy.File = callpath.Asking(policy.EffectInput)
	var judged error
	var selective bool
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		judged, selective = c.WouldPermit(frame), c.DependsOnOrigin()
		return nil, fault.New(fault.HandlerFailed, "enough")
	}
	click := func() {
		if f := r.call(t, "pointer.click", `{"x":1,"y":2}`).Error; f.Code == fault.NeedsApproval {
			if err := r.Answer(t.Context(), policy.Answer{ID: f.Evidence["id"].(string), Allow: true, Scope: policy.ScopeSession, Face: policy.FacePopup}); err != nil {
				t.Fatal(err)
			}
			r.call(t, "pointer.click", `{"x":1,"y":2}`)
		}
	}
	if click(); !fault.Is(judged, fault.NeedsApproval) || !selective || len(r.Approvals.List()) != 0 {
		t.Errorf("judged %v, selective %t, asked %v", judged, selective, r.Approvals.List())
	}
	r.Policy.File = nil
	if click(); judged != nil || selective {
		t.Errorf("judged %v, selective %t", judged, selective)
	}
	r.session.Origins = []string{"https://example.com"}
	if click(); !fault.Is(judged, fault.PermissionDenied) || !selective {
		t.Errorf("restricted: judged %v, selective %t", judged, selective)
	}
}
