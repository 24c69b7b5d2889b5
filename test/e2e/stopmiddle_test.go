package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// middlePage is a page that tells its server of every click, key, run of code and step of its tool.
const middlePage = `<title>Shop</title><button id=late disabled onclick="tell('/clicked')">Order</button>
	<button id=b onclick="tell('/more')">More</button><textarea id=i oninput="tell('/typed')" onkeydown="tell('/key')"></textarea>
	<script>const sent = [], tell = (path) => sent.push(fetch(path, {method: "POST"}));
	document.modelContext?.registerTool({name: "brew", description: "Brew", execute: (_, {signal} = {}) => new Promise((_, fail) => {
		const step = setInterval(() => tell("/brewing"), 20);
		signal?.addEventListener("abort", () => (clearInterval(step), fail(signal.reason))); })});</script>`

// endlessLoop is code that tells the server in each round. V8 looks for an interruption by the bytecode that
// has run, not by the time: the rounds of a loop that only waits for requests would be hundreds
// before it does.
const endlessLoop = `for (;;) { const x = new XMLHttpRequest(); x.open('POST', '/ran', false); x.send(); for (let i = 0; i < 2e5; i++) ; }`

// endlessScript are arguments with which a script runs it in the page.
const endlessScript = `{"title":"Order","timeout_ms":60000,"code":"await browserjs(() => { ` + endlessLoop + ` })"}`

// endlessCode are arguments with which code runs it for a time.
const endlessCode = `{"source":"` + endlessLoop + `","timeout_ms":%d}`

// midWork is work of an agent's that a stop meets in its middle.
type midWork struct {
	name string
	args []string // of the command
	// path is what the server sees of it while it goes on. The late click, of which it sees
	// nothing before, is known by its intent.
	path string
}

var midWorks = []midWork{
	{"workflow", []string{"site", "call", "shop.order", `{}`}, "/more"},
	{"click", []string{"call", "locator.click", `{"locator":{"selector":"#late"},"timeout_ms":30000}`}, "/clicked"},
	{"typing", []string{"call", "text.type", fmt.Sprintf(`{"text":%q,"trusted":true}`, strings.Repeat("tea ", 2000))}, "/typed"},
	{"keys", []string{"call", "keyboard.press", `{"key":"a","repeat":1000,"trusted":true}`}, "/key"},
	{"code", []string{"call", "debug.run_javascript", fmt.Sprintf(endlessCode, 60000), "--allow-code"}, "/ran"},
	{"script", []string{"call", "automation.repl", endlessScript, "--allow-code"}, "/ran"},
	{"page tool", []string{"site", "call", "shop.brew", `{}`}, "/brewing"},
}

// stopFace is a way to stop.
type stopFace struct {
	name string // what the caller is told
	how  string
	stop func(t *testing.T, home *harness.Home, b *launch.Browser, doc, popup document)
}

var stopFaces = []stopFace{
	{"popup", "stop all", func(t *testing.T, _ *harness.Home, _ *launch.Browser, _, popup document) {
		popup.bringToFront() // a page in front is drawn, and settles
		harness.Until(t, "the popup offers Stop", func() bool { return popup.text("stop-all") != "" })
		popup.settled()
		popup.click("#stop-all")
	}},
	{"page", "Escape twice", func(_ *testing.T, _ *harness.Home, _ *launch.Browser, doc, _ document) {
		for range 8 { // two of them within 600 ms, on a busy machine too
			doc.escape()
		}
	}},
	{"keyboard", "command", func(t *testing.T, _ *harness.Home, b *launch.Browser, _, _ document) {
		eval[bool](attach(t, b, workerTarget(t, b)), `(chrome.commands.onCommand.dispatch("stop-agents"), true)`)
	}},
	{"terminal", "stop", func(t *testing.T, home *harness.Home, _ *launch.Browser, _, _ document) {
		if run := home.Run(t, "stop", "--all"); run.Exit != 0 {
			t.Errorf("stop: %+v", run)
		}
	}},
	{"browser", "Cancel", func(t *testing.T, _ *harness.Home, b *launch.Browser, _, _ document) { cancelDebugging(t, b) }},
}

// middleHome is a browser at middlePage in which each of midWorks runs.
func middleHome(t *testing.T) (m middle) {
	t.Helper()
	m.home = harness.NewHome(t)
	m.home.Settings(t, `{"allow_code":true}`)
	m.home.AgentSettings(t, `{"automationEnabled":true}`)
	tool := `{"name":"shop.brew","description":"Brew.","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","output":"done","steps":[{"id":"a","primitive":"webmcp.invoke","args":{"name":"brew"}}]}}`
	m.home.Map(t, "public", harness.Site(t), "shop", strings.Replace(endlessOrder, `"tools":[`, `"tools":[`+tool+`,`, 1))
	url, rec := pages(t, map[string]string{"/": middlePage})
	m.arrived = func() int { return len(received(rec, "POST", "")) }
	m.of = func(path string) int { return len(received(rec, "POST", path)) }
	m.b = m.home.OpenWith(t, nil, []string{webMCP}, url)
	m.doc, m.popup = pageAt(t, m.b, url+"/"), ownPage(t, m.b, popupURL)
	m.doc.bringToFront()
	return m
}

type middle struct {
	home       *harness.Home
	b          *launch.Browser
	doc, popup document
	arrived    func() int
	of         func(path string) int
}

