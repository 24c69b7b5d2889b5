package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/repair"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/test/harness"
)

var updateTable = flag.Bool("update", false, "write the table of drifts anew")

// The parts of the shop that drift. did tells the server what a control means, whatever it is called.
const (
	searchPart = `<form class="search" onsubmit="return false"><label for="q">Search the teas</label> <input id="q" class="field" oninput="did('query')"></form>`
	senchaPart = `<li class="tea"><b>Sencha</b> <button class="choose" onclick="did('sencha')">Choose</button></li>`
	listPart   = `<ul class="teas"><li class="tea"><b>Assam</b> <button class="choose" onclick="did('assam')">Choose</button></li>` + senchaPart + `</ul>`
	totalPart  = `<p id="total" data-testid="total">Total: 12 euros</p>`
	orderPart  = `<button id="order" class="primary" onclick="did('order')">Send the order</button>`
	emptyPart  = `<button id="empty" onclick="did('empty')">Delete the order</button>`
	linkPart   = `<a id="delivery" data-testid="delivery" href="#d" onclick="did('delivery')">Delivery and postage</a>`
	shopPage   = `<title>Tea</title><main class="shop"><h1>Tea shop</h1>` + searchPart + listPart + totalPart + `<div class="bar">` + orderPart + ` ` + emptyPart + `</div><nav>` + linkPart +
		` <a id="about" href="#a" onclick="did('about')">About us</a></nav></main><output id="state"></output>
		<script>function did(what) { fetch("/did?" + what, {method: "POST"}).then(() => document.getElementById("state").textContent = what) }</script>`
)

// drift is a change of the shop: pairs of what stood there and what stands there then.
type drift struct {
	name, action string
	edits        []string
	reparable    bool
	refusal      fault.Code // of one that is not
}

