package e2e

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/pkg/browser/primitives"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/harness"
)

func onTab(id int) []string { return []string{"--tab", strconv.Itoa(id)} }

// claimedTabs returns the claimed tabs by id.
func claimedTabs(t *testing.T, home *harness.Home) map[int]primitives.ClaimedTab {
	t.Helper()
	var list struct{ Tabs []primitives.ClaimedTab }
	harness.Must(t, home.Call(t, "browser.claimed_tabs.list", `{}`), &list)
	tabs := map[int]primitives.ClaimedTab{}
	for _, tab := range list.Tabs {
		tabs[tab.TabID] = tab
	}
	return tabs
}

func TestOpenedTabsAreClaimedBySetting(t *testing.T) {
	// Ensure that with the user's setting a tab that the host opens is claimed in the background, becomes current only when asked, leaves a session without a choice its tab, and can be closed again, while the last claimed tab, unsaved work and a page that asks are kept.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"claim_opened_tabs":true}`)
	url, _ := pages(t, map[string]string{
		"/":      `<title>one</title>`,
		"/two":   `<title>two</title><input name=a><input name=b>`,
		"/three": `<title>three</title><textarea id=t></textarea><script>addEventListener("beforeunload", e => e.preventDefault())</script>`,
	})
	l := home.Launch(t, url)
	first := l.Tabs[0].TabID
	open := func(path string, more string) primitives.ClaimedTab {
		var out struct {
			Claimed bool
			Tab     primitives.ClaimedTab
		}
		harness.Must(t, home.Call(t, "browser.open_tab", fmt.Sprintf(`{"url":%q%s}`, url+path, more)), &out)
		if !out.Claimed || out.Tab.Active {
			t.Fatalf("opened %+v", out)
		}
		return out.Tab
	}
	two := open("/two", "")
	if two.Current || len(claimedTabs(t, home)) != 2 || !claimedTabs(t, home)[first].Active {
		t.Fatalf("tabs %+v", claimedTabs(t, home))
	}
	if !claimedTabs(t, home)[first].Current {
		t.Errorf("the first tab is not current any more: %+v", claimedTabs(t, home))
	}
	var info struct{ Title string }
	if harness.Must(t, home.Call(t, "page.info", `{}`), &info); info.Title != "one" {
		t.Errorf("a call that names no tab went to %q", info.Title)
	}
	for _, name := range []string{"a", "b"} {
		harness.Must(t, home.Call(t, "text.insert", fmt.Sprintf(`{"text":"x","target":{"selector":"[name=%s]"}}`, name), onTab(two.TabID)...), nil)
	}
	wantCode(t, home.Call(t, "browser.close_tab", fmt.Sprintf(`{"tab_id":%d}`, two.TabID)), fault.UnsavedChanges)
	harness.Must(t, home.Call(t, "browser.close_tab", fmt.Sprintf(`{"tab_id":%d,"force":true}`, two.TabID)), nil)
	if tabs := claimedTabs(t, home); len(tabs) != 1 {
		t.Fatalf("after the close: %+v", tabs)
	}
	wantCode(t, home.Call(t, "browser.close_tab", `{}`), fault.LastClaimedTab)

	three := open("/three", `,"make_current":true`)
	if !three.Current {
		t.Errorf("not current: %+v", three)
	}
	harness.Must(t, home.Call(t, "pointer.click", `{"x":20,"y":20}`), nil)
	harness.Must(t, home.Call(t, "dom.focus", `{"locator":{"selector":"#t"}}`), nil)
	harness.Must(t, home.Call(t, "text.type", `{"text":"draft","trusted":true}`), nil)
	wantCode(t, home.Call(t, "browser.close_tab", `{}`), fault.DialogOpen)
	harness.Must(t, home.Call(t, "browser.dismiss_dialog", `{"accept":false}`), nil)
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	wantCode(t, home.Call(t, "browser.close_tab", `{}`), fault.DialogOpen)
	harness.Must(t, home.Call(t, "browser.dismiss_dialog", `{"accept":true}`), nil)
	harness.Until(t, "the tab is closed and released", func() bool { return len(claimedTabs(t, home)) == 1 })
}

