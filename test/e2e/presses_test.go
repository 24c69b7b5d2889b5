package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// press presses the left button and leaves it down.
func (d document) press(x, y float64) {
	d.t.Helper()
	d.pointer(input.DispatchMouseEventTypeMouseMoved, x, y, 0)
	d.pointer(input.DispatchMouseEventTypeMousePressed, x, y, 1)
}

// clicks makes the count-th click of a series at that point.
func (d document) clicks(x, y float64, count int64) {
	d.t.Helper()
	for _, kind := range []input.DispatchMouseEventType{
		input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased,
	} {
		do(d, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: count})
	}
}

// handled waits until the document has done what came of the input before.
func (d document) handled() {
	d.t.Helper()
	eval[bool](d, `new Promise(r => setTimeout(r, 200, true))`)
}

func TestHeldPressCountsAsItBegan(t *testing.T) {
	// Ensure that a page which covers a button of the pane, has the user hold it, and uncovers it before the user lets go, starts no agent and has nothing allowed.
	t.Parallel()
	a, pane, doc := paneOnPage(t)
	pane.enabled("#start-voice")
	const uncover = `(document.getElementById("lure").remove(), true)`
	eval[bool](doc, lure)
	eval[bool](pane, strings.Replace(coverKnown, "ELEMENT", startVoice, 1))
	x, y := inPage(doc, pane, startVoice)
	doc.press(x, y)
	eval[bool](doc, uncover)
	eval[bool](pane, `new Promise(r => setTimeout(r, 1000, true))`)
	doc.pointer(input.DispatchMouseEventTypeMouseReleased, x, y, 1)
	pane.says("notice", "lay over this button")
	a.heard()

	a.shows("approvals", question("q"))
	pane.enabled(".answers button")
	eval[bool](doc, lure)
	pane.until("the pane knows that it is covered", topAnswer+`.disabled`)
	x, y = inPage(doc, pane, topAnswer)
	doc.press(x, y)
	eval[bool](doc, uncover)
	pane.enabled(".answers button")
	doc.pointer(input.DispatchMouseEventTypeMouseReleased, x, y, 1)
	pane.handled()
	a.heard()
	doc.clicks(x, y, 1)
	a.heard(`approve {"id":"q","verdict":"allow","scope":"once","face":"pane"}`)
}

func TestDoubleClickPressesOneThing(t *testing.T) {
	// Ensure that the second press of a double-click does nothing to what comes under it by the first, in pane, popup and side panel, and that a click for itself does.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	pane, doc, tab := a.pane(), pageAt(t, a.played.Launched, url+"/"), a.played.Launched.Tabs[0].TabID

	a.shows("state", state("listening", nil))
	pane.until("the composer is there", `document.getElementById("text").checkVisibility()`)
	pane.types("hello")
	x, y := inPage(doc, pane, `document.getElementById("send")`)
	doc.clicks(x, y, 1)
	harness.Until(t, "the text is sent", func() bool { return a.asked() > 0 })
	a.shows("state", state("thinking", nil))
	pane.until("Interrupt takes Send's place", fmt.Sprintf(`(e => e.checkVisibility() && e.getBoundingClientRect().right > %v)(document.getElementById("interrupt"))`, x-eval[[]float64](doc, paneBox)[0]))
	doc.clicks(x, y, 2)
	pane.handled()
	if n := a.asked(); n != 1 {
		t.Errorf("a double-click on Send made %d requests", n)
	}
	a.forget()

	popup := openPopup(t, a.played.Launched)
	popup.settled()
	eval[bool](popup, `(document.getElementById("agent-stop").scrollIntoViewIfNeeded(), true)`)
	x, y = popup.middle(`document.getElementById("agent-stop")`)
	popup.clicks(x, y, 1)
	a.heard("stop {}")
	a.shows("state", state("disconnected", nil))
	popup.until("Start voice takes Stop's place", fmt.Sprintf(`document.elementFromPoint(%v, %v)?.id === "agent-voice"`, x, y))
	popup.clicks(x, y, 2)
	popup.handled()
	a.heard()
	popup.clicks(x, y, 1)
	harness.Until(t, "a click for itself starts the agent", func() bool { return a.asked() > 0 })
	a.forget()

	a.mu.Lock()
	a.view = chatLooks(tab)[3].view
	a.mu.Unlock()
	panel := panelOf(t, a.played.Launched, tab)
	panel.until("the model answers", `document.getElementById("stop").checkVisibility()`)
	x, y = panel.middle(`document.getElementById("stop")`)
	a.shows("chat", object{"tab_id": tab, "state": state("listening", nil)})
	panel.until("the answer is there", `!document.getElementById("stop").checkVisibility()`)
	panel.clicks(x, y, 1) // late for Stop
	panel.handled()
	a.heard()
}

