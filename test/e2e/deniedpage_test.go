package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
	"github.com/actionsjson/actions-host/test/walk"
)

// bankPage is a page that says the word hushed wherever an agent could read it.
const bankPage = `<!doctype html><title>hushed title</title><h1 id=name>hushed heading</h1><button onclick="fetch('/pressed?hushed')">hushed button</button>
	<input value="hushed value" oninput="fetch('/typed?hushed')"><div aria-live=assertive id=live></div><script>
	console.error("hushed console"); fetch("/api/hushed"); setInterval(() => { live.textContent = "hushed live " + Date.now(); }, 50);
	dispatchEvent(new CustomEvent("hushed", {detail: "hushed"}));</script>`

// everyCall calls each primitive that a client may call, but those that leave the page or wait for others.
func everyCall(t *testing.T, c client, do func(record *primitive.Record, e dispatch.Envelope)) {
	t.Helper()
	catalogue := primitive.Load()
	source := walk.Source{Rand: rand.New(rand.NewPCG(17, 5))}
	for _, name := range catalogue.Names() {
		record, ok := catalogue.Public(name)
		if !ok || slices.ContainsFunc([]string{"browser.close_tab", "browser.open_tab", "browser.navigate", "storage.", "runtime.agent.", "agent.", "user.", "net.", "transfer."}, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		args, err := source.Arguments(record)
		if err != nil {
			t.Fatal(err)
		}
		kind := policy.KindGeneric
		if record.CapabilityClass == "debug" || record.Effect == "code" {
			kind = policy.KindDebugger
		}
		if name != dispatch.SiteTool {
			args["policy_exception_report"] = policy.Report{Kind: kind, IntendedTool: name, ActionsJSONPath: "none", Reason: "a test"}
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		var e dispatch.Envelope
		if err := c.socket.Call(harness.Patient(t), control.MethodCall, control.CallParams{Session: c.session, Name: name, Arguments: raw, Target: c.target, TimeoutMS: 1500}, &e); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		do(record, e)
	}
}

func TestAWayToADeniedPage(t *testing.T) {
	// Ensure that a link whose redirect leads the tab from an allowed page to one that policy.json denies gives the session nothing of it by any primitive, in no answer, list or log, there and back on the allowed page; that nothing is done there; and that the refusals name the line.
	home := harness.NewHome(t)
	rec := sites.NewRecorder(nil)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = rec.Add(r)
		bank := strings.HasPrefix(r.Host, "bank.localhost")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch {
		case r.URL.Path == "/go":
			http.Redirect(w, r, "http://bank.localhost:"+r.URL.Query().Get("port")+"/hushed", http.StatusFound)
		case bank && r.URL.Path == "/hushed":
			_, _ = w.Write([]byte(bankPage))
		default:
			_, _ = fmt.Fprintf(w, `<!doctype html><title>Shop</title><h1>Tea</h1><a id=bank>To the till</a><script>bank.href = "/go?port=" + location.port</script>`)
		}
	}))
	home.Policy(t, "{\n\"deny\": [{\"origins\": [\"http://bank.localhost:*\"], \"reason\": \"bank\"}]}")
	b := home.Open(t, url)
	c := clientOf(t, home, "one").on(b.Tabs[0].TabID)
	quiet := func(what string, answer any) {
		t.Helper()
		text, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if at := strings.Index(string(text), "hushed"); at >= 0 {
			t.Errorf("%s says %s", what, text[max(0, at-200):min(len(text), at+100)])
		}
	}
	for _, watch := range []string{"browser.console", "browser.network", "a11y.watch", "a11y.announcements_subscribe"} {
		c.must(watch, `{}`, nil)
	}
	quiet("the click", c.call("locator.click", `{"locator":{"selector":"#bank"}}`))
	harness.Until(t, "the tab is at the bank", func() bool { return len(received(rec, "GET", "/api/hushed")) > 0 })
	refused := 0
	wait := c.call("page.wait_for", `{"url_contains":"/hus","timeout_ms":100}`)
	if wait.OK {
		t.Error("the address can be guessed")
	}
	everyCall(t, c, func(record *primitive.Record, e dispatch.Envelope) {
		quiet(record.Name, e)
		if e.OK || e.Error == nil {
			return
		}
		if e.Error.Code == fault.PermissionDenied && strings.Contains(e.Error.Message, "policy.json:2 denies") {
			refused++
		}
	})
	if refused < 60 {
		t.Errorf("only %d primitives were refused with the line", refused)
	}
	for _, args := range [][]string{{"tabs", "--json"}, {"site", "list", "--json"}, {"call", "browser.claimed_tabs.list", "{}", "--json"}} {
		quiet(strings.Join(args, " "), home.Run(t, args...))
	}
	doc := pageAt(t, b, strings.TrimSuffix(atHost(t, url, "bank.localhost"), "/")+"/hushed")
	eval[bool](doc, `(setTimeout(() => history.back(), 0), true)`)
	harness.Until(t, "the tab is back", func() bool { return c.call("page.info", `{}`).OK })
	for name, args := range map[string]string{
		"browser.console": `{}`, "browser.network": `{"include_headers":true}`, "a11y.events.read": `{}`, "page.snapshot": `{}`, "page.info": `{}`, "runtime.session.log": `{}`, "browser.claimed_tabs.list": `{}`,
	} {
		quiet(name+" back on the page", c.call(name, args))
	}
	for _, r := range rec.All() {
		if r.Path == "/pressed" || r.Path == "/typed" {
			t.Errorf("the bank was operated: %s", r.Path)
		}
	}
}
