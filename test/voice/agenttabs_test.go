package voice

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/harness/drive"
)

// tool is a call of a primitive with its report.
func tool(callID, name, members string) realtime.Function {
	if members != "" {
		members += ","
	}
	return realtime.Function{CallID: callID, Name: strings.ReplaceAll(name, ".", "_"), Arguments: fmt.Sprintf(
		`{%s"policy_exception_report":{"kind":"generic","intended_tool":%q,"actions_json_path":"none","reason":"asked to"}}`, members, name)}
}

// claimed returns the ids of the tabs that are handed over, by their addresses.
func (k *talk) claimed() map[string]int {
	k.t.Helper()
	var list struct {
		Tabs []struct {
			TabID int `json:"tab_id"`
			URL   string
		}
	}
	harness.Must(k.t, k.home.Call(k.t, "browser.claimed_tabs.list", `{}`), &list)
	found := map[string]int{}
	for _, tab := range list.Tabs {
		found[tab.URL] = tab.TabID
	}
	return found
}

// panes returns what the panes of all tabs show.
func (k *talk) panes() (shown []string) {
	k.t.Helper()
	for _, id := range k.targets("iframe", paneURL) {
		pane, detach := drive.Attach(k.browser, id)
		text, err := chromedp.Run(pane, chromedp.Evaluate[string](`document.body.dataset.status + " " + document.getElementById("log").textContent`))
		detach()
		if err != nil {
			k.t.Fatal(err)
		}
		shown = append(shown, text)
	}
	return shown
}

func TestAgentTabs(t *testing.T) {
	// Ensure that the agent works in its current tab whichever the user looks at, that both tabs' panes show the same, that it goes to another tab only by its own call, and that one whose tab is gone is told which others there are and touches none of them before it has chosen.
	t.Parallel()
	k := converse(t, `"claim_opened_tabs":true`)
	other := strings.Replace(k.shop, "localhost", "127.0.0.1", 1)
	first := k.claimed()[k.shop]
	k.write()
	harness.Must(t, k.home.Call(t, "browser.open_tab", `{"url":"`+other+`","active":true}`), nil)
	second := k.claimed()[other]
	for _, tab := range []int{first, second} {
		harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`, "--tab", fmt.Sprint(tab)), nil)
	}
	note := func(url string) string {
		t.Helper()
		return k.document("page", url, `document.querySelector("[name=note]").value`)
	}
	writes := func(text string) string {
		t.Helper()
		k.says("Write " + text)
		k.wire.Begin(k.ctx)
		k.wire.Finish("completed", tool(text, "locator.fill", `"locator":{"selector":"[name=note]"},"text":"`+text+`"`))
		got := k.results(1)[text]
		k.answers("Did " + text)
		return got
	}
	writes("one")
	if a, b := note(k.shop), note(other); a != `"one"` || b != `""` {
		t.Fatalf("the first has %s, the second %s", a, b)
	}
	var shown []string
	defer func() {
		if t.Failed() {
			t.Logf("the panes show %q", shown)
		}
	}()
	harness.Until(t, "both panes show the same", func() bool {
		shown = k.panes()
		return len(shown) == 2 && shown[0] == shown[1] && strings.HasPrefix(shown[0], "listening") && strings.Contains(shown[0], "Did one")
	})

	all := k.targets("iframe", paneURL)
	pane, detach := drive.Attach(k.browser, all[0])
	defer detach()
	behind, detachBehind := drive.Attach(k.browser, all[1])
	defer detachBehind()
	k.insert(pane, "one draft")
	drafted := func(want string) {
		t.Helper()
		harness.Until(t, "the other pane shows the draft "+want, func() bool {
			text, err := chromedp.Run(behind, chromedp.Evaluate[string](`document.getElementById("text").value`))
			return err == nil && text == want
		})
	}
	drafted("one draft")
	if _, err := chromedp.Run(pane, chromedp.Evaluate[bool](`(document.getElementById("text").select(), true)`)); err != nil {
		t.Fatal(err)
	}
	k.insert(pane, "")
	drafted("")

	k.says("Go to the other.")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", tool("go", "browser.claimed_tabs.activate", fmt.Sprintf(`"tab_id":%d`, second)))
	k.surface("The current tab is on " + strings.TrimSuffix(other, "/"))
	k.answers("There.")
	writes("two")
	if a, b := note(k.shop), note(other); a != `"one"` || b != `"two"` {
		t.Fatalf("the first has %s, the second %s", a, b)
	}

	k.closeTarget("page", other)
	k.surface("1 handed over: see browser.claimed_tabs.list")
	if got := writes("three"); !strings.Contains(got, `"ok":false`) || !strings.Contains(got, "next_step") || !strings.Contains(got, `"dispatched":"no"`) {
		t.Errorf("without a tab the model was given %s", got)
	}
	if a := note(k.shop); a != `"one"` {
		t.Fatalf("the first has %s", a)
	}
	k.says("Go back.")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", tool("back", "browser.claimed_tabs.activate", fmt.Sprintf(`"tab_id":%d`, first)))
	k.surface("The current tab is on " + strings.TrimSuffix(k.shop, "/"))
	k.answers("Here.")
	writes("four")
	if a := note(k.shop); a != `"four"` {
		t.Fatalf("the first has %s", a)
	}
}

func TestAgentTabTakenBack(t *testing.T) {
	// Ensure that a tab which the user takes back in the middle of a tool ends it at once, that the model is told so, and that the same tab, handed over again, is where the agent goes on.
	t.Parallel()
	k := converse(t)
	tab := k.claimed()[k.shop]
	popup := strings.Replace(paneURL, "pane", "popup", 1)
	if _, err := cdp.Call(k.ctx, k.browser.Session(), target.CreateTarget, target.CreateTargetParams{URL: popup}); err != nil {
		t.Fatal(err)
	}
	asks := func(kind string) {
		t.Helper()
		harness.Until(t, "the popup has answered "+kind, func() bool {
			answer, err := k.evaluate("page", popup, fmt.Sprintf(`chrome.runtime.sendMessage({kind: %q, tab_id: %d})`, kind, tab))
			return err == nil && strings.Contains(answer, `"ok":true`)
		})
	}
	k.write()
	k.says("Wait for the bell.")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", realtime.Function{CallID: "c1", Name: "locator_wait_for", Arguments: neverRings})
	k.shows("using_tool")
	asks("ui_release")
	got := k.results(1)["c1"]
	if !strings.Contains(got, string(fault.TabNotClaimed)) {
		t.Errorf("the model was given %s", got)
	}
	k.answers("You took it back.")
	asks("ui_claim")
	k.surface("The current tab is on " + strings.TrimSuffix(k.shop, "/"))
	k.says("Now order.")
	k.wire.Begin(k.ctx)
	k.wire.Finish("completed", realtime.Function{CallID: "c2", Name: "actions_site", Arguments: orderForAda})
	if got := k.results(1)["c2"]; !strings.Contains(got, "Order T-001") {
		t.Errorf("the model was given %s", got)
	}
	k.answers("Ordered.")
}
