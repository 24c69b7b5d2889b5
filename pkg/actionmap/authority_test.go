package actionmap_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// flow is a workflow tool with the JSON of its steps.
func flow(name, steps string) string {
	return `{"name":"` + name + `","description":"d","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[` + steps + `]}}`
}

func TestAuthority(t *testing.T) {
	// Ensure what a tool can do is derived from what it runs: effects,
	// privileged primitives, and what keeps it from an embedded host.
	text := withTools(
		`{"name":"static","x_actions":{"static_output":1,"handler":"browser.screenshot"}}`,
		`{"name":"handler","x_actions":{"handler":"browser.screenshot"}}`,
		`{"name":"unknown","x_actions":{"handler":"site.own"}}`,
		`{"name":"none"}`,
		flow("value", ``),
		`{"name":"broken","workflow":{"version":1,"expression_language":"jsonata"}}`,
		flow("portable", `{"id":"a","primitive":"locator.element_info","settle_after":{"locator":{"selector":"#a"}}},{"id":"b","primitive":"keyboard.press","args":{"key":"Enter","trusted":false}}`),
		flow("trusted", `{"id":"a","primitive":"keyboard.press","args":{"key":"Enter","trusted":true}},{"id":"b","primitive":"text.type","args":{"text":"x","trusted":"{% input.t %}"}}`),
		flow("group", `{"id":"g","for_each":"{% input.l %}","max_items":2,"settle_after":{"locator":{"selector":"#a"}},"steps":[{"id":"a","primitive":"browser.screenshot"},{"id":"b","assert":"{% true %}"},{"id":"c","primitive":"keyboard.press","args":{"key":"Enter","trusted":false}}]}`),
		flow("asserted", `{"id":"a","assert":"{% input.x %}"}`),
		flow("tolerated", `{"primitive":"overlay.menu.hide","on_error":"continue"},{"id":"b","primitive":"page.info","retry_until":"{% true %}","max_attempts":2,"after_each":{"primitive":"overlay.menu.show"}}`),
	)
	want := map[string]struct {
		kind              actionmap.Kind
		effects           string
		privileged, needs []string
		portable          bool
	}{
		"static":    {actionmap.KindStatic, "", nil, nil, true},
		"handler":   {actionmap.KindHandler, "view", []string{" browser.screenshot"}, []string{" browser.screenshot"}, false},
		"unknown":   {actionmap.KindHandler, "", nil, []string{" site.own"}, false},
		"none":      {actionmap.KindNone, "", nil, nil, false},
		"value":     {actionmap.KindWorkflow, "read", nil, nil, true},
		"broken":    {actionmap.KindWorkflow, "", nil, nil, true},
		"portable":  {actionmap.KindWorkflow, "read view input", nil, nil, true},
		"trusted":   {actionmap.KindWorkflow, "input", []string{"a keyboard.press", "b text.type"}, []string{"a keyboard.press", "b text.type"}, false},
		"group":     {actionmap.KindWorkflow, "read view input", []string{"a browser.screenshot"}, []string{"a browser.screenshot"}, false},
		"asserted":  {actionmap.KindWorkflow, "read", nil, nil, true},
		"tolerated": {actionmap.KindWorkflow, "read view", []string{"0 overlay.menu.hide", "b overlay.menu.show"}, []string{"0 overlay.menu.hide", "b overlay.menu.show"}, false},
	}
	catalogue := primitive.Load()
	for _, tool := range load(t, text).Tools {
		a, w := tool.Authority(catalogue), want[tool.Name]
		var privileged, needs []string
		for _, use := range a.Privileged {
			privileged = append(privileged, use.Step+" "+use.Primitive)
		}
		for _, need := range a.Needs {
			needs = append(needs, need.Step+" "+need.Primitive)
			if need.Reason == "" {
				t.Errorf("%s: no reason", tool.Name)
			}
		}
		if a.Kind != w.kind || strings.Join(a.Effects, " ") != w.effects || a.Portable != w.portable || a.RunsCode {
			t.Errorf("%s: %+v", tool.Name, a)
		}
		if diff := cmp.Diff(w.privileged, privileged) + cmp.Diff(w.needs, needs); diff != "" {
			t.Errorf("%s: %s", tool.Name, diff)
		}
	}
}

func TestCheckHost(t *testing.T) {
	// Ensure an embedded host refuses by step and primitive, at the place of the
	// step, and that the extension refuses nothing of the dictionary.
	text := []byte("{\"protocol\":\"actions.json\",\"version\":1,\"tools\":[7,\n" + flow("shot", `{"id":"look","primitive":"page.info"},{"id":"take","primitive":"browser.screenshot"}`) + "]}")
	catalogue := primitive.Load()
	findings := actionmap.CheckHost(text, catalogue, actionmap.HostEmbed)
	if len(findings) != 1 {
		t.Fatalf("%v", findings)
	}
	f := findings[0]
	if f.Rule != "capability_unavailable" || f.Pointer != "/tools/1/workflow/steps/1/primitive" || f.Line != 2 || f.Column < 100 ||
		!strings.Contains(f.Message, `"take"`) || !strings.Contains(f.Message, "browser.screenshot") || f.Hint == "" {
		t.Errorf("%+v", f)
	}
	if findings := actionmap.CheckHost(text, catalogue, actionmap.HostChromium); len(findings) != 0 {
		t.Errorf("%v", findings)
	}
	if findings := actionmap.CheckHost([]byte(`{`), catalogue, actionmap.HostEmbed); findings != nil {
		t.Errorf("%v", findings)
	}
}
