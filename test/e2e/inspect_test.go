package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// recorded is what browser.console and browser.network answer.
type recorded struct {
	Entries            []entry
	Recording, Started bool
	Dropped            int
	Interrupted        string
	NextCursor         int `json:"next_cursor"`
}

type entry struct{ Source, Text, URL string }

func consoleOf(t *testing.T, home *harness.Home, args string, flags ...string) recorded {
	t.Helper()
	var r recorded
	harness.Must(t, home.Call(t, "browser.console", args, flags...), &r)
	return r
}

func TestRecordingEndsWithTheDebugger(t *testing.T) {
	// Ensure that a recording that somebody else ended says so at the next call and records again, that a restarted worker begins anew, and that nothing of a released tab is kept.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title><script>console.log("from the start")</script>`})
	b := home.Open(t, url)
	tab := b.Tabs[0].TabID
	page := extensionPage(t, b)
	if first := consoleOf(t, home, `{}`); !first.Started || len(first.Entries) == 0 || first.Entries[0].Text != "from the start" {
		t.Fatalf("the first call gave %+v", first)
	}
	eval[bool](page, fmt.Sprintf(`chrome.debugger.detach({tabId: %d}).then(() => true, () => true)`, tab))
	wantCode(t, home.Call(t, "browser.console", `{}`), fault.DebuggerUnavailable)
	if r := consoleOf(t, home, `{}`); r.Interrupted == "" || !r.Started || !r.Recording {
		t.Errorf("the interruption is told as %+v", r)
	}
	if r := consoleOf(t, home, `{}`); r.Interrupted != "" || r.Started {
		t.Errorf("it is told twice: %+v", r)
	}

	cursor := consoleOf(t, home, `{}`).NextCursor
	endWorker(t, home, b)
	var again recorded
	harness.Must(t, home.Call(t, "browser.console", fmt.Sprintf(`{"since":%d}`, cursor), "--wait", "10s"), &again)
	if !again.Started || !again.Recording || len(again.Entries) == 0 {
		t.Errorf("after the worker's end: %+v", again)
	}

	popup := openPopup(t, b)
	popup.settled()
	popup.click("#control")
	popup.says("claimed-none", "No tab is under control.")
	popup.click("#control")
	popup.says("notice", "The tab is under control.")
	if r := consoleOf(t, home, `{"stop":true}`); len(r.Entries) != 0 || r.Recording {
		t.Errorf("of the tab before its release: %+v", r)
	}
}

func TestOthersDebuggers(t *testing.T) {
	// Ensure that beside another debugger of the browser ours works and ends without ending it, and that where the browser lets only one on the tab the call says so and the other one stays (E19).
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title>`})
	b := home.Open(t, url)
	tab := b.Tabs[0].TabID
	theirs := pageUnder(t, b, url)
	if r := consoleOf(t, home, `{}`); !r.Recording {
		t.Errorf("beside another debugger: %+v", r)
	}
	popup := openPopup(t, b)
	popup.settled()
	popup.click("#control")
	popup.says("claimed-none", "No tab is under control.")
	if got := eval[int](theirs, `6 * 7`); got != 42 {
		t.Fatalf("the other debugger says %d", got)
	}

	popup.click("#control")
	popup.says("notice", "The tab is under control.")
	page := extensionPage(t, b)
	eval[bool](page, fmt.Sprintf(`chrome.debugger.attach({tabId: %d}, "1.3").then(() => true)`, tab))
	f := wantCode(t, home.Call(t, "a11y.tree", `{}`), fault.DebuggerUnavailable)
	if f.Dispatched != fault.NotDispatched || !strings.Contains(f.Message, "nother debugger") {
		t.Errorf("it says %+v", f)
	}
	if got := eval[string](page, fmt.Sprintf(`chrome.debugger.sendCommand({tabId: %d}, "Runtime.evaluate", {expression: "document.title"}).then(r => r.result.value)`, tab)); got != "t" {
		t.Errorf("the other one is gone: %q", got)
	}
	eval[bool](page, fmt.Sprintf(`chrome.debugger.detach({tabId: %d}).then(() => true)`, tab))
	harness.Must(t, home.Call(t, "a11y.tree", `{}`), nil)
}

func TestAnnouncementsComeWithAnswers(t *testing.T) {
	// Ensure that a session that subscribed is told an alert once with its next answer, another session nothing, and that watching outlives the worker and its host and ends with the claim.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title><style>button{position:fixed;left:0;top:0;width:100px;height:40px}</style>
		<div role=alert id=a></div><button onclick="a.textContent = 'alert ' + (this.n = (this.n ?? 0) + 1)">say</button>`})
	b := home.Open(t, url)
	say := func() dispatch.Envelope {
		t.Helper()
		e := home.Call(t, "pointer.click", `{"x":50,"y":20}`, "--wait", "10s")
		harness.Must(t, e, nil)
		return e
	}
	var heard struct {
		Announcements []struct{ Text string }
		NextCursor    int `json:"next_cursor"`
	}
	read := func(since int) int {
		t.Helper()
		harness.Must(t, home.Call(t, "a11y.events.read", fmt.Sprintf(`{"since":%d}`, since), "--wait", "10s"), &heard)
		return len(heard.Announcements)
	}
	harness.Must(t, home.Call(t, "a11y.watch", `{}`), nil)
	say()
	harness.Until(t, "the first alert is kept", func() bool { return read(0) == 1 })
	harness.Must(t, home.Call(t, "a11y.announcements_subscribe", fmt.Sprintf(`{"tab_id":%d}`, b.Tabs[0].TabID)), nil)
	told := say() // the answer of the click itself, where the alert is faster
	harness.Until(t, "the second alert comes with an answer", func() bool {
		if told.Meta.Announcements == nil {
			told = home.Call(t, "page.info", `{}`)
		}
		return told.Meta.Announcements != nil
	})
	if text := fmt.Sprint(told.Meta.Announcements); !strings.Contains(text, "alert 2") || strings.Contains(text, "alert 1") {
		t.Errorf("told %s", text)
	}
	if again := home.Call(t, "page.info", `{}`); again.Meta.Announcements != nil {
		t.Errorf("told twice: %v", again.Meta.Announcements)
	}

	read(0)
	endWorker(t, home, b)
	say()
	cursor := heard.NextCursor
	harness.Until(t, "an alert after the worker's end is kept", func() bool { return read(cursor) > 0 })
	if len(heard.Announcements) != 1 || heard.Announcements[0].Text != "alert 3" {
		t.Errorf("after the worker's end: %+v", heard)
	}

	popup := openPopup(t, b)
	popup.settled()
	popup.click("#control")
	popup.says("claimed-none", "No tab is under control.")
	popup.click("#control")
	popup.says("notice", "The tab is under control.")
	if n := read(0); n != 0 {
		t.Errorf("%d announcements outlived the claim", n)
	}
}
