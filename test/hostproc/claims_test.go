package hostproc

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func tabAt(id int, url string) protocol.Tab {
	return protocol.Tab{TabID: id, WindowID: 1, URL: url, Title: "Fake", RuntimeID: "runtime"}
}

func TestRestrictedPagesAreNotClaimed(t *testing.T) {
	// Ensure that pages which are not web pages cannot be handed over, and that calls to them never reach the extension.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b)
	for i, url := range []string{
		"chrome://settings/", "chrome://settings", "file:///etc/passwd", "chrome-extension://abc/popup.html", "about:blank", "about:srcdoc",
		"data:text/html,x", "blob:https://example.com/1", "javascript:alert(1)", "view-source:https://example.com/", "devtools://devtools/x",
		"edge://settings", "ftp://example.com/", "", "https://", "https://user@/", "https:\\\\example.com\\", " https://example.com/", "https://exa\nmple.com/",
	} {
		if err := b.Claim(patient(t), i+1, url); !fault.Is(err, fault.RestrictedPage) {
			t.Errorf("%q: %v", url, err)
		}
	}
	for _, id := range []int{0, -1} {
		if err := b.Claim(patient(t), id, shop); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("tab %d: %v", id, err)
		}
	}
	c := dial(t, home)
	wantCode(t, call(t, c, clickCall()), fault.TabNotClaimed)
	wantCode(t, call(t, c, at(clickCall(), 1)), fault.TabNotClaimed)
	if len(b.Calls()) != 0 {
		t.Errorf("the extension saw %+v", b.Calls())
	}
}

func TestOpenedTabLeavesTheDefault(t *testing.T) {
	// Ensure that a session which has chosen no tab works in the only one that was handed over, also when a call opens another that the settings claim, after the host has started anew too, and that two tabs handed over by the user are not guessed between.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"claim_opened_tabs":true}`)
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	c := dial(t, home)
	sessions := []control.SessionParams{{Kind: policy.SessionCLI}, {Kind: policy.SessionMCP, ID: "mcp:a"}, {Kind: policy.SessionMCP, ID: "mcp:b"}}
	in := func(s control.SessionParams, p control.CallParams) control.CallParams {
		p.Session = s
		return p
	}
	means := func(when string, want int) {
		t.Helper()
		for _, s := range sessions {
			harness.Must(t, call(t, c, in(s, direct("page.info", `{}`))), nil)
			calls := b.Calls()
			var list struct {
				Active int `json:"active_tab_id"`
				Tabs   []struct {
					TabID   int `json:"tab_id"`
					Current bool
				}
			}
			harness.Must(t, call(t, c, in(s, direct("browser.claimed_tabs.list", `{}`))), &list)
			for _, tab := range list.Tabs {
				if tab.Current != (tab.TabID == want) {
					t.Errorf("%s, %s: the list says %+v", when, s.ID, list)
				}
			}
			if got := calls[len(calls)-1].TabID; got != want || list.Active != want {
				t.Errorf("%s, %s: the call went to tab %d, the list says %d; want %d", when, s.ID, got, list.Active, want)
			}
		}
	}
	means("at first", 1)
	var out struct {
		Claimed bool
		Tab     struct {
			TabID int `json:"tab_id"`
		}
	}
	harness.Must(t, call(t, c, direct("browser.open_tab", `{"url":"https://new.example.com/"}`)), &out)
	if !out.Claimed || out.Tab.TabID == 1 {
		t.Fatalf("opened %+v", out)
	}
	means("with another opened", 1)
	kill(t, p)
	reconnected(t, home, b, 1, out.Tab.TabID)
	c = dial(t, home)
	means("after a restart of the host", 1)
	if err := b.Release(patient(t), out.Tab.TabID); err != nil {
		t.Fatal(err)
	}
	means("with one tab left", 1)
	if err := b.Claim(patient(t), 7, shop); err != nil {
		t.Fatal(err)
	}
	for i, code := range []fault.Code{fault.AmbiguousRuntime, fault.NoCurrentTab, fault.NoCurrentTab} {
		wantCode(t, call(t, c, in(sessions[i], direct("page.info", `{}`))), code)
	}
}

func TestClaimedTabThatLeavesTheWeb(t *testing.T) {
	// Ensure that a claimed tab which shows a page that is not a web page is not operated while it does, and can be sent back.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	c := dial(t, home)
	for _, url := range []string{"chrome://settings/", "file:///etc/passwd", "about:blank", ""} {
		if err := b.Goto(patient(t), 1, url); err != nil {
			t.Fatal(err)
		}
		harness.Until(t, "the host knows the new page", func() bool {
			e := call(t, c, direct("page.info", `{}`))
			return !e.OK && e.Error.Code == fault.RestrictedPage
		})
		before := len(b.Seen())
		for _, p := range []control.CallParams{clickCall(), direct("browser.screenshot", `{}`), direct("keyboard.press", `{"key":"a","trusted":true}`)} {
			if f := wantCode(t, call(t, c, p), fault.RestrictedPage); f.Dispatched != fault.NotDispatched {
				t.Errorf("%s: %+v", url, f)
			}
		}
		if len(b.Seen()) != before {
			t.Errorf("%q: the extension saw %v", url, b.Seen()[before:])
		}
		b.Open(tabAt(1, shop)) // where the navigation is going to lead
		harness.Must(t, call(t, c, direct("browser.navigate", `{"url":"`+shop+`"}`)), nil)
		harness.Must(t, call(t, c, clickCall()), nil)
	}
}

