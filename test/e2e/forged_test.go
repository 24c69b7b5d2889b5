package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/doctor"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// forgeries are what only this extension's own pages and scripts send, ports included. TAB
// is a tab that nobody has handed over, OWN one that somebody has.
const forgeries = `[
	{kind: "ui_claim", tab_id: TAB}, {kind: "ui_release", tab_id: OWN}, {kind: "ui_state"}, {kind: "ui_label", label: "mine"},
	{kind: "ui_host", method: "ui_settings", params: {changes: {pacing_ms: 9000}}},
	{kind: "frame_key", key: "k", origin: "https://bank.example"}, {kind: "frame_key", key: "k", origin: self.origin},
	{kind: "input_seen", hold: "h", events: ["click"], count: 1},
	{kind: "dom_event", name: "paid", payload: {}, at: 1}, {kind: "dom_event", name: "paid", payload: {}, at: -1},
	{kind: "announcements", items: [{text: "Paid"}]}, {kind: "launcher", id: "pay"},
	{kind: "own_frame", key: "0123456789abcdef0123456789abcdef", ask: "hide"},
	{to: "worker", kind: "call_state", state: "connected"}, {to: "offscreen", kind: "clipboard_write", text: "forged"},
]`

// sent sends all forgeries and returns those that anybody has answered.
const sent = `(async () => {
	const answered = [];
	for (const message of MESSAGES) {
		const answer = await chrome.runtime.sendMessage(TARGETmessage).catch(() => undefined);
		if (answer && answer.ok !== false) answered.push(JSON.stringify([message, answer]));
	}
	for (const name of ["agent", "other"]) {
		const answer = await new Promise((resolve) => {
			const port = chrome.runtime.connect(TARGET{name});
			port.onDisconnect.addListener(() => resolve(void chrome.runtime.lastError));
			port.onMessage.addListener(resolve);
			try { port.postMessage({kind: "hello", key: "0123456789abcdef0123456789abcdef"}); } catch { resolve(); }
		});
		if (answer && answer.kind !== "refused") answered.push(JSON.stringify([name, answer]));
	}
	return answered;
})()`

// contentScript evaluates in the extension's own world of a document, as a page could that has taken
// over the process which draws it.
func contentScript[T any](d document, js string) T {
	d.t.Helper()
	made, stop := d.at.Subscribe("Runtime.executionContextCreated")
	defer stop()
	do(d, runtime.Enable, cdp.Empty{})
	yes := true
	for event := range made {
		var world struct {
			Context struct {
				ID     runtime.ExecutionContextID
				Origin string
			}
		}
		if err := json.Unmarshal(event, &world); err != nil {
			d.t.Fatal(err)
		}
		if !strings.HasPrefix(world.Context.Origin+"/", manifest.ExtensionURL) {
			continue
		}
		id := world.Context.ID
		done := do(d, runtime.Evaluate, runtime.EvaluateParams{Expression: js, ContextID: id, AwaitPromise: &yes, ReturnByValue: &yes})
		var value T
		if err := json.Unmarshal(done.Result.Value, &value); err != nil || done.ExceptionDetails != nil {
			d.t.Fatalf("%s: %v", done.Result.Value, done.ExceptionDetails)
		}
		return value
	}
	d.t.Fatal("the document has no content script")
	panic("unreachable")
}

// embeddedPane is a pane that the page has put into a frame of its own.
func embeddedPane(t *testing.T, b *launch.Browser, page document) document {
	t.Helper()
	eval[bool](page, `new Promise((resolve) => {
		const own = document.body.appendChild(document.createElement("iframe"));
		own.onload = () => resolve(true);
		own.src = "`+paneURL+`";
	})`)
	for _, id := range framesOf(t, b, paneURL) {
		pane := attach(t, b, id)
		pane.until("the pane has loaded", `document.readyState === "complete"`)
		if !eval[bool](pane, `document.body.classList.contains("owned")`) {
			return pane
		}
	}
	t.Fatal("the page has no pane of its own")
	return document{}
}

// otherExtension loads an extension of somebody else's and returns its page.
func otherExtension(t *testing.T, b *launch.Browser) document {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifest.json": `{"manifest_version":3,"name":"Other","version":"1"}`, "page.html": `<!doctype html><title>other</title>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := cdp.Call(t.Context(), b.Session(), extensions.LoadUnpacked, extensions.LoadUnpackedParams{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	return openPage(t, b, "chrome-extension://"+loaded.ID+"/page.html", true)
}

