package e2e

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

func TestExplain(t *testing.T) {
	// Ensure that policy explain names the rule that decides about a primitive and about a stored action, that it runs nothing, and that what it says is what then happens.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title><button onclick="document.title='pressed'">Press</button>`})
	home.Map(t, "private", "localhost", "tea", `{"protocol":"actions.json","version":1,
		"requires":{"primitive_dictionary":{"blocked_primitives":["keyboard.press"]}},
		"tools":[{"name":"tea.press","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata",
			"steps":[{"id":"a","primitive":"locator.click","args":{"locator":{"selector":"button"}}}]}},
			{"name":"tea.link","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[],"output":"{% 'https://tea.example/' %}"}},
			{"name":"tea.about","input_schema":{"type":"object"},"x_actions":{"static_output":{"a":1}}}]}`)
	home.Launch(t, url+"/")
	for _, tt := range []struct{ args, want string }{
		{"page.info", "allow: page.info on " + url},
		{"locator.click", "? approval"},
		{"locator.click --mode ask", "✗ mode"},
		{"keyboard.press", "✗ blocked_primitives"},
		{"locator.click --origin https://elsewhere.example", "✗ origins"},
		{"browser.run_javascript --allow-code", "✗ allow_code"},
		{"tea.press", "? approval"},
		{"tea.press --mode ask", "✗ mode"},
		{"tea.about --mode ask", "allow: tea.about"},
		{"tea.link --mode ask", "allow: tea.link"},
	} {
		r := home.Run(t, append([]string{"policy", "explain"}, strings.Fields(tt.args)...)...)
		if r.Exit != 0 || !strings.Contains(r.Stdout, tt.want) {
			t.Errorf("%s: %+v", tt.args, r)
		}
	}
	if r := home.Run(t, "policy", "explain", "tea.missing"); r.Exit != 1 || !strings.Contains(r.Stderr, "unknown_action") {
		t.Errorf("an unknown name: %+v", r)
	}
	if r := home.Run(t, "approvals", "list"); !strings.Contains(r.Stdout, "Nothing waits") {
		t.Errorf("explaining asked: %+v", r)
	}
	if e := home.SiteCall(t, "tea.link", `{}`); !e.OK || string(e.Output) != `"https://tea.example/"` {
		t.Errorf("a value gave %+v", e)
	}
	if e := home.SiteCall(t, "tea.press", `{}`); e.OK || e.Error.Code != "needs_approval" {
		t.Errorf("the action itself gave %+v", e)
	}
}