func TestTabsThatAPageOpens(t *testing.T) {
	// Ensure that the run stays on its tab when a click opens another one, that the answer names it, and that it is handed over if it shows a page of the same origin, and can be closed (C13).
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>opener</title><style>a,button{display:block;margin:20px;height:40px;width:200px}</style>
		<a id=plain href="/next?plain" target=_blank>plain</a><a id=opener href="/next?opener" target=_blank rel=opener>opener</a>
		<button id=script onclick="window.open('/next?script')">script</button><button id=window onclick="window.open('/next?window', '', 'popup,width=300,height=300')">window</button>
		<a id=same href="#x">same</a><a id=other target=_blank>other</a><script>other.href = location.origin.replace(location.hostname, "other.localhost") + "/next?other"</script>`, "/next": `<title>next</title>`})
	home.Open(t, url)
	click := func(id string) []primitive.OpenedTab {
		var at struct {
			Center struct{ X, Y float64 } `json:"clickable_center"`
		}
		harness.Must(t, home.Call(t, "locator.element_info", fmt.Sprintf(`{"locator":{"selector":"#%s"}}`, id)), &at)
		e := home.Call(t, "pointer.click", fmt.Sprintf(`{"x":%v,"y":%v}`, at.Center.X, at.Center.Y))
		if id == "script" || id == "window" { // a browser lets no script open one without a real key or click
			harness.Must(t, home.Call(t, "dom.focus", fmt.Sprintf(`{"locator":{"selector":"#%s"}}`, id)), nil)
			e = home.Call(t, "keyboard.press", `{"key":"Enter","trusted":true}`)
		}
		harness.Must(t, e, nil)
		return e.Meta.OpenedTabs
	}
	named := map[int]bool{}
	// names clicks and reports whether the answer names a tab of this click. The browser
	// reports a new tab by another way than the click's end: a later answer may name it.
	names := func(id string) bool {
		t.Helper()
		found := false
		for _, tab := range click(id) {
			if !strings.Contains(tab.URL, "/next?") || tab.TabID == 0 || named[tab.TabID] {
				t.Errorf("%s: opened %+v", id, tab)
			}
			named[tab.TabID] = true
			if own := strings.Contains(tab.URL, "//t"); !own && tab.Claimed {
				t.Errorf("a tab of another origin: %+v", tab)
			} else if own {
				harness.Until(t, id+": the tab is handed over", func() bool { return claimedTabs(t, home)[tab.TabID].TabID != 0 })
				harness.Must(t, home.Call(t, "browser.close_tab", fmt.Sprintf(`{"tab_id":%d}`, tab.TabID)), nil)
			}
			found = found || strings.HasSuffix(tab.URL, "/next?"+id)
		}
		return found
	}
	for _, id := range []string{"plain", "opener", "script", "window", "other"} {
		harness.Until(t, id+": the answer names the tab", func() bool { return names(id) })
	}
	names("same")
	var info struct{ Title string }
	harness.Must(t, home.Call(t, "page.info", `{}`), &info)
	if info.Title != "opener" {
		t.Errorf("the run is on %q", info.Title)
	}
}

func TestUserSwitchesTabs(t *testing.T) {
	// Ensure that a run goes on in its own tab, which the user has left, without bringing it back to the front (C20), and that listing and choosing tabs selects none (C23).
	t.Parallel()
	home := harness.Shared(t)
	url, rec := pages(t, map[string]string{
		"/": `<title>run</title><input id=i autofocus><button style="position:fixed;left:0;top:100px;width:200px;height:80px" onclick="fetch('/sent/' + i.value)">Send</button>`, "/user": `<title>user</title><input>`,
		"/sent": "ok",
	})
	b := home.Open(t, url, url+"/user")
	run, user := b.Tabs[0].TabID, b.Tabs[1].TabID
	harness.Must(t, home.Call(t, "browser.claimed_tabs.activate", fmt.Sprintf(`{"tab_id":%d}`, run)), nil)
	pageAt(t, b, url+"/user").bringToFront()
	harness.Until(t, "the user's tab is in front", func() bool { return claimedTabs(t, home)[user].Active })
	harness.Must(t, home.Call(t, "text.insert", `{"text":"tea","target":{"selector":"#i"}}`), nil)
	harness.Must(t, home.Call(t, "dom.focus", `{"locator":{"selector":"#i"}}`), nil)
	harness.Must(t, home.Call(t, "keyboard.press", `{"key":"s","trusted":true}`), nil)
	harness.Must(t, home.Call(t, "pointer.click", `{"x":100,"y":140}`), nil)
	harness.Until(t, "the page of the run has sent", func() bool { return len(received(rec, "GET", "/sent/teas")) == 1 })
	harness.Must(t, home.Call(t, "browser.screenshot", `{}`), nil)
	harness.Must(t, home.Call(t, "browser.claimed_tabs.activate", fmt.Sprintf(`{"tab_id":%d}`, run)), nil)
	if tabs := claimedTabs(t, home); !tabs[user].Active || tabs[run].Active || !tabs[run].Current {
		t.Errorf("tabs %+v", tabs)
	}
	harness.Must(t, home.Call(t, "browser.claimed_tabs.activate", fmt.Sprintf(`{"tab_id":%d,"focus":true}`, run)), nil)
	if tabs := claimedTabs(t, home); !tabs[run].Active {
		t.Errorf("not brought to the front: %+v", tabs)
	}
}

func (d document) bringToFront() {
	d.t.Helper()
	do(d, page.BringToFront, cdp.Empty{})
}

func TestSlowNavigation(t *testing.T) {
	// Ensure that a navigation slower than its time fails with the address that is still shown and its state, never as a success (C21), and that one whose page begins in time says that it goes on.
	t.Parallel()
	home := harness.Shared(t)
	hold := make(chan struct{})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/silent":
			<-hold
		case "/endless":
			fmt.Fprint(w, "<!doctype html><title>endless</title><h1>begun</h1>")
			w.(http.Flusher).Flush()
			<-hold
		default:
			fmt.Fprint(w, "<!doctype html><title>here</title>")
		}
	}))
	defer close(hold)
	home.Open(t, url)
	f := wantCode(t, home.Call(t, "browser.navigate", fmt.Sprintf(`{"url":%q}`, url+"/silent"), "--timeout", harness.Scaled(2*time.Second).String()), fault.Timeout)
	if f.Dispatched == fault.NotDispatched {
		t.Errorf("dispatched %q", f.Dispatched)
	}
	if f.Evidence["url"] != url+"/" || f.Evidence["ready_state"] != "complete" {
		t.Errorf("evidence %+v", f.Evidence)
	}
	var out struct {
		Complete bool
		Tab      primitives.ClaimedTab
	}
	harness.Must(t, home.Call(t, "browser.navigate", fmt.Sprintf(`{"url":%q}`, url+"/endless"), "--timeout", harness.Scaled(3*time.Second).String()), &out)
	if out.Complete || out.Tab.URL != url+"/endless" {
		t.Errorf("navigated to %+v", out)
	}
}

func TestPagesThatCannotBeOperated(t *testing.T) {
	// Ensure that a page of the browser is a typed error at once (B8), that its error page says how to leave it, and that a crashed page is an error in time and comes back by a reload.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>one</title><h1>one</h1>`})
	b := home.Open(t, url)
	tab := pageAt(t, b, b.Tabs[0].URL)
	do(tab, page.Navigate, page.NavigateParams{URL: "chrome://version/"})
	harness.Until(t, "the host knows", func() bool { return strings.HasPrefix(claimedTabs(t, home)[b.Tabs[0].TabID].URL, "chrome:") })
	for name, args := range map[string]string{"page.info": `{}`, "pointer.click": `{"x":1,"y":1}`, "browser.screenshot": `{}`, "keyboard.press": `{"key":"a","trusted":true}`} {
		if f := wantCode(t, home.Call(t, name, args), fault.RestrictedPage); f.Dispatched != fault.NotDispatched {
			t.Errorf("%s: dispatched %q", name, f.Dispatched)
		}
	}
	harness.Must(t, home.Call(t, "browser.navigate", fmt.Sprintf(`{"url":%q}`, url)), nil)

	wantCode(t, home.Call(t, "browser.navigate", `{"url":"http://localhost:1/"}`), fault.NavigationFailed)
	if f := wantCode(t, home.Call(t, "page.info", `{}`), fault.RestrictedPage); !strings.Contains(f.NextStep, "browser.navigate") || strings.Contains(f.Message, "Frame") {
		t.Errorf("the browser's error page: %+v", f)
	}
	harness.Must(t, home.Call(t, "browser.navigate", fmt.Sprintf(`{"url":%q}`, url)), nil)

	go func() { _, _ = cdp.Call(t.Context(), tab.at, page.Crash, cdp.Empty{}) }() // a crashed page gives no answer
	harness.Until(t, "calls fail", func() bool { return !home.Call(t, "page.info", `{}`, "--timeout", "3s").OK })
	e := home.Call(t, "pointer.click", `{"x":1,"y":1}`, "--timeout", "3s")
	if e.OK || e.Error.Code != fault.RestrictedPage || !strings.Contains(e.Error.NextStep, "reload") {
		t.Errorf("a click on a crashed page: %+v", e)
	}
	harness.Must(t, home.Call(t, "browser.navigate", `{"reload":true}`), nil)
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
}