func TestSecondReleaseOfADoubleClick(t *testing.T) {
	// Ensure that a double-click on Release in the popup releases this tab and takes it not back, and that one in the list releases no tab that moves up.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title>`, "/two": `<title>Second</title>`, "/three": `<title>Third</title>`})
	b := home.Open(t, url, url+"/two", url+"/three")
	claimed := func() int { return strings.Count(home.Run(t, "tabs", "--json").Stdout, url) }
	popup := openPopup(t, b)
	popup.settled()
	popup.says("control", "Release this tab")
	x, y := popup.middle(`document.getElementById("control")`)
	popup.clicks(x, y, 1)
	popup.says("control", "Take control")
	popup.enabled("#control")
	x, y = popup.middle(`document.getElementById("control")`)
	popup.clicks(x, y, 2)
	popup.handled()
	if n := claimed(); n != 2 {
		t.Errorf("%d tabs are under control after a double-click on Release", n)
	}
	eval[bool](popup, `(document.querySelector("#claimed-list [data-tab]").scrollIntoViewIfNeeded(), true)`)
	x, y = popup.middle(`document.querySelector("#claimed-list [data-tab]")`)
	popup.clicks(x, y, 1)
	popup.until("the next moves up", `document.querySelectorAll("#claimed-list [data-tab]").length === 1`)
	popup.clicks(x, y, 2)
	popup.handled()
	if n := claimed(); n != 1 {
		t.Errorf("%d tabs are under control after a double-click on the first of two", n)
	}
}

func TestBarStaysForTheSecondPress(t *testing.T) {
	// Ensure that the second press of a double-click on Stop in the bar does not fall on the page below, and that the bar goes then.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": `<title>Shop</title><body style="margin:0"><button style="position:fixed;top:0;left:0;width:100%;height:60px" onclick="fetch('/clicked',{method:'POST'})">Delete all</button>`})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	showActions(t, ownPage(t, b, optionsURL))
	doc.bringToFront()
	shown := `!!` + barHost + `?.matches(":popover-open")`
	done := calling(t, home, "locator.wait_for", `{"locator":{"selector":"#none"},"timeout_ms":20000}`)
	harness.Until(t, "the bar is shown", func() bool { return eval[bool](doc, shown) })
	at := eval[[2]float64](doc, fmt.Sprintf(`(r => [r.right - 20, r.top + r.height / 2])(%s.getBoundingClientRect())`, barHost))
	began := time.Now()
	doc.clicks(at[0], at[1], 1)
	wantCode(t, <-done, fault.Cancelled)
	doc.clicks(at[0], at[1], 2)
	soon := time.Since(began) < 500*time.Millisecond
	doc.handled()
	if n := len(received(rec, "POST", "/clicked")); soon && n != 0 {
		t.Errorf("the page got %d clicks", n)
	}
	harness.Until(t, "the bar goes", func() bool { return !eval[bool](doc, shown) })
}

func TestFailedAnswerIsShown(t *testing.T) {
	// Ensure that the user sees why an answer failed while a session is in the state error, and its reason afterwards.
	t.Parallel()
	a, pane, doc := paneOnPage(t)
	a.shows("state", state("error", object{"error": object{"code": "voice_refused", "message": "the key is wrong", "next_step": "Set another."}}))
	pane.says("reason", "he key is wrong")
	a.shows("approvals", question("q"))
	pane.enabled(".answers button")
	a.refuse(fault.New(fault.StorageUnavailable, "the disk is full"))
	pressOn(t, doc, pane, topAnswer)
	pane.says("notice", "the disk is full")
	popup := openPopup(t, a.played.Launched)
	popup.settled()
	popup.enabled(".answers button")
	a.refuse(fault.New(fault.StorageUnavailable, "the disk is full"))
	popup.click(".answers button")
	popup.says("agent-problem", "the disk is full")
	popup.enabled(".answers button")
	popup.click(".answers button")
	popup.says("agent-problem", "he key is wrong")
}

