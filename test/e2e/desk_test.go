package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// longWait waits for something that never comes.
const longWait = `{"locator":{"selector":"#never"},"timeout_ms":30000}`

// calling makes a call in the background and returns its answer.
func calling(t *testing.T, home *harness.Home, name, args string, flags ...string) <-chan dispatch.Envelope {
	t.Helper()
	return background(t, home, append([]string{"call", name, args, "--json"}, flags...)...)
}

// ownPage opens a page of the extension in a tab of a browser with the real host.
// Unlike the popup under the toolbar's button it stays when a tab gets the focus.
func ownPage(t *testing.T, b *launch.Browser, url string) document {
	t.Helper()
	a := &playedAgent{t: t, played: &harness.Played{Launched: b}}
	return a.page(url)
}

func TestStopEndsACall(t *testing.T) {
	// Ensure that the popup shows what runs in a tab and for whom, that Stop ends it with cancelled for its caller, that Stop all ends the calls of all tabs, and that recent activity tells so.
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title>`, "/two": `<title>Second</title>`})
	b := home.Open(t, url, url+"/two")
	tab := func(i int) []string { return []string{"--tab", fmt.Sprint(b.Tabs[i].TabID), "--timeout", "40s"} }
	popup := openPopup(t, b)
	popup.says("activity-list", "You handed the tab over")

	first := calling(t, home, "locator.wait_for", longWait, tab(0)...)
	popup.says("tab-run", "Wait for #never · ")
	popup.says("tab-run", "Terminal")
	selector := fmt.Sprintf(`[data-stop="%d"]`, b.Tabs[0].TabID)
	popup.settled()
	popup.click(selector)
	got := <-first
	if got.OK || got.Error.Code != fault.Cancelled || got.Error.Message != "the user stopped the call in the popup" {
		t.Fatalf("the caller has %+v", got.Error)
	}
	popup.says("notice", "Stopped.")
	popup.says("activity-list", "Stopped")
	if text := popup.text("stop-all"); text != "" {
		t.Errorf("there is nothing to stop: %q", text)
	}
	popup.says("stopped-why", "You stopped the agents here at")
	wantCode(t, home.Call(t, "page.info", `{}`, tab(0)...), fault.StoppedByUser)
	popup.settled()
	popup.click("#go-on")
	popup.says("notice", "Agents may go on.")
	var info struct{ Title string }
	harness.Must(t, home.Call(t, "page.info", `{}`, tab(0)...), &info)

	first, second := calling(t, home, "locator.wait_for", longWait, tab(0)...), calling(t, home, "locator.wait_for", longWait, tab(1)...)
	harness.Until(t, "both run", func() bool {
		return eval[int](popup, `[...document.querySelectorAll(".run")].length`) == 2
	})
	popup.click("#stop-all")
	for _, done := range []<-chan dispatch.Envelope{first, second} {
		if got := <-done; got.OK || got.Error.Code != fault.Cancelled {
			t.Errorf("a caller has %+v", got.Error)
		}
	}
	goOn(popup)
}

// goOn lets the agents go on that the test has stopped.
func goOn(popup document) {
	popup.t.Helper()
	popup.says("stopped-why", "stopped")
	popup.settled()
	popup.click("#go-on")
	harness.Until(popup.t, "agents may go on", func() bool { return popup.text("stopped-why") == "" })
}

func TestStopEndsAStoredAction(t *testing.T) {
	// Ensure that Stop ends a stored action at the step it is at and lets no further step reach the page, and that the popup names both.
	home := harness.Shared(t)
	home.Map(t, "public", harness.Site(t), "shop", `{"protocol":"actions.json","version":1,"tools":[{"name":"shop.wait","description":"Wait.","input_schema":{"type":"object"},
		"workflow":{"version":1,"expression_language":"jsonata","output":"done","steps":[
			{"id":"wait","primitive":"locator.wait_for","args":{"locator":{"selector":"#never"},"timeout_ms":30000},"on_error":"continue"},
			{"id":"click","primitive":"locator.click","args":{"locator":{"selector":"#buy"}}}]}}]}`)
	url, rec := pages(t, map[string]string{"/": `<title>Shop</title><button id=buy onclick="fetch('/bought',{method:'POST'})">Buy</button>`})
	b := home.Open(t, url)
	popup := openPopup(t, b)
	done := background(t, home, "site", "call", "shop.wait", `{}`, "--json")
	popup.says("tab-run", "shop.wait: wait for #never")
	popup.settled()
	popup.click("[data-stop]")
	if got := <-done; got.OK || got.Error.Code != fault.Cancelled {
		t.Fatalf("the caller has %+v", got.Error)
	}
	popup.says("activity-list", "shop.wait")
	if bought := received(rec, "POST", "/bought"); len(bought) > 0 {
		t.Errorf("the step after the stop reached the page: %v", bought)
	}
	goOn(popup)
}

func TestPopupMode(t *testing.T) {
	// Ensure that the user's Only look holds for a session that may act, at once and after a restart of the host, until the user lets it act again.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title><button id=b>Go</button>`})
	b := home.Open(t, url)
	popup := ownPage(t, b, popupURL)
	popup.says("mode", "Act freely")
	popup.settled()
	choose := func(mode string) {
		t.Helper()
		label := `document.querySelector("label:has(#mode-` + mode + `)")`
		eval[bool](popup, `(`+label+`.scrollIntoView({block: "center"}), true)`)
		popup.mouse(label)
		popup.says("notice", "This holds from the next action on.")
	}
	const click = `{"locator":{"selector":"#b"}}`
	harness.Must(t, home.Call(t, "locator.click", click), nil)
	choose("ask")
	e := home.Call(t, "locator.click", click)
	wantCode(t, e, fault.PermissionDenied)
	if !strings.Contains(e.Error.NextStep, "popup") {
		t.Errorf("the next step is %q", e.Error.NextStep)
	}
	popup.says("activity-list", "Refused")
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	killWorker(t, b)
	harness.Until(t, "the host is there again and still only looks", func() bool {
		e := home.Call(t, "locator.click", click)
		if e.OK {
			t.Fatal("it acted")
		}
		return e.Error.Code == fault.PermissionDenied
	})
	popup = ownPage(t, b, popupURL)
	harness.Until(t, "the popup says so", func() bool { return eval[bool](popup, `document.getElementById("mode-ask").checked`) })
	popup.settled()
	choose("act")
	harness.Must(t, home.Call(t, "locator.click", click), nil)
	choose("first")
	wantCode(t, home.Call(t, "locator.click", click), fault.NeedsApproval)
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	choose("act")
	harness.Must(t, home.Call(t, "locator.click", click), nil)
}

