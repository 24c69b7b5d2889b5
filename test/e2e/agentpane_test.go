package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// The protocol's numbers of modifier keys.
const (
	noModifier    = 0
	modifierCtrl  = 2
	modifierShift = 8
)

// enter presses Enter with the modifiers, where the focus is.
func (d document) enter(modifiers int64) {
	d.t.Helper()
	text := "\r"
	if modifiers == modifierCtrl {
		text = ""
	}
	d.key("Enter", "Enter", 13, text, modifiers)
}

// types writes into the composer like a person.
func (d document) types(text string) {
	d.t.Helper()
	// A frame that takes the focus by script has it before the browser knows; one that is clicked, after.
	d.mouse(`document.getElementById("text")`)
	eval[bool](d, `(e => (e.setSelectionRange(e.value.length, e.value.length), true))(document.getElementById("text"))`)
	do(d, input.InsertText, input.InsertTextParams{Text: text})
}

// enabled waits until the element can be clicked.
func (d document) enabled(selector string) {
	d.t.Helper()
	d.until(selector+" is enabled", fmt.Sprintf(`(e => e !== null && !e.disabled)(document.querySelector(%q))`, selector))
}

func TestAgentPane(t *testing.T) {
	// Ensure that the pane starts, steers and stops the agent, sends what is written in the right way, keeps what was refused, and shows each state, turn and reason.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	pane := a.pane()
	pane.says("state", "Not started")
	pane.enabled("#start-text")
	a.refuse(fault.New(fault.VoiceKeyMissing, "there is no key"))
	pane.click("#start-text")
	a.heard(`start {"text_only":true}`)
	pane.says("notice", "there is no key. No key is set.")
	pane.enabled("#start-voice")
	pane.click("#start-voice")
	a.heard(`start {"text_only":false}`)

	a.shows("state", state("connecting", nil))
	pane.says("state", "Connecting…")
	a.shows("state", state("listening", nil))
	pane.says("state", "Listening")
	pane.click("#mute")
	a.heard(`mute {"input":true,"output":false}`)
	a.shows("state", state("listening", object{"input_muted": true}))
	pane.says("channels", "microphone off")
	pane.click("#silence")
	a.heard(`mute {"input":true,"output":true}`)

	pane.types("one")
	pane.enter(modifierShift)
	pane.types("two")
	pane.enter(noModifier)
	a.heard(`send {"text":"one\ntwo","mode":"queue"}`)
	harness.Until(t, "what was sent is gone", func() bool { return eval[string](pane, `document.getElementById("text").value`) == "" })
	if pane.text("interrupt") != "" {
		t.Error("there is nothing to interrupt")
	}
	a.shows("state", state("speaking", object{"cost": object{"session_usd": 0.5, "last_usd": 0.02, "responses": 1, "cache": "miss"}}))
	pane.says("cost", "$0.50 · last $0.02")
	pane.says("cache", "cache miss")
	pane.says("interrupt", "Interrupt")
	pane.types("wait")
	pane.enter(noModifier)
	a.heard(`send {"text":"wait","mode":"queue"}`)
	harness.Until(t, "the line is empty", func() bool { return eval[string](pane, `document.getElementById("text").value`) == "" })
	pane.types("stop")
	pane.enter(modifierCtrl)
	a.heard(`send {"text":"stop","mode":"interrupt"}`)
	harness.Until(t, "the line is empty again", func() bool { return eval[string](pane, `document.getElementById("text").value`) == "" })
	pane.click("#interrupt")
	a.heard(`interrupt {}`)
	a.refuse(fault.New(fault.VoiceUnresponsive, "nobody answers"))
	pane.types("kept")
	pane.click("#send")
	a.heard(`send {"text":"kept","mode":"queue"}`)
	pane.says("notice", "nobody answers")
	if text := eval[string](pane, `document.getElementById("text").value`); text != "kept" {
		t.Errorf("what was refused became %q", text)
	}

	a.shows("state", state("using_tool", object{"tool": "browser_navigate"}))
	pane.says("state", "Using a tool: go to an address")
	a.shows("state", state("error", object{"error": object{"code": "voice_refused", "message": "the key is wrong", "next_step": "Set another."}}))
	pane.says("reason", "The key is wrong")
	pane.says("next-step", "Set another.")
	pane.says("start-voice", "Start voice")
	a.shows("state", state("thinking", nil))
	pane.click("#stop")
	a.heard(`stop {}`)
}

