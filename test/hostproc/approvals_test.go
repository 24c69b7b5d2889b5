package hostproc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// waiting returns the questions that stand open.
func waiting(t *testing.T, c *control.Client) []policy.Approval {
	t.Helper()
	var list control.Approvals
	if err := c.Call(patient(t), control.MethodApprovals, control.Empty{}, &list); err != nil {
		t.Fatal(err)
	}
	return list.Approvals
}

func answer(t *testing.T, c *control.Client, a control.Answer) error {
	t.Helper()
	return c.Call(patient(t), control.MethodAnswer, a, &control.Empty{})
}

func TestApprovals(t *testing.T) {
	// Ensure that an effect which needs approval asks once for the same thing, that an allow holds for one call or as long as it says and a refusal for its time, on their origin only, and that nothing is sent without an allow.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop, "https://other.example.com/")
	c := dial(t, home)
	click := at(clickCall(), 1)
	ask := func() string {
		t.Helper()
		f := wantCode(t, call(t, c, click), fault.NeedsApproval)
		open := waiting(t, c)
		if len(open) != 1 || f.Evidence["id"] != open[0].ID || open[0].Origin != "https://shop.example.com" || f.Dispatched != fault.NotDispatched || f.Evidence["expires_at"] == nil {
			t.Fatalf("%+v, waiting %+v", f, open)
		}
		return open[0].ID
	}
	sent := func(want int) {
		t.Helper()
		if len(b.Calls()) != want {
			t.Fatalf("the page saw %d calls, want %d", len(b.Calls()), want)
		}
	}
	id := ask()
	if again := ask(); again != id {
		t.Fatalf("asked twice: %s and %s", id, again)
	}
	sent(0)

	// Allow once: one call, on this origin only.
	if err := answer(t, c, home.Answer(t, id, true, "")); err != nil {
		t.Fatal(err)
	}
	if err := answer(t, c, home.Answer(t, id, true, "")); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("answered twice: %v", err)
	}
	wantCode(t, call(t, c, at(clickCall(), 2)), fault.NeedsApproval)
	harness.Must(t, call(t, c, click), nil)
	sent(1)
	for _, other := range waiting(t, c) {
		if err := answer(t, c, control.Answer{ID: other.ID}); err != nil {
			t.Fatal(err)
		}
	}
	// A refusal stands for its time, however often the call is tried.
	for range 2 {
		wantCode(t, call(t, c, at(clickCall(), 2)), fault.PermissionDenied)
	}
	sent(1)

	// Allow for the session: this one, no other.
	if err := answer(t, c, home.Answer(t, ask(), true, policy.ScopeSession)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		harness.Must(t, call(t, c, click), nil)
	}
	stranger := click
	stranger.Session = control.SessionParams{Kind: policy.SessionMCP, ID: "other"}
	wantCode(t, call(t, c, stranger), fault.NeedsApproval)
	sent(4)

	for _, a := range []control.Answer{{ID: "nonsense", Allow: true}, {}, home.Answer(t, waiting(t, c)[0].ID, true, "forever")} {
		if err := answer(t, c, a); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	sent(4)
}

func TestAlwaysOutlivesTheHost(t *testing.T) {
	// Ensure that an answer for always is kept over a restart, a refusal as well as a permission, and that one for the session is not.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input","tab"]}`)
	urls := []string{shop, "https://other.example.com/", "https://third.example.com/"}
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, urls...)
	c := dial(t, home)
	for tab, a := range map[int]control.Answer{
		1: {Allow: true, Scope: policy.ScopeAlways}, 2: {Scope: policy.ScopeAlways}, 3: {Allow: true, Scope: policy.ScopeSession},
	} {
		f := wantCode(t, call(t, c, at(clickCall(), tab)), fault.NeedsApproval)
		if err := answer(t, c, home.Answer(t, fmt.Sprint(f.Evidence["id"]), a.Allow, a.Scope)); err != nil {
			t.Fatal(err)
		}
	}
	hangUp(t, p)
	home.Ready(t, &fakes.Browser{Page: page}, urls...)
	c = dial(t, home)
	harness.Must(t, call(t, c, at(clickCall(), 1)), nil)
	wantCode(t, call(t, c, at(clickCall(), 2)), fault.PermissionDenied)
	wantCode(t, call(t, c, at(clickCall(), 3)), fault.NeedsApproval)
	// The effect tab was not allowed with the effect input.
	wantCode(t, call(t, c, at(direct("browser.navigate", `{"url":"https://example.com/"}`), 1)), fault.NeedsApproval)
}

