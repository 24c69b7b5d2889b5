package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/harness"
)

// grantsDesk is a host whose grants the test writes.
type grantsDesk struct {
	mu     sync.Mutex
	grants []object
	broken bool
}

// playGrants opens the options page of a host with these grants.
func playGrants(t *testing.T, played *harness.Played, grants []object) (*grantsDesk, *playedAgent, document) {
	t.Helper()
	d := &grantsDesk{grants: grants}
	a := playedBy(t, played)
	a.played.ServeUI(d.answer)
	options := a.page(optionsURL)
	options.bringToFront()
	options.untilElse("the list is there", fmt.Sprintf(`document.querySelectorAll("#grants-list li").length === %d`, len(grants)), func() string { return options.text("offline") })
	return d, a, options
}

func (d *grantsDesk) answer(command string, args json.RawMessage) (json.RawMessage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch command {
	case "storage":
		return json.Marshal(deskStored())
	case "revoke":
		var asked struct{ IDs []string }
		if err := json.Unmarshal(args, &asked); err != nil {
			return nil, err
		}
		if d.broken {
			return nil, fault.New(fault.StorageUnavailable, "the grants cannot be stored: disk full").WithNextStep("Make room on the disk.")
		}
		before := len(d.grants)
		d.grants = slices.DeleteFunc(slices.Clone(d.grants), func(g object) bool { return slices.Contains(asked.IDs, g["id"].(string)) })
		return json.Marshal(object{"revoked": before - len(d.grants), "grants": d.grants})
	case "grants":
		return json.Marshal(object{"grants": d.grants})
	}
	return json.Marshal(object{"settings": object{"mode": "act", "show_actions": true, "pacing_ms": 0}, "running": []object{}, "activity": []object{}, "granted": object{}})
}

// set changes the grants behind the page's back.
func (d *grantsDesk) set(grants []object, broken bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.grants, d.broken = grants, broken
}

func (d *grantsDesk) rows(options document) int {
	return eval[int](options, `document.querySelectorAll("#grants-list li").length`)
}

// someGrants are of all kinds.
func someGrants() []object {
	since := time.Date(2026, 11, 21, 14, 59, 0, 0, time.Local).Format(time.RFC3339)
	ends := time.Date(2026, 11, 21, 15, 0, 30, 0, time.Local).Format(time.RFC3339)
	return []object{
		{"id": "a", "origin": "", "effect": "state", "scope": "always", "deny": true, "since": since},
		{"id": "b", "origin": "https://mail.example:8443", "effect": "tab", "scope": "once", "deny": false, "session_id": "cli", "since": since, "expires_at": ends},
		{"id": "c", "origin": "https://tea.example", "effect": "input", "scope": "always", "deny": false, "since": since},
		{"id": "d", "origin": "https://tea.example", "effect": "input", "scope": "session", "deny": true, "session_id": "mcp:k3fj", "session_name": "Claude Code", "since": since},
		{"id": "e", "origin": "https://" + strings.Repeat("a-very-long-name-of-a-server.", 8) + "example", "effect": "code", "scope": "session", "deny": false, "session_id": "voice:k3fj"},
		{"id": "f", "origin": "https://hostile.example", "effect": "input", "scope": "session", "deny": false, "session_id": "mcp:x", "since": since,
			"session_name": "\u202e<img src=x onerror=document.title=1> " + strings.Repeat("W", 80)},
	}
}

// ready waits until a press on the list counts.
func ready(t *testing.T, options document) {
	t.Helper()
	harness.Until(t, "the list stands still", func() bool {
		return eval[bool](options, `document.getElementById("grants-list").ariaBusy === null`)
	})
}

// focused is where the keyboard is.
const focused = `(e => (e.dataset.grant ?? e.closest("[data-grant]")?.dataset.grant ?? e.id) + " " + e.localName)(document.activeElement)`

