package dispatch

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/test/callpath"
)

// clickAfter clicks once another session's call has left the lane, before which during runs, and
// returns how many clicks reached the page.
func clickAfter(t *testing.T, r *rig, during func()) (e Envelope, clicks int) {
	t.Helper()
	holding, leave := make(chan struct{}), make(chan struct{})
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		if c.Record.Name == "page.info" {
			close(holding)
			<-leave
			return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
		}
		clicks++
		return json.RawMessage(`{"clicked":true}`), nil
	}
	other := &Session{ID: "other", SessionKind: policy.SessionCLI, Mode: policy.ModeAct}
	go r.Call(context.Background(), other, Call{Name: "page.info", Arguments: report("page.info", `{}`)})
	<-holding
	decided, blocked := make(chan struct{}, 1), r.Blocked
	r.Blocked = func(url string) []string {
		select {
		case decided <- struct{}{}:
		default:
		}
		if blocked == nil {
			return nil
		}
		return blocked(url)
	}
	done := make(chan Envelope)
	go func() { done <- r.call(t, "pointer.click", `{"x":1,"y":2}`) }()
	<-decided
	during()
	close(leave)
	return <-done, clicks
}

func TestDocumentThatComesBeforeTheLane(t *testing.T) {
	// Ensure that a call which was decided for a document is decided anew for one that comes while it waits for the lane: an approval for once, and what a map blocks, are of a page.
	come := func(r *rig) func() {
		return func() { r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://example.com/admin", RuntimeID: "r2"}) }
	}
	r, _ := asking(t)
	r.answer(t, "pointer.click", `{"x":1,"y":2}`, true)
	if e, clicks := clickAfter(t, r, come(r)); clicks > 0 || !fault.Is(e.Error, fault.NeedsApproval) {
		t.Errorf("the approval for another document: %d clicks, %v", clicks, e.Error)
	}
	r = newRig(t)
	r.Blocked = func(url string) []string {
		if strings.Contains(url, "/admin") {
			return []string{"pointer.click"}
		}
		return nil
	}
	if e, clicks := clickAfter(t, r, come(r)); clicks > 0 || !fault.Is(e.Error, fault.PrimitiveBlocked) {
		t.Errorf("what the page's map blocks: %d clicks, %v", clicks, e.Error)
	}
}

func TestOnlyLookBeforeTheLane(t *testing.T) {
	// Ensure that a call which was allowed is refused where the user lets agents only look while it waits for the lane.
	r := newRig(t)
	var onlyLook atomic.Bool
	r.session.Limit = func() policy.Mode {
		if onlyLook.Load() {
			return policy.ModeAsk
		}
		return policy.ModeAct
	}
	e, clicks := clickAfter(t, r, func() {
		onlyLook.Store(true)
		time.Sleep(2 * decisionTTL)
	})
	if f := wantCode(t, e, fault.PermissionDenied); clicks > 0 || f.Dispatched != fault.NotDispatched {
		t.Errorf("%d clicks, %+v", clicks, f)
	}
}

func TestStepOnAPageWithoutOrigin(t *testing.T) {
	// Ensure that a step on a page without an origin is asked about as anywhere: no action was allowed there.
	r := newRig(t)
	r.Policy.File = callpath.Asking(policy.EffectTab)
	sent := 0
	r.Handlers.Named["browser.navigate"] = func(context.Context, primitive.Call) (json.RawMessage, error) {
		sent++
		return json.RawMessage(`{}`), nil
	}
	step := func() error {
		var err error
		r.Handlers.Named[SiteTool] = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
			_, err = r.Step(ctx, "browser.navigate", json.RawMessage(`{"url":"https://example.com/"}`))
			return json.RawMessage(`{}`), nil
		}
		r.call(t, SiteTool, `{"mode":"state_read"}`)
		return err
	}
	if err := step(); !fault.Is(err, fault.NeedsApproval) {
		t.Fatalf("control: %v", err)
	}
	r.Tabs.Update(tabs.Tab{TabID: 1, URL: "about:blank", RuntimeID: "r2"})
	if err := step(); !fault.Is(err, fault.NeedsApproval) || sent > 0 {
		t.Errorf("on a page without an origin: %v, sent %d times", err, sent)
	}
	wantCode(t, r.call(t, "browser.navigate", `{"url":"https://example.com/"}`), fault.NeedsApproval)
}

func TestStepKnowsWhereItsActionWasAllowed(t *testing.T) {
	// Ensure that a step on another origin than the one on which its action was allowed does not count as allowed with it.
	r := newRig(t)
	r.Policy.File = callpath.Asking(policy.EffectInput)
	var authorized []bool
	r.Handlers.Named["webmcp.invoke"] = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		authorized = append(authorized, c.Authorized)
		return json.RawMessage(`{}`), nil
	}
	var stepErr, clickErr error
	r.Handlers.Named[SiteTool] = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		if err := r.Authorize(ctx, policy.Action{Name: "a.b", Primitives: []string{"webmcp.invoke"}}, nil); err != nil {
			return nil, err
		}
		r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://pay.example.com/", RuntimeID: "r2"})
		_, clickErr = r.Step(ctx, "pointer.click", json.RawMessage(`{"x":1,"y":2}`))
		_, stepErr = r.Step(ctx, "webmcp.invoke", json.RawMessage(`{"name":"pay"}`))
		return json.RawMessage(`{}`), nil
	}
	call := func() Envelope { return r.call(t, SiteTool, `{"mode":"call","action":"a.b"}`) }
	f := wantCode(t, call(), fault.NeedsApproval)
	if err := r.Answer(t.Context(), policy.Answer{ID: f.Evidence["id"].(string), Allow: true, Scope: policy.ScopeOnce, Face: policy.FacePopup}); err != nil {
		t.Fatal(err)
	}
	call()
	if !fault.Is(clickErr, fault.NeedsApproval) {
		t.Fatalf("control: an ordinary step there: %v", clickErr)
	}
	if len(authorized) > 0 && authorized[0] {
		t.Errorf("allowed on https://example.com, and the page tool of https://pay.example.com is told that it is authorized (%v)", stepErr)
	}
}