func TestApprovalsInTheTerminal(t *testing.T) {
	// Ensure that approvals list, allow and deny work in a terminal.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	home.Ready(t, &fakes.Browser{Page: page}, shop)
	id := func() string {
		return fmt.Sprint(wantCode(t, home.Call(t, "pointer.click", `{"x":1,"y":1}`), fault.NeedsApproval).Evidence["id"])
	}
	home.Allow(t, id())
	harness.Must(t, home.Call(t, "pointer.click", `{"x":1,"y":1}`), nil)
	open := id()
	if r := home.Run(t, "approvals", "list"); !strings.Contains(r.Stdout, open) || !strings.Contains(r.Stdout, "https://shop.example.com") {
		t.Errorf("list: %+v", r)
	}
	if r := home.Run(t, "approvals", "deny", open); r.Exit != 0 {
		t.Fatalf("deny: %+v", r)
	}
	wantCode(t, home.Call(t, "pointer.click", `{"x":1,"y":1}`), fault.PermissionDenied)
	if r := home.Run(t, "approvals", "allow", open, "--code", home.Code(t, open)); r.Exit != 1 {
		t.Errorf("allow after deny: %+v", r)
	}
}

func TestGrantsAreTakenBack(t *testing.T) {
	// Ensure that a terminal shows what was granted and denied and for how long, that taking it back has the call asked again, also after a restart, and that the log says so.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	p := home.Ready(t, &fakes.Browser{Page: page}, shop)
	click := func() dispatch.Envelope { return home.Call(t, "pointer.click", `{"x":1,"y":1}`) }
	id := func() string { return fmt.Sprint(wantCode(t, click(), fault.NeedsApproval).Evidence["id"]) }

	if r := home.Run(t, "approvals", "allow", id(), "--code", "x", "--scope", "forever"); r.Exit != 2 {
		t.Errorf("a scope that is none: %+v", r)
	}
	home.Allow(t, id(), "--scope", "always")
	harness.Must(t, click(), nil)
	if r := home.Run(t, "approvals", "list"); !strings.Contains(r.Stdout, "allowed: input on https://shop.example.com, always") {
		t.Errorf("list: %+v", r)
	}
	if r := home.Run(t, "approvals", "revoke", "https://other.example.com"); r.Exit != 1 {
		t.Errorf("nothing was granted there: %+v", r)
	}
	if r := home.Run(t, "approvals", "revoke", "https://shop.example.com", "input"); r.Exit != 0 {
		t.Fatalf("revoke: %+v", r)
	}
	if r := home.Run(t, "log", "dump"); !strings.Contains(r.Stdout, "grant taken back") || !strings.Contains(r.Stdout, "input on https://shop.example.com") {
		t.Errorf("the log: %s", r.Stdout)
	}
	open := id()
	hangUp(t, p)
	home.Ready(t, &fakes.Browser{Page: page}, shop)
	if again := id(); again == open {
		t.Error("the question outlived its host")
	}

	// A denial is not taken back from a terminal, which an agent may have.
	if r := home.Run(t, "approvals", "deny", id(), "--scope", "session"); r.Exit != 0 {
		t.Fatalf("deny: %+v", r)
	}
	wantCode(t, click(), fault.PermissionDenied)
	if r := home.Run(t, "approvals", "list", "--json"); !strings.Contains(r.Stdout, `"deny":true`) {
		t.Errorf("list: %+v", r)
	}
	if r := home.Run(t, "approvals", "revoke", "https://shop.example.com"); r.Exit != 1 || !strings.Contains(r.Stderr, "options of the extension") {
		t.Errorf("revoke: %+v", r)
	}
	wantCode(t, click(), fault.PermissionDenied)
}

func TestImportsAreAsked(t *testing.T) {
	// Ensure that a map which a caller brings in is taken only after the user allowed that very bundle, each time.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	c := dial(t, home)
	bundle := control.CallParams{Session: control.SessionParams{Kind: policy.SessionCLI}, Name: "storage.import_bundle", Arguments: json.RawMessage(
		`{"bundle":{"protocol":"actions.json.storage.bundle","version":1,"synced_at_ms":1,"entries":[{"path":"sites/other.test/page/notes.md","text":"notes","modified_at_ms":1}]},` +
			`"policy_exception_report":{"kind":"generic","intended_tool":"storage.import_bundle","actions_json_path":"none","reason":"A test."}}`)}
	for range 2 {
		wantCode(t, call(t, c, bundle), fault.NeedsApproval)
		open := waiting(t, c)
		if len(open) != 1 {
			t.Fatalf("waiting %+v", open)
		}
		if err := answer(t, c, home.Answer(t, open[0].ID, true, policy.ScopeAlways)); err != nil {
			t.Fatal(err)
		}
		harness.Must(t, call(t, c, bundle), nil)
	}
}