func TestZoomKeepsTheAnswer(t *testing.T) {
	// Ensure that a zoom of the tab while the user writes an answer accuses no page, and leaves the text and the focus where they were.
	t.Parallel()
	a, pane, doc := paneOnPage(t)
	a.shows("questions", []object{modelAsks("z", "Which tea?")})
	pane.enabled("#approvals textarea")
	pane.mouse(`document.querySelector("#approvals textarea")`)
	do(pane, input.InsertText, input.InsertTextParams{Text: "Sen"})
	eval[bool](pane, `(window.notes = 0, new MutationObserver(() => window.notes += [...document.querySelectorAll("#approvals p")].some(p => p.textContent.startsWith("Something") && p.checkVisibility())).observe(document.body, {subtree: true, attributes: true}), true)`)
	page := a.page(optionsURL)
	doc.bringToFront()
	before, began := eval[float64](pane, `devicePixelRatio`), time.Now()
	// Else the browser zooms the pages of this host for the tests to come, too.
	eval[bool](page, fmt.Sprintf(`(id => chrome.tabs.setZoomSettings(id, {scope: "per-tab"}).then(() => chrome.tabs.setZoom(id, 1.25)).then(() => true))(%d)`, a.played.Launched.Tabs[0].TabID))
	pane.until("the pane is zoomed", fmt.Sprintf(`devicePixelRatio > %v`, before))
	pane.until("the user can go on", `(e => !e.disabled && document.activeElement === e && e.value === "Sen")(document.querySelector("#approvals textarea"))`)
	soon := time.Since(began) < 1500*time.Millisecond // else it was covered for long
	eval[bool](pane, `new Promise(r => setTimeout(r, 1000, true))`)
	pane.until("the user can go on still", `(e => !e.disabled && document.activeElement === e)(document.querySelector("#approvals textarea"))`)
	if n := eval[int](pane, `window.notes`); soon && n > 0 {
		t.Errorf("the page is blamed for the user's own zoom, %d times", n)
	}
}

func TestSavePageAsks(t *testing.T) {
	// Ensure that an open page that saves actions shows a model's question, as the model is told that somebody could answer.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	save := a.page(fmt.Sprintf("%ssave.html?tab=%d", manifest.ExtensionURL, a.played.Launched.Tabs[0].TabID))
	a.shows("questions", []object{modelAsks("z", "Which tea?")})
	save.says("approvals", "Which tea?")
}

func TestOptionsFollowTheHost(t *testing.T) {
	// Ensure that a field of the options that has the focus shows what the host has now, and that one with a text that is being written keeps it.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	options := a.page(optionsURL)
	options.until("the settings are shown", `!document.getElementById("rights").disabled && document.getElementById("mode").value === "act"`)
	eval[bool](options, `(document.getElementById("mode").focus(), true)`)
	settings := agentSettings()
	settings["mode"] = "ask"
	a.shows("settings", settings)
	options.until("the mode follows", `document.getElementById("mode").value === "ask"`)
	eval[bool](options, `(document.getElementById("spending_limit_usd").select(), document.getElementById("spending_limit_usd").focus(), true)`)
	do(options, input.InsertText, input.InsertTextParams{Text: "17"})
	settings = agentSettings()
	settings["memory"] = false
	a.shows("settings", settings)
	options.until("the rest follows", `!document.getElementById("memory").checked && document.getElementById("mode").value === "act"`)
	if now := eval[string](options, `document.getElementById("spending_limit_usd").value`); now != "17" {
		t.Errorf("what the user writes became %q", now)
	}
}

func TestStartMovesTheFocus(t *testing.T) {
	// Ensure that the field for words has the focus when a session that the user started begins.
	t.Parallel()
	a, pane, doc := paneOnPage(t)
	pane.enabled("#start-text")
	pressOn(t, doc, pane, `document.getElementById("start-text")`)
	harness.Until(t, "the agent is started", func() bool { return a.asked() > 0 })
	pane.enabled("#start-text")
	a.shows("state", state("connecting", nil))
	pane.until("the field has the focus", `document.activeElement?.id === "text"`)
}

func TestReportKeepsTheFocus(t *testing.T) {
	// Ensure that Restore has the focus when a report is made small by a key, and Minimize when it is large again.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>keys</title>`})
	b := home.Open(t, url)
	harness.Must(t, home.Call(t, "overlay.open", `{"html":"<p>x</p>","width":600,"height":400}`), nil)
	pageAt(t, b, url+"/").bringToFront()
	report := inFrame(t, b, manifest.ExtensionURL+"report.html")
	eval[bool](report, `(document.getElementById("minimize").focus(), true)`)
	for range 3 {
		for _, id := range []string{"restore", "minimize"} {
			report.key("Enter", "Enter", 13, "\r", 0)
			report.until(id+" has the focus", fmt.Sprintf(`document.activeElement?.id === %q`, id))
		}
	}
}
