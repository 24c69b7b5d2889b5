package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// topAnswer is the first button of the first question.
const topAnswer = `document.querySelector(".answers button")`

// pressOn presses where a button of the pane stands in the page, as the user's
// hand does, which does not see what lies over it.
func pressOn(t *testing.T, doc, pane document, button string) {
	t.Helper()
	host := eval[[]float64](doc, paneBox)
	at := eval[[2]float64](pane, `(r => [r.left + r.width / 2, r.top + r.height / 2])(`+button+`.getBoundingClientRect())`)
	doc.mouseAt(host[0]+at[0], host[1]+at[1])
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
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	pane := a.pane()
	doc := pageAt(t, a.played.Launched, url+"/")
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
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	pane := a.pane()
	doc := pageAt(t, a.played.Launched, url+"/")
	const voice = `document.getElementById("start-voice")`
	harness.Until(t, "the agent can be started", func() bool { return eval[bool](pane, voice+`.checkVisibility() && !`+voice+`.disabled`) })
	eval[bool](doc, lure)
	eval[bool](pane, strings.Replace(coverKnown, "ELEMENT", voice, 1))
	pressOn(t, doc, pane, voice)
	eval[bool](doc, `(document.getElementById("lure").remove(), true)`)
	pane.says("notice", "lay over this button")
	a.heard()
	harness.Until(t, "the user who sees it can start", func() bool {
		pressOn(t, doc, pane, voice)
		return a.asked() > 0
	})
}

func TestNextQuestionTakesNoDoubleClick(t *testing.T) {
	// Ensure that the second press of a double-click on one question's answer allows nothing of the question that moves up into its place.
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	pane := a.pane()
	doc := pageAt(t, a.played.Launched, url+"/")
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
			a.mu.Lock()
			a.requests = nil
			a.mu.Unlock()
			continue
		}
		eval[bool](pane, `new Promise(r => setTimeout(r, 200, true))`)
		a.heard()
		return
	}
	t.Skip("this machine is too slow for a double-click")
}
