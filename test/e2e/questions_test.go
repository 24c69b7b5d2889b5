package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// modelAsks returns a model's question as the host shows it.
func modelAsks(id, question string, options ...string) object {
	return object{
		"id": id, "session": "mcp", "session_id": "mcp:k3fj", "caller": "Claude Code", "question": question,
		"options": append([]string{}, options...), "expires_at": time.Now().Add(time.Hour),
	}
}

const replies = ".replies button"

func TestPaneAnswersQuestion(t *testing.T) {
	// Ensure that a session which only looks can ask, that the user's typed answer reaches it and not the log, which keeps the question without its secrets, and that all pages show the question until then.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	b := home.Open(t, url)
	wantCode(t, home.Call(t, "user.clarify", `{"question":"Is anybody there?"}`), fault.ClarifyUnavailable)
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	pane, popup := inFrame(t, b, paneURL), ownPage(t, b, popupURL)
	pageAt(t, b, url+"/").bringToFront()

	answer := calling(t, home, "user.clarify", `{"question":"What is the PIN? Mine is api_key=sk-live-0123456789abcdefghij <img src=x onerror=alert(1)>"}`, "--mode", "ask")
	for _, shows := range []document{pane, popup} {
		for _, want := range []string{"Terminal asks you:", "<img src=x onerror=alert(1)>", "s are left"} {
			shows.says("approvals", want)
		}
	}
	if eval[bool](pane, `document.activeElement !== document.body`) {
		t.Error("the question took the focus")
	}
	const field = "#approvals textarea"
	pane.enabled(field)
	eval[bool](pane, `(document.querySelector("`+field+`").focus(), document.querySelector(".replies .primary").click(), true)`) // a script's press is none
	pane.mouse(`document.querySelector("` + field + `")`)
	do(pane, input.InsertText, input.InsertTextParams{Text: "sesame 4711"})
	pane.enter(modifierShift)
	do(pane, input.InsertText, input.InsertTextParams{Text: "or 4712"})
	pane.enter(noModifier)
	var got struct {
		Answered bool
		Answer   string
	}
	harness.Must(t, <-answer, &got)
	if !got.Answered || got.Answer != "sesame 4711\nor 4712" {
		t.Errorf("the caller has %+v", got)
	}
	for _, shows := range []document{pane, popup} {
		harness.Until(t, "the question is gone", func() bool { return shows.text("approvals") == "" })
	}
	log := home.Run(t, "log", "dump", "--json").Stdout
	if !strings.Contains(log, "What is the PIN?") || !strings.Contains(log, `"answer":{"length":19}`) {
		t.Errorf("the log has no question, or not the answer's length: %s", log)
	}
	for _, secret := range []string{"sesame", "4712", "sk-live"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %s: %s", secret, log)
		}
	}
}

func TestPopupAnswersQuestion(t *testing.T) {
	// Ensure that the user answers in the popup under the toolbar's button, which says meanwhile on all tabs that something waits, that the popup can be opened while the question is open, and that closing it unanswered is no consent.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	b := home.Open(t, url)
	popup := openPopup(t, b)
	popup.settled()
	badges := func() string {
		return eval[string](popup, fmt.Sprintf(`Promise.all([chrome.action.getBadgeText({tabId: %d}), chrome.action.getBadgeText({}), chrome.action.getTitle({})]).then(all => all.join("|"))`, b.Tabs[0].TabID))
	}
	const which = `{"question":"Which tea?","options":["Sencha","Gyokuro"]}`
	answer := calling(t, home, "user.clarify", which)
	says := func(want string) {
		t.Helper()
		harness.Until(t, "the button says "+want, func() bool { return badges() == want })
	}
	says("1|1|Actions Host: waiting for you: 1")
	popup.says("elsewhere", "Terminal")
	popup.click(`.replies button:nth-of-type(2)`)
	var got struct {
		Answered bool
		Answer   string
		Index    int `json:"option_index"`
	}
	harness.Must(t, <-answer, &got)
	if !got.Answered || got.Answer != "Gyokuro" || got.Index != 1 {
		t.Errorf("the caller has %+v", got)
	}
	says("on||Actions Host")

	answer = calling(t, home, "user.clarify", which)
	popup.enabled(replies)
	popup.click(`.replies .skip`)
	if e := <-answer; !e.OK || string(e.Output) != `{"answered":false}` {
		t.Errorf("a question that was closed unanswered: %+v", e)
	}
}

