package dispatch

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/callpath"
)

func TestPreviewOnlyLooks(t *testing.T) {
	// Ensure that the steps of a preview read and show, do nothing else however they are called, ask nobody, and that the log has none of the values.
	r := newRig(t)
	var sent []string
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		sent = append(sent, c.Record.Name)
		if c.Record.Name == "target.show" {
			return json.RawMessage(`{"role":"button","name":"x","tag_name":"b","visible":true,"enabled":true,"sensitive":false,"marked":false}`), nil
		}
		return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
	}
	show := json.RawMessage(`{"x":1,"y":2}`)
	r.Handlers.Named[SiteTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		if _, err := r.InternalStep(ctx, "target.show", show); !fault.Is(err, fault.InternalError) {
			t.Errorf("outside of a preview: %v", err)
		}
		looking := r.OnlyLook(ctx)
		if _, err := r.InternalStep(looking, "target.show", show); err != nil {
			t.Error(err)
		}
		if _, err := r.InternalStep(looking, "target.act", json.RawMessage(`{"action":"click"}`)); !fault.Is(err, fault.InternalError) {
			t.Errorf("an internal step that acts: %v", err)
		}
		if _, err := r.Step(looking, "page.info", nil); err != nil {
			t.Error(err)
		}
		if _, err := r.Step(looking, "pointer.click", show); !fault.Is(err, fault.PermissionDenied) {
			t.Errorf("a click: %v", err)
		}
		return json.RawMessage(`{"steps":[{"values":{"text":"pl4nted"}}]}`), nil
	}
	args := `{"mode":"preview","action":"a.b","arguments":{"text":"pl4nted"}}`
	for _, ask := range []policy.Effect{policy.EffectInput, policy.EffectView} {
		r.Policy.File = callpath.Asking(ask)
		if ask == policy.EffectView {
			r.Handlers.Named[SiteTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
				if _, err := r.InternalStep(r.OnlyLook(ctx), "target.show", show); !fault.Is(err, fault.PermissionDenied) {
					t.Errorf("where showing is asked about: %v", err)
				}
				return json.RawMessage(`{}`), nil
			}
		}
		e := r.call(t, SiteTool, args)
		if !e.OK || len(r.Approvals.List()) > 0 {
			t.Fatalf("%+v, asked %v", e.Error, r.Approvals.List())
		}
	}
	if strings.Join(sent, " ") != "target.show page.info" {
		t.Errorf("the page got %q", sent)
	}
	for _, record := range r.records(t) {
		if strings.Contains(string(record.Data), "pl4nted") {
			t.Errorf("the log has %s", record.Data)
		}
	}
}

func TestExplainAction(t *testing.T) {
	// Ensure that a preview tells the decision for the call that it is about, grants for that call included, and uses none up; and that a plan is asked for only where a question is.
	r := newRig(t)
	r.Policy.File = callpath.Asking(policy.EffectInput)
	planned := 0
	r.Handlers.Named[SiteTool] = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		if strings.Contains(string(c.Arguments), "preview") {
			d, origin, err := r.ExplainAction(ctx, policy.Action{Name: "a.b", Primitives: []string{"pointer.click"}})
			if err != nil {
				return nil, err
			}
			return primitive.Output(map[string]any{"verdict": d.Verdict, "origin": origin})
		}
		return json.RawMessage(`{}`), r.Authorize(ctx, policy.Action{Name: "a.b", Primitives: []string{"pointer.click"}}, func() policy.Plan {
			planned++
			return policy.Plan{{Primitive: "pointer.click", Does: "press it"}}
		})
	}
	explained := func(want string) {
		t.Helper()
		if e := r.call(t, SiteTool, `{"mode":"preview","action":"a.b","arguments":{}}`); string(e.Output) != `{"origin":"https://example.com","verdict":"`+want+`"}` {
			t.Errorf("explained as %s %+v, not %s", e.Output, e.Error, want)
		}
	}
	explained("ask")
	f := wantCode(t, r.call(t, SiteTool, `{"mode":"call","action":"a.b","arguments":{}}`), fault.NeedsApproval)
	open := r.Approvals.List()
	if len(open) != 1 || len(open[0].About.Plan) != 1 || open[0].About.Plan[0].Does != "press it" || planned != 1 {
		t.Fatalf("%+v, planned %d times", open, planned)
	}
	if err := r.Answer(t.Context(), policy.Answer{ID: f.Evidence["id"].(string), Allow: true, Scope: policy.ScopeOnce, Face: policy.FacePopup}); err != nil {
		t.Fatal(err)
	}
	explained("allow")
	explained("allow")
	if e := r.call(t, SiteTool, `{"mode":"call","action":"a.b","arguments":{}}`); !e.OK || planned != 1 {
		t.Errorf("%+v, planned %d times", e.Error, planned)
	}
	for _, record := range r.records(t) {
		if strings.Contains(string(record.Data), "press it") {
			t.Errorf("the log has the plan: %s", record.Data)
		}
	}
}
