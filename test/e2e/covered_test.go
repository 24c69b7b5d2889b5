package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// lure lies over the whole window, over the pane too, and lets the pointer through.
const lure = `(() => {
	const lure = document.createElement("div");
	lure.id = "lure";
	lure.popover = "manual";
	lure.textContent = "Click here to win";
	lure.style = "position: fixed; inset: 0; width: auto; height: auto; margin: 0; border: 0; background: white; pointer-events: none";
	document.body.append(lure);
	lure.showPopover();
	return true;
})()`

// frozen has the page show a picture of itself from before, for as long as it
// likes, over everything that is there now; it is ended by thaw.
const (
	frozen = `(async () => {
		const style = document.createElement("style");
		style.textContent = "::view-transition, ::view-transition-group(root) { pointer-events: none } ::view-transition-old(root), ::view-transition-new(root), ::view-transition-group(root) { animation: hold 1000s } @keyframes hold { }";
		document.head.append(style);
		window.frozen = document.startViewTransition(() => {});
		await window.frozen.ready;
		return true;
	})()`
	thaw = `(window.frozen.skipTransition(), true)`
)

// Buttons of the pane: the first of the first question, and the one that starts a call.
const (
	topAnswer  = `document.querySelector(".answers button")`
	startVoice = `document.getElementById("start-voice")`
)

// paneOnPage opens the pane of a played agent on a plain page.
func paneOnPage(t *testing.T) (a *playedAgent, pane, doc document) {
	t.Helper()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a = playAgent(t, url)
	return a, a.pane(), pageAt(t, a.played.Launched, url+"/")
}

// pressOn presses where a button of the pane stands in the page, as the user's
// hand does, which does not see what lies over it.
func pressOn(t *testing.T, doc, pane document, button string) {
	t.Helper()
	doc.mouseAt(inPage(doc, pane, button))
}

// inPage returns the middle of an element of the pane, in the page.
func inPage(doc, pane document, element string) (x, y float64) {
	doc.t.Helper()
	host := eval[[]float64](doc, paneBox)
	x, y = pane.middle(element)
	return host[0] + x, host[1] + y
}

func question(id string) []object {
	return []object{{"id": id, "session": "voice", "session_id": "voice:k3fj", "name": "locator.click", "origin": "https://tea.example", "effects": []string{"input"}, "summary": "{}", "expires_at": time.Now().Add(time.Minute)}}
}

// coverKnown waits until all observers of the element know that something lies over it:
// a new one at once, the pane's own one at the first drawing after its delay.
const coverKnown = `new Promise(done => new IntersectionObserver((all, own) => {
	const last = all.at(-1), drawn = left => requestAnimationFrame(() => left > 0 ? drawn(left - 1) : done(true));
	if (last.isIntersecting && !last.isVisible) own.disconnect(), setTimeout(drawn, own.delay, 2);
}, {trackVisibility: true, delay: 100}).observe(ELEMENT))`

func TestCoveredQuestionTakesNoAnswer(t *testing.T) {
	// Ensure that a page which lays something over the pane that lets the pointer through cannot have the user answer a question that the user does not see.
	t.Parallel()
	a, pane, doc := paneOnPage(t)
	a.shows("approvals", question("q"))
	for _, cover := range [][2]string{{lure, `(document.getElementById("lure").remove(), true)`}, {frozen, thaw}} {
		pane.enabled(".answers button")
		eval[bool](doc, cover[0])
		pane.until("the pane knows that it is covered", topAnswer+`.disabled`)
		for range 10 {
			pressOn(t, doc, pane, topAnswer)
			eval[bool](pane, `new Promise(r => setTimeout(r, 100, true))`)
		}
		a.heard()
		eval[bool](doc, cover[1])
	}
	pane.enabled(".answers button")
	harness.Until(t, "the user who sees it can answer", func() bool {
		pressOn(t, doc, pane, topAnswer)
		return a.asked() > 0
	})
}

