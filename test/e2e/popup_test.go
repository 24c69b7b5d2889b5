package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestPopupHandsOverAndReleases(t *testing.T) {
	// Ensure that the popup tells the connection and the tabs under control, and that its buttons give a tab back and take it again.
	t.Parallel()
	home := harness.Shared(t)
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
	popup.says("claimed-list", "Second")
	if text := popup.text("claimed-list"); strings.Contains(text, "Shop") {
		t.Errorf("the tab stands there twice: %q", text)
	}
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

	popup.click("#claimed-list [data-tab]")
	popup.says("claimed-none", "No tab is under control.")
	wantCode(t, home.Call(t, "page.info", `{}`, second...), fault.TabNotClaimed)

	popup.click("#control")
	popup.says("notice", "The tab is under control.")
	popup.says("control", "Release this tab")
	popup.says("tab-name", "Shop")
	var info struct{ Title string }
	harness.Must(t, home.Call(t, "page.info", `{}`), &info)
	if info.Title != "Shop" {
		t.Fatalf("the claimed tab is %q", info.Title)
	}
}

func TestPopupByKeyboard(t *testing.T) {
	// Ensure that the button that hands a tab over and releases it keeps the focus, so that it can be pressed again, and that a key that is held presses it once.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title>`})
	popup := openPopup(t, home.Open(t, url))
	popup.settled()
	popup.says("control", "Release this tab")
	eval[bool](popup, `(document.getElementById("control").focus(), true)`)
	press := func(held bool) {
		t.Helper()
		do(popup, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13, Text: "\r", AutoRepeat: &held,
		})
	}
	for _, c := range [][2]string{{"The tab was released.", "Take control of this tab"}, {"The tab is under control.", "Release this tab"}} {
		press(false)
		popup.says("notice", c[0])
		popup.says("control", c[1])
		press(true)
		popup.handled()
		popup.says("notice", c[0])
		if !eval[bool](popup, `document.activeElement?.id === "control"`) {
			t.Fatalf("%s: the button has lost the focus", c[0])
		}
	}
}

func TestMarksOfClaimedTabs(t *testing.T) {
	// Ensure that a claimed tab stands in its group with a badge, that marks and claim outlive the worker, and that taking the tab out of the group releases it.
	t.Parallel()
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
	harness.Until(t, "the marks are there after the claim", func() bool { return now() == marked })
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
	if info.Title != "next" {
		t.Fatalf("after the worker's end: %q", info.Title)
	}
	harness.Until(t, "the marks are there after the worker's end", func() bool { return now() == marked })

	eval[bool](page, fmt.Sprintf(`chrome.tabs.ungroup([%d]).then(() => true)`, id))
	harness.Until(t, "the tab is released", func() bool {
		e := home.Call(t, "page.info", `{}`)
		return !e.OK && e.Error.Code == fault.TabNotClaimed
	})
	harness.Until(t, "its marks are gone", func() bool { return now() == marks{} })
}

func TestPopupWithoutHost(t *testing.T) {
	// Ensure that a browser without the host says so, with the exact command that installs it.
	t.Parallel()
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
	t.Parallel()
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
