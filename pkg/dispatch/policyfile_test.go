package dispatch

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

func TestDeniedByThePolicyFile(t *testing.T) {
	// Ensure that what the policy file denies is neither operated nor opened nor seen by any session, the host's own included, and that the host goes by the file as it is at each call.
	r := newRig(t)
	reached := 0
	r.page = func(_ context.Context, c primitive.Call) (json.RawMessage, error) {
		reached++
		return json.RawMessage(`{"url":"https://example.com/","title":"t"}`), nil
	}
	for _, name := range []string{"browser.navigate", "browser.open_tab"} {
		r.Handlers.Named[name] = r.page
	}
	pattern, err := origin.ParsePattern("https://*.bank.test")
	if err != nil {
		t.Fatal(err)
	}
	rules := &policy.FileRules{Path: "policy.json", Deny: []policy.OriginRule{{Pattern: pattern, Text: "https://*.bank.test", Line: 3}}}
	r.Policy.File = func() *policy.FileRules { return rules }
	r.session.Permits = func(of string) bool { return rules.Permits(r.session.SessionKind, of) }
	refused := func(name, args string) {
		t.Helper()
		if f := wantCode(t, r.call(t, name, args), fault.PermissionDenied); f.Evidence["rule"] != "policy_file_deny" || f.Evidence["section"] != "policy.json:3" || f.Dispatched != fault.NotDispatched {
			t.Errorf("%s: %+v", name, f)
		}
	}
	refused("browser.navigate", `{"url":"https://www.bank.test/login"}`)
	refused("browser.open_tab", `{"url":"https://www.bank.test:443/"}`)
	r.Tabs.Update(tabs.Tab{TabID: 1, URL: "https://www.bank.test/"})
	refused("page.info", `{}`)
	refused("pointer.click", `{"x":1,"y":1}`)
	if _, err := r.CallAsHost(t.Context(), 1, "page.info", json.RawMessage(`{}`)); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("the host itself: %v", err)
	}
	if reached != 0 || r.session.Sees("https://www.bank.test/x") || !r.session.Sees("https://bank.test/") {
		t.Errorf("%d calls reached the page", reached)
	}
	rules = &policy.FileRules{Path: "policy.json"}
	if e := r.call(t, "page.info", `{}`); !e.OK || reached != 1 {
		t.Errorf("after the line was removed: %+v", e.Error)
	}
}

func TestConfinedByThePolicyFile(t *testing.T) {
	// Ensure that a kind of session which the policy file keeps to some origins reads no other session's log.
	r := newRig(t)
	pattern, err := origin.ParsePattern("https://example.com")
	if err != nil {
		t.Fatal(err)
	}
	rules := &policy.FileRules{Path: "policy.json", Allow: []policy.OriginRule{{Pattern: pattern, Sessions: []policy.SessionKind{policy.SessionMCP}}}}
	r.Policy.File = func() *policy.FileRules { return rules }
	for kind, want := range map[policy.SessionKind]bool{policy.SessionMCP: true, policy.SessionCLI: false} {
		if f := r.Confined(&Session{SessionKind: kind, Mode: policy.ModeAct}); (f != nil) != want {
			t.Errorf("%s: %v", kind, f)
		}
	}
}