func TestCoveredStartStartsNothing(t *testing.T) {
	// Ensure that a page which lays something over the pane cannot have the user start the agent, whose microphone would then hear what the page plays, that it is said why, and that a press on what is in sight starts it.
	t.Parallel()
	a, pane, doc := paneOnPage(t)
	harness.Until(t, "the agent can be started", func() bool { return eval[bool](pane, startVoice+`.checkVisibility() && !`+startVoice+`.disabled`) })
	eval[bool](doc, lure)
	eval[bool](pane, strings.Replace(coverKnown, "ELEMENT", startVoice, 1))
	pressOn(t, doc, pane, startVoice)
	eval[bool](doc, `(document.getElementById("lure").remove(), true)`)
	pane.says("notice", "lay over this button")
	a.heard()
	harness.Until(t, "the user who sees it can start", func() bool {
		pressOn(t, doc, pane, startVoice)
		return a.asked() > 0
	})
}

func TestStartThatComesIntoSight(t *testing.T) {
	// Ensure that a press on Start in the moment in which a session's end brings it into sight starts nothing and blames no page, and that a press after that moment starts the agent.
	t.Parallel()
	a, pane, doc := paneOnPage(t)
	pane.enabled("#start-voice")
	for range 20 {
		a.shows("state", state("listening", nil))
		pane.until("Start is out of sight", `!`+startVoice+`.checkVisibility() && `+startVoice+`.disabled`)
		began := time.Now()
		a.shows("state", state("disconnected", nil))
		pane.until("Start is there", startVoice+`.checkVisibility()`)
		pressOn(t, doc, pane, startVoice)
		soon := time.Since(began) < 500*time.Millisecond
		pane.enabled("#start-voice")
		if !soon {
			a.forget()
			continue
		}
		a.heard()
		if notice := eval[string](pane, `document.getElementById("notice").textContent`); notice != "" {
			t.Errorf("the pane says %q", notice)
		}
		pressOn(t, doc, pane, startVoice)
		harness.Until(t, "the agent is started", func() bool { return a.asked() > 0 })
		return
	}
	t.Skip("this machine is too slow for a press in that moment")
}

func TestWhatStandsBelowTheQuestionsCoversNone(t *testing.T) {
	// Ensure that of two questions the second, whose answers are scrolled out of sight in the middle, can be answered, and is not said to be covered by the disabled buttons below the list.
	t.Parallel()
	a, pane, doc := paneOnPage(t)
	pane.enabled("#start-voice")
	eval[bool](pane, `(document.querySelectorAll("#start button").forEach(b => b.disabled = true), true)`)
	a.shows("approvals", append(question("first"), question("second")...))
	const cards = `[...document.querySelectorAll("article")]`
	pane.until("both can be answered", cards+`.length === 2 && `+cards+`.every(c => !c.querySelector("button").disabled)`)
	if boxes := eval[[2]float64](pane, `[document.querySelectorAll(".answers")[1], document.getElementById("start")].map((e, i) => e.getBoundingClientRect()[i ? "top" : "bottom"])`); boxes[0] <= boxes[1] {
		t.Fatalf("the second's answers end at %v, above what is below the list, %v", boxes[0], boxes[1])
	}
	pressOn(t, doc, pane, `document.querySelectorAll(".answers")[1].querySelector("button")`)
	a.heard(`approve {"id":"second","verdict":"allow","scope":"once","face":"pane"}`)
}

func TestNextQuestionTakesNoDoubleClick(t *testing.T) {
	// Ensure that the second press of a double-click on one question's answer allows nothing of the question that moves up into its place.
	a, pane, doc := paneOnPage(t)
	for try := range 10 {
		first, second := question(fmt.Sprint("first", try)), question(fmt.Sprint("second", try))
		a.shows("approvals", append(first, second...))
		pane.until("the first can be answered", fmt.Sprintf(`document.getElementById("approval-first%d")?.closest("article").querySelector("button").disabled === false`, try))
		pressOn(t, doc, pane, topAnswer)
		a.heard(fmt.Sprintf(`approve {"id":"first%d","verdict":"allow","scope":"once","face":"pane"}`, try))
		began := time.Now()
		a.shows("approvals", second)
		harness.Until(t, "one question is left", func() bool { return eval[int](pane, `document.querySelectorAll(".answers").length`) == 1 })
		pressOn(t, doc, pane, topAnswer)
		if time.Since(began) > 400*time.Millisecond { // too slow a machine for a double-click
			harness.Until(t, "the press is taken or refused", func() bool { return a.asked() > 0 || eval[bool](pane, `!`+topAnswer+`.disabled`) })
			a.forget()
			continue
		}
		eval[bool](pane, `new Promise(r => setTimeout(r, 200, true))`)
		a.heard()
		return
	}
	t.Skip("this machine is too slow for a double-click")
}