// workerHop is what doctor says of the extension's worker.
func workerHop(t *testing.T, home *harness.Home) doctor.Hop {
	t.Helper()
	var report struct{ Hops []doctor.Hop }
	text := home.Run(t, "doctor", "--json").Stdout
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	i := slices.IndexFunc(report.Hops, func(h doctor.Hop) bool { return h.Name == doctor.HopWorker })
	if i < 0 {
		t.Fatalf("doctor does not tell of the worker: %s", text)
	}
	return report.Hops[i]
}

func TestForgedMessages(t *testing.T) {
	// Ensure that what only the extension's own pages and scripts send has no effect from a frame whose page speaks as a content script, from a pane that a page embeds, and from another extension, and that doctor counts what reached the worker and names the sender, while what is ordinary counts as nothing.
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{
		"/":     `<title>top</title><iframe id=f width=300 height=100></iframe><script>f.src = location.href.replace(location.hostname, "127.0.0.1") + "evil"</script>`,
		"/evil": `<title>evil</title><button onclick="fetch('/clicked', {method: 'POST'})">Press</button>`, "/other": `<title>other</title>`, "/clicked": "ok", "/next": `<title>next</title>`,
	})
	b := home.Open(t, url+"/next")
	evil := foreign(t, url) + "/evil"
	harness.Must(t, home.Call(t, "browser.navigate", `{"url":"`+url+`/"}`), nil)
	harness.Must(t, home.Call(t, "locator.click", `{"locator":{"role":"button","name":"Press","frame":{"host":"127.0.0.1"}}}`), nil)
	harness.Must(t, home.Call(t, "page.snapshot", `{}`), nil)
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	inFrame(t, b, paneURL)
	if len(received(rec, "POST", "/clicked")) != 1 {
		t.Fatal("the click did not arrive")
	}
	if h := workerHop(t, home); h.Status != doctor.OK {
		t.Fatalf("what is ordinary is counted: %+v", h)
	}

	openPage(t, b, url+"/other", true)
	ids := eval[map[string]int](extensionPage(t, b), `chrome.tabs.query({}).then(all => Object.fromEntries(all.map(tab => [new URL(tab.url).pathname, tab.id])))`)
	list := strings.NewReplacer("TAB", strconv.Itoa(ids["/other"]), "OWN", strconv.Itoa(ids["/"])).Replace(forgeries)
	script := func(to string) string { return strings.NewReplacer("MESSAGES", list, "TARGET", to).Replace(sent) }
	tabs, log := home.Run(t, "tabs", "--json").Stdout, home.Run(t, "log", "dump", "--json").Stdout

	if answered := eval[[]string](embeddedPane(t, b, pageAt(t, b, url+"/")), script("")); len(answered) > 0 {
		t.Errorf("a pane that the page has embedded is answered: %s", answered)
	}
	frame := attach(t, b, harness.AwaitTargets(t, b, "the frame", func(all []*target.Info) (target.ID, bool) { return frameAt(all, evil) }))
	if answered := contentScript[[]string](frame, script("")); len(answered) > 0 {
		t.Errorf("a frame is answered: %s", answered)
	}
	other := otherExtension(t, b)
	if answered := eval[[]string](other, script(`"`+manifest.ExtensionID+`", `)); len(answered) > 0 {
		t.Errorf("another extension is answered: %s", answered)
	}
	if now := home.Run(t, "tabs", "--json").Stdout; now != tabs {
		t.Errorf("the tabs are\n%s, and were\n%s", now, tabs)
	}
	if now := home.Run(t, "log", "dump", "--json").Stdout; now != log {
		t.Errorf("the host was told %s", strings.TrimPrefix(now, log))
	}
	h := workerHop(t, home)
	if want := "33 forged messages (keys 4, events 10, ports 3, frames 2, requests 14), the last one from " + foreign(t, url); h.Status != doctor.Warning || !strings.Contains(h.Message, want) {
		t.Errorf("%+v does not say %s", h, want)
	}
	harness.Must(t, home.Call(t, "locator.click", `{"locator":{"role":"button","name":"Press","frame":{"host":"127.0.0.1"}}}`), nil)
}
