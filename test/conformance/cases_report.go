package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func reportCases() []Case {
	const open, register = "overlay.open", "overlay.register_launcher"
	const launcher = `document.querySelectorAll("[data-actions-json-attachment^=launchers-]")`
	events := func(names ...string) string {
		return `<script>for (const n of ` + jsonOf(names) + `) document.addEventListener("actions-json:overlay-" + n, () => log.push(n))</script>`
	}
	return []Case{
		{Name: open + "/shows what is safe of the HTML", HTML: `<p>x</p>` + events("opened", "closed"), Run: func(p *Page) {
			out := p.ok(open, `{"html":"<h1>Prices</h1><script>parent.parent.document.title='hacked'</script><img src=x onerror=alert(1)>","width":600,"height":400}`)
			p.is(out, "replaced", `false`)
			p.is(out, "geometry.width", `600`)
			p.page(`(r => [Math.round(r.left + r.width / 2 - innerWidth / 2), r.width, r.height])(`+shown+`.getBoundingClientRect())`, `[0,600,400]`)
			p.page(uppermost(shown), `true`)
			p.page(settle, `true`)
			p.page(`document.title`, jsonOf(open+"/shows what is safe of the HTML"))
			p.is(p.ok(open, `{"html":"<p>second</p>","title":"Second"}`), "replaced", `true`)
			p.page(`document.querySelectorAll("[data-actions-json-attachment=actions-json-report]").length`, `1`)
			p.is(p.ok("overlay.close", `{}`), "closed", `true`)
			p.page(`[`+shown+`, log]`, `[null,["opened","opened","closed"]]`)
		}},
		{Name: open + "/runs a template with its data in a sandbox", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(open, `{"template":{"scope":"public","path":"sites/127.0.0.1/cases/report.html"},"data":{"scope":"public","path":"sites/127.0.0.1/cases/report.json"}}`)
			p.is(out, "template", `"scopes/public/sites/127.0.0.1/cases/report.html"`)
			p.is(out, "data", `"scopes/public/sites/127.0.0.1/cases/report.json"`)
			p.ok("overlay.close", `{}`)
		}},
		{Name: open + "/refuses what it cannot show", HTML: `<p>x</p>`, Run: func(p *Page) {
			const at = `{"scope":"public","path":"sites/127.0.0.1/cases/%s"}`
			file := func(name string) string { return fmt.Sprintf(at, name) }
			p.fails(open, `{}`, fault.InvalidInput)
			p.fails(open, `{"html":"<p>","template":`+file("report.html")+`}`, fault.InvalidInput)
			p.fails(open, `{"html":"<p>","data":`+file("report.json")+`}`, fault.InvalidArguments)
			p.fails(open, `{"html":"<p>","width":419}`, fault.InvalidInput)
			p.fails(open, `{"html":"`+strings.Repeat("a", 1<<20)+`b"}`, fault.InvalidInput)
			p.is(p.fails(open, `{"html":"`+strings.Repeat("ä", 1<<19)+`b"}`, fault.PayloadTooLarge), "max_bytes", `1048576`)
			p.fails(open, `{"template":`+file("none.html")+`}`, fault.AssetNotFound)
			for _, path := range []string{"../private/x.html", "/etc/passwd", "sites/.git/config", `sites\\x`} {
				p.fails(open, `{"template":{"scope":"public","path":"`+path+`"}}`, fault.UnsafePath)
			}
			p.fails(open, `{"template":`+file("report.html")+`,"data":`+file("SKILL.md")+`}`, fault.InvalidJson)
			p.page(shown, `null`)
		}},
		{Name: open + "/is out of the page's reach", HTML: `<style>* {display: none !important; filter: blur(9px) !important}</style>`,
			CSP: "default-src 'none'; script-src 'unsafe-inline'; frame-src 'none'; sandbox allow-scripts allow-same-origin", Run: func(p *Page) {
				p.ok(open, `{"html":"<p>x</p>","width":600,"height":400}`)
				p.page(`[window.length, `+shown+`.shadowRoot, `+shown+`.offsetWidth, getComputedStyle(`+shown+`).filter]`, `[0,null,600,"none"]`)
				p.ok("overlay.close", `{}`)
			}},
		{Name: open + "/minimizes, resets and closes by its buttons and keys", HTML: `<input id=i style="position:absolute;left:4px;top:4px"><script>$("#i").focus()</script>` + events("minimized", "expanded", "closed"), Run: func(p *Page) {
			// The title bar's buttons stand at its right end, 34 px apart.
			button := func(id string, n int) {
				point := fmt.Sprintf(`(r => ({x: r.right - 21 - 34 * %d, y: r.top + 21}))(`+shown+`.getBoundingClientRect())`, n)
				var at struct{ X, Y float64 }
				p.backend.Eval(p.T, point, &at)
				p.person().Reach(p.T, "report.html", id, at.X, at.Y)
				p.hand(point)
			}
			const size = `(r => [r.width, r.height])(` + shown + `.getBoundingClientRect())`
			p.ok(open, `{"html":"<p>x</p>","width":600,"height":400}`)
			p.page(`document.activeElement.id`, `"i"`)
			button("#minimize", 1)
			p.page(until(size+`[1] === 42`), `true`)
			button("#restore", 1)
			p.page(until(size+`[1] === 400`), `true`)
			// Dragged along its title bar, and put back by Reset.
			p.drag(`(r => ({x: r.left + 200, y: r.top + 20}))(`+shown+`.getBoundingClientRect())`, 60, 0)
			p.page(until(`Math.round(`+shown+`.getBoundingClientRect().left) === (innerWidth - 600) / 2 + 60`), `true`)
			button("#reset", 2)
			p.page(until(`Math.round(`+shown+`.getBoundingClientRect().left) === (innerWidth - 600) / 2`), `true`)
			p.page(`document.activeElement === `+shown, `true`)
			p.keys("Escape")
			p.page(until(shown+` === null`), `true`)
			p.page(`[document.activeElement.id, log]`, `["i",["minimized","expanded","closed"]]`)
			p.ok(open, `{"html":"<p>x</p>","width":600,"height":400}`)
			p.hand(`({x: innerWidth / 2, y: innerHeight / 2})`) // into the sandbox
			p.keys("Escape")
			p.page(until(shown+` === null`), `true`)
			p.ok(open, `{"html":"<p>x</p>"}`)
			button("#close", 0)
			p.page(until(shown+` === null`), `true`)
			p.page(`log.at(-1)`, `"closed"`)
		}},
		{Name: open + "/takes no click that is for the page", HTML: `<button id=b style="position:absolute;left:600px;top:300px;width:90px;height:40px">B</button><script>record($("#b"),"click")</script>`, Run: func(p *Page) {
			p.ok(open, `{"html":"<p>x</p>"}`)
			p.click("#b")
			p.page(`log`, `["click"]`)
			p.page(uppermost(shown), `true`)
			p.ok("overlay.close", `{}`)
		}},
		{Name: "overlay.close/closes the report, hides the pane and removes launchers", HTML: `<h2>Tea</h2>` + events("closed"), Run: func(p *Page) {
			p.is(p.ok("overlay.close", `{}`), "", `{"closed":false,"menu_hidden":false,"launchers_removed":0}`)
			p.fresh()
			out := p.ok(open, `{"html":"<p>x</p>","launchers":[{"selector":"h2"}]}`)
			p.is(out, "launchers.0.target_text", `"Tea"`)
			p.page(launcher+`.length`, `1`)
			p.is(p.ok("overlay.close", `{}`), "", `{"closed":true,"menu_hidden":true,"launchers_removed":0}`)
			p.page(`[`+launcher+`.length, `+pane+`.offsetWidth, log]`, `[1,0,["closed"]]`)
			p.is(p.ok("overlay.close", `{"launchers":true}`), "launchers_removed", `1`)
			p.page(launcher+`.length`, `0`)
		}},
		{Name: register + "/opens the report at a real click only", HTML: `<h2 id=h>Tea</h2><script>record(document, "click")</script>` + events("launcher-opened"), Run: func(p *Page) {
			p.ok(register, `{"template":{"scope":"public","path":"sites/127.0.0.1/cases/report.html"},"launchers":[{"selector":"#h","placement":"beforeend","label":"Report"}]}`)
			p.eval(launcher + `[0].click()`)
			p.eval(launcher + `[0].dispatchEvent(new MouseEvent("click", {bubbles: true, composed: true}))`)
			p.page(settle, `true`)
			p.page(`[`+shown+`, log]`, `[null,[]]`)
			p.hand(`(r => ({x: r.left + r.width / 2, y: r.top + r.height / 2}))(` + launcher + `[0].getBoundingClientRect())`)
			p.page(until(shown+`?.offsetWidth > 400`), `true`)
			p.page(`log`, `["launcher-opened"]`)
			p.ok("overlay.close", `{"launchers":true}`)
		}},
		{Name: register + "/fails where nothing matches", HTML: `<h2>Tea</h2>`, Run: func(p *Page) {
			p.fails(register, `{"html":"<p>","launchers":[{"selector":"#none"}]}`, fault.LauncherFailed)
			p.fails(register, `{"html":"<p>","launchers":[{"selector":"h2","url_contains":"elsewhere"}]}`, fault.LauncherFailed)
			p.fails(register, `{"html":"<p>","launchers":[{"text_equals":"te"}]}`, fault.LauncherFailed)
			p.fails(register, `{"html":"<p>","launchers":[{"label":"x"}]}`, fault.InvalidArguments)
			p.fails(register, `{"html":"<p>","launchers":[{"selector":"h2","url_matches":"["}]}`, fault.InvalidArguments)
			p.fails(register, `{"html":"<p>","launchers":[]}`, fault.InvalidInput)
			p.page(launcher+`.length`, `0`)
			p.is(p.ok("overlay.close", `{"launchers":true}`), "launchers_removed", `0`)
		}},
		{Name: register + "/comes back after redrawing and navigation", HTML: `<div id=d><h2>Tea</h2></div><script>const draw = () => $("#d").innerHTML = "<h2>Tea</h2>"</script>`, Run: func(p *Page) {
			out := p.ok(register, `{"html":"<p>report</p>","launchers":[{"id":"a","text_contains":"tea","label":"Report","placement":"beforeend"},{"id":"later","selector":"#later"}]}`)
			p.is(out, "launchers", `[{"launcher_id":"a","placement":"beforeend","target_text":"Tea"}]`)
			p.is(out, "missing", `["later"]`)
			p.eval(`draw()`)
			p.page(until(launcher+`.length === 1`), `true`)
			p.eval(`history.pushState(null, "", "#other"), draw()`)
			p.page(until(launcher+`.length === 1`), `true`)
			p.ok("browser.navigate", `{"reload":true}`)
			p.page(until(launcher+`.length === 1 && $("h2").lastElementChild === `+launcher+`[0]`), `true`)
			p.ok("overlay.close", `{"launchers":true}`)
			p.page(launcher+`.length`, `0`)
		}},
	}
}
