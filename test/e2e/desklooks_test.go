package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// deskView is a busy host for two tabs.
func deskView(first, second int) object {
	at := func(minutes int) string {
		return time.Date(2026, 11, 21, 14, 59-minutes, 0, 0, time.Local).Format(time.RFC3339)
	}
	started := time.Now().Add(-4 * time.Second).Format(time.RFC3339)
	return object{
		"settings": object{"mode": "act", "ask_first": true, "sites": object{}, "show_actions": true, "pacing_ms": 0},
		"policy":   object{"message": "policy.json:7: there is no effect \"inptu\"", "nothing_runs": false},
		"running": []object{
			{"call_id": "c1", "session": "mcp", "session_id": "mcp:k3fj", "session_name": "Claude Code", "name": "actions.site", "action": "cart.add", "step": "locator.click", "tab_id": first, "started_at": started},
			{"call_id": "c2", "session": "cli", "session_id": "cli", "name": "locator.wait_for", "tab_id": second, "started_at": started},
		},
		"activity": []object{
			{"seq": 9, "at": at(0), "type": "outcome", "session_id": "mcp:k3fj", "name": "actions.site", "action": "search.submit", "ok": true, "tab_id": first, "title": "Tea house: a very long title of a page that does not fit", "host": "tea.example"},
			{"seq": 8, "at": at(1), "type": "outcome", "session_id": "cli", "name": "locator.click", "ok": false, "code": "target_occluded", "message": "the target is covered by div#cookie-banner.modal.open, which takes the click", "tab_id": first, "host": "tea.example"},
			{"seq": 7, "at": at(2), "type": "policy", "session_id": "cli", "name": "locator.fill", "ok": false, "code": "needs_approval", "message": "x"},
			{"seq": 6, "at": at(3), "type": "outcome", "session_id": "cli", "name": "page.wait_for", "ok": false, "code": "cancelled", "message": "the user stopped the call", "tab_id": second, "host": "mail.example"},
			{"seq": 5, "at": at(4), "type": "claim", "ok": false, "tab_id": second, "title": "Inbox (3)", "host": "mail.example"},
			{"seq": 4, "at": at(5), "type": "outcome", "session_id": "cli", "name": "page.info", "ok": true, "tab_id": second, "host": "mail.example"},
		},
	}
}

func deskStored() object {
	return object{
		"path": "/home/maria/.actions-json/storage", "more": false, "errors": []object{{"path": "storage.json", "message": "scopes.shared: the folder /mnt/team does not exist"}},
		"maps": []object{
			{"path": "scopes/public/sites/mail.example/inbox/actions.json", "host": "mail.example", "surface": "inbox", "tools": 12, "errors": []string{}},
			{"path": "scopes/private/sites/tea.example/shop/actions.json", "host": "tea.example", "surface": "shop", "tools": 8, "errors": []string{"cart.add: /tools/3/workflow/steps/1: there is no primitive named \"locator.clic\""}},
		},
	}
}

func TestDeskLooks(t *testing.T) {
	// Ensure that popup and options page have no violation that axe knows of and no sideways scrolling at 320 px and wider, light and dark, busy, idle and without a host; their pictures are for people.
	t.Parallel()
	url, _ := pages(t, map[string]string{"/": `<title>Tea house: order</title>`, "/mail": `<title>Inbox (3)</title>`})
	a := playAgent(t, url, url+"/mail")
	tabs := a.played.Launched.Tabs
	view := deskView(tabs[0].TabID, tabs[1].TabID)
	view["granted"] = object{url: 2}
	a.played.ServeUI(func(command string, _ json.RawMessage) (json.RawMessage, error) {
		switch command {
		case "storage":
			return json.Marshal(deskStored())
		case "grants":
			return json.Marshal(object{"grants": someGrants()})
		}
		return json.Marshal(view)
	})
	popup := extensionPage(t, a.played.Launched)
	popup.says("activity-list", "search.submit")
	popup.says("tab-run", "cart.add")
	popup.says("policy-problem", "policy.json:7: there is no effect")
	popup.says("site-mode-label", "On "+strings.TrimSuffix(url, "/"))
	popup.says("tab-grants", "Permissions for this site: 2")
	a.shows("approvals", []object{{
		"id": "abcd1234", "session": "mcp", "session_id": "mcp:k3fj", "name": "locator.click", "origin": "https://tea.example", "effects": []string{"input"}, "about": object{"argument": "Place order"},
		"summary": `{"locator":{"role":"button","name":"Place order"}}`, "expires_at": time.Now().Add(time.Hour),
	}})
	popup.says("approvals", "Asked by")
	look(t, popup, "popup-busy", 320, 400, 720)
	eval[bool](popup, `(document.querySelectorAll(".exact, .wider").forEach(d => d.open = true), true)`)
	look(t, popup, "popup-card-open", 320, 400)
	var ten []object
	for i := range 10 {
		ten = append(ten, object{
			"id": fmt.Sprint("q", i), "session": "mcp", "session_id": "mcp:k3fj", "caller": "Claude Code", "name": "locator.fill", "origin": "https://tea.example", "effects": []string{"input"},
			"about": object{"argument": fmt.Sprint("Field ", i), "characters": 18}, "summary": `{"locator":{"label":"Name"},"text":"Zoë"}`, "expires_at": time.Now().Add(time.Hour),
		})
	}
	a.shows("approvals", ten)
	popup.says("approvals", "Type 18 characters into Field 9 on tea.example?")
	look(t, popup, "popup-ten", 320, 400)
	a.shows("approvals", []object{})
	view = object{"settings": object{"mode": "ask", "show_actions": false, "pacing_ms": 0}, "running": []object{}, "activity": []object{}, "granted": object{}}
	popup.says("activity-none", "Nothing has been done yet.")
	look(t, popup, "popup-idle", 320)

	options := a.page(optionsURL)
	options.says("storage-summary", "with errors: 1")
	eval[bool](options, `(document.getElementById("maps").open = true)`)
	look(t, options, "options", 320, 720)
}

func TestBrokenLooks(t *testing.T) {
	// Ensure that a popup without its host has no violation either.
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) *launch.Browser{
		"missing": func(t *testing.T) *launch.Browser { return harness.NewHome(t).OpenUninstalled(t) },
		"skew": func(t *testing.T) *launch.Browser {
			return harness.PlayRefusing(t, fault.New(fault.VersionSkew, "protocols 1 and 7 do not meet").With("update", "host")).Launched
		},
	} {
		t.Run(name, func(t *testing.T) {
			popup := extensionPage(t, open(t))
			popup.says("state", "The host program is")
			look(t, popup, "popup-"+name, 320)
		})
	}
}

// look checks the document and saves its pictures, as high as it is, in both
// schemes and all widths.
func look(t *testing.T, d document, name string, widths ...int64) {
	t.Helper()
	for _, width := range widths {
		size(t, d, width, 600)
		high := eval[int64](d, `document.documentElement.scrollHeight`)
		if strings.HasPrefix(name, "popup-") && high > 600 {
			t.Errorf("%s is %d px high at %d px", name, high, width)
		}
		size(t, d, width, high)
		if wide := eval[int64](d, `document.documentElement.scrollWidth`); wide > width {
			t.Errorf("%s is %d px wide at %d px", name, wide, width)
		}
		for _, scheme := range []string{"light", "dark"} {
			prefer(t, scheme, d)
			full := fmt.Sprintf("desk-%s-%d-%s", name, width, scheme)
			for _, v := range d.violations() {
				t.Errorf("%s: %s", full, v)
			}
			picture(t, d, full, nil)
		}
	}
}
