package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestAgentCannotApproveItself(t *testing.T) {
	// Ensure that no key and no pointer of an agent's answers a question in the pane, whatever has the focus there, wherever Tab leads and while the page answers nobody, and that the user's own click does.
	t.Parallel()
	home := harness.Shared(t, harness.Profile{Settings: `{"ask_effects":["tab"]}`})
	url, _ := pages(t, map[string]string{"/": `<title>self</title><button id=under style="position:fixed;width:20px">u</button><textarea id=field></textarea>`})
	b := home.Open(t, url)
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	harness.Must(t, home.Call(t, "overlay.menu.move", `{"left":100,"top":80}`), nil)
	doc, pane := pageAt(t, b, url+"/"), inFrame(t, b, paneURL)

	opens := func() dispatch.Envelope {
		t.Helper()
		return home.Call(t, "browser.open_tab", `{"url":"`+url+`"}`)
	}
	wantCode(t, opens(), fault.NeedsApproval)
	pane.enabled(".answers button")
	eval[bool](doc, fmt.Sprintf(`((b, [x, y]) => (b.style.left = x - 10 + "px", b.style.top = y + "px", true))(document.getElementById("under"), %s)`,
		strings.Replace(fmt.Sprint(eval[[]float64](pane, `(r => [r.left + r.width / 2 + 100, r.top + 80])(document.querySelector(".answers button").getBoundingClientRect())`)), " ", ",", 1)))
	// tried expects that nothing is decided after the call. A question that was open for
	// too long by then is asked again.
	tried := func(name, args string) dispatch.Envelope {
		t.Helper()
		pane.enabled(".answers button")
		pane.mouse(`document.getElementById("state")`)
		eval[bool](pane, `(document.querySelector(".answers button").focus(), true)`)
		e := home.Call(t, name, args)
		if after := opens(); after.OK || after.Error.Code != fault.NeedsApproval {
			t.Fatalf("%s %s answered the question: opening a tab gave %v", name, args, after.Error)
		}
		return e
	}
	const trusted, under = `"trusted":true}`, `{"locator":{"selector":"#under"},`
	for _, focus := range []string{"body", "#field"} {
		eval[bool](doc, fmt.Sprintf(`(document.activeElement.blur(), document.querySelector(%q).focus(), true)`, focus))
		harness.Must(t, tried("keyboard.press", `{"key":"Enter",`+trusted), nil)
		harness.Must(t, tried("keyboard.press", `{"key":"Space",`+trusted), nil)
	}
	harness.Must(t, tried("text.type", `{"text":"`+strings.Repeat(`\t\r\t `, 25)+`",`+trusted), nil) // through all that Tab reaches
	harness.Must(t, tried("keyboard.press_gated", `{"key":"Enter","stop":"count","count":2}`), nil)
	harness.Must(t, tried("locator.press", under+`"key":"Enter"}`), nil)
	for _, pressed := range []string{"locator.click", "locator.double_click"} {
		harness.Must(t, tried(pressed, under+`"fidelity":"trusted"}`), nil)
	}
	tried("locator.drag_to", under+`"to":{"selector":"#field"},"fidelity":"trusted"}`)
	silent, answer := held(t)
	eval[bool](doc, `(setTimeout(() => { `+waitsFor(silent)+` }), true)`)
	if e := tried("keyboard.press", `{"key":"Enter",`+trusted); e.OK || e.Error.Code != fault.HandlerTimeout || e.Error.Dispatched != fault.NotDispatched {
		t.Errorf("a key for a page that answers nobody gave %v: %v", e.OK, e.Error)
	}
	answer()
	harness.Until(t, "the user's own click answers", func() bool {
		pane.tries(".answers button")
		return opens().OK
	})
}

func TestInputOfAnAgentIsNoAnswer(t *testing.T) {
	// Ensure that a press in the pane which comes with an agent's real input allows nothing, even where that input reached the pane, that it is said, and that a moment later the user can answer.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	pane := a.pane()
	a.shows("approvals", []object{{"id": "q", "session": "voice", "session_id": "voice:k3fj", "name": "locator.click", "origin": "https://tea.example", "effects": []string{"input"}, "summary": "{}", "expires_at": time.Now().Add(time.Minute)}})
	pane.enabled(".answers button")
	pane.mouse(`document.getElementById("state")`)
	eval[bool](pane, `(document.querySelector(".answers button").focus(), true)`)
	const enter = `"key":"Enter","code":"Enter","windowsVirtualKeyCode":13`
	err := sendKeys(t, a.played, "", protocol.InputStep{Commands: []protocol.InputCommand{keyEvent("keyDown", enter+`,"text":"\r"`), keyEvent("keyUp", enter)}})
	if err != nil {
		t.Fatal(err)
	}
	pane.says("notice", "this answer may be its own")
	a.heard()
	harness.Until(t, "the user can answer", func() bool {
		pane.tries(".answers button")
		return a.asked() > 0
	})
	a.heard(`approve {"id":"q","verdict":"allow","scope":"once","face":"pane"}`)
}

func TestMovedPaneTakesNoAnswer(t *testing.T) {
	// Ensure that a press which comes just after an agent moved the pane, and so may fall on what came under the user's pointer, allows nothing.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	a := playAgent(t, url)
	pane := a.pane()
	for try := range 10 {
		id := fmt.Sprint("q", try)
		a.shows("approvals", []object{{"id": id, "session": "voice", "session_id": "voice:k3fj", "name": "locator.click", "origin": "https://tea.example", "effects": []string{"input"}, "summary": id, "expires_at": time.Now().Add(time.Minute)}})
		pane.until("the question is there", fmt.Sprintf(`document.getElementById("approvals").textContent.includes(%q)`, id))
		pane.enabled(".answers button")
		before := time.Now()
		if _, err := a.played.Host.Page(t.Context(), protocol.ActionCall{
			CallID: id, Name: "overlay.menu.move", Arguments: json.RawMessage(fmt.Sprintf(`{"left":%d,"top":40}`, 40+try)), TabID: a.played.Launched.Tabs[0].TabID,
		}); err != nil {
			t.Fatal(err)
		}
		pane.click(".answers button")
		slow := time.Since(before) > 400*time.Millisecond // and the press comes too late to say anything
		harness.Until(t, "the press is taken or refused", func() bool { return a.asked() > 0 || eval[bool](pane, `!`+topAnswer+`.disabled`) })
		if !slow {
			pane.says("notice", "this answer may be its own")
			a.heard()
			return
		}
		a.forget()
	}
	t.Skip("this machine is too slow to press within the time of a move")
}