func TestPopupModeOfSite(t *testing.T) {
	// Ensure that the user's choice for the site of the tab holds there beside the one for all, and that taking it back lets agents do there what they may elsewhere.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title><button id=b>Go</button>`})
	b := home.Open(t, url)
	popup := openPopup(t, b)
	popup.settled()
	site := strings.TrimSuffix(url, "/")
	popup.says("site-mode-label", "On "+site)
	choose := func(choice string, want fault.Code) {
		t.Helper()
		eval[bool](popup, fmt.Sprintf(`(s => (s.value = %q, s.dispatchEvent(new Event("change")), true))(document.getElementById("site-mode"))`, choice))
		harness.Until(t, "the choice "+choice+" holds", func() bool {
			e := home.Call(t, "locator.click", `{"locator":{"selector":"#b"}}`)
			return want == "" && e.OK || !e.OK && e.Error.Code == want
		})
	}
	choose("ask", fault.PermissionDenied)
	choose("first", fault.NeedsApproval)
	choose("", "")
}

func TestPopupAnswersApprovals(t *testing.T) {
	// Ensure that a question shows who asks for what, where, with which effect and for how long, and that each answer of the user's reaches the caller and the log.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title><button id=b>Go</button>`})
	b := home.Open(t, url)
	popup := ownPage(t, b, popupURL)
	popup.says("state", "Connected")
	const click = `{"locator":{"selector":"#b"}}`
	ask := func() dispatch.Envelope {
		t.Helper()
		return home.Call(t, "locator.click", click)
	}
	wantCode(t, ask(), fault.NeedsApproval)
	for _, want := range []string{"Press Go on " + strings.TrimSuffix(url, "/") + "?", "Asked by: Terminal", "Refused in 0:", "The exact call"} {
		popup.says("approvals", want)
	}
	popup.says("activity-list", "Asked you")
	page := pageAt(t, b, url+"/")
	marked := func() bool {
		return eval[bool](page, `document.querySelector("[data-actions-json-attachment=actions-json-asked]")?.matches(":popover-open") === true`)
	}
	if !marked() {
		t.Error("the target is not marked in its page")
	}
	answer := func(label string) {
		t.Helper()
		at := fmt.Sprintf(`[...document.querySelectorAll(".answers button")].find(b => b.textContent === %q)`, label)
		harness.Until(t, "the answer can be given", func() bool { return eval[bool](popup, `!!(`+at+`) && !(`+at+`).disabled`) })
		eval[bool](popup, `(`+at+`.scrollIntoView({block: "center"}), true)`)
		popup.mouse(at)
		harness.Until(t, "the question is gone", func() bool { return popup.text("approvals") == "" })
	}
	answer("Allow once")
	harness.Until(t, "the mark is gone", func() bool { return !marked() })
	harness.Must(t, ask(), nil)
	wantCode(t, ask(), fault.NeedsApproval)
	popup.until("the question is there", `(d => d && (d.open = true))(document.querySelector(".wider"))`)
	popup.says("approvals", "without asking: act on the page")
	answer("Allow until it ends")
	harness.Must(t, ask(), nil)
	harness.Must(t, ask(), nil)
	if log := home.Run(t, "log", "dump", "--json").Stdout; strings.Count(log, `"approval":`) != 2 {
		t.Errorf("the answers are not in the log: %s", log)
	}
}

