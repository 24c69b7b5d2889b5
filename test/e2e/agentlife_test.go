package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// firstAnswer notes whether the first answer of the next question sleeps when it
// is put into the page, whenever that is looked at.
const firstAnswer = `(window.asleep = undefined, new MutationObserver((changes, observer) => {
	const added = changes.flatMap(({addedNodes}) => [...addedNodes]).find(node => node.matches?.("article"));
	if (!added) return;
	observer.disconnect();
	window.asleep = added.querySelector(".answers button").disabled;
}).observe(document.getElementById("approvals"), {childList: true}), true)`

func TestAgentApprovals(t *testing.T) {
	// Ensure that a question tells what and where, that only the user's own click after a moment answers it, that a refused answer can be given again, that an expired one cannot, and that the popup asks too.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	pane := a.pane()
	a.shows("state", state("using_tool", object{"tool": "locator_click"}))
	ask := func(id string, left time.Duration) object {
		return object{"id": id, "session": "mcp", "session_id": "mcp:k3fj", "caller": "Claude Code", "name": "locator.click", "origin": "https://tea.example", "effects": []string{"input"}, "about": object{"argument": "Place order"}, "summary": `{"name":"Order <b>` + id + `</b>"}`, "expires_at": time.Now().Add(left)}
	}
	answer := func(n int) string {
		return []string{"", ".answers > button:nth-child(1)", ".answers > button:nth-child(2)", ".wider button:nth-of-type(1)", ".wider button:nth-of-type(2)"}[n]
	}
	for i, want := range []string{`"verdict":"allow","scope":"once"`, `"verdict":"deny","scope":"once"`, `"verdict":"allow","scope":"session"`, `"verdict":"allow","scope":"always"`} {
		id := fmt.Sprint("q", i)
		eval[bool](pane, firstAnswer)
		a.shows("approvals", []object{ask(id, time.Minute)})
		pane.until("the exact call is there", `document.querySelector(".exact .summary")?.textContent.includes(`+"`"+`{"name":"Order <b>`+id+`</b>"}`+"`"+`)`)
		eval[bool](pane, `(document.querySelectorAll(".exact, .wider").forEach(d => d.open = true), true)`)
		if !eval[bool](pane, `window.asleep`) {
			t.Error("an answer can be given before the question can be read")
		}
		pane.says("approvals", "Press Place order on tea.example?")
		pane.says("approvals", "https://tea.example")
		pane.says("approvals", "Asked by: Coding agent Claude Code")
		pane.says("approvals", "Refused in ")
		pane.enabled(answer(i + 1))
		if eval[bool](pane, fmt.Sprintf(`(b => (b.click(), b.disabled))(document.querySelector(%q))`, answer(i+1))) {
			t.Error("a script's click answered")
		}
		pane.click(answer(i + 1))
		a.heard(fmt.Sprintf(`approve {"id":"%s",%s,"face":"pane"}`, id, want))
	}
	a.shows("approvals", []object{ask("again", time.Minute)})
	pane.enabled(answer(1))
	a.refuse(fault.New(fault.StorageUnavailable, "the disk is full"))
	pane.click(answer(1))
	a.heard(`approve {"id":"again","verdict":"allow","scope":"once","face":"pane"}`)
	pane.says("notice", "the disk is full")
	pane.enabled(answer(1))
	a.shows("approvals", []object{ask("late", time.Second)})
	pane.says("approvals", "The time to answer is over")
	if !eval[bool](pane, `[...document.querySelectorAll(".answers button")].every(b => b.disabled)`) {
		t.Error("an expired question can be answered")
	}
	a.shows("approvals", []object{ask("there", time.Minute)})
	popup := openPopup(t, a.played.Launched)
	popup.says("approvals", "Press Place order on tea.example?")
	popup.enabled(answer(2))
	popup.click(answer(2))
	a.heard(`approve {"id":"there","verdict":"deny","scope":"once","face":"popup"}`)
	a.shows("approvals", []object{})
	harness.Until(t, "no question is shown", func() bool { return pane.text("approvals") == "" })
}

