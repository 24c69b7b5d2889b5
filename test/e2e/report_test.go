package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

func TestReportIsASandbox(t *testing.T) {
	// Ensure that neither scripts in a caller's HTML nor those of a template reach the network, the page or the extension, and that a template gets its data.
	t.Parallel()
	home := harness.Shared(t)
	url, rec := pages(t, map[string]string{"/": `<title>page</title>`})
	name := home.Map(t, "private", harness.Site(t), "", `{"protocol":"actions.json","version":1,"tools":[]}`)
	write(t, strings.TrimSuffix(name, "actions.json")+"report.html", `<!doctype html><h1 id=h></h1><script>
		h.textContent = JSON.parse(document.querySelector("[data-actions-json-overlay-data]").textContent).tea;
		const out = [typeof chrome?.runtime?.id, origin];
		const refused = (name, work) => Promise.resolve().then(work).then(() => out.push(name + " worked"), () => out.push(name + " refused"));
		Promise.all([
			refused("fetch", () => fetch("`+url+`/stolen")),
			refused("parent", () => parent.parent.document),
			refused("storage", () => localStorage.length),
			refused("top", () => { top.location = "`+url+`/stolen" }),
			refused("image", () => new Promise((done, fail) => { const i = new Image(); i.onload = done; i.onerror = fail; i.src = "`+url+`/stolen"; })),
			refused("worker", () => new Promise((done, fail) => { const w = new Worker(URL.createObjectURL(new Blob(["postMessage(1)"], {type: "text/javascript"}))); w.onmessage = done; w.onerror = fail; })),
		]).then(() => { document.title = [...out.slice(0, 2), ...out.slice(2).sort()].join(); });
	</script>`)
	write(t, strings.TrimSuffix(name, "actions.json")+"data.json", `{"tea":"</script><b>Oolong</b>"}`)
	b := home.Open(t, url)
	harness.Must(t, home.Call(t, "overlay.open", strings.ReplaceAll(`{"template":{"scope":"private","path":"sites/HOST/report.html"},"data":{"scope":"private","path":"sites/HOST/data.json"}}`, "HOST", harness.Site(t))), nil)
	sandbox := inSandbox(t, b)
	if got := eval[string](sandbox, `document.querySelector("h1").textContent`); got != "</script><b>Oolong</b>" {
		t.Errorf("the template shows %q", got)
	}
	const refused = "undefined,null,fetch refused,image refused,parent refused,storage refused,top refused,worker refused"
	harness.Until(t, "the template tried everything", func() bool { return eval[string](sandbox, `document.title`) == refused })
	eval[bool](sandbox, `setTimeout(() => { location.href = "`+url+`/stolen?self" }), true`)
	harness.Must(t, home.Call(t, "overlay.open", `{"html":"<h1>Hi</h1><script>document.title='ran'</script><img src='`+url+`/stolen' onerror=\"document.title='ran'\"><a id=a href='`+url+`/stolen'>link</a><style>h1 {color: rgb(1, 2, 3); background: url(`+url+`/stolen)}</style><iframe src='`+url+`/stolen'></iframe>"}`), nil)
	sandbox = inSandbox(t, b)
	got := eval[string](sandbox, `[document.title, document.scripts.length, document.querySelectorAll("iframe").length, document.querySelector("#a").target, getComputedStyle(document.querySelector("h1")).color].join()`)
	if got != ",0,0,_blank,rgb(1, 2, 3)" {
		t.Errorf("the report is %q", got)
	}
	if stolen := received(rec, "GET", "/stolen"); len(stolen) != 0 {
		t.Errorf("the network was reached: %q", stolen)
	}
	if title := eval[string](pageAt(t, b, url+"/"), `document.title`); title != "page" {
		t.Errorf("the page is %q", title)
	}
}

func TestLauncherOfAMap(t *testing.T) {
	// Ensure that a click on a map's launcher runs the action that it declares, only when a person clicks, and that one which opens a report shows it.
	t.Parallel()
	home := harness.Shared(t)
	url, rec := pages(t, map[string]string{"/": `<title>shop</title><h1>Tea</h1><h2>Help</h2><button id=b onclick="fetch('/bought')">buy</button>`, "/bought": "ok"})
	home.Map(t, "private", harness.Site(t), "", `{"protocol":"actions.json","version":1,"tools":[{"name":"tea.buy","description":"Buys.","input_schema":{"type":"object"},
		"workflow":{"version":1,"expression_language":"jsonata","steps":[{"id":"buy","primitive":"locator.click","args":{"locator":{"selector":"#b"}}}]}}],"attachments":[
		{"id":"buy","kind":"shortcut","target":{"selector":"h1"},"lifecycle":{"install":"page_ready"},"affordance":{"label":"Buy","opens":{"tool":"tea.buy","arguments":{}}}},
		{"id":"help","kind":"overlay_launcher","target":{"selector":"h2"},"lifecycle":{"install":"page_ready"},"affordance":{"label":"Help","opens":{"tool":"overlay.open","arguments":{"html":"<p>Help</p>"}}}}]}`)
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	const launcher = `document.querySelector("[data-actions-json-attachment=%s]")`
	buy, help := fmt.Sprintf(launcher, "buy"), fmt.Sprintf(launcher, "help")
	harness.Until(t, "the launchers stand", func() bool { return eval[bool](doc, `!!`+buy+` && !!`+help) })
	eval[bool](doc, buy+`.click(), `+buy+`.dispatchEvent(new MouseEvent("click", {bubbles: true, composed: true})), true`)
	doc.mouse(help)
	harness.Until(t, "the report is shown", func() bool { return len(framesOf(t, b, reportURL)) == 1 })
	if n := len(received(rec, "GET", "/bought")); n != 0 {
		t.Fatalf("the page's own clicks bought %d times", n)
	}
	harness.Must(t, home.Call(t, "overlay.close", `{}`), nil)
	doc.mouse(buy)
	harness.Until(t, "the action ran", func() bool { return len(received(rec, "GET", "/bought")) == 1 })
}