func TestQuestionOfASlowPage(t *testing.T) {
	// Ensure that a question about a page that does not answer is shown without the name of its target, gets it when the page answers, and can be answered then.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	waits, answer := context.WithCancel(t.Context())
	reached := make(chan struct{}, 1)
	slow := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		reached <- struct{}{}
		<-waits.Done()
	}))
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title><button id=b>Go</button>`})
	b := home.Open(t, url)
	popup := ownPage(t, b, popupURL)
	popup.says("state", "Connected")
	eval[bool](pageAt(t, b, url+"/"), fmt.Sprintf(`setTimeout(() => { const r = new XMLHttpRequest(); r.open("GET", %q, false); try { r.send() } catch {} }) > 0`, slow))
	<-reached // the page stands still from here on
	const click = `{"locator":{"selector":"#b"}}`
	wantCode(t, home.Call(t, "locator.click", click), fault.NeedsApproval)
	popup.says("approvals", "Press #b on")
	answer()
	popup.says("approvals", "Press Go on")
	popup.until("it can be allowed", `document.querySelector(".answers button")?.disabled === false`)
	popup.mouse(`document.querySelector(".answers button")`)
	popup.until("it is answered", `document.querySelector("#approvals article") === null`)
	harness.Must(t, home.Call(t, "locator.click", click), nil)
}

func TestPopupDenies(t *testing.T) {
	// Ensure that the user's Deny refuses the call and every further one of its kind.
	t.Parallel()
	home := harness.Shared(t, harness.Profile{Settings: `{"ask_effects":["input"]}`})
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title><button id=b>Go</button>`})
	b := home.Open(t, url)
	popup := ownPage(t, b, popupURL)
	const click = `{"locator":{"selector":"#b"}}`
	wantCode(t, home.Call(t, "locator.click", click), fault.NeedsApproval)
	// Another test may have left a question of its own.
	card := fmt.Sprintf(`[...document.querySelectorAll("#approvals article")].find(c => c.innerText.includes(%q))`, strings.TrimSuffix(url, "/"))
	deny := card + `?.querySelector(".answers > button:nth-child(2)")`
	popup.until("it can be denied", deny+`?.disabled === false`)
	eval[bool](popup, `(`+deny+`.scrollIntoView({block: "center"}), true)`)
	popup.mouse(deny)
	popup.untilElse("the question is gone", card+` === undefined`, func() string { return eval[string](popup, "document.body.innerText") })
	wantCode(t, home.Call(t, "locator.click", click), fault.PermissionDenied)
}
