package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// webMCP switches page tools on.
const webMCP = "--enable-features=WebMCP"

// offers is what a list says of the page's own tools.
type offers struct {
	PageTools []struct {
		Name, ID, Origin, Trust, Description string
		InputSchema                          json.RawMessage `json:"input_schema"`
		Annotations                          struct{ ReadOnly, Consequential, Autosubmit bool }
		BackendNodeID                        int               `json:"backend_node_id"`
		StackTrace                           []json.RawMessage `json:"stack_trace"`
	} `json:"page_tools"`
	Total    int             `json:"page_tools_total"`
	Next     json.RawMessage `json:"page_tools_next"`
	Note     string          `json:"page_tools_note"`
	Requires []struct {
		Missing []string `json:"missing_page_tools"`
	} `json:"requires"`
}

func listed(t *testing.T, home *harness.Home) offers {
	t.Helper()
	var o offers
	harness.Must(t, home.Call(t, "actions.site", `{"mode":"list"}`, "--wait", "10s"), &o)
	return o
}

// given is what a page tool gave.
type given struct {
	Output json.RawMessage
	Trust  string
	Status string
}

func tasting(t *testing.T) (home *harness.Home, url string, rec *sites.Recorder) {
	t.Helper()
	rec = sites.NewRecorder(nil)
	home = harness.NewHome(t)
	return home, serve(t, sites.Tasting(rec)), rec
}