func TestQuestionEndsWithItsCall(t *testing.T) {
	// Ensure that the user's Stop, the end of the client and that of the browser each end a question with its call, and that its card goes.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	b := home.Open(t, url)
	popup := ownPage(t, b, popupURL)
	popup.settled()
	ask := func() <-chan dispatch.Envelope {
		t.Helper()
		answer := calling(t, home, "user.clarify", `{"question":"Which tea?"}`)
		popup.says("approvals", "Which tea?")
		return answer
	}
	answer := ask()
	popup.click("#stop-all")
	wantCode(t, <-answer, fault.Cancelled)
	harness.Until(t, "the card is gone", func() bool { return popup.text("approvals") == "" })

	answer = calling(t, home, "user.clarify", `{"question":"Which tea?"}`, "--timeout", "2s")
	popup.says("approvals", "Which tea?")
	wantCode(t, <-answer, fault.HandlerTimeout)
	harness.Until(t, "the card of a call without time is gone", func() bool { return popup.text("approvals") == "" })

	answer = ask()
	killWorker(t, b)
	if e := <-answer; e.OK {
		t.Errorf("the end of the host answered: %s", e.Output)
	}
	harness.Until(t, "the card of the host before is gone", func() bool { return popup.text("approvals") == "" })
	answer = ask()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if e := <-answer; e.OK {
		t.Errorf("the end of the browser answered: %s", e.Output)
	}
}

func TestOnlyTheUserAnswersQuestions(t *testing.T) {
	// Ensure that a question takes no answer in the first moment, while it is covered, from a script, or with an agent's real input, and that the user's own press and keys then answer it.
	t.Parallel()
	a, pane, doc := paneOnPage(t)
	a.shows("questions", []object{modelAsks("q", "Which tea?", "Sencha", "Gyokuro")})
	pane.says("approvals", "Coding agent Claude Code asks you:")
	if !eval[bool](pane, `[...document.querySelectorAll("`+replies+`")].every(b => b.disabled)`) {
		t.Log("this machine is too slow for the first moment")
	}
	pane.enabled(replies)
	eval[bool](pane, `(document.querySelector("`+replies+`").click(), true)`)
	eval[bool](doc, lure)
	pane.until("the pane knows that it is covered", `document.querySelector("`+replies+`").disabled`)
	for range 5 {
		pressOn(t, doc, pane, `document.querySelector("`+replies+`")`)
	}
	a.heard()
	eval[bool](doc, `(document.getElementById("lure").remove(), true)`)
	pane.enabled(replies)

	pane.mouse(`document.getElementById("state")`)
	eval[bool](pane, `(document.querySelector("`+replies+`").focus(), true)`)
	const enter = `"key":"Enter","code":"Enter","windowsVirtualKeyCode":13`
	if err := sendKeys(t, a.played, "", protocol.InputStep{Commands: []protocol.InputCommand{keyEvent("keyDown", enter+`,"text":"\r"`), keyEvent("keyUp", enter)}}); err != nil {
		t.Fatal(err)
	}
	pane.says("notice", "this answer may be its own")
	a.heard()
	harness.Until(t, "the user's own press answers", func() bool {
		pane.tries(replies)
		return a.asked() > 0
	})
	a.heard(`answer {"id":"q","option":1}`)

	a.shows("questions", []object{modelAsks("r", "And how?")})
	pane.enabled("#approvals textarea")
	pane.mouse(`document.getElementById("state")`)
	pane.until("Tab leads to the field", `new Promise(r => setTimeout(r, 50)).then(() => true)`)
	for range 12 {
		if eval[bool](pane, `document.activeElement.matches("#approvals textarea")`) {
			break
		}
		pane.key("Tab", "Tab", 9, "", noModifier)
	}
	do(pane, input.InsertText, input.InsertTextParams{Text: "hot"})
	pane.enter(noModifier)
	a.heard(`answer {"id":"r","text":"hot"}`)
	if herald := eval[string](pane, `document.getElementById("herald").textContent`); !strings.Contains(herald, "And how?") {
		t.Errorf("a screen reader is told %q", herald)
	}
	a.shows("questions", []object{})
	pane.until("the focus is not lost", `document.querySelector("#approvals textarea") === null && document.activeElement.id === "log"`)
}