func TestGrantIsTakenBackInTheOptions(t *testing.T) {
	// Ensure that what the user allowed for always is counted in the popup of its site, listed in the options page and taken back there: the same call asks again and the log says so.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["input"]}`)
	url, rec := pages(t, map[string]string{"/": `<title>Shop</title><button id=b onclick="buy()">Buy</button><button id=c onclick="buy()">Buy two</button>
		<script>const buy = () => fetch("/bought", {method: "POST"})</script>`})
	b := home.Open(t, url)
	toolbar := openPopup(t, b)
	toolbar.says("activity-list", "You handed the tab over")
	if text := toolbar.text("tab-grants"); text != "" {
		t.Errorf("nothing was granted: %q", text)
	}
	const click = `{"locator":{"selector":"#b"}}`
	wantCode(t, home.Call(t, "locator.click", click), fault.NeedsApproval)
	always := `[...document.querySelectorAll(".answers button")].find(b => b.textContent === "Always allow")`
	toolbar.until("the question is there", `(d => d && (d.open = true))(document.querySelector(".wider"))`)
	harness.Until(t, "the question can be answered", func() bool { return eval[bool](toolbar, `(b => b && !b.disabled)(`+always+`) ?? false`) })
	eval[bool](toolbar, `(`+always+`.scrollIntoView({block: "center"}), true)`)
	toolbar.mouse(always)
	harness.Until(t, "the question is gone", func() bool { return toolbar.text("approvals") == "" })
	harness.Must(t, home.Call(t, "locator.click", click), nil)
	harness.Must(t, home.Call(t, "locator.click", `{"locator":{"selector":"#c"}}`), nil)

	toolbar = openPopup(t, b) // the former one closed when the page got the click
	toolbar.says("tab-grants", "Permissions for this site: 1")
	for _, scheme := range []string{"dark", "light"} {
		prefer(t, scheme, toolbar)
		for _, v := range toolbar.violations() {
			t.Errorf("%s: %s", scheme, v)
		}
	}
	picture(t, toolbar, "desk-popup-grants", nil)
	toolbar.mouse(`document.getElementById("show-grants")`)
	var id target.ID
	harness.Until(t, "the options page opens", func() bool {
		for _, info := range targets(t, b) {
			if info.Type == "page" && info.URL == optionsURL {
				id = info.TargetID
			}
		}
		return id != ""
	})
	options := attach(t, b, id)
	for _, want := range []string{"Allowed: act on the page", url, "Every agent", "until you revoke it", "since "} {
		options.says("grants-list", want)
	}
	ready(t, options)
	options.click("#grants-list button")
	options.says("grants-result", "Revoked. Allowed: act on the page, "+url)
	options.says("grants-none", "There are none.")
	wantCode(t, home.Call(t, "locator.click", click), fault.NeedsApproval)
	harness.Until(t, "the page was clicked twice", func() bool { return len(received(rec, "POST", "/bought")) == 2 })
	if r := home.Run(t, "log", "dump"); !strings.Contains(r.Stdout, "grant taken back") || !strings.Contains(r.Stdout, "input on "+url) {
		t.Errorf("the log: %s", r.Stdout)
	}
	revoked := 0
	for _, r := range records(t, home) {
		if r.Type == journal.TypePolicy && strings.Contains(string(r.Data), `"grant_revoked"`) {
			revoked++
		}
	}
	if revoked != 1 {
		t.Errorf("%d revocations in the log", revoked)
	}

	// What a terminal answers and takes back is told here too.
	waiting := fmt.Sprint(wantCode(t, home.Call(t, "locator.click", click), fault.NeedsApproval).Evidence["id"])
	if r := home.Run(t, "approvals", "allow", waiting, "--scope", "session", "--code", home.Code(t, waiting)); r.Exit != 0 {
		t.Fatalf("allow: %+v", r)
	}
	options.says("grants-list", "Terminal")
	ready(t, options)
	if r := home.Run(t, "approvals", "revoke", url); r.Exit != 0 {
		t.Fatalf("revoke: %+v", r)
	}
	options.click("#grants-list button")
	options.says("grants-result", "ended or been revoked elsewhere")
	options.says("grants-none", "There are none.")
}

