package site_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// previewShop is a rig of one workflow action, on a page with a search box, a password field and
// two links of one name.
func previewShop(t *testing.T, members, steps string) *rig {
	t.Helper()
	r := shop(t, tool("a", `"input_schema":{"type":"object","properties":{"query":{"type":"string"},"code":{"type":"string","writeOnly":true},"password":{"type":"string"}}},`+members+`"workflow":{"version":1,"expression_language":"jsonata","steps":[`+steps+`]}`))
	r.step = func(name string, args json.RawMessage) (json.RawMessage, error) {
		if name == "locator.element_info" {
			return json.RawMessage(`{"clickable_center":{"x":10,"y":20}}`), nil
		}
		if name != "target.show" {
			return json.RawMessage(`{}`), nil
		}
		described := func(role, name, more string) json.RawMessage {
			return json.RawMessage(`{"role":"` + role + `","name":"` + name + `","tag_name":"x","visible":true,"enabled":true,"sensitive":false,"marked":` + strconv.FormatBool(strings.Contains(string(args), `"mark":`)) + more + `}`)
		}
		switch text := string(args); {
		case strings.Contains(text, "#q"), strings.Contains(text, `"x":10`):
			return described("searchbox", "Search the teas", ""), nil
		case strings.Contains(text, "#secret"):
			return json.RawMessage(`{"role":"textbox","name":"Password","tag_name":"input","visible":true,"enabled":true,"sensitive":true,"marked":true}`), nil
		case strings.Contains(text, "#send"):
			return described("button", "Send", `,"address":"https://shop.example.com/order?token=abcdefghijkl"`), nil
		case strings.Contains(text, "#off"):
			return json.RawMessage(`{"role":"button","name":"Off","tag_name":"button","visible":true,"enabled":false,"sensitive":false,"marked":true}`), nil
		case strings.Contains(text, "#two"):
			return nil, fault.New(fault.MultipleTargets, "2 elements match a strict locator")
		}
		return nil, fault.New(fault.TargetNotFound, "nothing matches")
	}
	return r
}

