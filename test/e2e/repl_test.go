package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

const replTool = "automation.repl"

func replArgs(t *testing.T, code string) string {
	t.Helper()
	args, err := json.Marshal(map[string]any{"title": "Count the tea", "code": code})
	if err != nil {
		t.Fatal(err)
	}
	return string(args)
}

// repl runs code and returns what it put out.
func repl(t *testing.T, home *harness.Home, code string) string {
	t.Helper()
	var out struct{ Output string }
	harness.Must(t, home.Call(t, replTool, replArgs(t, code), "--allow-code"), &out)
	return out.Output
}

// scripting is a browser in which the user allows code and user scripts.
func scripting(t *testing.T, home *harness.Home, urls ...string) *launch.Browser {
	t.Helper()
	home.Settings(t, `{"allow_code":true}`)
	b := home.OpenScripting(t, urls...)
	created, err := cdp.Call(t.Context(), b.Session(), target.CreateTarget, target.CreateTargetParams{URL: "chrome://extensions/"})
	if err != nil {
		t.Fatal(err)
	}
	browserPage := attach(t, b, created.TargetID)
	id := strings.Split(strings.TrimPrefix(optionsURL, "chrome-extension://"), "/")[0]
	harness.Until(t, "the user allows user scripts", func() bool {
		return eval[bool](browserPage, fmt.Sprintf(`typeof chrome.developerPrivate === "object" && chrome.developerPrivate.updateExtensionConfiguration({extensionId: %q, userScriptsAccess: true}).then(() => true, () => false)`, id))
	})
	if _, err := cdp.Call(t.Context(), b.Session(), target.CloseTarget, target.CloseTargetParams(created)); err != nil {
		t.Fatal(err)
	}
	return b
}

const inputPage = `<title>Tea</title><body style="margin:0"><div style="height:2000px"></div><button id=b onclick="window.log.push(event.isTrusted)">Order</button><input id=i onkeydown="window.log.push(event.key+(event.shiftKey?'+shift':''))"><script>window.log = []; window.own = 7;
	addEventListener("message", () => {}); </script>`

