package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// wantCode fails the test unless the envelope failed with the code.
func wantCode(t *testing.T, e dispatch.Envelope, code fault.Code) *fault.Error {
	t.Helper()
	if e.OK || e.Error.Code != code {
		t.Fatalf("%s: want %s, got %+v %s", e.Name, code, e.Error, e.Output)
	}
	if e.Error.Message == "" || e.Error.NextStep == "" {
		t.Fatalf("%s says too little: %+v", code, e.Error)
	}
	return e.Error
}

// mapOf makes a map of workflow tools, each given as its steps.
func mapOf(tools map[string]string) string {
	var parts []string
	for name, steps := range tools {
		parts = append(parts, fmt.Sprintf(`{"name":%q,"description":"A tool of the test.",
			"input_schema":{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false},
			"workflow":{"version":1,"expression_language":"jsonata","steps":%s}}`, name, steps))
	}
	return `{"protocol":"actions.json","version":1,"tools":[` + strings.Join(parts, ",") + `]}`
}

// step makes one workflow step.
func step(id, primitive, rest string) string {
	return fmt.Sprintf(`{"id":%q,"primitive":%q%s}`, id, primitive, rest)
}

const bodyText = `,"args":{"locator":{"selector":"body"}}`

func TestBadMapsAndArguments(t *testing.T) {
	// Ensure that each fault of a map or of a call's arguments has its code and runs nothing.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title><body><ul><li>only one</li></ul><input id=i>`})
	many := make([]string, 26)
	for i := range many {
		many[i] = step(fmt.Sprintf("s%d", i), "page.info", "")
	}
	home.Map(t, "public", harness.Site(t), "bad", mapOf(map[string]string{
		"bad.field":     `[` + step("a", "page.info", `,"finally":true`) + `]`,
		"bad.primitive": `[` + step("a", "page.teleport", "") + `]`,
		"bad.partial":   `[` + step("a", "locator.text_content", `,"args":{"locator":{"selector":"x {% 1 %}"}}`) + `]`,
		"bad.many":      `[` + strings.Join(many, ",") + `]`,
		"bad.eval":      `[` + step("a", "page.info", `,"when":"{% ($e := $eval; $e('1')) %}"`) + `]`,
		"bad.endless":   `[` + step("a", "page.info", `,"when":"{% ($f := function($x){$f($x)}; $f(1)) %}"`) + `]`,
		"good.single":   `[` + step("rows", "dom.observe.attributes", `,"args":{"selector":"li","attributes":["text"]}`) + `,` + step("each", "page.info", `,"for_each":"{% steps.rows.output.matches %}","max_items":5`) + `]`,
		"good.text":     `[` + step("a", "locator.text_content", bodyText) + `]`,
		"bad.order":     `[` + step("a", "text.insert", `,"args":{"target":"#i","text":"typed"}`) + `,` + step("b", "page.info", `,"when":"{% ($e := $eval; $e('1')) %}"`) + `]`,
	}))
	home.Open(t, url)

	cases := map[string]fault.Code{
		"bad.field": fault.InvalidWorkflow, "bad.primitive": fault.InvalidWorkflow, "bad.many": fault.InvalidWorkflow,
		"bad.partial": fault.InvalidWorkflow, "no.such": fault.UnknownAction,
	}
	for action, code := range cases {
		t.Run(action, func(t *testing.T) {
			f := wantCode(t, home.SiteCall(t, action, `{}`), code)
			if f.Dispatched != fault.NotDispatched {
				t.Errorf("dispatched %q", f.Dispatched)
			}
		})
	}
	for action, inner := range map[string]fault.Code{"bad.eval": fault.DisallowedExpressionFunction, "bad.endless": fault.ExpressionTimeout} {
		t.Run(action, func(t *testing.T) {
			f := wantCode(t, home.SiteCall(t, action, `{}`), fault.WorkflowStepFailed)
			if cause := fmt.Sprint(f.Evidence["cause"]); !strings.Contains(cause, string(inner)) {
				t.Errorf("cause %s", cause)
			}
		})
	}
	t.Run("singleton in for_each", func(t *testing.T) {
		harness.Must(t, home.SiteCall(t, "good.single", `{}`), nil)
	})
	t.Run("violated schema", func(t *testing.T) {
		f := wantCode(t, home.SiteCall(t, "good.text", `{"n":"three"}`), fault.InvalidInput)
		if f.Evidence["violations"] == nil {
			t.Errorf("evidence %v", f.Evidence)
		}
		wantCode(t, home.SiteCall(t, "good.text", `{"other":1}`), fault.InvalidInput)
	})
	t.Run("arguments as a JSON string", func(t *testing.T) {
		harness.Must(t, home.Call(t, "actions.site", `{"mode":"call","action":"good.text","arguments":"{\"n\":3}"}`), nil)
		wantCode(t, home.Call(t, "actions.site", `{"mode":"call","action":"good.text","arguments":"{\"n\":"}`), fault.InvalidInput)
		harness.Must(t, home.Call(t, "actions.site", `{"mode":"call","name":"good.text"}`), nil)
	})
	t.Run("a map that breaks while it is used", func(t *testing.T) {
		name := home.Map(t, "public", harness.Site(t), "second", mapOf(map[string]string{"second.text": `[` + step("a", "locator.text_content", bodyText) + `]`}))
		harness.Must(t, home.SiteCall(t, "second.text", `{}`), nil)
		if err := os.WriteFile(name, []byte(`{"protocol":"actions.json",`), 0o644); err != nil {
			t.Fatal(err)
		}
		e := home.SiteCall(t, "second.text", `{}`)
		harness.Must(t, e, nil)
		if e.Meta.MapErrors == nil {
			t.Error("the broken map is not told of")
		}
	})
}