func TestPageToolsFromTheTerminal(t *testing.T) {
	// Ensure that from the terminal a page's imperative and form tools are listed, called with the user's grant and cancelled, that no hint of the page lowers what is asked (E14), and that the log shows it.
	t.Parallel()
	home, url, rec := tasting(t)
	home.Launch(t, "--chrome-arg="+webMCP, url)

	o := listed(t, home)
	byName := map[string]int{}
	for i, tool := range o.PageTools {
		byName[tool.Name] = i
		if tool.Trust != "untrusted" || tool.Origin != strings.TrimSuffix(url, "/") {
			t.Errorf("listed as %+v", tool)
		}
	}
	if o.Total != 4 || len(byName) != 4 {
		t.Fatalf("the page tools are %+v", o)
	}
	stock, order := o.PageTools[byName["page:stock"]], o.PageTools[byName["page:order"]]
	if !stock.Annotations.ReadOnly || len(stock.StackTrace) != 1 || !order.Annotations.Autosubmit || order.BackendNodeID == 0 ||
		!o.PageTools[byName["page:reserve"]].Annotations.Consequential {
		t.Errorf("the page's hints are %+v", o.PageTools)
	}
	if text := home.Run(t, "site", "list").Stdout; !strings.Contains(text, "page:stock ("+stock.Origin) || !strings.Contains(text, "asks you each time") {
		t.Errorf("a person reads %s", text)
	}

	wantCode(t, home.SiteCall(t, "page:stock", `{"leaf":7}`), fault.InvalidInput)
	wantCode(t, home.SiteCall(t, "page:nothing", `{}`), fault.PageToolNotFound)
	wantCode(t, home.SiteCall(t, "page:stock", `{"leaf":"oolong"}`, "--mode", "ask"), fault.PermissionDenied)
	asked := wantCode(t, home.SiteCall(t, "page:stock", `{"leaf":"oolong"}`), fault.NeedsApproval)
	for _, args := range []string{`{"name":"stock","arguments":{"leaf":"oolong"}}`, fmt.Sprintf(`{"tool":%q,"arguments":{"leaf":"oolong"},"timeout_ms":9000}`, byID(o, "page:stock"))} {
		// The primitive itself is the same question, however the tool is named.
		if direct := wantCode(t, home.Call(t, "webmcp.invoke", args), fault.NeedsApproval); direct.Evidence["id"] != asked.Evidence["id"] {
			t.Errorf("%s asks %v, page:stock asks %v", args, direct.Evidence, asked.Evidence)
		}
	}
	if len(received(rec, "POST", "/")) != 0 {
		t.Fatal("a tool ran without a grant")
	}
	if shown := home.Run(t, "approvals", "list").Stdout; !strings.Contains(shown, "page:stock on "+stock.Origin) || !strings.Contains(shown, "oolong") {
		t.Errorf("the user is asked %q", shown)
	}
	home.Allow(t, fmt.Sprint(asked.Evidence["id"]))
	var g given
	harness.Must(t, home.SiteCall(t, "page:stock", `{"leaf":"oolong"}`), &g)
	if string(g.Output) != `{"boxes":6,"leaf":"oolong"}` || g.Trust != "untrusted" || len(received(rec, "POST", "/stock")) != 1 {
		t.Errorf("it gave %s, %+v", g.Output, rec.All())
	}
	asked = wantCode(t, home.SiteCall(t, stock.ID, `{"leaf":"green"}`), fault.NeedsApproval) // once was for one call
	answer(t, home, asked, true)                                                             // for always
	harness.Must(t, home.SiteCall(t, stock.ID, `{"leaf":"green"}`), nil)
	harness.Must(t, home.SiteCall(t, "page:order", `{"leaf":"sencha","cups":3}`), &g)
	if string(g.Output) != `{"cups":3,"ordered":"sencha"}` || len(received(rec, "POST", "/order")) != 1 {
		t.Errorf("the form gave %s, %+v", g.Output, rec.All())
	}
	for range 2 { // the standing grant does not count for what the page calls consequential
		asked = wantCode(t, home.SiteCall(t, "page:reserve", `{"seats":2}`), fault.NeedsApproval)
		answer(t, home, asked, true)
		harness.Must(t, home.SiteCall(t, "page:reserve", `{"seats":2}`), nil)
	}
	wantCode(t, home.Call(t, "webmcp.invoke", `{"name":"reserve","arguments":{"seats":1}}`), fault.NeedsApproval)
	wantCode(t, home.Call(t, "webmcp.invoke", `{"name":"stock","arguments":{"leaf":"a"},"policy_exception_report":{"kind":"generic","intended_tool":"page.info","actions_json_path":"none","reason":"x"}}`), fault.PolicyExceptionReportRequired)
	harness.Must(t, home.Call(t, "webmcp.invoke", `{"name":"stock","arguments":{"leaf":"a"}}`), nil)

	waits := begin(t, home, "site", "call", "page:brew", "{}", "--json")
	harness.Until(t, "the tea brews", func() bool { return len(received(rec, "POST", "/brewing")) == 1 })
	harness.Must(t, begin(t, home, "site", "cancel", "--json")(), nil)
	if e := waits(); e.OK || e.Error.Code != fault.Cancelled || e.Error.Dispatched != fault.WasDispatched {
		t.Errorf("the cancelled call says %+v", e.Error)
	}
	harness.Until(t, "the tea is stopped", func() bool { return len(received(rec, "POST", "/stopped")) == 1 })

	interrupted := home.Command(t.Context(), "site", "call", "page:brew", "{}")
	if err := interrupted.Start(); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the tea brews again", func() bool { return len(received(rec, "POST", "/brewing")) == 2 })
	if err := interrupted.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	// It ends with a status of its own; what counts is that the tool ended too.
	_ = interrupted.Wait()
	harness.Until(t, "the tea is stopped again", func() bool { return len(received(rec, "POST", "/stopped")) == 2 })

	harness.Until(t, "the log has both cancelled outcomes", func() bool {
		cancelled := 0
		for _, r := range logged(t, home, journal.TypeOutcome, "webmcp.invoke") {
			if r.Name == "webmcp.invoke" && strings.Contains(string(r.Data), `"cancelled"`) {
				cancelled++
			}
		}
		return cancelled == 2
	})
	if intents := len(logged(t, home, journal.TypeIntent, "webmcp.invoke")); intents < 8 {
		t.Errorf("the log has %d intents", intents)
	}
	if r := home.Run(t, "log", "verify"); r.Exit != 0 {
		t.Errorf("the log: %+v", r)
	}
}

// begin runs the program in the background; what it gives waits for its envelope.
func begin(t *testing.T, home *harness.Home, args ...string) func() dispatch.Envelope {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cmd := home.Command(ctx, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() dispatch.Envelope {
		t.Helper()
		defer cancel()
		_ = cmd.Wait() // the envelope says how it ended
		return decodeEnvelope(t, out.Bytes())
	}
}

func decodeEnvelope(t *testing.T, text []byte) dispatch.Envelope {
	t.Helper()
	var e dispatch.Envelope
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatalf("it printed %q: %v", text, err)
	}
	return e
}