func TestUserScripts(t *testing.T) {
	// Ensure that with the user's permission functions run as user scripts that may load nothing, or in the page's own world; that real input comes only with the user's setting, for the run and the world it was made for, trusted, scrolled to, and logged as a step of its own; and that a page cannot ask for it.
	t.Parallel()
	home := harness.NewHome(t)
	home.AgentSettings(t, `{"automationEnabled":true}`)
	url, rec := pages(t, map[string]string{"/": inputPage, "/loaded": "ok"})
	b := scripting(t, home, url)
	doc := pageAt(t, b, url+"/")
	transports := func() string {
		found := logged(t, home, "outcome", `"transport":"`)
		return string(found[len(found)-1].Data)
	}
	if got := repl(t, home, `return await browserjs((n) => [document.title, typeof own, n], 3)`); got != `=> ["Tea","undefined",3]` || !strings.Contains(transports(), "chrome.userScripts") {
		t.Errorf("a user script gave %s by %s", got, transports())
	}
	if got := repl(t, home, `return await browserjs.main(() => [own, typeof nativeClick])`); got != `=> [7,"undefined"]` || !strings.Contains(transports(), "chrome.userScripts") {
		t.Errorf("the main world gave %s by %s", got, transports())
	}
	wantCode(t, home.Call(t, replTool, replArgs(t, `await browserjs(() => fetch("/loaded"))`), "--allow-code"), fault.JavascriptFailed)
	if got := received(rec, "GET", "/loaded"); len(got) != 0 {
		t.Errorf("it loaded %v", got)
	}
	const reason = `return await browserjs(async () => { try { await nativeClick("#b"); return "clicked" } catch (e) { return [e.code, e.reason] } })`
	if got := repl(t, home, reason); got != `=> ["permission_denied","not armed"]` {
		t.Errorf("without the setting: %s", got)
	}

	options := ownPage(t, b, optionsURL)
	options.enabled("#script_input")
	options.click("#script_input")
	options.says("saved", "Saved")
	if text := options.text("user-scripts"); !strings.Contains(text, "as user scripts") {
		t.Errorf("the options say %q", text)
	}
	doc.bringToFront()
	if got := repl(t, home, `await browserjs(async () => { await nativeClick("#b"); await nativeType("#i", "Assam"); await nativeKeyDown("Shift"); await nativePress("Enter"); await nativeKeyUp("Shift"); await nativePress("a") }); return await browserjs.main(() => [window.log, document.getElementById("i").value])`); got != `=> [[true,"Shift+shift","Enter+shift","a"],"Assama"]` {
		t.Errorf("real input gave %s", got)
	}
	for _, step := range []string{"locator.click", "locator.fill", "keyboard.press"} {
		if n := len(logged(t, home, "intent", step)); n == 0 {
			t.Errorf("no intent of %s", step)
		}
	}
	const forged = `return await browserjs(async () => { const a = await chrome.runtime.sendMessage({type: "automation:native-input", capability: "00112233445566778899aabbccddeeff", action: "click", selector: "#b"}); return [a.ok, a.code, a.reason] })`
	if got := repl(t, home, forged); got != `=> [false,"permission_denied","wrong capability"]` {
		t.Errorf("a forged capability: %s", got)
	}
	// The page's own code calls it by all it has, while a run is armed.
	done := background(t, home, "call", replTool, replArgs(t, `await browserjs(() => new Promise((go) => setTimeout(go, 1500)))`), "--json", "--allow-code")
	time.Sleep(500 * time.Millisecond)
	before := eval[int](doc, `window.log.length`)
	eval[bool](doc, `(() => { const m = {type: "automation:native-input", capability: "", action: "click", selector: "#b"}; postMessage(m, "*"); try { chrome.runtime.sendMessage("`+strings.Split(strings.TrimPrefix(optionsURL, "chrome-extension://"), "/")[0]+`", m) } catch {} return true })()`)
	harness.Must(t, <-done, nil)
	if n := eval[int](doc, `window.log.length`); n != before {
		t.Errorf("the page clicked %d times", n-before)
	}
	if got := eval[string](options, `chrome.runtime.sendMessage({type: "automation:native-input", capability: "x", action: "click", selector: "#b"}).then((a) => a.code + " " + a.reason)`); got != "permission_denied not armed" {
		t.Errorf("a page of the extension's got %s", got)
	}
	// Endless code, by the other transport.
	started := time.Now()
	args := strings.TrimSuffix(replArgs(t, `await browserjs(() => { for (;;) ; })`), "}") + `,"timeout_ms":1500}`
	wantCode(t, home.Call(t, replTool, args, "--allow-code"), fault.JavascriptTimeout)
	t.Logf("ended after %s", time.Since(started))
	if got := repl(t, home, `return await browserjs(() => 1)`); got != "=> 1" {
		t.Errorf("then it gave %s", got)
	}
}