var drifts = []drift{
	{"id renamed", "shop.order", []string{`id="order"`, `id="send-it"`}, true, ""},
	{"id and class renamed", "shop.order", []string{`id="order" class="primary"`, `id="x71" class="css-9f2"`}, true, ""},
	{"id and label renamed, same meaning", "shop.order", []string{`id="order"`, `id="send"`, `>Send the order<`, `>Send your order now<`}, true, ""},
	{"moved to the top, id renamed", "shop.order", []string{orderPart, ``, `<h1>Tea shop</h1>`, `<header><button class="cta" onclick="did('order')">Send the order</button></header><h1>Tea shop</h1>`}, true, ""},
	{"wrapped, without id", "shop.order", []string{orderPart, `<div><span><button onclick="did('order')"><b>Send</b> the order</button></span></div>`}, true, ""},
	{"button made of a div", "shop.order", []string{orderPart, `<div role="button" tabindex="0" onclick="did('order')">Send the order</div>`}, true, ""},
	{"id given to another button", "shop.order", []string{`id="order"`, `id="go"`, `id="empty"`, `id="order"`}, true, ""},
	{"redesign of the page, same words", "shop.order", []string{shopPage[:strings.Index(shopPage, "<output")], `<title>Tea</title><div id="app"><div class="top"><div role="search"><input class="m-2" placeholder="Search the teas" aria-label="Search the teas" oninput="did('query')"></div></div><section><p>12</p><div class="row"><span><button type="button" class="btn" onclick="did('empty')">Delete the order</button></span><span><button type="button" class="btn btn-lg" onclick="did('order')"><span>Send the order</span></button></span></div></section></div>`}, true, ""},
	{"removed, the delete button stays", "shop.order", []string{orderPart, ``}, false, fault.DriftDetected},
	{"its id is the delete button's, itself removed", "shop.order", []string{orderPart, ``, `id="empty"`, `id="order"`}, false, fault.DriftDetected},
	{"doubled, without ids", "shop.order", []string{orderPart, `<button onclick="did('order')">Send the order</button><button onclick="did('order twice')">Send the order</button>`}, false, fault.MultipleTargets},
	{"renamed to another word", "shop.order", []string{orderPart, `<button id="buy" onclick="did('order')">Buy</button>`}, false, ""},
	{"a link in its place", "shop.order", []string{orderPart, `<a href="#o" onclick="did('help')">Send the order</a>`}, false, fault.DriftDetected},
	{"Cancel in its place", "shop.order", []string{orderPart, `<button id="order" onclick="did('cancel')">Cancel the order</button>`}, false, fault.DriftDetected},
	{"Do not send in its place", "shop.order", []string{orderPart, `<button data-x="1" onclick="did('no')">Do not send the order</button>`}, false, fault.DriftDetected},

	{"id renamed", "shop.search", []string{`for="q"`, `for="query"`, `id="q"`, `id="query"`}, true, ""},
	{"id, class and label renamed", "shop.search", []string{searchPart, `<form onsubmit="return false"><label for="s">Search teas:</label><input id="s" class="in" oninput="did('query')"></form>`}, true, ""},
	{"moved to the end, id renamed", "shop.search", []string{searchPart, ``, `<nav>`, `<aside><label>Search the teas <input name="s" oninput="did('query')"></label></aside><nav>`}, true, ""},
	{"label longer by a word, id renamed", "shop.search", []string{searchPart, `<label for="s">Search the teas and herbs</label><input id="s" oninput="did('query')">`}, true, ""},
	{"removed", "shop.search", []string{searchPart, ``}, false, fault.TargetNotFound},
	{"doubled, ids renamed", "shop.search", []string{searchPart, `<label for="s">Search the teas</label><input id="s" oninput="did('query')"><label for="t">Search the teas</label><input id="t" oninput="did('other query')">`}, false, fault.MultipleTargets},
	{"a checkbox in its place", "shop.search", []string{searchPart, `<label><input type="checkbox" onchange="did('check')">Search the teas</label>`}, false, fault.DriftDetected},

	{"class of the items renamed", "shop.choose", []string{`class="tea"`, `class="offer"`}, true, ""},
	{"class of the button renamed", "shop.choose", []string{`class="choose"`, `class="pick"`}, true, ""},
	{"list turned round, classes renamed", "shop.choose", []string{listPart, `<ul><li class="i">` + senchaPart[len(`<li class="tea">`):] + `<li class="i"><b>Assam</b> <button onclick="did('assam')">Choose</button></li></ul>`, `class="choose"`, `class="c"`}, true, ""},
	{"wrapped, classes renamed", "shop.choose", []string{`<ul class="teas">`, `<section><ol>`, `</ul>`, `</ol></section>`, `class="tea"`, `class="t"`, `class="choose"`, `class="c"`}, true, ""},
	{"the list made a table", "shop.choose", []string{listPart, `<table><tr><th>Assam</th><td><button onclick="did('assam')">Choose</button></td></tr><tr><th>Sencha</th><td><button onclick="did('sencha')">Choose</button></td></tr></table>`}, true, ""},
	{"the item removed", "shop.choose", []string{senchaPart, ``, `class="tea"`, `class="t"`}, false, fault.DriftDetected},
	{"the item doubled, classes renamed", "shop.choose", []string{senchaPart, senchaPart + strings.Replace(senchaPart, "'sencha'", "'sencha twice'", 1), `class="tea"`, `class="t"`, `class="choose"`, `class="c"`}, false, fault.TargetNotFound},

	{"test id dropped", "shop.delivery", []string{`id="delivery" data-testid="delivery"`, `id="delivery"`}, true, ""},
	{"test id renamed, moved", "shop.delivery", []string{linkPart, ``, `<h1>`, `<a data-testid="nav-delivery" href="#d" onclick="did('delivery')">Delivery and postage</a><h1>`}, true, ""},
	{"test id dropped, label shorter, id kept", "shop.delivery", []string{linkPart, `<a id="delivery" href="#d" onclick="did('delivery')">Delivery</a>`}, true, ""},
	{"renamed to another word", "shop.delivery", []string{linkPart, `<a id="d2" href="#d" onclick="did('returns')">Returns</a>`}, false, ""},

	{"id renamed", "shop.total", []string{`<p id="total"`, `<p id="sum"`}, true, ""},
	{"id renamed, another element", "shop.total", []string{totalPart, `<div class="sum" data-testid="total">Total: 12 euros</div>`}, true, ""},
	{"removed", "shop.total", []string{totalPart, ``}, false, fault.TargetNotFound},
}

// page returns the shop after the drift.
func (d drift) page(t *testing.T) string {
	page := shopPage
	for i := 0; i < len(d.edits); i += 2 {
		if !strings.Contains(page, d.edits[i]) {
			t.Fatalf("%s: the shop has no %s", d.name, d.edits[i])
		}
		page = strings.ReplaceAll(page, d.edits[i], d.edits[i+1])
	}
	return page
}

