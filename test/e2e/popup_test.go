package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// popupURL is the address of the popup, as a document of its own and in the
// browser's toolbar alike.
const popupURL = "chrome-extension://" + manifest.ExtensionID + "/popup.html"

// document is a page that a test looks into from outside.
type document struct {
	t   *testing.T
	ctx context.Context
}

// targets gives everything that the browser shows, tabs included.
func targets(t *testing.T, b *launch.Browser) []*target.Info {
	t.Helper()
	found, err := cdp.Call(t.Context(), b.Session(), target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{}}})
	if err != nil {
		t.Fatal(err)
	}
	return found.TargetInfos
}

func attach(t *testing.T, b *launch.Browser, id target.ID) document {
	t.Helper()
	ctx, cancel := b.Attach(id)
	t.Cleanup(cancel)
	// The first run binds the page's events to this very context.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return document{t, ctx}
}

// extensionPage opens a page behind the others that has the extension's APIs.
func extensionPage(t *testing.T, b *launch.Browser) document {
	t.Helper()
	background := true
	made, err := cdp.Call(t.Context(), b.Session(), target.CreateTarget, target.CreateTargetParams{URL: popupURL, Background: &background})
	if err != nil {
		t.Fatal(err)
	}
	page := attach(t, b, made.TargetID)
	page.says("versions", "Extension")
	return page
}

// openPopup clicks the extension's button in the toolbar, with the first tab in
// front.
func openPopup(t *testing.T, b *launch.Browser) document {
	t.Helper()
	var before []target.ID
	var tab target.ID
	for _, info := range targets(t, b) {
		before = append(before, info.TargetID)
		if info.Type == "tab" && info.URL != popupURL && tab == "" {
			tab = info.TargetID
		}
	}
	_, err := cdp.Call(t.Context(), b.Session(), extensions.TriggerAction, extensions.TriggerActionParams{
		ID: manifest.ExtensionID, TargetID: string(tab),
	})
	if err != nil {
		t.Fatal(err)
	}
	var popup target.ID
	harness.Until(t, "the popup opens", func() bool {
		for _, info := range targets(t, b) {
			if info.Type == "page" && info.URL == popupURL && !slices.Contains(before, info.TargetID) {
				popup = info.TargetID
			}
		}
		return popup != ""
	})
	return attach(t, b, popup)
}

// eval gives the value of an expression in the document.
func eval[T any](d document, js string) T {
	d.t.Helper()
	run, cancel := context.WithTimeout(d.ctx, harness.Patience)
	defer cancel()
	value, err := chromedp.Run(run, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		d.t.Fatalf("%s: %v", js, err)
	}
	return value
}

// text is what an element of the popup says; nothing while it is hidden.
func (d document) text(id string) string {
	d.t.Helper()
	return eval[string](d, fmt.Sprintf(`(e => e?.checkVisibility() ? e.innerText : "")(document.getElementById(%q))`, id))
}

// says waits until an element of the popup has the text in it.
func (d document) says(id, want string) {
	d.t.Helper()
	last := ""
	for end := time.Now().Add(harness.Patience); time.Now().Before(end); {
		// The popup's own timer is awaited, as only it draws anew.
		if last = d.text(id); strings.Contains(last, want) {
			return
		}
		eval[bool](d, `new Promise(done => setTimeout(() => done(true), 20))`)
	}
	d.t.Fatalf("#%s says %q, not %q", id, last, want)
}

// click is a real click of the mouse.
func (d document) click(selector string) {
	d.t.Helper()
	if err := chromedp.Do(d.ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		d.t.Fatalf("click %s: %v", selector, err)
	}
}

