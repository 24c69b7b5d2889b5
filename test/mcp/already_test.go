package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// basketPage keeps one count on its server; it is shown as the server says.
const basketPage = `<!doctype html><html lang=en><title>Basket</title><p>In the basket: <b id=n></b></p><button id=one>Just one</button><button id=more>One more</button>
	<script>const put = async n => { const r = await fetch("/basket", { method: "POST", body: String(n) }); document.getElementById("n").textContent = await r.text() }
	document.getElementById("n").textContent = "0"; one.onclick = () => put(1); more.onclick = () => put(Number(document.getElementById("n").textContent) + 1)</script>`

const basketMap = `{"protocol":"actions.json","version":1,"state_projections":[{"name":"basket",
	"snapshot":{"version":1,"source":"dom","extract":[{"id":"n","selector":"#n","fields":{"n":{"trim":true}}}],"projection":{"language":"jsonata","expression":"{% {'n': $number(records.n[0].n)} %}"}},
	"postconditions":{
		"basket.one":{"verify":{"expression":"state.n = 1"},"changed":"or_already"},
		"basket.plain":{"verify":{"expression":"state.n = 1"}},
		"basket.again":{"verify":{"expression":"state.n = 1"},"changed":true,"settle_ms":0},
		"basket.more":{"verify":{"expression":"state.n = before.n + 1"}}}}],
	"tools":[
	{"name":"basket.one","description":"d","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"s","primitive":"locator.click","args":{"locator":{"selector":"#one"}}}]}},
	{"name":"basket.plain","description":"d","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"s","primitive":"locator.click","args":{"locator":{"selector":"#one"}}}]}},
	{"name":"basket.again","description":"d","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"s","primitive":"locator.click","args":{"locator":{"selector":"#one"}}}]}},
	{"name":"basket.more","description":"d","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"s","primitive":"locator.click","args":{"locator":{"selector":"#more"}}}]}}]}`

func TestAlready(t *testing.T) {
	// Ensure that a client is told by the answer itself that an action found everything done before, and only then: not where the action made it, not where nothing was to be compared, and not instead of a failure where a change is demanded.
	t.Parallel()
	rec := sites.NewRecorder(nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, err := rec.Add(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.Method == http.MethodPost {
			_, _ = w.Write(got) // a browser that went away has nothing to be told
			return
		}
		_, _ = w.Write([]byte(basketPage))
	}))
	t.Cleanup(server.Close)
	home := harness.NewHome(t)
	home.Map(t, "private", harness.Site(t), "basket", basketMap)
	home.Open(t, strings.Replace(server.URL, "127.0.0.1", "localhost", 1))
	c := connect(t, home, nil)
	presses := 0
	for _, step := range []struct {
		action string
		tells  bool // already
		code   fault.Code
	}{
		{action: "basket.one"},
		{action: "basket.one", tells: true},
		{action: "basket.plain"},
		{action: "basket.again", code: fault.StatePostconditionFailed},
		{action: "basket.more"},
		{action: "basket.one"},
		{action: "basket.one", tells: true},
	} {
		a := call(t, c, "actions_site", `{"mode":"call","action":"`+step.action+`"}`)
		presses++
		if a.Already != step.tells {
			t.Errorf("%d, %s: already is %v", presses, step.action, a.Already)
		}
		if step.code != "" {
			wantCode(t, a, step.code)
		} else {
			must(t, a, nil)
		}
		sent := 0
		for _, r := range rec.All() {
			if r.Method == http.MethodPost {
				sent++
			}
		}
		if sent != presses {
			t.Errorf("%d, %s: the server got %d orders", presses, step.action, sent)
		}
	}
	detailed := call(t, c, "actions_site", `{"mode":"call","action":"basket.one","detail":true}`)
	if post, _ := detailed.Meta["postcondition"].(map[string]any); !detailed.Already || post["already"] != true || post["changed"] != false {
		t.Errorf("in detail: %v, %v", detailed.Already, detailed.Meta)
	}
}
