package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// stopPage has a server that gets every click and every change of its field.
const stopPage = `<title>Shop</title><button id=b onclick="sent.push(fetch('/clicked',{method:'POST'}))">More</button><input id=i>
	<script>const sent = []; i.oninput = () => sent.push(fetch('/typed',{method:'POST'}))</script>`

// endlessOrder is a map whose one action clicks for as long as it is let.
const endlessOrder = `{"protocol":"actions.json","version":1,"tools":[{"name":"shop.order","description":"Order.","input_schema":{"type":"object"},
	"workflow":{"version":1,"expression_language":"jsonata","output":"done","steps":[
		{"id":"a","primitive":"locator.click","args":{"locator":{"selector":"#b"}},"for_each":"{% [1..50] %}","max_items":50},
		{"id":"b","primitive":"locator.click","args":{"locator":{"selector":"#b"}},"for_each":"{% [1..50] %}","max_items":50},
		{"id":"c","primitive":"locator.click","args":{"locator":{"selector":"#b"}},"for_each":"{% [1..50] %}","max_items":50},
		{"id":"d","primitive":"locator.click","args":{"locator":{"selector":"#b"}},"for_each":"{% [1..50] %}","max_items":50}]}}]}`

// cancelDebugging has the worker see that the user chose Cancel in the browser's bar.
func cancelDebugging(t *testing.T, b *launch.Browser) {
	t.Helper()
	worker := attach(t, b, workerTarget(t, b))
	eval[bool](worker, fmt.Sprintf(`chrome.debugger.detach({tabId: %d}).catch(() => {}).then(() => (chrome.debugger.onDetach.dispatch({tabId: %[1]d}, "canceled_by_user"), true))`, b.Tabs[0].TabID))
}

// escape presses Escape as the user does.
func (d document) escape() { d.key("Escape", "Escape", 27, "", 0) }

func TestEveryStopStops(t *testing.T) {
	// Ensure that Chrome's Cancel, Esc twice, the keyboard command and the terminal end a workflow in its middle as cancelled, with the face for its caller and the log; that from then on nothing reaches the page by any route, until the user lets agents go on in the popup; and that all goes on then.
	home := harness.NewHome(t)
	home.Map(t, "public", harness.Site(t), "shop", endlessOrder)
	url, rec := pages(t, map[string]string{"/": stopPage})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	popup := ownPage(t, b, popupURL)
	doc.bringToFront()
	faces := []struct {
		name string
		stop func()
	}{
		{"browser", func() { cancelDebugging(t, b) }},
		{"page", func() { doc.escape(); doc.escape() }},
		{"keyboard", func() {
			eval[bool](attach(t, b, workerTarget(t, b)), `(chrome.commands.onCommand.dispatch("stop-agents"), true)`)
		}},
		{"terminal", func() {
			if run := home.Run(t, "stop", "--all"); run.Exit != 0 || !strings.Contains(run.Stdout, "stopped, 1 calls ended") {
				t.Errorf("stop: %+v", run)
			}
		}},
	}
	for _, face := range faces {
		t.Run(face.name, func(t *testing.T) {
			harness.Must(t, home.Call(t, "locator.click", `{"locator":{"selector":"#b"}}`), nil)
			before := len(received(rec, "POST", "/clicked"))
			done := background(t, home, "site", "call", "shop.order", `{}`, "--json")
			harness.Until(t, "it is under way", func() bool { return len(received(rec, "POST", "/clicked")) > before+2 })
			face.stop()
			got := <-done
			wantCode(t, got, fault.Cancelled)
			if got.Error.Evidence["face"] != face.name || got.Error.Evidence["stopped_by"] != "user" {
				t.Errorf("the caller is told %+v", got.Error)
			}
			total := func() int {
				eval[bool](doc, `Promise.all(sent).then(() => true)`)
				return len(received(rec, "POST", ""))
			}
			arrived := total()
			for _, call := range [][2]string{
				{"locator.click", `{"locator":{"selector":"#b"}}`}, {"locator.click", `{"locator":{"selector":"#b"}}`},
				{"text.insert", `{"text":"x","target":{"selector":"#i"}}`}, {"page.info", `{}`}, {"browser.open_tab", fmt.Sprintf(`{"url":%q}`, url+"/")},
			} {
				wantCode(t, home.Call(t, call[0], call[1]), fault.StoppedByUser)
			}
			if n := total(); n != arrived {
				t.Errorf("%d requests came after the stop", n-arrived)
			}
			dump := home.Run(t, "log", "dump", "--json").Stdout
			if !strings.Contains(dump, fmt.Sprintf(`"event":"stopped","face":%q`, face.name)) {
				t.Error("the log does not have the stop")
			}
			goOn(popup)
			doc.bringToFront()
			harness.Must(t, home.Call(t, "locator.click", `{"locator":{"selector":"#b"}}`), nil)
		})
	}
}