const shopMap = `{
  "protocol": "actions.json", "version": 1,
  "state_projections": [{
    "name": "shop.state",
    "snapshot": {"version": 1, "source": "dom", "extract": [{"id": "state", "selector": "#state", "fields": {"done": {"trim": true}}}],
      "projection": {"language": "jsonata", "expression": "{% {'done': records.state[0].done} %}"}},
    "postconditions": {
      "shop.order": {"projection": "shop.state", "verify": {"language": "jsonata", "expression": "{% state.done = 'order' %}"}},
      "shop.search": {"projection": "shop.state", "verify": {"language": "jsonata", "expression": "{% state.done = 'query' %}"}},
      "shop.choose": {"projection": "shop.state", "verify": {"language": "jsonata", "expression": "{% state.done = 'sencha' %}"}},
      "shop.delivery": {"projection": "shop.state", "verify": {"language": "jsonata", "expression": "{% state.done = 'delivery' %}"}},
      "shop.total": {"projection": "shop.state", "verify": {"language": "jsonata", "expression": "{% true %}"}}
    }
  }],
  "tools": [
    {"name": "shop.order", "description": "d", "input_schema": {"type": "object"}, "workflow": {"version": 1, "expression_language": "jsonata", "steps": [
      {"id": "send", "primitive": "locator.click", "args": {"locator": { "selector": "#order" }}}]}},
    {"name": "shop.search", "description": "d", "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}, "workflow": {"version": 1, "expression_language": "jsonata", "steps": [
      {"id": "type", "primitive": "locator.fill", "args": {"locator": {"selector": "#q"}, "text": "{% input.query %}"}}]}},
    {"name": "shop.choose", "description": "d", "input_schema": {"type": "object"}, "workflow": {"version": 1, "expression_language": "jsonata", "steps": [
      {"id": "pick", "primitive": "locator.click", "args": {
        "locator": {
          "selector": "li.tea",
          "text_contains": "Sencha",
          "retarget": {"selector": "button.choose"}
        }
      }}]}},
    {"name": "shop.delivery", "description": "d", "input_schema": {"type": "object"}, "workflow": {"version": 1, "expression_language": "jsonata", "steps": [
      {"id": "open", "primitive": "locator.click", "args": {"locator":{"test_id":"delivery"}}}]}},
    {"name": "shop.total", "description": "d", "input_schema": {"type": "object"}, "workflow": {"version": 1, "expression_language": "jsonata", "steps": [
      {"id": "read", "primitive": "locator.text_content", "args": {"locator": {"selector": "p#total"}}}], "output": "{% steps.read.output.text %}"}},
    {"name": "shop.blind", "description": "It has no postcondition.", "input_schema": {"type": "object"}, "workflow": {"version": 1, "expression_language": "jsonata", "steps": [
      {"id": "send", "primitive": "locator.click", "args": {"locator": {"selector": "#order"}}}]}},
    {"name": "shop.never", "description": "It never ran.", "input_schema": {"type": "object"}, "workflow": {"version": 1, "expression_language": "jsonata", "steps": [
      {"id": "send", "primitive": "locator.click", "args": {"locator": {"selector": "#never"}}}]}}
  ]
}
`

// rightly is what the server sees when an action does what it is for.
var rightly = map[string]string{"shop.order": "order", "shop.search": "query", "shop.choose": "sencha", "shop.delivery": "delivery", "shop.total": ""}

var shopInput = map[string]string{"shop.search": `{"query":"oolong"}`}

func inputOf(action string) string {
	if input, ok := shopInput[action]; ok {
		return input
	}
	return `{}`
}

// driftingShop is a shop whose drift its address names, and what its server was told.
type driftingShop struct {
	url string
	mu  sync.Mutex
	did []string
}

func (s *driftingShop) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	did := s.did
	s.did = nil
	return did
}

func newDriftingShop(t *testing.T) *driftingShop {
	s := &driftingShop{}
	s.url = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/did" {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.did = append(s.did, r.URL.RawQuery)
			return
		}
		page := shopPage
		if n, err := strconv.Atoi(r.URL.Query().Get("drift")); err == nil {
			page = drifts[n].page(t)
		} else if r.URL.RawQuery == "redesign" {
			page = strings.NewReplacer(`id="order"`, `id="send-it"`, `id="q"`, `id="query"`, `for="q"`, `for="query"`).Replace(page)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	return s
}