func TestAbortOfAScript(t *testing.T) {
	// Ensure that while code runs the page shows it with Abort, that one Escape of the user's or a click on Abort, there or in the popup, ends the code before its limit, in the page and in the sandbox, and that an Escape of the page's own or of the code's real input ends nothing.
	t.Parallel()
	home := harness.NewHome(t)
	home.AgentSettings(t, `{"automationEnabled":true}`)
	home.Settings(t, `{"allow_code":true}`)
	url, _ := pages(t, map[string]string{"/": inputPage})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	popup := ownPage(t, b, popupURL)
	options := ownPage(t, b, optionsURL)
	options.enabled("#script_input")
	options.click("#script_input")
	options.says("saved", "Saved")
	doc.bringToFront()
	shown := `!!` + barHost + `?.matches(":popover-open")`
	const beats = `await browserjs(async () => { for (;;) { document.body.dataset.beats = Number(document.body.dataset.beats ?? 0) + 1; await new Promise((go) => setTimeout(go, 20)); } })`
	for name, c := range map[string]struct {
		code  string
		abort func()
	}{
		"escape": {beats, func() { doc.key("Escape", "Escape", 27, "", 0) }},
		"click": {beats, func() {
			at := eval[[2]float64](doc, fmt.Sprintf(`(r => [r.right - 20, r.top + r.height / 2])(%s.getBoundingClientRect())`, barHost))
			doc.mouseAt(at[0], at[1])
		}},
		"popup": {beats, func() {
			popup.bringToFront()
			popup.until("the popup offers it", `document.querySelector("button[data-stop]:not([hidden])")?.textContent === "Abort"`)
			popup.click(`button[data-stop]:not([hidden])`)
		}},
		"in the sandbox": {`for (;;) ;`, func() { doc.key("Escape", "Escape", 27, "", 0) }},
	} {
		args := strings.TrimSuffix(replArgs(t, c.code), "}") + `,"timeout_ms":120000}`
		done := background(t, home, "call", replTool, args, "--json", "--allow-code")
		harness.Until(t, "the page shows it", func() bool { return eval[bool](doc, shown) })
		eval[bool](doc, `(document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true})), dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"})), true)`)
		time.Sleep(700 * time.Millisecond)
		select {
		case e := <-done:
			t.Fatalf("%s: it ended by itself: %+v", name, e.Error)
		default:
		}
		picture(t, doc, "abort", nil)
		started := time.Now()
		c.abort()
		wantCode(t, <-done, fault.Cancelled)
		t.Logf("%s: aborted after %s", name, time.Since(started))
		if eval[bool](doc, `new Promise(done => { const from = document.body.dataset.beats; setTimeout(() => done(document.body.dataset.beats !== from), 200) })`) {
			t.Errorf("%s: the function goes on", name)
		}
		harness.Until(t, "the bar goes", func() bool { return !eval[bool](doc, shown) })
		goOn(popup)
		doc.bringToFront()
	}
	if got := repl(t, home, `await browserjs(() => nativePress("Escape")); await sleep(300); return 1`); got != "=> 1" {
		t.Errorf("the code's own Escape: %s", got)
	}
}

func TestReleaseEndsAScript(t *testing.T) {
	// Ensure that code in the page ends when the user takes the tab back, as a user script and over the debugger.
	t.Parallel()
	for name, open := range map[string]func(*testing.T, *harness.Home, ...string) *launch.Browser{
		"chrome.userScripts": scripting,
		"chrome.debugger":    func(t *testing.T, home *harness.Home, urls ...string) *launch.Browser { return home.Open(t, urls...) },
	} {
		home := harness.NewHome(t)
		home.AgentSettings(t, `{"automationEnabled":true}`)
		home.Settings(t, `{"allow_code":true}`)
		url, _ := pages(t, map[string]string{"/": inputPage})
		b := open(t, home, url)
		doc := pageAt(t, b, url+"/")
		options := ownPage(t, b, optionsURL)
		doc.bringToFront()
		args := strings.TrimSuffix(replArgs(t, `await browserjs(async () => { for (let i = 1; ; i++) { document.body.dataset.beats = i; await new Promise((go) => setTimeout(go, 20)); } })`), "}") + `,"timeout_ms":120000}`
		done := background(t, home, "call", replTool, args, "--json", "--allow-code")
		harness.Until(t, "the function runs", func() bool { return eval[bool](doc, `Number(document.body.dataset.beats) > 1`) })
		eval[bool](options, fmt.Sprintf(`chrome.runtime.sendMessage({kind: "ui_release", tab_id: %d}).then(() => true)`, b.Tabs[0].TabID))
		harness.Until(t, name+": the function ends", func() bool {
			return eval[bool](doc, `new Promise(done => { const from = document.body.dataset.beats; setTimeout(() => done(document.body.dataset.beats === from), 300) })`)
		})
		if e := <-done; e.OK {
			t.Errorf("%s: the call went well", name)
		}
	}
}