func TestGrantsByKeyboard(t *testing.T) {
	// Ensure that keys alone revoke, that the focus then is at the grant that took the place, that a key held down or a second press at once revokes no other one, and that a refusal is said with the list as it is.
	t.Parallel()
	d, _, options := playGrants(t, harness.Play(t), someGrants())
	pressOnce := func(id string) {
		t.Helper()
		ready(t, options)
		eval[bool](options, fmt.Sprintf(`document.querySelector("[data-grant=%s] button").focus(), true`, id))
		options.enter(0)
	}
	press := func(id string) {
		t.Helper()
		pressOnce(id)
		options.enter(0)
	}
	stands := func(want string, rows int) {
		t.Helper()
		harness.Until(t, fmt.Sprintf("%d grants are left", rows), func() bool { return d.rows(options) == rows })
		if got := eval[string](options, focused); got != want {
			t.Errorf("with %d grants the focus is at %q, not %q", rows, got, want)
		}
	}
	press("b")
	stands("c li", 5)
	press("f")
	stands("e li", 4)
	d.set(d.grants, true)
	pressOnce("c") // a second press may be a second refusal, after which the list is asked for again
	options.says("grants-wrong", "That did not work: the grants cannot be stored: disk full. Make room on the disk.")
	stands("c button", 4)
	d.set(slices.Clone(someGrants()[2:3]), false) // the others are gone meanwhile
	press("a")
	options.says("grants-result", "It had ended or been revoked elsewhere.")
	stands("c li", 1)
	press("c")
	stands("grants-title h2", 0)

	d.set(someGrants(), false)
	eval[bool](options, `window.dispatchEvent(new Event("focus"))`)
	harness.Until(t, "the list is asked for anew", func() bool { return d.rows(options) == 6 })
	d.set(someGrants()[1:], false)
	ready(t, options)
	eval[bool](options, `document.getElementById("revoke-all").focus(), true`)
	options.enter(0)
	options.says("grants-result", "Revoked: 5 of 6. The others had ended or been revoked elsewhere.")
	stands("grants-title h2", 0)
}

func TestManyGrants(t *testing.T) {
	// Ensure that two hundred grants are listed and revoked at once, and that a page whose host is gone shows none.
	t.Parallel()
	var many []object
	for i := range 200 {
		many = append(many, object{"id": fmt.Sprint("g", i), "origin": fmt.Sprintf("https://%d.example", i), "effect": "input", "scope": "always", "deny": false})
	}
	d, a, options := playGrants(t, harness.PlayOwn(t), many)
	options.says("revoke-all", "Revoke all 200")
	if high := eval[int](options, `document.getElementById("grants").offsetHeight`); high > 700 {
		t.Errorf("the section is %d px high", high)
	}
	ready(t, options)
	first := `document.querySelector("#grants-list button")`
	eval[bool](options, `(`+first+`.scrollIntoView({block: "center"}), true)`)
	eval[bool](options, `(document.addEventListener("click", () => { window.moving = document.getElementById("grants-list").ariaBusy === "true"; }, true), true)`)
	options.mouse(first)
	options.says("grants-result", "https://0.example")
	options.mouse(first)                                                              // of a double click: another row stands there now
	left := map[bool]int{true: 199, false: 198}[eval[bool](options, `window.moving`)] // a slow machine makes two clicks of it
	options.says("revoke-all", fmt.Sprint("Revoke all ", left))
	ready(t, options)
	if n := d.rows(options); n != left {
		t.Errorf("a double click left %d", n)
	}
	eval[bool](options, `(document.getElementById("revoke-all").scrollIntoView({block: "center"}), true)`)
	options.mouse(`document.getElementById("revoke-all")`)
	options.says("grants-result", fmt.Sprint("Revoked: ", left))
	harness.Until(t, "none is left", func() bool { return d.rows(options) == 0 })

	d.set(many, false)
	eval[bool](options, `window.dispatchEvent(new Event("focus"))`)
	harness.Until(t, "the list is asked for anew", func() bool { return d.rows(options) == 200 })
	a.played.Quit(t)
	options.says("offline", "host program")
	options.says("grants-offline", "shown when it is connected")
	if text := options.text("grants-list") + options.text("revoke-all") + options.text("grants-none"); text != "" {
		t.Errorf("without a host the page says %q", text)
	}
	for _, v := range options.violations() {
		t.Errorf("without a host: %s", v)
	}
	picture(t, options, "desk-options-gone", nil)
}

func TestGrantsLook(t *testing.T) {
	// Ensure that the list has no violation that axe knows of and no sideways scrolling with long and hostile names, which are text only, light and dark, and that pictures of it can be seen.
	t.Parallel()
	_, _, options := playGrants(t, harness.Play(t), someGrants())
	options.says("grants-list", "<img src=x onerror=document.title=1>")
	if n := eval[int](options, `document.querySelectorAll("#grants-list img").length`); n > 0 {
		t.Error("a name became an element")
	}
	eval[bool](options, `(document.getElementById("grants-list").scrollTop = 9999) > 0`)
	look(t, options, "options-grants", 320, 720)
	for _, v := range options.violations() {
		t.Error(v)
	}
}
