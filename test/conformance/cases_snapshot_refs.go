package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// refCases are those of refs within a page: of the page code alone, which gives
// them, and of the whole chain.
func refCases(of string, tree func(p *Page, args string) string) []Case {
	return []Case{
		{Name: of + "/keeps the ref of an element", HTML: `<button id=a>A</button><button id=b>B</button>`, Run: func(p *Page) {
			a := p.refOf(tree(p, `{}`), `"A"`)
			p.eval(`$("#b").after($("#a")); $("#a").textContent = "A again"`)
			text := tree(p, `{}`)
			if now := p.refOf(text, `"A again"`); now != a {
				p.Errorf("the ref was %s, is %s", a, now)
			}
			p.is(p.ok("locator.text_content", ref(a)), "text", `"A again"`)
			p.is(p.ok(info, ref(p.refOf(text, `"B"`))), "clickable", `true`)
		}},
		{Name: of + "/a ref of an element that is gone offers the nearest (B6)", HTML: `<button id=a>Save draft</button><a href=#>Save draft</a><button>Save all</button><button>Other</button><input aria-label=Draft>`, Run: func(p *Page) {
			text := tree(p, `{}`)
			gone := p.refOf(text, `button "Save draft"`)
			p.eval(`$("#a").remove()`)
			out := p.fails("locator.text_content", ref(gone), fault.StaleRef)
			p.is(out, "reason", `"elementGone"`)
			p.is(out, "ref", fmt.Sprintf("%q", gone))
			p.is(out, "nearest.0.role", `"link"`)
			p.is(out, "nearest.0.name", `"Save draft"`)
			p.is(out, "nearest.0.ref", fmt.Sprintf("%q", p.refOf(text, `link "Save draft"`)))
			p.is(out, "nearest.1.name", `"Save all"`)
			if n := out.number("nearest.length"); n > 6 || n < 3 {
				p.Errorf("%v offered", n)
			}
			p.fails("locator.value", `{"locator":{"ref":"`+strings.ToUpper(gone)+`"}}`, fault.InvalidArguments)
			p.is(p.fails("locator.value", `{"locator":{"ref":"`+gone[:3]+`99999"}}`, fault.StaleRef), "reason", `"elementGone"`)
		}},
		{Name: of + "/a ref of an earlier route is stale (C14)", HTML: `<nav><button id=n>Teas</button></nav><main><button id=b>Buy</button></main>`, Run: func(p *Page) {
			text := tree(p, `{}`)
			old := p.refOf(text, `"Buy"`)
			p.eval(`location.hash = "part"`)
			p.ok("locator.text_content", ref(old))
			p.eval(`history.pushState({}, "", "/other/route"); $("main").innerHTML = "<button>Buy</button>"`)
			out := p.fails("locator.text_content", ref(p.refOf(text, `"Teas"`)), fault.StaleRef)
			p.is(out, "reason", `"routeChanged"`)
			p.is(out, "nearest.0.name", `"Teas"`)
			out = p.fails("locator.text_content", ref(old), fault.StaleRef)
			p.is(out, "reason", `"elementGone"`)
			p.is(out, "nearest.0.name", `"Buy"`)
			// The next snapshot is of this route.
			p.is(p.ok("locator.text_content", ref(p.refOf(tree(p, `{}`), `"Teas"`))), "text", `"Teas"`)
			p.eval(`location.hash = "#/third"`)
			p.is(p.fails("locator.text_content", ref(p.refOf(text, `"Teas"`)), fault.StaleRef), "reason", `"routeChanged"`)
		}},
		{Name: of + "/a wait by ref ends when its element goes", HTML: `<div role=dialog aria-label=Saving id=d>Saving <button>Stop</button></div>`, Run: func(p *Page) {
			for _, state := range []string{"hidden", "detached"} {
				r := p.refOf(tree(p, `{}`), `"Stop"`)
				p.eval(`void setTimeout(() => { const again = $("#d").cloneNode(true); $("#d").remove(); setTimeout(() => document.body.append(again), 300) }, 100)`)
				p.is(p.ok("locator.wait_for", fmt.Sprintf(`{"locator":{"ref":%q},"state":%q}`, r, state)), "matched", `true`)
				p.is(p.fails("locator.wait_for", fmt.Sprintf(`{"locator":{"ref":%q},"state":%q}`, r, state), fault.StaleRef), "reason", `"elementGone"`)
				p.settles(`!!document.querySelector("#d")`, `true`)
				r = p.refOf(tree(p, `{}`), `"Stop"`)
				p.eval(`void setTimeout(() => { history.pushState({}, "", "?" + Date.now()); setTimeout(() => { const d = $("#d"), again = d.cloneNode(true); d.remove(); setTimeout(() => document.body.append(again), 300) }, 200) }, 100)`)
				p.is(p.ok("locator.wait_for", fmt.Sprintf(`{"locator":{"ref":%q},"state":%q}`, r, state)), "matched", `true`)
				p.settles(`!!document.querySelector("#d")`, `true`)
			}
		}},
		{Name: of + "/forms whose fields are called like members have refs", HTML: `<form aria-label=Search id=f><input name=ownerDocument aria-label=Words><input name=isConnected><button>Go</button></form>`, Run: func(p *Page) {
			text := tree(p, `{}`)
			p.is(p.ok("locator.text_content", ref(p.refOf(text, `"Go"`))), "text", `"Go"`)
			form := p.refOf(text, `form "Search"`)
			p.is(p.ok("locator.text_content", ref(form)), "text", `"Go"`)
			p.eval(`$("#f").remove()`)
			p.is(p.fails("locator.text_content", ref(form), fault.StaleRef), "reason", `"elementGone"`)
		}},
		{Name: of + "/a name that an element had once does not find it", HTML: `<button id=b>Follow Alice</button><button id=c aria-label="Invoice 3">x</button><style>.off b, :not(.off) > i { display: none }</style><button id=e><b>Like</b><i>Unlike</i></button><button id=f>Mehr…</button><table><tr><td>Teas<td><button id=d>Buy</button></table>`, Run: func(p *Page) {
			tree(p, `{}`)
			p.eval(`$("#b").textContent = "Follow Bob", $("#c").ariaLabel = "Invoice 13", $("#e").className = "off", $("#f").textContent = "Mehrzahl"`)
			for _, name := range []string{"Follow Alice", "Invoice 3", "Like", "Mehr…"} {
				p.fails("locator.text_content", fmt.Sprintf(`{"locator":{"role":"button","name":%q}}`, name), fault.TargetNotFound)
			}
			p.ok("locator.wait_for", `{"locator":{"role":"button","name":"Follow Alice"},"state":"detached","timeout_ms":1000}`)
			p.is(p.ok("locator.text_content", `{"locator":{"role":"button","name":"Invoice 13"}}`), "text", `"x"`)
		}},
		{Name: of + "/a ref in a frame is stale when the frame shows another document", HTML: `<iframe id=f srcdoc="<button>In</button><input aria-label=T value=v>"></iframe>`, Run: func(p *Page) {
			text := tree(p, `{}`)
			in := p.refOf(text, `"In"`)
			p.is(p.ok("locator.text_content", ref(in)), "text", `"In"`)
			p.is(p.ok("locator.value", ref(p.refOf(text, `"T"`))), "value", `"v"`)
			p.is(p.ok(info, ref(in)), "clickable", `true`)
			p.eval(`new Promise(done => { $("#f").onload = done; $("#f").srcdoc = "<button>In</button>" }).then(() => 1)`)
			p.is(p.fails("locator.text_content", ref(in), fault.StaleRef), "reason", `"elementGone"`)
		}},
	}
}

func ref(r string) string { return `{"locator":{"ref":"` + r + `"}}` }