func TestPressOnButtonThatMoves(t *testing.T) {
	// Ensure that a press which began on a button of the popup presses it, also where a line that appears above moves it before the release, and that a pointer which is drawn off the button presses nothing.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	a.shows("state", state("listening", nil))
	popup := openPopup(t, a.played.Launched)
	popup.settled()
	press := func(between func(x, y float64) (float64, float64)) {
		t.Helper()
		var at []float64
		for began := false; !began; began = eval[bool](popup, `globalThis.began`) { // the popup may just have been laid out anew
			at = eval[[]float64](popup, fmt.Sprintf(`(stop => { globalThis.began = false; stop.addEventListener("pointerdown", () => { globalThis.began = true; }, {once: true}); return %s; })(document.querySelector("#agent-stop"))`, fmt.Sprintf(clickable, "#agent-stop")))
			popup.pointer(input.DispatchMouseEventTypeMouseMoved, at[0], at[1], 0)
			popup.pointer(input.DispatchMouseEventTypeMousePressed, at[0], at[1], 1)
		}
		x, y := between(at[0], at[1])
		popup.pointer(input.DispatchMouseEventTypeMouseReleased, x, y, 1)
	}
	press(func(x, y float64) (float64, float64) {
		popup.pointer(input.DispatchMouseEventTypeMouseMoved, x-200, y-200, 0)
		return x - 200, y - 200
	})
	press(func(x, y float64) (float64, float64) {
		eval[bool](popup, `(document.querySelector("main").prepend(Object.assign(document.createElement("p"), {style: "height: 60px"})), document.body.offsetHeight > 0)`)
		return x, y
	})
	a.heard(`stop {}`)
}

func TestAgentOutlivesPages(t *testing.T) {
	// Ensure that a navigation, the end of the worker and a release change nothing of the session: the view and a draft come back, the popup steers without a pane, and a content script is told and does nothing.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`, "/two": `<title>Two</title>`})
	a := playAgent(t, url)
	b := a.played.Launched
	pane, doc := a.pane(), pageAt(t, b, url+"/")
	a.shows("state", state("listening", nil))
	a.shows("row", row(1, "user", "Hello there"))
	pane.says("log", "Hello there")
	pane.types("half a sen")
	harness.Until(t, "the draft is kept", func() bool {
		return eval[string](pane, `chrome.storage.session.get("agent_draft").then(d => d.agent_draft ?? "")`) == "half a sen"
	})
	eval[bool](doc, `(location.href = "/two", true)`)
	doc.until("the next page has the pane", `location.pathname === "/two" && `+paneHost+` !== null`)
	pane = inFrame(t, b, paneURL)
	pane.says("state", "Listening")
	pane.says("log", "Hello there")
	harness.Until(t, "the draft is back", func() bool { return eval[string](pane, `document.getElementById("text").value`) == "half a sen" })

	killWorker(t, b)
	a.mu.Lock()
	a.view["state"] = state("thinking", nil)
	a.mu.Unlock()
	pane.says("state", "Thinking…")
	pane.click("#stop")
	a.heard(`stop {}`)
	a.shows("state", state("listening", nil))

	pane.click("#hide")
	popup := openPopup(t, b)
	popup.says("agent-state", "Listening")
	popup.settled()
	popup.click("#agent-mute")
	a.heard(`mute {"input":true,"output":false}`)
	a.shows("state", state("listening", object{"input_muted": true}))
	popup.says("agent-mute", "Unmute")
	popup.click("#show-pane")
	popup.says("notice", "The agent's pane is open in this tab.")
	harness.Until(t, "the pane is shown", func() bool { return eval[bool](doc, paneHost+`?.offsetWidth === 340`) })
	popup.click("#agent-stop")
	a.heard(`stop {}`)
	a.shows("state", state("disconnected", nil))
	popup.says("agent-text", "Start text")
	popup.click("#agent-voice")
	a.heard(`start {"text_only":false}`)
	popup.click("#agent-text")
	a.heard(`start {"text_only":true}`)

	got := eval[string](popup, fmt.Sprintf(`chrome.scripting.executeScript({target: {tabId: %d}, func: () => new Promise(done => {
		const port = chrome.runtime.connect({name: "agent"});
		port.onMessage.addListener(message => done(message.kind));
		port.onDisconnect.addListener(() => done("closed"));
		port.postMessage({kind: "request", id: 1, method: "agent_stop", params: {}});
		port.postMessage({kind: "hello", key: "0".repeat(32)});
	})}).then(([{result}]) => result)`, b.Tabs[0].TabID))
	if got != "closed" {
		t.Errorf("the port of a content script is %q", got)
	}
	popup.click("#agent-voice")
	a.heard(`start {"text_only":false}`) // and no stop before it
}