func TestReplOutlivesNothing(t *testing.T) {
	// Ensure that a run ends with its tab and with the extension's worker, that its caller learns it in words, that nothing of it is left, and that the next call works.
	t.Parallel()
	home := harness.NewHome(t)
	home.AgentSettings(t, `{"automationEnabled":true}`)
	home.Settings(t, `{"allow_code":true}`)
	url, _ := pages(t, map[string]string{"/": inputPage, "/two": inputPage})
	b := home.Open(t, url, url+"/two")
	tab := func(i int) string { return fmt.Sprint(b.Tabs[i].TabID) }
	var sandbox target.ID // of the last run
	isSandbox := func(info *target.Info) bool { return strings.HasSuffix(info.URL, "/repl-sandbox.html") }
	run := func(code string, i int) <-chan dispatch.Envelope {
		t.Helper()
		harness.Until(t, "the sandbox of the last run is gone", func() bool { return !slices.ContainsFunc(targets(t, b), isSandbox) })
		done := background(t, home, "call", replTool, replArgs(t, code), "--json", "--allow-code", "--tab", tab(i))
		sandbox = harness.AwaitTargets(t, b, "the run begins", func(all []*target.Info) (target.ID, bool) {
			at := slices.IndexFunc(all, isSandbox)
			return all[max(at, 0)].TargetID, at >= 0
		})
		return done
	}
	done := run(`await browserjs(() => new Promise(() => {}))`, 1)
	if _, err := cdp.Call(t.Context(), b.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: pageTarget(t, b, url+"/two")}); err != nil {
		t.Fatal(err)
	}
	select {
	case e := <-done:
		t.Logf("closed: %s %s", e.Error.Code, e.Error.Message)
		if e.OK || e.Error.NextStep == "" {
			t.Errorf("%+v", e)
		}
	case <-time.After(harness.Scaled(5 * time.Second)):
		t.Fatal("it goes on without its tab")
	}
	done = run(`for (;;) await sleep(10)`, 0)
	killWorker(t, b)
	select {
	case e := <-done:
		t.Logf("worker: %s %s", e.Error.Code, e.Error.Message)
		if e.OK || e.Error.NextStep == "" {
			t.Errorf("%+v", e)
		}
	case <-time.After(harness.Scaled(5 * time.Second)):
		t.Fatal("it goes on without its worker")
	}
	harness.Until(t, "the next call works", func() bool {
		e := home.Call(t, replTool, replArgs(t, `return 2`), "--allow-code", "--tab", tab(0))
		return e.OK && strings.Contains(string(e.Output), "=> 2")
	})
	done = run(`for (;;) await sleep(10)`, 0)
	crashing := attach(t, b, sandbox)
	go func() { _, _ = cdp.Call(t.Context(), crashing.at, page.Crash, struct{}{}) }() // it is not answered
	began := time.Now()
	if e := <-done; e.OK || e.Error.Code != fault.JavascriptFailed || !strings.Contains(e.Error.Message, "memory") {
		t.Errorf("a sandbox that crashed: %+v", e.Error)
	}
	t.Logf("crashed: told after %s", time.Since(began))
	for _, info := range targets(t, b) {
		if strings.HasSuffix(info.URL, "/offscreen.html") {
			offscreen := attach(t, b, info.TargetID)
			harness.Until(t, "the frames of the runs are gone", func() bool { return eval[int](offscreen, `document.querySelectorAll("iframe").length`) == 0 })
			return
		}
	}
	t.Error("no offscreen document")
}

func pageTarget(t *testing.T, b *launch.Browser, url string) target.ID {
	t.Helper()
	for _, info := range targets(t, b) {
		if info.Type == "page" && info.URL == url {
			return info.TargetID
		}
	}
	t.Fatalf("no page shows %s", url)
	return ""
}