func TestAgentTranscript(t *testing.T) {
	// Ensure that a turn is one row that grows, that nothing of it becomes HTML, that only web addresses are links, and that the log follows its end until the reader scrolls up, also with a thousand turns.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	pane := a.pane()
	a.shows("state", state("speaking", nil))
	pane.says("state", "Speaking")
	for _, text := range []string{"", "Two", "Two boxes", "Two boxes of tea."} {
		a.shows("row", object{"id": "r", "role": "assistant", "text": text, "done": text == "Two boxes of tea."})
	}
	pane.says("log", "Two boxes of tea.")
	if n := eval[int](pane, `document.querySelectorAll(".row").length`); n != 1 {
		t.Errorf("one turn has %d rows", n)
	}
	hostile := `<img src=x onerror="window.hit=1"><b id=injected>b</b> javascript:alert(1) https://tea.example/a?b=1&c=<x>`
	for _, role := range []string{"user", "assistant", "tool", "note"} {
		a.shows("row", row(role, role, hostile))
	}
	harness.Until(t, "the rows are there", func() bool { return eval[int](pane, `document.querySelectorAll(".row").length`) == 5 })
	links := eval[[]string](pane, `[...document.querySelectorAll("#log a")].map(a => a.getAttribute("href") + " " + a.textContent + " " + a.rel)`)
	want := "https://tea.example/a?b=1&c= https://tea.example/a?b=1&c= noopener noreferrer"
	if len(links) != 3 || links[0] != want || links[1] != want || links[2] != want {
		t.Errorf("links %q", links)
	}
	if got := eval[int](pane, `document.querySelectorAll("#log img, #log b, #injected").length + (window.hit ?? 0)`); got != 0 {
		t.Error("a text became HTML")
	}

	rows := make([]object, 1000)
	for i := range rows {
		rows[i] = row(i, []string{"user", "assistant"}[i%2], fmt.Sprintf("turn %d of a conversation that is long enough to break its lines", i))
	}
	a.mu.Lock()
	a.view["rows"] = rows
	a.mu.Unlock()
	killWorker(t, a.played.Launched)
	harness.Until(t, "the whole view is there again", func() bool { return eval[int](pane, `document.querySelectorAll(".row").length`) == 1000 })
	atEnd := `(l => l.scrollHeight - l.scrollTop - l.clientHeight < 2)(document.getElementById("log"))`
	harness.Until(t, "the log is at its end", func() bool { return eval[bool](pane, atEnd) })
	began := time.Now()
	for i := range 50 {
		a.shows("row", object{"id": "new", "role": "assistant", "text": fmt.Sprint("word ", i), "done": false})
	}
	pane.says("log", "word 49")
	t.Logf("50 changes among 1,000 rows took %v", time.Since(began).Round(time.Millisecond))
	harness.Until(t, "the log still follows", func() bool { return eval[bool](pane, atEnd) })
	if n := eval[int](pane, `document.querySelectorAll(".row").length`); n != 1000 {
		t.Errorf("the log keeps %d rows", n)
	}

	eval[bool](pane, `(document.getElementById("log").scrollTop = 500, true)`)
	pane.says("latest", "Latest")
	a.shows("row", row("late", "assistant", "while the reader reads"))
	pane.says("log", "while the reader reads")
	if top := eval[float64](pane, `document.getElementById("log").scrollTop`); top > 600 {
		t.Errorf("the reader was pulled to %v", top)
	}
	pane.click("#latest")
	harness.Until(t, "the log follows again", func() bool { return eval[bool](pane, atEnd) && pane.text("latest") == "" })
}
