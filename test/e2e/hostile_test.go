package e2e

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestExpressionOfALauncherCannotStopAPage(t *testing.T) {
	// Ensure that a session which only looks cannot stop a page with an expression that takes for ever, for a launcher or directly, and that an expression that fits still places its launcher.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title><h1>Tea</h1>`})
	home.Open(t, url)
	const endless = `"url_matches":"^((((((([a-z0-9:/.]+)+)+)+)+)+)+)!$"`
	register := func(expression string) string {
		return `{"html":"<p>report</p>","launchers":[{"selector":"h1",` + expression + `}]}`
	}
	wantCode(t, home.Call(t, "overlay.register_launcher", register(endless), "--mode", "ask"), fault.LauncherFailed)
	wantCode(t, home.Call(t, "attachment.install", `{"attachments":[{"id":"a","kind":"annotation","label":"a","selectors":["h1"],`+endless+`}]}`, "--mode", "ask"), fault.InvalidInput)
	harness.Must(t, home.Call(t, "page.info", `{}`), nil)
	harness.Must(t, home.Call(t, "overlay.register_launcher", register(`"url_matches":"^http://[a-z0-9]+.localhost:[0-9]+/$"`), "--mode", "ask"), nil)
}

// openerMap has a launcher that does what only a session that acts may do; its
// own target is not on the page.
const openerMap = `{"protocol":"actions.json","version":1,"tools":[{"name":"shop.buy","description":"d","input_schema":{"type":"object"},
	"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"go","primitive":"locator.click","args":{"locator":{"selector":"#buy"}}}]}}],"attachments":[
	{"id":"buy","kind":"overlay_launcher","target":{"selector":"#gone"},"lifecycle":{"install":"page_ready"},"affordance":{"label":"Buy","opens":"shop.buy"}}]}`

func TestLauncherOfAMapIsNobodyElses(t *testing.T) {
	// Ensure that a session which only looks cannot put up a button of its own words whose click by the user does what a map's launcher does.
	t.Parallel()
	home := harness.Shared(t)
	home.Map(t, "private", harness.Site(t), "", openerMap)
	url, rec := pages(t, map[string]string{"/": `<title>t</title><h1>Tea</h1><button id=buy onclick="fetch('/bought')">Buy</button>`, "/bought": "ok"})
	b := home.Open(t, url+"/")
	list := home.Call(t, dispatch.SiteTool, `{"mode":"list"}`)
	if harness.Must(t, list, nil); !strings.Contains(string(list.Output), "shop.buy") {
		t.Fatalf("the map's action is not there: %s", list.Output)
	}
	fake := func(kind string) dispatch.Envelope {
		return home.Call(t, "attachment.install", `{"attachments":[{"id":"buy","kind":"`+kind+`","label":"Show the results","selectors":["h1"]}]}`, "--mode", "ask")
	}
	for _, kind := range []string{"overlay_launcher", "shortcut"} {
		if e := fake(kind); e.OK || e.Error.Code != fault.PermissionDenied {
			t.Errorf("%s gave %s", kind, e.Output)
		}
	}
	const host = `document.querySelector("[data-actions-json-attachment]")`
	doc := pageAt(t, b, url+"/")
	if eval[bool](doc, host+` !== null`) {
		doc.mouse(host)
		harness.Until(t, "the click was taken", func() bool { return len(received(rec, "GET", "/bought")) > 0 })
		t.Error("the user's click on a session's words bought")
	}
	harness.Must(t, fake("annotation"), nil)
}
