package hostproc

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

const clickFlow = `{"id":"go","primitive":"pointer.click","args":{"x":1,"y":1}}`

func TestModeAsk(t *testing.T) {
	// Ensure that a session which only looks cannot act, directly or by a stored action, and that its mode does not leak into another session of the same name.
	t.Parallel()
	home := harness.NewHome(t)
	home.Map(t, "public", "shop.example.com", "s", `{"protocol":"actions.json","version":1,"tools":[`+
		tool("flow.click", workflow("", clickFlow))+`,`+tool("flow.look", workflow("", step("a", "page.info", "")))+`]}`)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	c := dial(t, home)
	asking := func(p control.CallParams) control.CallParams {
		p.Session.Mode = policy.ModeAsk
		return p
	}
	wantCode(t, call(t, c, asking(clickCall())), fault.PermissionDenied)
	wantCode(t, call(t, c, asking(siteCall("flow.click", `{}`))), fault.PermissionDenied)
	wantCode(t, call(t, c, asking(direct("browser.navigate", `{"url":"https://example.com/"}`))), fault.PermissionDenied)
	if len(b.Seen()) != 0 {
		t.Fatalf("the extension saw %v", b.Seen())
	}
	harness.Must(t, call(t, c, asking(direct("page.info", `{}`))), nil)
	harness.Must(t, call(t, c, asking(siteCall("flow.look", `{}`))), nil)
	harness.Must(t, call(t, c, clickCall()), nil)
	for _, session := range []control.SessionParams{
		{Kind: "cli", Mode: "admin"}, {Kind: "root"}, {}, {Kind: "CLI"},
	} {
		p := clickCall()
		p.Session = session
		var e dispatch.Envelope
		if err := c.Call(patient(t), control.MethodCall, p, &e); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%+v: %v %+v", session, err, e)
		}
	}
}

func TestValueWithoutSteps(t *testing.T) {
	// Ensure that an action whose workflow has no steps is a value which every session may read, also one that only looks and one of another client, that explaining it says so too, and that an output which fails is the expression's own fault, with nothing sent.
	t.Parallel()
	home := harness.NewHome(t)
	home.Map(t, "public", "shop.example.com", "s", `{"protocol":"actions.json","version":1,"tools":[`+
		tool("url.search", workflow(`{% "https://shop.example.com/?q=" & $encodeUrlComponent(input.text) %}`))+`,`+
		tool("url.none", workflow(""))+`,`+tool("url.bad", workflow(`{% $number(input.text) %}`))+`]}`)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	c := dial(t, home)
	ask := policy.ModeAsk
	for _, session := range []control.SessionParams{
		{Kind: policy.SessionCLI}, {Kind: policy.SessionCLI, Mode: ask}, {Kind: policy.SessionMCP, ID: "mcp:a", Mode: ask}, {Kind: policy.SessionMCP, ID: "mcp:b"},
	} {
		in := func(p control.CallParams) control.CallParams {
			p.Session = session
			return at(p, 1)
		}
		var value string
		harness.Must(t, call(t, c, in(siteCall("url.search", `{"text":"green tea"}`))), &value)
		if value != "https://shop.example.com/?q=green%20tea" {
			t.Errorf("%+v: the value is %q", session, value)
		}
		e := call(t, c, in(siteCall("url.none", `{}`)))
		harness.Must(t, e, nil)
		if string(e.Output) != `{"steps":{}}` {
			t.Errorf("without an output it is %s", e.Output)
		}
		f := wantCode(t, call(t, c, in(siteCall("url.bad", `{"text":"tea"}`))), fault.ExpressionEvaluationFailed)
		if f.Dispatched != fault.NotDispatched || f.Evidence["field"] != "output" || f.NextStep == "" {
			t.Errorf("a failing output: %+v", f)
		}
		var explained dispatch.Explanation
		if err := c.Call(patient(t), control.MethodExplain, in(siteCall("url.search", `{}`)), &explained); err != nil || explained.Verdict != policy.Allow || explained.Name != "url.search" {
			t.Errorf("explained as %+v, %v", explained, err)
		}
	}
	if seen := b.Calls(); len(seen) != 0 {
		t.Errorf("the page saw %+v", seen)
	}
}