func TestBadTargets(t *testing.T) {
	// Ensure that a target that cannot be acted on is a typed error and that nothing is dispatched.
	t.Parallel()
	home := harness.Shared(t)
	url, rec := pages(t, map[string]string{
		"/": `<title>t</title><style>body{margin:0;height:4000px}#cover{position:fixed;inset:0 0 auto 0;height:80px;background:#ccc}
			#under{position:absolute;top:20px;left:20px}#below{position:absolute;top:3000px;left:30px}</style>
			<button id=under onclick="fetch('/clicked?under')">under</button><div id=cover></div>
			<button id=below onclick="fetch('/clicked?below')">below</button><p class=two>1</p><p class=two>2</p>`,
	})
	home.Open(t, url)
	info := func(locator string) dispatch.Envelope {
		return home.Call(t, "locator.element_info", `{"locator":`+locator+`}`)
	}
	wantCode(t, info(`{"selector":"#none"}`), fault.TargetNotFound)
	wantCode(t, info(`{"selector":".two","strict":true}`), fault.MultipleTargets)
	f := wantCode(t, info(`{"selector":"#under"}`), fault.TargetNotActionable)
	if !strings.Contains(fmt.Sprint(f.Evidence), "cover") {
		t.Errorf("the occluder is not named: %v", f.Evidence)
	}
	wantCode(t, home.Call(t, "pointer.click", `{"x":null,"y":null}`), fault.MissingCoordinates)
	wantCode(t, home.Call(t, "pointer.click", `{"x":99999,"y":5}`), fault.PointOutOfViewport)
	if got := received(rec, "GET", "/clicked"); len(got) != 0 {
		t.Fatalf("clicked %v", got)
	}
	var below struct {
		ClickableCenter struct{ X, Y float64 } `json:"clickable_center"`
	}
	harness.Must(t, info(`{"selector":"#below"}`), &below)
	harness.Must(t, home.Call(t, "pointer.click", fmt.Sprintf(`{"x":%v,"y":%v}`, below.ClickableCenter.X, below.ClickableCenter.Y)), nil)
	harness.Until(t, "the button below the fold was clicked", func() bool { return len(received(rec, "GET", "/clicked")) == 1 })
}