func TestPopupHandsOverAndReleases(t *testing.T) {
	// Ensure that the popup tells the connection and the tabs under control, and that its buttons give a tab back and take it again.
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title>`, "/two": `<title>Second</title>`})
	b := home.Open(t, url, url+"/two")
	first := []string{"--tab", fmt.Sprint(b.Tabs[0].TabID)}
	second := []string{"--tab", fmt.Sprint(b.Tabs[1].TabID)}

	var listed struct {
		Profiles []struct {
			ID    string `json:"profile_id"`
			Label string `json:"profile_label"`
		}
	}
	if err := json.Unmarshal([]byte(home.Run(t, "tabs", "--json").Stdout), &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed.Profiles) != 1 || listed.Profiles[0].ID != b.ProfileID || len(b.ProfileID) != 32 {
		t.Fatalf("launched %q, tabs gave %+v", b.ProfileID, listed)
	}
	var version struct{ Version string }
	if err := json.Unmarshal([]byte(home.Run(t, "version", "--json").Stdout), &version); err != nil {
		t.Fatal(err)
	}

	popup := openPopup(t, b)
	popup.says("state", "Connected to host "+version.Version)
	popup.says("profile", listed.Profiles[0].Label)
	popup.says("tab-name", "Shop")
	popup.says("control", "Release this tab")
	popup.says("claimed-list", "Shop")
	popup.says("claimed-list", "Second")
	for _, hidden := range []string{"repair", "retry", "copy", "claimed-none"} {
		if text := popup.text(hidden); text != "" {
			t.Errorf("#%s is shown: %q", hidden, text)
		}
	}

	harness.Must(t, home.Call(t, "page.info", `{}`, first...), nil)
	popup.click("#control")
	popup.says("notice", "The tab was released.")
	popup.says("control", "Take control of this tab")
	wantCode(t, home.Call(t, "page.info", `{}`, first...), fault.TabNotClaimed)
	harness.Must(t, home.Call(t, "page.info", `{}`, second...), nil)

	popup.click("#claimed-list button")
	popup.says("claimed-none", "No tab is under control.")
	wantCode(t, home.Call(t, "page.info", `{}`, second...), fault.TabNotClaimed)

	popup.click("#control")
	popup.says("notice", "The tab is under control.")
	popup.says("control", "Release this tab")
	popup.says("claimed-list", "Shop")
	var info struct{ Title string }
	harness.Must(t, home.Call(t, "page.info", `{}`), &info)
	if info.Title != "Shop" {
		t.Fatalf("the claimed tab is %q", info.Title)
	}
}

func TestMarksOfClaimedTabs(t *testing.T) {
	// Ensure that a claimed tab stands in its group with a badge, that marks and claim outlive the worker, and that taking the tab out of the group releases it.
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title>`, "/next": `<title>next</title>`})
	b := home.Open(t, url)
	id := b.Tabs[0].TabID
	page := extensionPage(t, b)
	type marks struct{ Group, Badge string }
	now := func() marks {
		return eval[marks](page, fmt.Sprintf(`(async () => {
			const {groupId} = await chrome.tabs.get(%d);
			const group = groupId < 0 ? "" : (await chrome.tabGroups.get(groupId)).title;
			return {Group: group, Badge: await chrome.action.getBadgeText({tabId: %[1]d})};
		})()`, id))
	}
	marked := marks{"actions.json", "on"}
	if got := now(); got != marked {
		t.Fatalf("after the claim: %+v", got)
	}
	harness.Must(t, home.Call(t, "browser.navigate", `{"url":"`+url+`/next"}`), nil)
	harness.Until(t, "the badge is there again after a navigation", func() bool { return now() == marked })

	killed := time.Now()
	killWorker(t, b)
	var info struct{ Title string }
	harness.Until(t, "a call goes well again", func() bool {
		e := home.Call(t, "page.info", `{}`)
		if e.OK {
			harness.Must(t, e, &info)
		}
		return e.OK
	})
	t.Logf("the next good call came %v after the worker's end", time.Since(killed).Round(time.Millisecond))
	if got := now(); got != marked || info.Title != "next" {
		t.Fatalf("after the worker's end: %+v, %q", got, info.Title)
	}

	eval[bool](page, fmt.Sprintf(`chrome.tabs.ungroup([%d]).then(() => true)`, id))
	harness.Until(t, "the tab is released", func() bool {
		e := home.Call(t, "page.info", `{}`)
		return !e.OK && e.Error.Code == fault.TabNotClaimed
	})
	harness.Until(t, "its marks are gone", func() bool { return now() == marks{} })
}

func TestPopupWithoutHost(t *testing.T) {
	// Ensure that a browser without the host says so, with the exact command that installs it.
	b := harness.NewHome(t).OpenUninstalled(t)
	popup := openPopup(t, b)
	popup.says("state", "The host program is not installed for this browser.")
	popup.says("command", "actions-host install --browser chromium")
	popup.says("retry", "Try again")
	popup.says("copy", "Copy command")
	if !eval[bool](popup, `document.getElementById("control").disabled`) {
		t.Error("a tab can be handed over to nobody")
	}
	if got := eval[string](extensionPage(t, b), `chrome.action.getBadgeText({})`); got != "!" {
		t.Errorf("the badge says %q", got)
	}
}

func TestPopupNamesThePartToUpdate(t *testing.T) {
	// Ensure that a version skew tells which side is too old, whatever a host's sentence says.
	for update, want := range map[string]string{
		"host": "The host program is too old for this extension.", "extension": "This extension is too old for the host program.",
	} {
		t.Run(update, func(t *testing.T) {
			p := harness.PlayRefusing(t, fault.New(fault.VersionSkew, "protocols 1 and 7 do not meet").With("update", update))
			popup := openPopup(t, p.Launched)
			popup.says("state", want)
			popup.says("state", "protocols 1 and 7 do not meet")
			if text := popup.text("repair"); text != "" {
				t.Errorf("a command that does not help is shown: %q", text)
			}
		})
	}
}