func TestReports(t *testing.T) {
	// Ensure that a direct call without a fitting policy_exception_report is refused with an example of one, is not sent, and is in the log; and that a report does not reach the page.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	c := dial(t, home)
	good := policy.Report{Kind: "generic", IntendedTool: "pointer.click", ActionsJSONPath: "none", Reason: "a test"}
	with := func(edit func(*policy.Report)) string {
		r := good
		edit(&r)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	bad := []string{
		with(func(r *policy.Report) { r.Kind = "debugger" }), with(func(r *policy.Report) { r.Kind = "" }), with(func(r *policy.Report) { r.Kind = "Generic" }),
		with(func(r *policy.Report) { r.IntendedTool = "page.info" }), with(func(r *policy.Report) { r.IntendedTool = "" }),
		with(func(r *policy.Report) { r.ActionsJSONPath = " " }), with(func(r *policy.Report) { r.Reason = "" }),
		`null`, `"none"`, `[]`, `{}`, `true`, strings.Replace(with(func(*policy.Report) {}), `"kind"`, `"Kind"`, 1),
		strings.Replace(with(func(*policy.Report) {}), `{`, `{"approved":true,`, 1),
	}
	args := []string{`{"x":1,"y":2}`}
	for _, report := range bad {
		args = append(args, fmt.Sprintf(`{"x":1,"y":2,"policy_exception_report":%s}`, report))
	}
	for _, a := range args {
		params := clickCall()
		params.Arguments = json.RawMessage(a)
		if f := wantCode(t, call(t, c, params), fault.PolicyExceptionReportRequired); f.Dispatched != fault.NotDispatched || f.Evidence["example"] == nil {
			t.Errorf("%s: %+v", a, f)
		}
	}
	if len(b.Calls()) != 0 {
		t.Fatalf("the page saw %+v", b.Calls())
	}
	harness.Must(t, call(t, c, clickCall()), nil)
	if sent := b.Calls(); len(sent) != 1 || strings.Contains(string(sent[0].Arguments), "report") {
		t.Errorf("the page saw %s", sent[0].Arguments)
	}
	hangUp(t, p)
	refused := 0
	for _, r := range records(t, home) {
		if r.Type == journal.TypePolicy && r.Name == "pointer.click" {
			refused++
		}
		if r.Type == journal.TypeIntent && !strings.Contains(string(r.Data), `"reason":"a test"`) {
			t.Errorf("the intent has no report: %s", r.Data)
		}
	}
	if refused != len(args) {
		t.Errorf("%d of %d refusals are in the log", refused, len(args))
	}
}

func TestBlockedByTheMapOfTheMoment(t *testing.T) {
	// Ensure that what a map blocks is decided at each call: by the map as it is written now and by the page that the tab shows now, for direct calls, steps and handlers alike.
	t.Parallel()
	home := harness.NewHome(t)
	tools := tool("flow.click", workflow("", clickFlow)) + `,` +
		tool("handler.click", `"x_actions":{"handler":"pointer.click"},"binding":{"arguments":{"x":1,"y":1}}`)
	open := `{"protocol":"actions.json","version":1,"tools":[` + tools + `]}`
	blocked := strings.Replace(open, `"tools"`, `"requires":{"primitive_dictionary":{"blocked_primitives":["pointer.click"]}},"tools"`, 1)
	path := home.Map(t, "public", "shop.example.com", "s", open)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	c := dial(t, home)
	calls := []control.CallParams{clickCall(), siteCall("flow.click", `{}`), siteCall("handler.click", `{}`)}
	allowed := func(p control.CallParams) {
		t.Helper()
		harness.Must(t, call(t, c, p), nil)
	}
	refused := func(p control.CallParams) {
		t.Helper()
		before := len(b.Calls())
		if f := wantCode(t, call(t, c, p), fault.PrimitiveBlocked); f.Dispatched != fault.NotDispatched || len(b.Calls()) != before {
			t.Errorf("%+v, calls %d", f, len(b.Calls()))
		}
	}
	for _, p := range calls {
		allowed(p)
	}
	home.Map(t, "public", "shop.example.com", "s", blocked)
	for _, p := range calls {
		refused(p)
	}
	// Another page, without a map, and back.
	if err := b.Goto(patient(t), 1, "https://other.example.com/"); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the host knows the new page", func() bool { return call(t, c, clickCall()).OK })
	if err := b.Goto(patient(t), 1, shop+"again"); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the host knows the old page", func() bool { return !call(t, c, clickCall()).OK })
	for _, p := range calls {
		refused(p)
	}
	// A map of another scope cannot unblock, and a map that breaks stays in force.
	home.Map(t, "private", "shop.example.com", "mine", open)
	refused(clickCall())
	if err := os.WriteFile(path, []byte(`{"protocol":"actions.json",`), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(clickCall())
	home.Map(t, "public", "shop.example.com", "s", open)
	for _, p := range calls {
		allowed(p)
	}
}
