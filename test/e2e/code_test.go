package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
)

const sum = `{"source":"return args.a + 1","args":{"a":1}}`

func TestCodeIsOffUnlessTheUserAllowsIt(t *testing.T) {
	// Ensure that no caller can switch code on by itself, neither with the flag nor with a message of its own, and that nothing of the code reaches the page.
	t.Parallel()
	home := harness.Shared(t)
	url, rec := pages(t, map[string]string{"/": `<title>t</title>`, "/ran": "ok"})
	home.Open(t, url)
	const code = `{"source":"await fetch('/ran')"}`
	f := wantCode(t, home.Call(t, "browser.run_javascript", code), fault.CodeDisabled)
	if f.Dispatched != fault.NotDispatched || !strings.Contains(f.NextStep, "allow_code") {
		t.Errorf("it says %+v", f)
	}
	wantCode(t, home.Call(t, "debug.run_javascript", code, "--allow-code"), fault.CodeDisabled)
	wantCode(t, home.Call(t, "automation.repl", `{"title":"t","code":"await browserjs.main(() => fetch('/ran'))"}`), fault.AutomationDisabled)
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	defer clients[0].Close()
	var e dispatch.Envelope
	if err := clients[0].Call(t.Context(), control.MethodCall, control.CallParams{
		Session: control.SessionParams{Kind: policy.SessionAgent, AllowCode: true}, Name: "browser.run_javascript",
		Target:    control.TargetParams{URLContains: url},
		Arguments: []byte(`{"source":"await fetch('/ran')","policy_exception_report":{"kind":"debugger","intended_tool":"browser.run_javascript","actions_json_path":"none","reason":"x"}}`),
	}, &e); err != nil {
		t.Fatal(err)
	}
	wantCode(t, e, fault.CodeDisabled)
	if got := received(rec, "GET", "/ran"); len(got) != 0 {
		t.Errorf("code ran: %v", got)
	}
}

func TestCodeByTheUsersSetting(t *testing.T) {
	// Ensure that with the user's setting code runs for callers that ask for it and for no others, that it needs the report of a debugger, that a map blocks each name by itself, that a file that says no outweighs the launch, and that what ran is in the log.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title>`})
	home.Map(t, "public", "localhost", "p", strings.Replace(mapOf(map[string]string{"t.x": `[` + step("i", "page.info", "") + `]`}),
		`"tools"`, `"requires":{"primitive_dictionary":{"blocked_primitives":["browser.run_javascript"]}},"tools"`, 1))
	launched := home.Launch(t, "--allow-code", url, foreign(t, url))
	mapped, plain := fmt.Sprint(launched.Tabs[0].TabID), fmt.Sprint(launched.Tabs[1].TabID)

	wantCode(t, home.Call(t, "browser.run_javascript", sum, "--tab", plain), fault.CodeDisabled)
	var out struct{ Result int }
	harness.Must(t, home.Call(t, "browser.run_javascript", sum, "--tab", plain, "--allow-code"), &out)
	if out.Result != 2 {
		t.Errorf("the result is %d", out.Result)
	}
	wantCode(t, home.Call(t, "browser.run_javascript", sum, "--tab", mapped, "--allow-code"), fault.PrimitiveBlocked)
	harness.Must(t, home.Call(t, "debug.run_javascript", sum, "--tab", mapped, "--allow-code"), nil)
	wantCode(t, home.Call(t, "debug.run_javascript", sum, "--tab", mapped, "--allow-code", "--mode", "ask"), fault.PermissionDenied)
	generic := strings.Replace(sum, `{"source"`, `{"policy_exception_report":{"kind":"generic","intended_tool":"debug.run_javascript","actions_json_path":"none","reason":"x"},"source"`, 1)
	wantCode(t, home.Call(t, "debug.run_javascript", generic, "--tab", mapped, "--allow-code"), fault.PolicyExceptionReportRequired)
	if n := len(logged(t, home, "intent", "return args.a")); n != 2 {
		t.Errorf("%d intents hold the code", n)
	}
	launched.Stop()

	home.Settings(t, `{"allow_code":false}`)
	home.Launch(t, "--allow-code", url)
	wantCode(t, home.Call(t, "debug.run_javascript", sum, "--allow-code"), fault.CodeDisabled)
}