func (s *driftingShop) open(t *testing.T, home *harness.Home, query string) {
	t.Helper()
	if e := home.Call(t, "browser.navigate", fmt.Sprintf(`{"url":%q}`, s.url+"/"+query)); !e.OK {
		t.Fatal(e.Error)
	}
}

// terminalOf connects to the host of the browser that was launched.
func terminalOf(t *testing.T, home *harness.Home) *control.Client {
	t.Helper()
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts: %v", len(clients), err)
	}
	t.Cleanup(func() { clients[0].Close() })
	return clients[0]
}

// repairOf asks the host to repair an action as the terminal does; a person allows what it asks.
func repairOf(t *testing.T, home *harness.Home, client *control.Client, action string) (r site.Repair, failed *fault.Error) {
	t.Helper()
	for range 2 {
		params := control.CallParams{Session: control.SessionParams{Kind: policy.SessionCLI, Mode: policy.ModeAct, NoLoopGuard: true}}
		p, err := control.RepairCall(params, action, json.RawMessage(inputOf(action)), false)
		var e dispatch.Envelope
		if err == nil {
			err = client.Call(t.Context(), control.MethodRepair, p, &e)
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.OK {
			if err := json.Unmarshal(e.Output, &r); err != nil {
				t.Fatal(err)
			}
			return r, nil
		}
		if failed = e.Error; failed.Code != fault.NeedsApproval {
			return r, failed
		}
		id, _ := failed.Evidence["id"].(string)
		if err := client.Call(t.Context(), control.MethodAnswer, home.Answer(t, id, true, policy.ScopeOnce), &control.Empty{}); err != nil {
			t.Fatal(err)
		}
	}
	return r, failed
}

func TestRepairOfDrifts(t *testing.T) {
	// Ensure that of the drifts of a shop those that can be repaired are, by what its server sees, that all others are refused, and that nothing else is ever pressed.
	t.Parallel()
	home := harness.NewHome(t)
	shop := newDriftingShop(t)
	file := home.Map(t, "private", harness.Site(t), "shop", shopMap)
	home.Launch(t, shop.url+"/")
	client := terminalOf(t, home)
	for action := range rightly {
		var any json.RawMessage
		harness.Must(t, home.SiteCall(t, action, inputOf(action)), &any)
	}
	shop.take()
	var table strings.Builder
	fmt.Fprintf(&table, "# Drifts and their repair\n\nWritten by `go test ./test/e2e -run TestRepairOfDrifts -update`, and checked by it.\n\n| # | action | drift | reparable | result | why |\n|---|---|---|---|---|---|\n")
	reparable, repaired := 0, 0
	for i, d := range drifts {
		shop.open(t, home, "?drift="+strconv.Itoa(i))
		r, failed := repairOf(t, home, client, d.action)
		did := shop.take()
		result, why := r.Outcome, r.Why
		switch {
		case failed != nil:
			result, why = "refused", string(failed.Code)
		case r.Outcome == site.RepairDone:
			for _, target := range r.Targets {
				if target.New != nil {
					why = target.By
				}
			}
		}
		wanted := rightly[d.action]
		if slices.ContainsFunc(did, func(what string) bool { return what != wanted }) {
			t.Errorf("%d %s, %s: FALSE: the server saw %v", i, d.action, d.name, did)
		}
		if r.Outcome == site.RepairDone {
			if !d.reparable {
				t.Errorf("%d %s, %s: FALSE: it was repaired: %s", i, d.action, d.name, r.Diff)
			}
			if wanted != "" && !slices.Contains(did, wanted) {
				t.Errorf("%d %s, %s: it was repaired, and the server saw %v", i, d.action, d.name, did)
			}
			text, err := os.ReadFile(file)
			kept, err2 := os.ReadFile(r.Kept)
			if err != nil || err2 != nil || string(kept) != shopMap || string(text) == shopMap {
				t.Errorf("%d: the map %v, its last version %v", i, err, err2)
			}
			if d.action == "shop.total" {
				var total string
				if harness.Must(t, home.SiteCall(t, d.action, `{}`), &total); total != "Total: 12 euros" {
					t.Errorf("the repaired action read %q", total)
				}
			}
			if _, err := repair.Undo(file, d.action); err != nil {
				t.Fatal(err)
			}
			repaired++
		}
		if d.reparable {
			reparable++
		} else if failed == nil || d.refusal != "" && failed.Code != d.refusal {
			t.Errorf("%d %s, %s: %+v, %v", i, d.action, d.name, r, failed)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != shopMap {
			t.Fatalf("%d: the map is another one: %v", i, err)
		}
		if d.reparable && failed != nil {
			t.Logf("%d %s, %s: %v %v", i, d.action, d.name, failed, failed.Evidence)
		}
		fmt.Fprintf(&table, "| %d | %s | %s | %s | %s | %s |\n", i+1, d.action, d.name, map[bool]string{true: "yes", false: "no"}[d.reparable], result, why)
	}
	fmt.Fprintf(&table, "\n%d of %d reparable ones were repaired, the %d others refused, 0 false.\n", repaired, reparable, len(drifts)-reparable)
	if len(drifts) < 30 || reparable < 20 || repaired*20 < reparable*16 {
		t.Errorf("%d drifts, %d reparable, %d repaired", len(drifts), reparable, repaired)
	}
	golden := filepath.Join("testdata", "repair.md")
	if *updateTable && !t.Failed() {
		if err := os.WriteFile(golden, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != table.String() {
		t.Errorf("%s is another one (%v):\n%s", golden, err, table.String())
	}
}

func TestRepairRefusesBadInput(t *testing.T) {
	// Ensure that a repair in the terminal says what is wrong where nothing is to repair, nothing is known or nothing proves it, that without the user's answer nothing is pressed or written, and that a repair is undone by one command.
	t.Parallel()
	home := harness.NewHome(t)
	shop := newDriftingShop(t)
	file := home.Map(t, "private", harness.Site(t), "shop", shopMap)
	home.Launch(t, shop.url+"/")
	for _, action := range []string{"shop.order", "shop.blind"} {
		shop.open(t, home, "?"+action) // a form that was sent is not sent again
		var any json.RawMessage
		harness.Must(t, home.SiteCall(t, action, `{}`), &any)
	}
	says := func(exit int, words string, args ...string) {
		t.Helper()
		r := home.Run(t, append([]string{"repair"}, args...)...)
		if r.Exit != exit || !strings.Contains(r.Stdout+r.Stderr, words) {
			t.Errorf("%v: exit %d, %s%s", args, r.Exit, r.Stdout, r.Stderr)
		}
	}
	says(0, "nothing to repair", "shop.order")
	says(1, "unknown_action", "shop.none")
	says(1, "no run of the log that went well says what it was", "shop.never")
	says(1, "unknown_action", "--undo", "shop.order")
	says(2, "--undo takes", "--undo")
	shop.open(t, home, "?drift=0")
	shop.take()
	says(0, "it has no postcondition that could prove it", "shop.blind")
	says(0, "it was only asked for", "shop.order", "--propose")
	says(1, "+ {\"name\": \"Send the order\", \"role\": \"button\"}", "shop.order")
	says(1, "needs_approval", "shop.order")
	if e := home.Call(t, "actions.site", `{"mode":"preview","action":"shop.order"}`); !e.OK {
		t.Error(e.Error)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != shopMap || len(shop.take()) > 0 {
		t.Errorf("unasked: %v", err)
	}
	if r, failed := repairOf(t, home, terminalOf(t, home), "shop.order"); failed != nil || r.Outcome != site.RepairDone {
		t.Fatalf("%+v, %v", r, failed)
	}
	says(0, "is as it was before", "--undo", "shop.order")
	if text, err := os.ReadFile(file); err != nil || string(text) != shopMap {
		t.Errorf("undone: %v\n%s", err, text)
	}
}

func TestRepairInThePopup(t *testing.T) {
	// Ensure that the popup says which actions no longer fit, shows in sentences what it would change of one, and that nothing is pressed or written until the user tries it and allows what is asked; that an input is asked for, that without a postcondition nothing is written, and that what was repaired is no longer listed.
	t.Parallel()
	home := harness.NewHome(t)
	shop := newDriftingShop(t)
	file := home.Map(t, "private", harness.Site(t), "shop", shopMap)
	b := home.Open(t, shop.url+"/")
	well := []string{"shop.order", "shop.search", "shop.blind"}
	for _, action := range well {
		shop.open(t, home, "?"+action)
		var any json.RawMessage
		harness.Must(t, home.SiteCall(t, action, inputOf(action)), &any)
	}
	popup := extensionPage(t, b)
	popup.settled()
	if text := popup.text("repairs"); text != "" {
		t.Errorf("where all is well it says %s", text)
	}
	for range 2 {
		shop.open(t, home, "?redesign")
		for _, action := range well {
			if e := home.SiteCall(t, action, inputOf(action)); e.OK {
				t.Fatalf("%s still fits", action)
			}
		}
	}
	shop.take()
	popup = extensionPage(t, b)
	for _, action := range well {
		popup.says("repairs-list", action)
	}
	popup.says("repairs-list", "its last runs failed")
	if !eval[bool](popup, `["control", "save-action"].every(id => document.getElementById(id).getBoundingClientRect().bottom <= document.getElementById("record").getBoundingClientRect().top && document.getElementById("record").getBoundingClientRect().bottom <= document.getElementById("repairs").getBoundingClientRect().top)`) {
		t.Error("what comes late stands above the buttons")
	}
	repairs := func(action string) {
		t.Helper()
		popup.click(fmt.Sprintf(`#repairs-list [aria-label="Repair %s"]`, action))
		popup.says("repairs-what", "Change "+action+"?")
	}
	answers := func(name string) {
		t.Helper()
		js := fmt.Sprintf(`[...document.querySelectorAll("#approvals .answers button")].find(b => b.textContent === %q)`, name)
		popup.bringToFront()
		defer pageUnder(t, b, shop.url).bringToFront()                                                     // the popup is about the page in front
		popup.until("it asks", `(b => !!b && (b.scrollIntoView({block: "center"}), !b.disabled))(`+js+`)`) // what is out of sight takes no answer
		popup.mouse(js)
	}
	unchanged := func(when string) {
		t.Helper()
		if text, err := os.ReadFile(file); err != nil || string(text) != shopMap || len(shop.take()) > 0 {
			t.Errorf("%s something was written or pressed: %v", when, err)
		}
	}

	repairs("shop.order")
	popup.says("repairs-sentences", `button "Send the order" takes the place of button "Send the order", the target of the step send, which is gone`)
	eval[bool](popup, `(document.getElementById("repairs-try").click(), true)`) // no script presses it
	popup.presses("repairs-leave")
	popup.until("it is left", `!document.getElementById("repairs-one").checkVisibility()`)
	unchanged("unasked")
	repairs("shop.order")
	popup.presses("repairs-try")
	answers("Deny")
	popup.says("repairs-outcome", "the user has refused")
	unchanged("denied")

	repairs("shop.blind")
	popup.presses("repairs-try")
	popup.says("repairs-outcome", "Nothing was changed: it has no postcondition that could prove it")
	unchanged("without proof")

	repairs("shop.search")
	popup.presses("repairs-try")
	popup.until("the missing input is told", `document.activeElement.dataset.input === "query" && document.getElementById("input-0-wrong").textContent !== ""`)
	unchanged("without input")
	popup.replaces(`[data-input="query"]`, "sencha")
	popup.presses("repairs-try")
	answers("Allow once")
	popup.says("repairs-outcome", "shop.search is repaired")
	popup.until("it is no longer listed", `!document.getElementById("repairs-list").textContent.includes("shop.search")`)
	if did := shop.take(); !slices.Equal(did, []string{"query"}) {
		t.Errorf("the server saw %v", did)
	}
	text, err := os.ReadFile(file)
	kept, err2 := os.ReadFile(file + ".before")
	if err != nil || err2 != nil || string(kept) != shopMap || string(text) == shopMap {
		t.Errorf("the map %v, its last version %v", err, err2)
	}
	if _, err := repair.Undo(file, "shop.search"); err != nil {
		t.Fatal(err)
	}
	repairs("shop.order")
	// A picture brings the popup to the front, whose tab it would show then.
	eval[bool](popup, `(chrome.runtime.sendMessage = () => new Promise(() => {}), document.getElementById("repairs").scrollIntoView(), true)`)
	look(t, popup, "popup-repair", 320, 392)
}
