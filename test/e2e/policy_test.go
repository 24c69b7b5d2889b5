package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestPolicyOnTheWholeChain(t *testing.T) {
	// Ensure that mode, report, blocked primitives and approvals hold for direct calls and for stored actions alike.
	t.Parallel()
	home := harness.Shared(t, harness.Profile{Settings: `{"ask_effects":["input"]}`})
	url, rec := pages(t, map[string]string{"/": `<title>t</title><button id=b onclick="fetch('/click')" style="margin:50px">b</button>`, "/click": "ok"})
	actions := mapOf(map[string]string{
		"t.click": `[` + step("find", "locator.element_info", `,"args":{"locator":{"selector":"#b"}}`) + `,` +
			step("go", "pointer.click", `,"args":{"x":"{% steps.find.output.clickable_center.x %}","y":"{% steps.find.output.clickable_center.y %}"}`) + `]`,
		"t.title": `[` + step("info", "page.info", "") + `]`,
		"t.text":  `[` + step("text", "dom.snapshot_text", "") + `]`,
	})
	blocked := strings.Replace(actions, `"tools"`, `"requires":{"primitive_dictionary":{"blocked_primitives":["dom.snapshot_text"]}},"tools"`, 1)
	home.Map(t, "public", harness.Site(t), "p", blocked)
	home.Open(t, url)

	wantCode(t, home.Call(t, "dom.snapshot_text", `{}`), fault.PrimitiveBlocked)
	wantCode(t, home.SiteCall(t, "t.text", `{}`), fault.PrimitiveBlocked)
	wantCode(t, home.SiteCall(t, "t.click", `{}`, "--mode", "ask"), fault.PermissionDenied)
	harness.Must(t, home.SiteCall(t, "t.title", `{}`, "--mode", "ask"), nil)
	wantCode(t, home.Call(t, "page.info", `{"policy_exception_report":{"kind":"debugger","intended_tool":"page.info","actions_json_path":"none","reason":"x"}}`), fault.PolicyExceptionReportRequired)

	f := wantCode(t, home.SiteCall(t, "t.click", `{}`), fault.NeedsApproval)
	if len(received(rec, "GET", "/click")) != 0 {
		t.Fatal("it clicked without an approval")
	}
	var waiting struct{ Approvals []struct{ ID string } }
	if err := json.Unmarshal([]byte(home.Run(t, "approvals", "list", "--json").Stdout), &waiting); err != nil || len(waiting.Approvals) != 1 {
		t.Fatalf("approvals %+v %v", waiting, err)
	}
	if id := fmt.Sprint(f.Evidence["id"]); id != waiting.Approvals[0].ID {
		t.Fatalf("the fault names %s, the list %s", id, waiting.Approvals[0].ID)
	}
	home.Allow(t, waiting.Approvals[0].ID)
	harness.Must(t, home.SiteCall(t, "t.click", `{}`), nil)
	harness.Until(t, "the click arrives", func() bool { return len(received(rec, "GET", "/click")) == 1 })
	wantCode(t, home.SiteCall(t, "t.click", `{}`), fault.NeedsApproval) // once was for one call

	reasons := 0
	for _, r := range records(t, home) {
		if r.Type == journal.TypePolicy {
			reasons++
		}
	}
	if reasons == 0 {
		t.Error("the log does not hold what was refused")
	}
}