func TestZoomedPageShowsThePane(t *testing.T) {
	// Ensure that a page which zooms its root, or an element that it puts the pane into, makes neither the pane nor a question in it smaller.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title><body><h1>Tea</h1><div id=w></div>`})
	a := playAgent(t, url)
	pane := a.pane()
	doc := pageAt(t, a.played.Launched, url+"/")
	a.shows("approvals", question("q"))
	pane.enabled(".answers button")
	want := eval[[]float64](doc, paneBox)
	for _, zoom := range []string{
		`(document.documentElement.style.zoom = .1, document.body.style.zoom = 10, true)`,
		`(document.documentElement.style.zoom = document.body.style.zoom = "", w.style.zoom = .1, w.moveBefore(` + paneHost + `, null), true)`,
	} {
		eval[bool](doc, zoom)
		harness.Until(t, "the pane is as large as before", func() bool {
			got := eval[[]float64](doc, paneBox)
			return got[2] == want[2] && got[3] == want[3] && eval[float64](pane, `devicePixelRatio`) == eval[float64](doc, `devicePixelRatio`)
		})
		pane.enabled(".answers button")
	}
}

func TestQuestionThatComesUnderAPress(t *testing.T) {
	// Ensure that a question which the page or a change of tabs brings under a press that is on its way is not answered by it, and that one which has been in sight for a while is.
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title><body><h1>Tea</h1><div id=w style="display:none"></div>`, "/two": `<title>Game</title>`})
	a := playAgent(t, url, url+"/two")
	pane := a.pane()
	doc, two := pageAt(t, a.played.Launched, url+"/"), pageAt(t, a.played.Launched, url+"/two")
	away := `(w.moveBefore(` + paneHost + `, null), new Promise(r => setTimeout(() => r(` + paneHost + `.getBoundingClientRect().width === 0), 1200)))`
	home := `(` + paneHost + `.parentNode === w && document.documentElement.moveBefore(` + paneHost + `, null), ` + paneHost + `.matches(":popover-open") || ` + paneHost + `.showPopover(), true)`
	// press presses at once where the question comes, and reports whether that was soon enough to be meant for something else.
	press := func(t *testing.T, show func()) bool {
		at := eval[[2]float64](pane, `(r => [r.left + r.width / 2, r.top + r.height / 2])(`+topAnswer+`.getBoundingClientRect())`)
		began := time.Now()
		show()
		host := eval[[]float64](doc, paneBox)
		doc.mouseAt(host[0]+at[0], host[1]+at[1])
		took := time.Since(began)
		t.Logf("pressed after %v", took)
		return took < 500*time.Millisecond
	}
	for name, way := range map[string]func() bool{
		"tab": func() bool { // it comes while nobody can see it
			two.bringToFront()
			a.shows("approvals", question("tab"))
			pane.until("the question is there", topAnswer+` !== null`)
			return press(t, doc.bringToFront)
		},
		"page": func() bool { // the extension takes the pane back a few times
			a.shows("approvals", question("page"))
			pane.enabled(".answers button")
			harness.Until(t, "the pane stays away", func() bool { return eval[bool](doc, away) })
			return press(t, func() { eval[bool](doc, home) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc.bringToFront()
			a.shows("approvals", []object{})
			pane.until("no question is left", topAnswer+` === null`)
			soon := way()
			eval[bool](pane, `new Promise(r => setTimeout(r, 200, true))`)
			if soon {
				a.heard()
				pane.enabled(".answers button")
				pressOn(t, doc, pane, topAnswer)
				a.heard(`approve {"id":"` + name + `","verdict":"allow","scope":"once","face":"pane"}`)
			}
			a.forget()
		})
	}
}

func TestApprovalIsForItsDocument(t *testing.T) {
	// Ensure that an approval for once is good for the document that the user was asked about: not for the same call in another tab, nor on the next page of this one.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	url, rec := pages(t, map[string]string{
		"/":        `<title>Draft</title><button onclick="fetch('/saved',{method:'POST'})">Save draft</button>`,
		"/account": `<title>Account</title><button onclick="fetch('/deleted',{method:'POST'})">Delete account</button>`,
	})
	b := home.Open(t, url, url+"/account")
	first, second := []string{"--tab", fmt.Sprint(b.Tabs[0].TabID)}, []string{"--tab", fmt.Sprint(b.Tabs[1].TabID)}
	const press = `{"locator":{"selector":"button"}}`
	asked := func(tab []string) string {
		return fmt.Sprint(wantCode(t, home.Call(t, "locator.click", press, tab...), fault.NeedsApproval).Evidence["id"])
	}
	home.Allow(t, asked(first))
	asked(second)
	harness.Must(t, home.Call(t, "locator.click", press, first...), nil)
	home.Allow(t, asked(first))
	harness.Must(t, home.Call(t, "browser.navigate", `{"url":"`+url+`/account"}`, first...), nil)
	asked(first)
	if saved, deleted := len(received(rec, "POST", "/saved")), len(received(rec, "POST", "/deleted")); saved != 1 || deleted != 0 {
		t.Errorf("saved %d times, deleted %d times", saved, deleted)
	}
}

func TestMarkLeavesThePaneInSight(t *testing.T) {
	// Ensure that a question about an element which is marked in the page can be answered in the pane, wherever the element is: no mark lies over the pane.
	t.Parallel()
	for name, style := range map[string]string{"elsewhere": ``, "below the pane": `position:fixed;top:80px;right:60px;width:200px`, "beside the pane": `position:fixed;top:80px;right:358px;width:200px`} {
		t.Run(name, func(t *testing.T) {
			home := harness.NewHome(t)
			home.Settings(t, `{"ask_effects":["input"]}`)
			url, _ := pages(t, map[string]string{"/": `<title>Tea</title><button style="` + style + `">Pay</button>`})
			b := home.Open(t, url)
			harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
			doc, pane := pageAt(t, b, url+"/"), inFrame(t, b, paneURL)
			doc.bringToFront()
			wantCode(t, home.Call(t, "locator.click", `{"locator":{"selector":"button"}}`), fault.NeedsApproval)
			doc.until("the element is marked", `document.querySelector("[data-actions-json-attachment=actions-json-asked]")?.matches(":popover-open")`)
			pane.enabled(".answers button")
			pressOn(t, doc, pane, topAnswer)
			pane.until("it is answered", `document.querySelector("#approvals article") === null`)
		})
	}
}

func TestShownActionLeavesThePaneInSight(t *testing.T) {
	// Ensure that the pane takes an answer at any moment while an action is shown in the page, also one on an element below the pane.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title><button style="position:fixed;top:80px;right:60px;width:200px">Pay</button>`})
	a := playAgent(t, url)
	pane, doc := a.pane(), pageAt(t, a.played.Launched, url+"/")
	doc.bringToFront()
	a.shows("approvals", question("q"))
	pane.enabled(".answers button")
	eval[bool](doc, noteShown)
	eval[bool](pane, `(window.taken = [], new MutationObserver(() => taken.push(`+topAnswer+`?.disabled)).observe(document, {subtree: true, attributeFilter: ["disabled"]}), true)`)
	hover := protocol.ActionCall{CallID: "hover", Name: "target.act", Arguments: json.RawMessage(`{"action":"hover","fidelity":"synthetic","locator":{"selector":"button"}}`), TabID: a.played.Launched.Tabs[0].TabID, TimeoutMS: 5000, Shown: "locator.hover"}
	if _, err := a.played.Connection().Page(t.Context(), hover); err != nil {
		t.Fatal(err)
	}
	doc.until("the action is shown", `window.shown === true`)
	doc.until("it is over", `document.querySelector("[data-actions-json-attachment=actions-json-shown]:popover-open") === null`)
	if got := eval[string](pane, `JSON.stringify(window.taken)`); got != "[]" {
		t.Errorf("the answer was disabled and enabled: %s", got)
	}
	pressOn(t, doc, pane, topAnswer)
	a.heard(`approve {"id":"q","verdict":"allow","scope":"once","face":"pane"}`)
}
