package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestPolicyFileWhileTheBrowserRuns(t *testing.T) {
	// Ensure that the policy file counts as it is at each call: a line that denies the page stops reading, acting, opening and seeing it, a broken file stops acting, the corrected one lets it go on, and each refusal names file and line, as policy explain does. What happened is what the page's server saw.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{
		"/":      `<title>secret title</title><button id=b onclick="fetch('/clicked')">Press</button>`,
		"/other": `<title>other</title>`, "/clicked": "ok",
	})
	home.Launch(t, url)
	path := filepath.Join(home.Dir, "data", "policy.json")
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "https://*.paypal.com") {
		t.Fatalf("the shipped file: %v", err)
	}
	click := func() *fault.Error { return home.Call(t, "locator.click", `{"locator":{"selector":"#b"}}`).Error }
	clicks := 0
	acts := func(when string) {
		t.Helper()
		if f := click(); f != nil {
			t.Fatalf("%s: %v", when, f)
		}
		clicks++
		harness.Until(t, "the click arrives", func() bool { return len(received(rec, "GET", "/clicked")) == clicks })
	}
	refused := func(f *fault.Error, want ...string) {
		t.Helper()
		if f == nil || f.Code != fault.PermissionDenied || f.NextStep == "" || slices.ContainsFunc(want, func(s string) bool { return !strings.Contains(f.Message, s) }) {
			t.Errorf("want %q, got %+v", want, f)
		}
	}
	acts("under the shipped file")
	refused(home.Call(t, "browser.navigate", `{"url":"https://www.paypal.com/"}`).Error, "policy.json:", "https://www.paypal.com (payment)")
	refused(home.Call(t, "browser.open_tab", `{"url":"https://accounts.google.com/"}`).Error, "policy.json:", "(identity)")

	own := strings.TrimSuffix(url, "/")
	home.Policy(t, "{\"deny\": [\n  {\"origins\": [\"https://bank.example\"]},\n  {\"origins\": [\"http://*.localhost:*\", \"http://localhost:*\"], \"reason\": \"mine\"}\n]}")
	refused(click(), "policy.json:3 denies "+own+" (mine)")
	refused(home.Call(t, "page.info", `{}`).Error, "policy.json:3")
	refused(home.Call(t, "browser.screenshot", `{}`).Error, "policy.json:3")
	refused(home.Call(t, "browser.navigate", `{"url":"/other"}`).Error, "policy.json:3")
	refused(home.Call(t, "browser.open_tab", fmt.Sprintf(`{"url":"%s/other"}`, own)).Error, "policy.json:3")
	if r := home.Run(t, "call", "browser.claimed_tabs.list", "{}", "--json"); r.Exit != 0 || strings.Contains(r.Stdout, "secret title") || strings.Contains(r.Stdout, own) {
		t.Errorf("the list of tabs: %+v", r)
	}
	explain := func(want ...string) {
		t.Helper()
		r := home.Run(t, "policy", "explain", "locator.click")
		if r.Exit != 0 || slices.ContainsFunc(want, func(s string) bool { return !strings.Contains(r.Stdout, s) }) {
			t.Errorf("want %q in %+v", want, r)
		}
	}
	explain("deny: locator.click", "✗ policy_file_deny", path+":3")

	home.Policy(t, "{\"ask_effects\": [],\n\"allow\": [{\"origins\": [\"http://*.localhost:*\", \"http://localhost:*\"],\n\"sessions\": [\"cli\"]}]}")
	acts("on an allowed page")
	explain("allow: locator.click", "✓ policy_file_allow", path+":2")
	refused(home.Call(t, "browser.open_tab", `{"url":"http://a.example/"}`).Error, "policy.json:2", "http://a.example")

	home.Policy(t, "{\"ask_effects\": [],\n\"allow\": [{\"origins\": [\"http://*.localhost:*\",\n")
	refused(click(), path+":3: ")
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	refused(home.Call(t, "browser.navigate", fmt.Sprintf(`{"url":"%s/other"}`, own)).Error, path+":3: ")
	if r := home.Run(t, "doctor"); r.Exit == 0 || !strings.Contains(r.Stdout, "✗ policy") || !strings.Contains(r.Stdout, path+":3: ") {
		t.Errorf("doctor: %+v", r)
	}
	home.Policy(t, "{\n\"ask_effects\": [\"input\"]}")
	if f := click(); f == nil || f.Code != fault.NeedsApproval {
		t.Errorf("asked for: %+v", f)
	}
	explain("ask: locator.click", "? approval", path+":2")
	home.Policy(t, "{}")
	acts("with the corrected file")
	if got := received(rec, "GET", "/"); slices.Contains(got, "/other") || len(received(rec, "GET", "/clicked")) != clicks {
		t.Errorf("the server saw %q", got)
	}
}

func TestDeniedFramesAreLeftOut(t *testing.T) {
	// Ensure that a frame of an origin that the policy file denies is neither pictured nor read nor operated by a session that nothing else restricts, in the pictures without secrets too, and that a page without one is pictured as it is.
	t.Parallel()
	home := harness.NewHome(t)
	home.Policy(t, `{"deny":[{"origins":["http://b.localhost:*"]}]}`)
	url, rec := pages(t, map[string]string{
		"/":    `<title>t</title><style>body{margin:0}</style>` + far("b", "/red", "") + far("c", "/blue", "") + `<iframe src="/green"></iframe>`,
		"/red": solid("rgb(255,0,0)", "<button id=x onclick=\"fetch('/clicked')\">secret word</button>"), "/blue": solid("rgb(0,0,255)", ""), "/green": solid("rgb(0,200,0)", ""), "/clicked": "",
	})
	home.Launch(t, url)
	c := clientOf(t, home, "one")
	look := func(args string) (p pictured) {
		t.Helper()
		c.must("browser.screenshot", args, &p)
		return p
	}
	for _, args := range []string{`{"format":"png"}`, `{"format":"png","hide_secrets":true}`} {
		harness.Until(t, "the others are drawn", func() bool {
			p := look(args)
			red, green, blue := p.pixels(t)
			if red != 0 {
				t.Fatalf("%s: %d pixels of the denied frame", args, red)
			}
			return green > 9000 && blue > 9000 && slices.Equal(p.left(), []string{"b not_permitted 1"})
		})
	}
	if e := home.Call(t, "page.snapshot", `{}`); !e.OK || strings.Contains(string(e.Output), "secret word") {
		t.Errorf("the snapshot: %+v", e)
	}
	wantCode(t, home.Call(t, "locator.click", `{"locator":{"selector":"#x","frame":{"host":"b.localhost"}}}`), fault.PermissionDenied)
	home.Policy(t, `{"deny":[{"origins":["http://d.localhost:*"]}]}`)
	harness.Until(t, "all are drawn", func() bool {
		p := look(`{"format":"png"}`)
		red, green, blue := p.pixels(t)
		return red > 9000 && green > 9000 && blue > 9000 && len(p.left()) == 0
	})
	if len(received(rec, "GET", "/clicked")) != 0 {
		t.Error("the denied frame was clicked")
	}
}