// begin starts the work and waits until it is under way.
func (m middle) begin(t *testing.T, w midWork) <-chan dispatch.Envelope {
	t.Helper()
	eval[bool](m.doc, `(document.getElementById("late").disabled = true, document.getElementById("i").value = "", document.getElementById("i").focus(), true)`)
	before, intents := m.of(w.path), len(logged(t, m.home, "intent", "#late"))
	done := background(t, m.home, append(w.args, "--json", "--timeout", "100s")...)
	harness.Until(t, w.name+" is under way", func() bool {
		if w.name == "click" {
			return len(logged(t, m.home, "intent", "#late")) > intents
		}
		return m.of(w.path) > before+2
	})
	return done
}

// goOn lets the agents go on, and shows the page again.
func (m middle) goOn() {
	m.popup.bringToFront()
	goOn(m.popup)
	m.doc.bringToFront()
}

// atRest returns how many requests the page has made, once those that it had begun are done.
// The page of endless code that goes on does not get there.
func (m middle) atRest() int {
	eval[bool](m.doc, `Promise.all(sent).then(() => true)`)
	return m.arrived()
}

func TestStopsInTheMiddle(t *testing.T) {
	// Ensure that each way to stop, in the middle of a workflow, a click, a typing, keys, code and a tool of the page, ends the call as cancelled with its face, that nothing reaches the page's server after it, and that the next call waits for the user. Without --long each way and each kind of work but the workflow, which other tests stop, is tried once.
	m := middleHome(t)
	short := []string{"popup/click", "popup/page tool", "page/typing", "keyboard/keys", "terminal/code", "popup/script", "keyboard/script", "browser/typing"}
	apart := []string{"page/code", "page/script", "browser/code", "browser/script", "browser/page tool"} // a page that hangs sees no key; what Cancel leaves is another test's
	for _, face := range stopFaces {
		for _, work := range midWorks {
			name := face.name + "/" + work.name
			if slices.Contains(apart, name) || !harness.Long() && !slices.Contains(short, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				done := m.begin(t, work)
				face.stop(t, m.home, m.b, m.doc, m.popup)
				got := <-done
				wantCode(t, got, fault.Cancelled)
				if got.Error.Evidence["stopped_by"] != "user" || got.Error.Evidence["face"] != face.name {
					t.Errorf("the caller is told %+v", got.Error)
				}
				arrived := m.atRest()
				wantCode(t, m.home.Call(t, "locator.click", `{"locator":{"selector":"#b"}}`), fault.StoppedByUser)
				eval[bool](m.doc, `(document.getElementById("late").disabled = false, new Promise((done) => setTimeout(() => done(true), 150)))`)
				if n := m.atRest() - arrived; n != 0 {
					t.Errorf("%d requests came after the stop", n)
				}
				m.goOn()
			})
		}
	}
}

func TestWhatCancelLeavesInThePage(t *testing.T) {
	// Ensure that the caller of code or of a page's tool which the browser's Cancel cuts off from its debugger is told at once that it may go on there, that such code ends with its own time limit, and that the tab can be used after it.
	m := middleHome(t)
	cut := func(work midWork) {
		t.Helper()
		done := m.begin(t, work)
		cancelDebugging(t, m.b)
		got := <-done
		wantCode(t, got, fault.Cancelled)
		if got.Error.Dispatched != fault.DispatchedUnknown || got.Error.Evidence["face"] != "browser" || !strings.Contains(got.Error.NextStep, "may go on in the page") {
			t.Errorf("the caller of %s is told %+v", work.name, got.Error)
		}
	}
	code := midWorks[slices.IndexFunc(midWorks, func(w midWork) bool { return w.name == "code" })]
	code.args = slices.Clone(code.args)
	code.args[2] = fmt.Sprintf(endlessCode, 2000)
	cut(code)
	eval[bool](m.doc, `true`) // the page answers once the code has ended
	ran := m.of("/ran")
	m.goOn()
	harness.Must(t, m.home.Call(t, "page.info", `{}`), nil)
	if n := m.of("/ran") - ran; n != 0 {
		t.Errorf("the code ran %d rounds more", n)
	}
	cut(midWorks[slices.IndexFunc(midWorks, func(w midWork) bool { return w.name == "page tool" })])
}

func TestStopsAtOnce(t *testing.T) {
	// Ensure that Cancel, Escape twice and stop in the same moment are one stop to the caller, fail nowhere, stand in the log, end the call once, and are taken back by one Go on.
	m := middleHome(t)
	done := m.begin(t, midWorks[0])
	var all sync.WaitGroup
	for _, face := range stopFaces {
		if face.name == "terminal" || face.name == "keyboard" {
			all.Go(func() { face.stop(t, m.home, m.b, m.doc, m.popup) })
		}
	}
	worker := attach(t, m.b, workerTarget(t, m.b))
	all.Go(func() {
		harness.Eval[bool](t, worker.at, fmt.Sprintf(`(chrome.debugger.onDetach.dispatch({tabId: %d}, "canceled_by_user"), true)`, m.b.Tabs[0].TabID))
	})
	all.Go(func() { m.doc.escape(); m.doc.escape() })
	all.Wait()
	wantCode(t, <-done, fault.Cancelled)
	arrived := m.atRest()
	wantCode(t, m.home.Call(t, "page.info", `{}`), fault.StoppedByUser)
	ended := 0
	for _, r := range logged(t, m.home, "policy", `"event":"stopped"`) {
		var event struct{ Ended int }
		if err := json.Unmarshal(r.Data, &event); err != nil {
			t.Error(err)
		}
		ended += event.Ended
	}
	if ended != 1 || m.atRest() != arrived {
		t.Errorf("%d calls were ended, %d requests came", ended, m.atRest()-arrived)
	}
	m.goOn()
	harness.Must(t, m.home.Call(t, "page.info", `{}`), nil)
}