func (r *rig) preview(t *testing.T, input string) string {
	t.Helper()
	out, err := r.handle(t, `{"mode":"preview","action":"a","arguments":`+input+`}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, ran := range r.path.ran {
		switch ran.Name {
		case "target.show", "locator.element_info", "page.info", "state.extract":
		default:
			t.Errorf("a preview ran %s", ran.Name)
		}
	}
	if len(r.authorized) > 0 {
		t.Errorf("a preview asked for %q", r.authorized)
	}
	return out
}

const (
	lookStep  = `{"id":"field","primitive":"locator.element_info","args":{"locator":{"selector":"#q"}}}`
	focusStep = `{"id":"focus","primitive":"pointer.click","args":{"x":"{% steps.field.output.clickable_center.x %}","y":"{% steps.field.output.clickable_center.y %}"}}`
	typeStep  = `{"id":"type","primitive":"text.insert","args":{"target":"#q","text":"{% input.query %}","mode":"replace"}}`
	sendStep  = `{"id":"send","primitive":"locator.click","args":{"locator":{"selector":"#send"}}}`
)

func TestPreviewOfWorkflow(t *testing.T) {
	// Ensure that a preview says step by step what would be done, where, with what and to which address, and does none of it.
	r := previewShop(t, "", strings.Join([]string{lookStep, focusStep, typeStep, sendStep}, ","))
	wantWithin(t, r.preview(t, `{"query":"oolong"}`), `{"action":"a","kind":"workflow","would_run":"yes","known_steps":4,"total_steps":4,"marked":3,
		"decision":{"verdict":"allow","rule":"effects","origin":"https://shop.example.com"},"effects":["input","view"],"addresses":["https://shop.example.com/order?token=[redacted]"],
		"steps":[
		{"step":1,"id":"field","state":"ran","does":"look at searchbox \"Search the teas\""},
		{"step":2,"id":"focus","state":"planned","does":"press searchbox \"Search the teas\"","arguments":{"x":10,"y":20}},
		{"step":3,"id":"type","state":"planned","does":"type 6 characters into searchbox \"Search the teas\"","arguments":{"target":"#q","text":{"length":6},"mode":"replace"},"values":{"text":"oolong"}},
		{"step":4,"id":"send","state":"planned","does":"press button \"Send\"","target":{"role":"button","name":"Send"},"addresses":["https://shop.example.com/order?token=[redacted]"]}]}`)
}

func TestPreviewKnowsUpTo(t *testing.T) {
	// Ensure that what depends on a step that did not run is unknown and names it, and that known_steps ends before it.
	r := previewShop(t, "", sendStep+`,{"id":"b","primitive":"locator.click","args":{"locator":{"selector":"{% '#' & steps.send.output.label %}"}}},`+typeStep)
	wantWithin(t, r.preview(t, `{"query":"x"}`), `{"would_run":"yes","known_steps":1,"total_steps":3,"steps":[{"state":"planned"},{"state":"unknown","needs":["send"],"does":"click"},{"state":"planned"}]}`)

	r = previewShop(t, "", `{"id":"go","primitive":"browser.navigate","args":{"url":"/other?q=1"}},`+sendStep)
	wantWithin(t, r.preview(t, `{}`), `{"known_steps":1,"addresses":["https://shop.example.com/other?q=1"],"steps":[{"does":"go to https://shop.example.com/other?q=1"},{"state":"unknown","needs":["go"]}]}`)
}

func TestPreviewOfBadTargets(t *testing.T) {
	// Ensure that an ambiguous, missing, disabled or misnamed target is a typed entry, and that the whole says whether the action would run.
	click := func(id, selector string) string {
		return `{"id":"` + id + `","primitive":"locator.click","args":{"locator":{"selector":"` + selector + `"}}}`
	}
	for _, c := range []struct{ steps, want string }{
		{click("a", "#two"), `{"would_run":"no","why":{"code":"multiple_targets"},"known_steps":0,"steps":[{"error":{"code":"multiple_targets","dispatched":"no"}}]}`},
		{click("a", "#gone"), `{"would_run":"no","why":{"code":"target_not_found"},"known_steps":0}`},
		{click("a", "#off"), `{"would_run":"no","why":{"code":"target_not_actionable"},"known_steps":0}`},
		{sendStep + "," + click("a", "#two"), `{"would_run":"no","why":{"code":"multiple_targets"},"known_steps":1}`},
		{sendStep + "," + click("a", "#gone"), `{"would_run":"unknown","known_steps":1,"steps":[{},{"error":{"code":"target_not_found"}}]}`},
		{sendStep + "," + click("a", "#off"), `{"would_run":"unknown","known_steps":1}`},
		{`{"id":"a","primitive":"locator.click","args":{"locator":{"selector":"#send"},"colour":"red"}}`, `{"would_run":"no","why":{"code":"invalid_input"}}`},
	} {
		wantWithin(t, previewShop(t, "", c.steps).preview(t, `{}`), c.want)
	}
	r := previewShop(t, "", sendStep)
	r.url = ""
	wantWithin(t, r.preview(t, `{}`), `{"would_run":"no","why":{"code":"tab_not_claimed"},"steps":[{"error":{"code":"tab_not_claimed"}}]}`)
	r = previewShop(t, "", sendStep)
	_, err := r.handle(t, `{"mode":"preview","action":"a","arguments":{"query":7}}`)
	wantCode(t, err, fault.InvalidInput)
	_, err = r.handle(t, `{"mode":"preview","action":"b"}`)
	wantCode(t, err, fault.UnknownAction)
}

func TestPreviewOfDecisions(t *testing.T) {
	// Ensure that the policy's decision is in a preview with its line, and counts.
	r := previewShop(t, "", sendStep)
	r.decided = policy.Decision{Verdict: policy.Ask, Rule: "ask", Needs: []policy.Effect{"input"}, Trace: []policy.RuleResult{{Rule: "ask", Section: "ask in policy.json"}}}
	wantWithin(t, r.preview(t, `{}`), `{"would_run":"after_approval","decision":{"verdict":"ask","section":"ask in policy.json","needs":["input"]}}`)
	r = previewShop(t, "", sendStep)
	r.decided = policy.Decision{Verdict: policy.Deny, Rule: "mode", Fault: fault.New(fault.PermissionDenied, "the mode ask only reads")}
	wantWithin(t, r.preview(t, `{}`), `{"would_run":"no","why":{"code":"permission_denied"},"decision":{"verdict":"deny"}}`)
}

func TestPreviewHidesSecrets(t *testing.T) {
	// Ensure that no secret of the input is in a preview, whatever an expression makes of it and whatever the page repeats.
	r := previewShop(t, "", `{"id":"a","primitive":"text.insert","args":{"target":"#secret","text":"{% input.password %}"}},
		{"id":"b","primitive":"text.insert","args":{"target":"#q","text":"{% 'x' & input.code & 'y' %}"}},
		{"id":"c","primitive":"text.insert","args":{"target":"#secret","text":"{% input.query %}"}},
		{"id":"d","primitive":"locator.click","args":{"locator":{"name":"{% $uppercase(input.code) %}"}}},
		{"id":"e","primitive":"browser.open_tab","args":{"url":"{% 'https://shop.example.com/?q=' & $encodeUrlComponent(input.code) %}"}}`)
	out := r.preview(t, `{"query":"typed-to-secret","code":"pl nted4711","password":"hunter2hunter2"}`)
	for _, secret := range []string{"hunter2", "nted4711", "NTED4711", "typed-to-secret"} {
		if strings.Contains(out, secret) {
			t.Errorf("%s is in %s", secret, out)
		}
	}
	if !json.Valid([]byte(out)) {
		t.Error("not JSON")
	}
}

func TestPreviewOfOtherKinds(t *testing.T) {
	// Ensure that a stored value, a bound primitive and a marker are previewed as what they are.
	r := shop(t, tool("a", greetingOnly))
	wantWithin(t, r.preview(t, `{}`), `{"kind":"static","would_run":"yes","known_steps":0,"total_steps":0,"value":"hello","steps":[]}`)
	r = shop(t, tool("a", open+`"x_actions":{"handler":"locator.click","binding":{"arguments":{"locator":{"selector":"#send"}}}}`))
	r.step = previewShop(t, "", sendStep).step
	wantWithin(t, r.preview(t, `{}`), `{"kind":"handler","would_run":"yes","known_steps":1,"steps":[{"does":"press button \"Send\""}]}`)
}

const greetingOnly = open + greeting
