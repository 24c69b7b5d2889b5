package dispatch

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestToolsOfTheTextAgent(t *testing.T) {
	// Ensure that the text agent's tools run only while the user has them switched on, that its own session needs no report for them and others do, and that code needs its own right as well.
	r := newRig(t)
	ran := 0
	for _, name := range []string{"automation.skill", "automation.debugger"} {
		r.Handlers.Named[name] = func(context.Context, primitive.Call) (json.RawMessage, error) {
			ran++
			return json.RawMessage(`{"text":"","details":{"type":"null","url":""}}`), nil
		}
	}
	r.Handlers.Named["automation.skill"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
		ran++
		return json.RawMessage(`{"skills":[]}`), nil
	}
	on := false
	own := &Session{ID: "agent", SessionKind: policy.SessionAgent, Mode: policy.ModeAct}
	list := Call{Name: "automation.skill", Arguments: value(`{"action":"list"}`)}
	wantCode(t, r.Call(t.Context(), own, list), fault.AutomationDisabled)
	r.AutomationEnabled = func() bool { return on }
	wantCode(t, r.Call(t.Context(), own, list), fault.AutomationDisabled)
	if ran > 0 {
		t.Fatal("it ran all the same")
	}
	if e, err := r.Explain(own, list); err != nil || e.Verdict != policy.Deny || !fault.Is(e.Fault, fault.AutomationDisabled) {
		t.Errorf("explained: %v, %v", e, err)
	}
	on = true
	if e, err := r.Explain(own, list); err != nil || e.Verdict != policy.Allow {
		t.Errorf("explained: %v, %v", e, err)
	}
	if e := r.Call(t.Context(), own, list); !e.OK || ran != 1 {
		t.Errorf("switched on: %v", e.Error)
	}
	wantCode(t, r.Call(t.Context(), r.session, list), fault.PolicyExceptionReportRequired)
	if e := r.call(t, "automation.skill", `{"action":"list"}`); !e.OK {
		t.Errorf("with a report: %v", e.Error)
	}
	eval := Call{Name: "automation.debugger", Arguments: value(`{"action":"eval","code":"1"}`)}
	wantCode(t, r.Call(t.Context(), own, eval), fault.CodeDisabled)
	coder := &Session{ID: "coder", SessionKind: policy.SessionAgent, Mode: policy.ModeAct, AllowCode: true}
	if e := r.Call(t.Context(), coder, eval); !e.OK {
		t.Errorf("with the right to run code: %v", e.Error)
	}
}

func TestDelegatedCallIsDirect(t *testing.T) {
	// Ensure that a primitive which a direct call hands its work to knows that no author of a stored action wrote it, and one within a stored action the contrary.
	r := newRig(t)
	stored := map[string]bool{}
	r.Handlers.Named["browser.open_tab"] = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		stored[c.Session.SessionID()] = c.Stored
		return json.RawMessage(`{"opened":true,"claimed":false,"tab":{"tab_id":1,"url":"","title":""}}`), nil
	}
	r.Handlers.Named["automation.navigate"] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		if _, err := r.Delegate(ctx, "browser.open_tab", json.RawMessage(`{"url":"https://example.com/"}`), false); err != nil {
			return nil, err
		}
		return json.RawMessage(`{"finalUrl":"","title":"","tabId":1,"skills":[]}`), nil
	}
	r.Handlers.Named[SiteTool] = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		return r.Step(ctx, "automation.navigate", json.RawMessage(`{"url":"https://example.com/"}`))
	}
	r.AutomationEnabled = func() bool { return true }
	direct := &Session{ID: "direct", SessionKind: policy.SessionAgent, Mode: policy.ModeAct}
	if e := r.Call(t.Context(), direct, Call{Name: "automation.navigate", Arguments: value(`{"url":"https://example.com/"}`)}); !e.OK {
		t.Fatal(e.Error)
	}
	action := &Session{ID: "action", SessionKind: policy.SessionAgent, Mode: policy.ModeAct}
	r.Call(t.Context(), action, Call{Name: SiteTool, Arguments: value(`{"mode":"call","action":"x"}`)})
	if stored["direct"] || !stored["action"] {
		t.Errorf("%v", stored)
	}
}