func TestQuestionLooks(t *testing.T) {
	// Ensure that questions have no violation that axe knows of, in pane and popup, narrow and wide, light and dark, and that every option is within reach however long they are; their pictures are for people.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title><body style="font:16px serif;background:linear-gradient(45deg,#9bd,#fea)"><h1>Tea house</h1>`})
	a := playAgent(t, url)
	a.pane()
	doc, popup := pageAt(t, a.played.Launched, url+"/"), extensionPage(t, a.played.Launched)
	size(t, popup, 392, 640)
	long := strings.TrimSpace(strings.Repeat("a rather long answer ", 9))
	looks := map[string]object{
		"options": modelAsks("options", "There are two green teas on offer. Which one shall I put into the basket?", "Sencha, 12 €", "Gyokuro, 24 €", "Both"),
		"typed":   modelAsks("typed", "Which name shall stand on the parcel?"),
		"long":    modelAsks("long", strings.Repeat("Is this a very long question? ", 10), long+" 1", long+" 2", long+" 3", long+" 4"),
	}
	for _, width := range []int{340, 220} {
		place, err := json.Marshal(object{"open": true, "hidden": false, "collapsed": false, "width": width, "height": 420, "place": object{"left": 20, "top": 20, "edge": "right"}})
		if err != nil {
			t.Fatal(err)
		}
		eval[bool](popup, fmt.Sprintf(`chrome.storage.session.set({"pane:%d": %s}).then(() => true)`, a.played.Launched.Tabs[0].TabID, place))
		eval[bool](doc, `(window.former = true, location.reload(), true)`)
		doc.until("the new page has the pane with its width", fmt.Sprintf(`!window.former && %s?.offsetWidth === %d`, paneHost, width))
		pane := inFrame(t, a.played.Launched, paneURL)
		for name, question := range looks {
			a.shows("questions", []object{question})
			for _, shows := range []document{doc, popup} {
				shows.bringToFront()
				if shows == doc {
					shows = pane
				}
				shows.until(name+" is shown", fmt.Sprintf(`document.getElementById("question-%s") && [...document.querySelectorAll("#approvals button")].every(b => !b.disabled)`, name))
			}
			shot := func(scheme string) string { return fmt.Sprintf("question-%s-%d-%s", name, width, scheme) }
			schemes := []string{"light", "dark"}
			doc.bringToFront()
			for _, scheme := range schemes {
				prefer(t, scheme, doc, pane, popup)
				for _, v := range append(pane.violations(), popup.violations()...) {
					t.Errorf("%s, %d, %s: %s", name, width, scheme, v)
				}
				pane.enabled(replies)
				picture(t, doc, "pane-"+shot(scheme), &page.Viewport{X: 8, Y: 8, Width: float64(width) + 24, Height: 444, Scale: 1}, pane)
			}
			if width != 340 {
				continue
			}
			popup.bringToFront()
			for _, scheme := range schemes {
				prefer(t, scheme, popup)
				popup.enabled(replies)
				picture(t, popup, "popup-"+shot(scheme), nil)
			}
		}
	}
}
