package conformance

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func pageWaitCases() []Case {
	const pageWait = "page.wait_for"
	return []Case{
		{Name: pageWait + "/sees the address change in the page and over a navigation", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.eval(`void setTimeout(() => history.pushState({}, "", "?step=two"), 150)`)
			p.ok(pageWait, `{"url_contains":"?step=two"}`)
			p.page(`location.search`, `"?step=two"`)
			p.eval(`void setTimeout(() => { location.href = "/frame" }, 150)`)
			p.is(p.ok(pageWait, `{"url_matches":"/frame$","load_state":"load"}`), "ready_state", `"complete"`)
			p.page(`document.querySelector("#inner").textContent`, `"Inner"`)
			// To another origin, by way of a document that sends it on.
			p.eval(fmt.Sprintf(`void setTimeout(() => { location.href = %q }, 150)`, p.Site.server.URL+"/data/away"))
			out := p.ok(pageWait, `{"url_matches":"^http://localhost:\\d+/data/cookie$","load_state":"load"}`)
			p.is(out, "url", fmt.Sprintf("%q", p.Site.other+"/data/cookie"))
			p.is(p.fails(pageWait, `{"url_contains":"never","timeout_ms":100}`, fault.Timeout), "url", fmt.Sprintf("%q", p.Site.other+"/data/cookie"))
		}},
		{Name: pageWait + "/waits until the page keeps still", HTML: `<ul></ul><script>
			let left = 20; const work = setInterval(() => { $("ul").append("row"); if (--left === 0) clearInterval(work) }, 40)</script>`, Run: func(p *Page) {
			p.is(p.ok(pageWait, `{"stable":300,"timeout_ms":8000}`), "stable", `true`)
			p.page(`left`, `0`)
		}},
		{Name: pageWait + "/tells of a page that never keeps still (B10)", HTML: `<p id=p></p><script>setInterval(() => { $("#p").textContent = Date.now() }, 20)</script>`, Run: func(p *Page) {
			out := p.fails(pageWait, `{"stable":300,"timeout_ms":900}`, fault.Timeout)
			p.is(out, "stable", `false`)
		}},
		{Name: "page.settle/looks at frames and shadow trees too", HTML: `<x-a></x-a><iframe id=f srcdoc="<p>x</p>"></iframe><script>
			const tree = $("x-a").attachShadow({mode: "closed"}); tree.innerHTML = "<p></p>"; let left = 20
			const work = setInterval(() => { const to = left % 2 ? tree.firstChild : $("#f").contentDocument.body; to?.append("row"); if (--left === 0) clearInterval(work) }, 40)</script>`, Run: func(p *Page) {
			p.ok("page.wait_for", `{"stable":300,"timeout_ms":8000}`)
			p.page(`left`, `0`)
		}},
		{Name: "page.settle/looks into shadow trees and frames that come meanwhile", HTML: `<x-a></x-a><p id=p></p>`, Run: func(p *Page) {
			for _, begin := range []string{`$("x-a").attachShadow({mode: "closed"})`, `document.body.appendChild(document.createElement("iframe")).contentDocument.body`} {
				p.eval(`window.left = 6; void setTimeout(() => { const to = ` + begin + `; const work = setInterval(() => { to.append("row"); if (--left === 0) clearInterval(work) }, 250) }, 200)`)
				p.ok("page.wait_for", `{"stable":350,"timeout_ms":8000}`)
				p.page(`left`, `0`)
			}
		}},
		{Name: pageWait + "/waits until a text is shown, wherever it comes", HTML: `<p>x</p>` + frame("id=o", `<p>far</p>`), Run: func(p *Page) {
			p.eval(`void setTimeout(() => document.body.append("Saved"), 100)`)
			p.is(p.ok(pageWait, `{"text":"Saved"}`), "matched", `true`)
			p.page(`document.body.textContent.includes("Saved")`, `true`)
			p.fails(pageWait, `{"text":"never","timeout_ms":100}`, fault.Timeout)
		}},
		{Name: pageWait + "/sees texts as they are drawn, whatever may break their lines", HTML: `<p>Daten&shy;schutz <b>akzep&shy;tiert</b></p><p>user<wbr>&#8203;name saved</p>`, Run: func(p *Page) {
			// Ensure that a soft hyphen or a zero-width space, which nobody reads, keeps no text from being seen.
			for _, text := range []string{"Datenschutz akzeptiert", "Daten\\u00adschutz", "username saved"} {
				p.ok(pageWait, `{"text":"`+text+`","timeout_ms":100}`)
			}
		}},
		{Name: pageWait + "/takes no text of a frame that nobody sees", HTML: `<iframe id=a style="width:0;height:0;border:0" srcdoc="Order confirmed"></iframe><iframe id=b style="visibility:hidden" srcdoc="Order confirmed"></iframe>`, Run: func(p *Page) {
			p.settles(`["#a", "#b"].map(id => $(id).contentDocument?.body?.textContent)`, `["Order confirmed","Order confirmed"]`)
			p.fails(pageWait, `{"text":"Order confirmed","timeout_ms":100}`, fault.Timeout)
			p.eval(`void setTimeout(() => { $("#b").style.visibility = "visible" }, 100)`)
			p.is(p.ok(pageWait, `{"text":"Order confirmed"}`), "matched", `true`)
		}},
		{Name: pageWait + "/waits until a match is shown, over a navigation", HTML: `<p>x</p>` + frame("id=o", `<p id=far>far</p>`), Run: func(p *Page) {
			p.ok(pageWait, `{"locator":{"selector":"#far","frame":"#o"}}`)
			p.fails(pageWait, `{"locator":{"selector":"#inner"},"timeout_ms":100}`, fault.Timeout)
			p.eval(`void setTimeout(() => { location.href = "/frame" }, 100)`)
			p.ok(pageWait, `{"locator":{"selector":"#inner"},"text":"Inner"}`)
			p.page(`document.querySelector("#inner").textContent`, `"Inner"`)
			p.fails(pageWait, `{"locator":{"selector":"p["}}`, fault.InvalidSelector)
		}},
		{Name: pageWait + "/waits for the load of a document", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.eval(`void setTimeout(() => { location.href = "/data/page" }, 50)`)
			p.ok(pageWait, `{"url_contains":"/data/page","load_state":"domcontentloaded"}`)
			p.is(p.ok(pageWait, `{"load_state":"load"}`), "ready_state", `"complete"`)
			p.page(`performance.getEntriesByType("navigation")[0].loadEventStart > 0`, `true`)
			p.eval(`window.old = true, void setTimeout(() => location.reload(), 50)`)
			p.ok(pageWait, `{"load_state":"load","stable":300}`)
			p.settles(`window.old === undefined && document.readyState`, `"complete"`) // on a busy machine it reloads after the wait
		}},
		{Name: pageWait + "/waits until the network is idle", HTML: `<script>let got = ""; setTimeout(() => fetch("/data/slow").then(r => r.text()).then(t => { got = t }), 50)
			new EventSource("/data/stream"); new Worker("/data/worker"); new SharedWorker("/data/worker")</script>`, Run: func(p *Page) {
			// Its requests are known from the beginning where the wait has begun before them.
			out := reloadedMeanwhile(p, func() Output { return p.ok(pageWait, `{"load_state":"network_idle","timeout_ms":8000}`) })
			p.is(out, "network_observed", `true`)
			p.settles(`got`, `"late"`) // answered, and on a busy machine not read yet
			// What may have begun between two waits is not.
			p.is(p.ok(pageWait, `{"load_state":"network_idle"}`), "network_observed", `false`)
		}},
		{Name: pageWait + "/waits for the requests of frames in other processes too", HTML: logMessages + frameOn("THIRD", "", `<script>setTimeout(() => fetch("/data/slow").then(r => r.text()).then(t => top.postMessage(t, "*")), 50)</script>`), Run: func(p *Page) {
			reloadedMeanwhile(p, func() Output { return p.ok(pageWait, `{"load_state":"network_idle","timeout_ms":8000}`) })
			p.settles(`log`, `["late"]`)
		}},
		{Name: pageWait + "/ends by its time under endless traffic", HTML: `<script>setInterval(() => fetch("/data/ping"), 100)</script>`, Run: func(p *Page) {
			out := reloadedMeanwhile(p, func() Output {
				return p.fails(pageWait, `{"load_state":"network_idle","timeout_ms":1500}`, fault.Timeout)
			})
			p.is(out, "network_observed", `true`)
		}},
		{Name: pageWait + "/refuses what cannot be waited for", HTML: `<p>x</p>`, Run: func(p *Page) {
			for _, args := range []string{`{}`, `{"timeout_ms":10}`, `{"url_matches":"("}`, `{"load_state":"done"}`, `{"stable":0}`, `{"url_contains":"x","timeout_ms":60001}`} {
				p.fails(pageWait, args, fault.InvalidInput)
			}
		}},
	}
}

// reloadedMeanwhile makes the call, which waits for an idle network, and has the page,
// which is busy until then, reload itself meanwhile: later each time until the wait
// had begun by then.
func reloadedMeanwhile(p *Page, call func() Output) (out Output) {
	for delay := 50; delay < 1500; delay *= 2 {
		p.eval(fmt.Sprintf(`void (setInterval(() => fetch("/data/ping"), 100), setTimeout(() => location.reload(), %d))`, delay))
		if out = call(); out.at("network_observed") == true {
			break
		}
	}
	return out
}
