package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

const drawer = `<title>Tea</title><button id="open" onclick="document.querySelector('#drawer').hidden = false">Open</button>
<div id="drawer" hidden><button id="send" onclick="fetch('/sent', {method: 'POST'}).then(() => document.querySelector('#receipt').hidden = false)">Send</button></div>
<output id="receipt" hidden>Thank you</output>`

// drawerMap has a critical check that opens the drawer, sends, and wants the
// receipt, and one whose setup leaves the map's pages and goes on there.
const drawerMap = `{"protocol":"actions.json","version":1,
	"tools":[{"name":"tea.send","description":"Send.","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata",
		"steps":[{"id":"send","primitive":"locator.click","args":{"locator":{"selector":"#send"}}}],"output":"{%% {'sent': true} %%}"}}],
	"checks":[
		{"id":"flow","severity":"critical","setup":[{"primitive":"browser.navigate","args":{"reload":true}},{"primitive":"locator.click","args":{"locator":{"selector":"#open"}}}],
			"steps":[{"tool":"tea.send"}],"expected_result":{"sent":true},"assertions":[{"target":{"selector":"#receipt"},"visible":true}]},
		{"id":"away","severity":"minor","setup":[{"primitive":"browser.navigate","args":{"url":"%s"}},{"primitive":"locator.click","args":{"locator":{"selector":"#open"}}}],
			"assertions":[{"target":"#receipt"}]}]}`

func TestChecksSetUp(t *testing.T) {
	// Ensure that a check runs the primitives of its setup and then its actions, only when asked and as far as the session may act; that a critical check does not stand before the action that it calls itself; and that a setup which leaves the map's pages does nothing there.
	t.Parallel()
	home := harness.NewHome(t)
	url, rec := pages(t, map[string]string{"/": drawer})
	other, elsewhere := pages(t, map[string]string{"/": `<button id="open" onclick="fetch('/sent', {method: 'POST'})">Open</button>`})
	other = strings.Replace(other, "localhost", "127.0.0.1", 1)
	home.Map(t, "public", "localhost", "tea", fmt.Sprintf(drawerMap, other+"/"))
	home.Launch(t, url+"/")
	sent := func() int { return len(received(rec, "POST", "/sent")) }

	if r := home.Run(t, "check"); r.Exit != 0 || !strings.Contains(r.Stdout, "- flow (critical): it acts on the page") || sent() != 0 {
		t.Fatalf("unasked, %d sent: %+v", sent(), r)
	}
	if r := home.Run(t, "check", "--run", "--mode", "ask"); r.Exit != 1 || !strings.Contains(r.Stdout, "✗ flow (critical): its setup failed: ") || sent() != 0 {
		t.Fatalf("in mode ask, %d sent: %+v", sent(), r)
	}
	r := home.Run(t, "check", "--run")
	if !strings.Contains(r.Stdout, "✓ flow (critical)") || sent() != 1 {
		t.Errorf("asked, %d sent: %+v", sent(), r)
	}
	if r.Exit != 0 || !strings.Contains(r.Stdout, "✗ away (minor): its setup failed: the tab left the pages of the map") || slices.Contains(received(elsewhere, "POST", "/sent"), "/sent") {
		t.Errorf("a setup that leaves: %+v", r)
	}
}

func TestCheckSeesWhatIsGone(t *testing.T) {
	// Ensure that a check of a page whose button has another id says which step of which action no longer finds it, also after
	// the page's address got a query, and is well again when the button is back; what stood in an open dialog is not gone when
	// the dialog is closed.
	t.Parallel()
	home := harness.NewHome(t)
	var renamed atomic.Bool
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		id := "send"
		if renamed.Load() {
			id = "submit"
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<title>Tea</title><p class="tea">Assam</p><p class="tea">Sencha</p><button id=%q>Send</button><script>
			if (location.search === "?open") document.body.insertAdjacentHTML("beforeend", "<dialog open><button id=sure>Sure</button></dialog>")</script>`, id)
	}))
	home.Map(t, "private", "localhost", "tea", `{"protocol":"actions.json","version":1,"tools":[{"name":"tea.send","description":"Send.","input_schema":{"type":"object"},
		"workflow":{"version":1,"expression_language":"jsonata","steps":[
			{"id":"read","primitive":"locator.text_content","args":{"locator":{"selector":".tea"}}},
			{"id":"send","primitive":"locator.click","args":{"locator":{"selector":"#send"}}},
			{"id":"sure","primitive":"locator.click","args":{"locator":{"selector":"#sure"}}}],"output":1}}]}`)
	home.Launch(t, url+"/")
	const gone = `✗ tea.send, step send: {"selector":"#send"} it found 1 in the last good run`
	for _, c := range []struct {
		path    string
		renamed bool
		exit    int
	}{{"/?open", false, 0}, {"/", false, 0}, {"/?open", false, 0}, {"/?again", true, 1}, {"/", true, 1}, {"/", false, 0}} {
		renamed.Store(c.renamed)
		if e := home.Call(t, "browser.navigate", fmt.Sprintf(`{"url":%q}`, url+c.path)); !e.OK {
			t.Fatal(e.Error)
		}
		r := home.Run(t, "check")
		if r.Exit != c.exit || strings.Contains(r.Stdout, gone) != c.renamed {
			t.Errorf("%+v: exit %d\n%s%s", c, r.Exit, r.Stdout, r.Stderr)
		}
		if !strings.Contains(r.Stdout, `{"selector":".tea"}`) { // two of them, in each run
			t.Errorf("%+v says nothing of the two: %s", c, r.Stdout)
		}
	}
}