// byID returns the id of the page tool that a list names.
func byID(o offers, name string) string {
	for _, tool := range o.PageTools {
		if tool.Name == name {
			return tool.ID
		}
	}
	return ""
}

func TestPageToolsAskedOnEveryFace(t *testing.T) {
	// Ensure that each face is asked the same about a page tool, by its name and by the primitive, that one answer serves both, and that a setting which asks for all input does not ask twice.
	t.Parallel()
	home, url, rec := tasting(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	home.Launch(t, "--chrome-arg="+webMCP, url)
	listed(t, home)
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	t.Cleanup(func() { clients[0].Close() })
	const byName, direct = `{"mode":"call","name":"page:stock","arguments":{"leaf":"white"}}`,
		`{"name":"stock","arguments":{"leaf":"white"},"policy_exception_report":{"kind":"generic","intended_tool":"webmcp.invoke","actions_json_path":"none","reason":"a test"}}`
	ran := 0
	for _, kind := range []policy.SessionKind{policy.SessionCLI, policy.SessionMCP, policy.SessionAgent} {
		call := func(name, args string) (e dispatch.Envelope) {
			t.Helper()
			if err := clients[0].Call(t.Context(), control.MethodCall, control.CallParams{
				Session: control.SessionParams{Kind: kind, ID: string(kind)}, Name: name, Arguments: json.RawMessage(args), Target: control.TargetParams{URLContains: "localhost"},
			}, &e); err != nil {
				t.Fatal(kind, err)
			}
			return e
		}
		for _, ways := range [][2][2]string{{{"actions.site", byName}, {"webmcp.invoke", direct}}, {{"webmcp.invoke", direct}, {"actions.site", byName}}} {
			asked, other := wantCode(t, call(ways[0][0], ways[0][1]), fault.NeedsApproval), wantCode(t, call(ways[1][0], ways[1][1]), fault.NeedsApproval)
			if asked.Evidence["id"] != other.Evidence["id"] || len(received(rec, "POST", "/stock")) != ran {
				t.Fatalf("%s: %s is asked %v, %s %v", kind, ways[0][0], asked.Evidence, ways[1][0], other.Evidence)
			}
			if err := clients[0].Call(t.Context(), control.MethodAnswer, home.Answer(t, fmt.Sprint(asked.Evidence["id"]), true, policy.ScopeOnce), &control.Empty{}); err != nil {
				t.Fatal(err)
			}
			harness.Must(t, call(ways[1][0], ways[1][1]), nil)
			ran++
			harness.Until(t, fmt.Sprintf("the page's server gets %d requests", ran), func() bool { return len(received(rec, "POST", "/stock")) == ran })
		}
		wantCode(t, call("webmcp.invoke", direct), fault.NeedsApproval) // once was once
	}
}

func TestPageToolsWithMaps(t *testing.T) {
	// Ensure that a map that wraps a page tool needs no grant of its own, that what it requires and the page lacks is told, that invocations of the page itself are logged, and that new proposes actions that run.
	t.Parallel()
	home, url, rec := tasting(t)
	wrap := strings.Replace(mapOf(map[string]string{
		"t.stock":   `[` + step("call", "webmcp.invoke", `,"args":{"name":"stock","arguments":{"leaf":"white"}}`) + `]`,
		"t.reserve": `[` + step("call", "webmcp.invoke", `,"args":{"name":"reserve","arguments":{"seats":1}}`) + `]`,
	}), `"tools"`, `"requires":{"page_tools":["stock","refund"]},"tools"`, 1)
	home.Map(t, "public", "localhost", "tasting", wrap)
	b := home.OpenWith(t, nil, []string{webMCP}, url)

	if o := listed(t, home); len(o.Requires) != 1 || len(o.Requires[0].Missing) != 1 || o.Requires[0].Missing[0] != "refund" {
		t.Errorf("the map's needs are %+v", o.Requires)
	}
	harness.Must(t, home.SiteCall(t, "t.stock", `{}`), nil)
	if len(received(rec, "POST", "/stock")) != 1 {
		t.Errorf("the page got %+v", rec.All())
	}
	wantCode(t, home.SiteCall(t, "t.reserve", `{}`), fault.NeedsApproval)

	page := pageUnder(t, b, url)
	eval[int](page, `document.modelContext.getTools().then(all => document.modelContext.executeTool(all.find(t => t.name === "stock"), {leaf: "own", password: "hunter2"})).then(() => 1)`)
	input := ""
	harness.Until(t, "the page's own invocation is in the log", func() bool {
		for _, r := range records(t, home) {
			var told struct{ Input json.RawMessage }
			if r.Type == journal.TypePageTool && json.Unmarshal(r.Data, &told) == nil && told.Input != nil {
				input = string(told.Input)
			}
			if r.Type == journal.TypePageTool && strings.Contains(string(r.Data), `"by":"others"`) && strings.Contains(string(r.Data), `"state":"completed"`) {
				return true
			}
		}
		return false
	})

	if input != `{"leaf":"own","password":"[redacted]"}` {
		t.Errorf("the log says that it was invoked with %s", input)
	}

	out := home.Dir + "/draft/actions.json"
	if r := home.Run(t, "new", "room", "--out", out); r.Exit != 0 || !strings.Contains(r.Stdout, "room.page.stock") {
		t.Fatalf("new: %+v", r)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	home.Map(t, "private", "localhost", "tasting", string(text))
	harness.Must(t, home.SiteCall(t, "room.page.stock", `{"leaf":"drafted"}`), nil)
	wantCode(t, home.SiteCall(t, "room.page.stock", `{}`), fault.InvalidInput)
	if got := received(rec, "POST", "/stock"); len(got) != 3 {
		t.Errorf("the page got %+v", rec.All())
	}
}

func TestPageToolsOutliveTheirDebugger(t *testing.T) {
	// Ensure that page tools come back after the worker's end, after another one took the debugger off, and in a tab that is claimed anew, that ids of before are refused, and that the debugger is on the tab only while a session wants them.
	t.Parallel()
	home, url, _ := tasting(t)
	b := home.OpenWith(t, nil, []string{webMCP}, url)
	tab := b.Tabs[0].TabID
	page := extensionPage(t, b)
	attached := func() bool {
		return eval[bool](page, fmt.Sprintf(`chrome.debugger.getTargets().then(all => all.some(t => t.tabId === %d && t.attached))`, tab))
	}
	if attached() {
		t.Fatal("the debugger is on the tab before anybody asked")
	}
	first := listed(t, home)
	if !attached() || len(first.PageTools) != 4 {
		t.Fatalf("the page tools are %+v", first)
	}
	harness.Must(t, home.Call(t, "webmcp.list", `{"stop":true}`), nil)
	if attached() {
		t.Error("the debugger stays on the tab")
	}
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	if err := clients[0].Call(t.Context(), control.MethodCall, control.CallParams{
		Session: control.SessionParams{Kind: policy.SessionMCP, ID: "one"}, Name: "actions.site", Arguments: json.RawMessage(`{"mode":"list"}`),
		Target: control.TargetParams{URLContains: "localhost"},
	}, &dispatch.Envelope{}); err != nil {
		t.Fatal(err)
	}
	if !attached() {
		t.Error("the debugger is not on the tab for a session that lists page tools")
	}
	clients[0].Close()
	harness.Until(t, "the debugger leaves the tab with the session", func() bool { return !attached() })

	old := listed(t, home).PageTools[0].ID
	eval[bool](page, fmt.Sprintf(`chrome.debugger.detach({tabId: %d}).then(() => true, () => true)`, tab))
	if o := listed(t, home); len(o.PageTools) != 4 || o.PageTools[0].ID == old {
		t.Errorf("after the debugger's end: %+v", o)
	}
	old = listed(t, home).PageTools[0].ID
	endWorker(t, home, b)
	if o := listed(t, home); len(o.PageTools) != 4 || o.PageTools[0].ID == old {
		t.Errorf("after the worker's end: %+v", o)
	}
	f := wantCode(t, home.SiteCall(t, old, `{}`), fault.PageToolStale)
	if f.Dispatched != fault.NotDispatched {
		t.Errorf("dispatched is %s", f.Dispatched)
	}
}

func TestPageToolsSwitchedOff(t *testing.T) {
	// Ensure that a browser without page tools says so once, in words, and that nothing else changes: no debugger, the same list.
	t.Parallel()
	home, url, _ := tasting(t)
	b := home.Open(t, url)
	page := extensionPage(t, b)
	o := listed(t, home)
	if !strings.Contains(o.Note, "WebMCP") || len(o.PageTools) != 0 {
		t.Errorf("the first list says %+v", o)
	}
	if again := listed(t, home); again.Note != "" {
		t.Errorf("it is said again: %q", again.Note)
	}
	f := wantCode(t, home.SiteCall(t, "page:stock", `{}`), fault.CapabilityUnavailable)
	if f.Dispatched != fault.NotDispatched || !strings.Contains(f.NextStep, "enable-features=WebMCP") {
		t.Errorf("a call says %+v", f)
	}
	if eval[bool](page, fmt.Sprintf(`chrome.debugger.getTargets().then(all => all.some(t => t.tabId === %d && t.attached))`, b.Tabs[0].TabID)) {
		t.Error("the debugger was taken")
	}
}

func TestPageToolsOfFrames(t *testing.T) {
	// Ensure that a tool in a frame is decided for the frame's own origin: its grant is asked for there, a refusal there holds, the page's own tools are not concerned, and a session that is kept to the page is shown no other tool.
	t.Parallel()
	home := harness.Shared(t, harness.Profile{Args: []string{webMCP}})
	register := func(name string) string {
		return fmt.Sprintf(`<script>document.modelContext.registerTool({name: %q, description: "d", execute: async () => fetch("/ran/%s").then(() => location.host)})</script>`, name, name)
	}
	url, rec := pages(t, map[string]string{
		"/":      `<title>t</title>` + register("near") + `<iframe allow="tools" id=f></iframe><script>f.src = "http://127.0.0.1:" + location.port + "/frame"</script>`,
		"/frame": register("far"), "/ran/near": "ok", "/ran/far": "ok",
	})
	home.Map(t, "public", harness.Site(t), "p", mapOf(map[string]string{"t.far": `[` + step("call", "webmcp.invoke", `,"args":{"name":"far"}`) + `]`}))
	b := home.Open(t, url)
	frame := strings.TrimSuffix(foreign(t, url), "/")
	harness.Until(t, "both tools are listed", func() bool { return listed(t, home).Total == 2 })

	harness.Must(t, home.SiteCall(t, "t.far", `{}`), nil) // the map's author stands behind it
	near := wantCode(t, home.SiteCall(t, "page:near", `{}`), fault.NeedsApproval)
	answer(t, home, near, true)
	harness.Must(t, home.SiteCall(t, "page:near", `{}`), nil)
	far := wantCode(t, home.SiteCall(t, "page:far", `{}`), fault.NeedsApproval)
	if direct := wantCode(t, home.Call(t, "webmcp.invoke", `{"name":"far"}`), fault.NeedsApproval); direct.Evidence["id"] != far.Evidence["id"] {
		t.Errorf("the primitive asks %v, its name %v", direct.Evidence, far.Evidence)
	}
	if shown := home.Run(t, "approvals", "list").Stdout; !strings.Contains(shown, "page:far on "+frame) {
		t.Errorf("the user is asked %q", shown)
	}
	answer(t, home, far, false)
	wantCode(t, home.SiteCall(t, "page:far", `{}`), fault.PermissionDenied)
	wantCode(t, home.Call(t, "webmcp.invoke", `{"name":"far"}`), fault.PermissionDenied)
	wantCode(t, home.SiteCall(t, "t.far", `{}`), fault.PermissionDenied)
	harness.Must(t, home.SiteCall(t, "page:near", `{}`), nil)
	if n := len(received(rec, "GET", "/ran/far")); n != 1 {
		t.Errorf("the frame's tool ran %d times", n)
	}

	kept := clientOf(t, home, "kept", strings.TrimSuffix(url, "/")).on(b.Tabs[0].TabID)
	var shown struct {
		Tools           []struct{ Name string }
		Invocations     []struct{ Tool string }
		Total, Withheld int
	}
	kept.must("webmcp.list", `{}`, &shown)
	if shown.Total != 1 || shown.Tools[0].Name != "near" || shown.Withheld < 2 {
		t.Errorf("the restricted session is shown %+v", shown)
	}
	for _, one := range shown.Invocations {
		if one.Tool != "near" {
			t.Errorf("it is shown an invocation of %s", one.Tool)
		}
	}
	var o offers
	kept.must("actions.site", `{"mode":"list"}`, &o)
	if o.Total != 1 || len(o.PageTools) != 1 || o.PageTools[0].Name != "page:near" {
		t.Errorf("the restricted session's list is %+v", o)
	}
}