func TestUnclaimedTabsAreNeverReached(t *testing.T) {
	// Ensure that no way of naming a tab, and no primitive, reaches one that is not claimed, before a claim and after its release.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	b.Open(tabAt(2, "https://other.example.com/"))
	c := dial(t, home)
	for _, p := range []control.CallParams{
		at(clickCall(), 2), at(direct("page.info", `{}`), 2), at(direct("browser.navigate", `{"url":"https://example.com/"}`), 2),
		at(direct("browser.screenshot", `{}`), 2), at(direct("keyboard.press", `{"key":"a","trusted":true}`), 2),
		direct("browser.navigate", `{"url":"https://example.com/","tab_id":2}`), direct("browser.claimed_tabs.activate", `{"tab_id":2,"focus":true}`),
		at(control.CallParams{Session: clickCall().Session, Name: "actions.site", Arguments: json.RawMessage(`{"mode":"list"}`)}, 2),
	} {
		wantCode(t, call(t, c, p), fault.TabNotClaimed)
	}
	byURL := clickCall()
	byURL.Target.URLContains = "other.example"
	wantCode(t, call(t, c, byURL), fault.RuntimeNotFound)
	wantCode(t, call(t, c, direct("page.info", `{"target_url_contains":"other.example"}`)), fault.RuntimeNotFound)

	harness.Must(t, call(t, c, at(clickCall(), 1)), nil)
	if err := b.Release(patient(t), 1); err != nil {
		t.Fatal(err)
	}
	for _, p := range []control.CallParams{clickCall(), at(clickCall(), 1)} {
		wantCode(t, call(t, c, p), fault.TabNotClaimed)
	}
	// News of a tab that is not claimed claims nothing.
	if err := b.Goto(patient(t), 1, shop); err != nil {
		t.Fatal(err)
	}
	wantCode(t, call(t, c, at(clickCall(), 1)), fault.TabNotClaimed)
	if seen := b.Seen(); !slices.Equal(seen, []string{protocol.MethodActionCall}) || b.Calls()[0].TabID != 1 {
		t.Errorf("the extension saw %v", seen)
	}
}

func TestReleaseEndsAWaitingCall(t *testing.T) {
	// Ensure that a call which waited for its tab's lane while the tab was released is not sent.
	t.Parallel()
	home := harness.NewHome(t)
	page, started, cancelled := blocking("pointer.click")
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	c := dial(t, home)
	first, stop := cancellable(t, c, clickCall())
	wait(t, "the page gets the first call", started)
	second := async(t, c, clickCall())
	if err := b.Release(patient(t), 1); err != nil {
		t.Fatal(err)
	}
	stop()
	wait(t, "the page hears of the end", cancelled)
	wait(t, "the first call ends", first)
	if e := wait(t, "the second call ends", second); e.OK || e.Error.Code != fault.TabNotClaimed {
		t.Errorf("the second call: %+v", e)
	}
	if len(b.Calls()) != 1 {
		t.Errorf("the extension saw %+v", b.Calls())
	}
}

func TestClaimsAcrossRestarts(t *testing.T) {
	// Ensure that claims survive a host's end and its kill within one run of the browser for tabs that still exist, and never carry over to closed tabs, to another run of the browser, or to a run that comes back after it.
	t.Parallel()
	home := harness.NewHome(t)
	session := func(letter string) func(*protocol.Handshake) {
		return func(h *protocol.Handshake) { h.BrowserSession = strings.Repeat(letter, 32) }
	}
	restart := func(letter string, kill bool, open ...int) []int {
		t.Helper()
		b := &fakes.Browser{Page: page, Hello: session(letter)}
		p := home.Start(t, b)
		var tabs []protocol.Tab
		for _, id := range open {
			tabs = append(tabs, tabAt(id, shop))
		}
		result, err := b.Handshake(patient(t), tabs...)
		if err != nil {
			t.Fatal(err)
		}
		c := dial(t, home)
		for id := 1; id <= 5; id++ {
			e := call(t, c, at(clickCall(), id))
			if claimed := slices.Contains(result.Claims, id); e.OK != claimed {
				t.Errorf("tab %d: claimed %t, but the call gives %+v", id, claimed, e.Error)
			}
		}
		if kill {
			if err := p.Cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			p.Ended(t)
		} else {
			hangUp(t, p)
		}
		return result.Claims
	}
	b := &fakes.Browser{Hello: session("a")}
	p := home.Ready(t, b, shop, shop, shop)
	if err := b.Release(patient(t), 3); err != nil {
		t.Fatal(err)
	}
	hangUp(t, p)

	want := func(got []int, want ...int) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("claimed %v, want %v", got, want)
		}
	}
	want(restart("a", true, 1, 2, 3, 4), 1, 2)
	want(restart("a", false, 1, 2, 3, 4), 1, 2)
	want(restart("a", true, 1), 1)       // tab 2 was closed …
	want(restart("a", true, 1, 2), 1)    // … and its id, should it come again, is another tab's
	want(restart("b", true, 1, 2, 3, 4)) // another run of the browser
	want(restart("a", true, 1, 2, 3, 4))
}