func TestAgentsKeysStopNothing(t *testing.T) {
	// Ensure that Escapes which an agent sends stop nothing, however many, that a page which makes them stops nothing, and that one Escape of the user's does not.
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": stopPage})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	doc.bringToFront()
	press := func() {
		harness.Must(t, home.Call(t, "keyboard.press", `{"key":"Escape","trusted":true}`), nil)
	}
	for range 3 {
		press()
	}
	eval[bool](doc, `(() => { for (let i = 0; i < 4; i++) dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true})); return true; })()`)
	doc.escape()
	press()
	time.Sleep(700 * time.Millisecond)
	doc.escape()
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	time.Sleep(700 * time.Millisecond)
	doc.escape()
	doc.escape()
	harness.Until(t, "two of the user's stop", func() bool {
		e := home.Call(t, "page.info", `{}`)
		return !e.OK && e.Error.Code == fault.StoppedByUser
	})
}

func TestResumeByCode(t *testing.T) {
	// Ensure that the terminal that stopped lets agents go on by its code, but takes back no stop of another face, and that stop survives the worker.
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": stopPage})
	b := home.Open(t, url)
	stop := func() (code string) {
		t.Helper()
		var done struct{ Profiles []struct{ Code string } }
		if err := json.Unmarshal([]byte(home.Run(t, "stop", "--json").Stdout), &done); err != nil || len(done.Profiles) != 1 {
			t.Fatalf("%+v %v", done, err)
		}
		return done.Profiles[0].Code
	}
	code := stop()
	if run := home.Run(t, "resume", "ABCDEFGHIJKL"); run.Exit != 1 {
		t.Errorf("a guess: %+v", run)
	}
	wantCode(t, home.Call(t, "page.info", `{}`), fault.StoppedByUser)
	endWorker(t, home, b)
	harness.Until(t, "the host is back", func() bool {
		e := home.Call(t, "page.info", `{}`)
		return !e.OK && e.Error.Code == fault.StoppedByUser
	})
	if run := home.Run(t, "resume", code); run.Exit != 0 {
		t.Errorf("%+v", run)
	}
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)

	code = stop()
	popup := ownPage(t, b, popupURL)
	running := calling(t, home, "locator.wait_for", longWait)
	wantCode(t, <-running, fault.StoppedByUser)
	cancelDebugging(t, b)
	popup.says("stopped-why", "2 stops hold")
	if run := home.Run(t, "resume", code); run.Exit != 0 || !strings.Contains(run.Stdout, "1 others hold") {
		t.Errorf("%+v", run)
	}
	wantCode(t, home.Call(t, "page.info", `{}`), fault.StoppedByUser)
	goOn(popup)
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
}

func TestEscapeInFramesAndPane(t *testing.T) {
	// Ensure that Escape twice stops the agents also where the keys go to a frame of the page's own origin, of another one, in one that came later, in a page that writes its document anew, and in the pane; and that an agent's own Escapes in a frame stop nothing.
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{
		"/":      `<title>Shop</title><input id=i><iframe id=near src="/frame"></iframe>` + strings.Replace(far("b", "/frame", ""), "<iframe", "<iframe id=far", 1),
		"/frame": `<input>`,
	})
	b := home.Open(t, url)
	doc, popup := pageAt(t, b, url+"/"), ownPage(t, b, popupURL)
	stopped := func() bool { e := home.Call(t, "page.info", `{}`); return !e.OK && e.Error.Code == fault.StoppedByUser }
	for _, focus := range []string{`document.getElementById("i").focus()`, `near.contentWindow.focus()`, `document.getElementById("far").contentWindow.focus()`,
		`document.body.append(Object.assign(document.createElement("iframe"), {id: "later", src: "/frame"})), await new Promise((done) => later.onload = done), later.contentWindow.focus()`,
		`document.open(), document.write("<title>Shop</title><input id=i>"), document.close(), document.getElementById("i").focus()`} {
		doc.bringToFront()
		eval[bool](doc, `(async () => { `+focus+`; return true; })()`)
		if strings.Contains(focus, "near") {
			for range 3 {
				harness.Must(t, home.Call(t, "keyboard.press", `{"key":"Escape","trusted":true}`), nil)
			}
		}
		harness.Must(t, home.Call(t, "page.info", `{}`), nil)
		time.Sleep(1100 * time.Millisecond)
		doc.escape()
		doc.escape()
		harness.Until(t, "it stops: "+focus, stopped)
		popup.bringToFront()
		goOn(popup)
	}
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	pane := inFrame(t, b, paneURL)
	doc.bringToFront()
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	pane.escape()
	pane.escape()
	harness.Until(t, "it stops in the pane", stopped)
}
