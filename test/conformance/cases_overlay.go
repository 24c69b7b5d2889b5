package conformance

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	menu  = "overlay.menu."
	pane  = `document.querySelector("[data-actions-json-attachment=actions-json-menu]")`
	shown = `document.querySelector("[data-actions-json-attachment=actions-json-report]")`
	// settle is time for what must not happen.
	settle = `new Promise((done) => setTimeout(() => done(true), 400))`
	// drawn waits until the browser has drawn the document as it is: the first frame
	// commits it, the second waits until that is taken, the third shows it.
	drawn = `new Promise(done => { let left = 3; const next = () => left-- > 0 && !document.hidden ? requestAnimationFrame(next) : done(true); next() })`
)

// uppermost is whether the middle of an own element is its own, for a page: a
// person who clicks there hits it.
func uppermost(el string) string {
	return `(el => { const r = el.getBoundingClientRect(); return document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2) === el; })(` + el + `)`
}

// until returns an expression that is true as soon as the condition is, and false
// after 5 s.
func until(condition string) string {
	return `(async () => { for (let i = 0; i < 250; i++) { if (` + condition + `) return true; await new Promise(r => setTimeout(r, 20)); } return false; })()`
}

// overlayCases need no extension; the others stand in overlayChainCases.
func overlayCases() []Case {
	return []Case{
		{Name: menu + "hide/succeeds without a pane", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(menu+"hide", `{}`)
			p.is(out, "overlay_present", `false`)
			p.is(out, "hidden", `true`)
			p.page(pane, `null`)
		}},
		{Name: menu + "collapse/needs an open pane", HTML: `<p>x</p>`, Run: func(p *Page) { p.fails(menu+"collapse", `{}`, fault.OverlayNotOpen) }},
		{Name: menu + "expand/needs an open pane", HTML: `<p>x</p>`, Run: func(p *Page) { p.fails(menu+"expand", `{}`, fault.OverlayNotOpen) }},
		{Name: menu + "move/needs an open pane", HTML: `<p>x</p>`, Run: func(p *Page) { p.fails(menu+"move", `{"corner":"top-left"}`, fault.OverlayNotOpen) }},
	}
}

func overlayChainCases() []Case {
	return append(menuCases(), reportCases()...)
}

// fresh opens the pane as nobody has touched it yet: the chain's tab is the same
// in all cases.
func (p *Page) fresh() Output {
	p.Helper()
	p.ok(menu+"show", `{}`)
	p.ok(menu+"expand", `{}`)
	return p.ok(menu+"move", `{"corner":"top-right"}`)
}

// over puts the pane over the element, which must be at the upper left.
func (p *Page) over() {
	p.Helper()
	p.fresh()
	p.ok(menu+"move", `{"left":8,"top":8}`)
}

func menuCases() []Case {
	const box = `(({left, top, width, height}) => [left, top, width, height])(` + pane + `.getBoundingClientRect())`
	const button = `<button id=b style="position:absolute;left:60px;top:100px;width:90px;height:40px">B</button><script>record($("#b"),"pointerdown","mousedown","click")</script>`
	return []Case{
		{Name: menu + "show/opens the pane at the top right", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.fresh()
			p.is(out, "geometry.width", `340`)
			p.is(out, "geometry.height", `420`)
			p.page(`innerWidth - `+pane+`.getBoundingClientRect().right`, `12`)
			p.page(box+`.slice(1)`, `[12,340,420]`)
			p.page(uppermost(pane), `true`)
			p.ok(menu+"hide", `{}`)
		}},
		{Name: menu + "show/stands above hostile styles, dialogs and popovers", HTML: `<style>:not(html, body) {all: initial !important; display: none !important; opacity: 0 !important; transform: scale(0) !important; z-index: 9 !important; transition: all 9s !important}
			html {opacity: 0.01 !important; transform: scale(0.1) !important; overflow: hidden !important; clip-path: inset(50%) !important; contain: strict !important}
			dialog[open], [popover]:popover-open { display: block !important; position: fixed !important; inset: 0 !important; width: 100vw !important; height: 100vh !important }</style>
			<dialog id=d>dialog</dialog><div id=o popover=manual>popover</div>`, Run: func(p *Page) {
			p.fresh()
			p.page(box+`.slice(2)`, `[340,420]`)
			p.page(uppermost(pane), `true`)
			p.page(`getComputedStyle(`+pane+`).opacity`, `"1"`)
			p.eval(`$("#o").showPopover()`)
			p.page(until(uppermost(pane)), `true`)
			p.eval(`$("#d").showModal()`)
			p.page(until(uppermost(pane)), `true`)
			p.eval(`$("#d").close()`)
			p.page(until(uppermost(pane)), `true`)
			for _, attack := range []string{
				pane + `.hidePopover()`, pane + `.remove()`, pane + `.removeAttribute("popover")`, `document.body.append(` + pane + `)`,
				pane + `.setAttribute("style", "display: none !important; opacity: 0 !important; left: -999px !important")`,
				`Object.assign(` + pane + `, {inert: true, hidden: true})`,
				`document.querySelectorAll("[popover]").forEach(e => e.hidePopover())`,
			} {
				p.eval(attack)
				p.page(until(pane+` !== null && `+pane+`.matches(":popover-open") && `+uppermost(pane)), `true`)
				p.page(`getComputedStyle(`+pane+`).opacity`, `"1"`)
			}
			p.ok(menu+"hide", `{}`)
		}},
		{Name: menu + "show/runs under the strictest policy of a page", HTML: `<p>x</p>`,
			CSP: "default-src 'none'; script-src 'none'; style-src 'none'; frame-src 'none'; child-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
			Run: func(p *Page) {
				p.fresh() // fails unless the extension's page runs
				p.page(box+`.slice(2)`, `[340,420]`)
				p.ok(menu+"hide", `{}`)
			}},
		{Name: menu + "show/leaves a closed pane closed where that is asked", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fresh()
			p.ok("overlay.close", `{}`)
			p.ok(menu+"hide", `{}`)
			out := p.ok(menu+"show", `{"open":false}`)
			p.is(out, "overlay_id", `"actions-json-menu"`)
			p.ok(menu+"hide", `{}`)
		}},
		{Name: menu + "show/is out of the page's reach", HTML: `<script>
			window.roots = []; window.seen = [];
			const attach = Element.prototype.attachShadow;
			Element.prototype.attachShadow = function (o) { const r = attach.call(this, o); roots.push(r); return r; };
			Element.prototype.append = Element.prototype.appendChild = () => { throw new Error("no"); };
			window.MutationObserver = class { observe() { throw new Error("no") } };
			window.CSSStyleSheet = window.postMessage = undefined;
			for (const type of ["message", "focusin", "keydown", "pointerdown"]) addEventListener(type, e => seen.push(e.type + " " + JSON.stringify(e.data ?? null)), true);
			</script>`, Run: func(p *Page) {
			p.fresh()
			p.page(`[roots.length, window.length, frames.length, `+pane+`.shadowRoot, `+pane+`.childNodes.length, seen.length]`, `[0,0,0,null,0,0]`)
			p.page(`performance.getEntriesByType("resource").filter(e => e.name.includes("extension")).length`, `0`)
			p.is(p.fails("locator.element_info", `{"locator":{"selector":"[data-actions-json-attachment]"}}`, fault.TargetNotFound), "candidates", `null`)
			p.ok(menu+"hide", `{}`)
		}},
		{Name: menu + "show/takes no click and no key that is for the page", HTML: button + `<input id=i style="position:absolute;left:60px;top:200px">`, Run: func(p *Page) {
			p.over()
			p.page(uppermost(pane), `true`)
			out := p.ok("locator.element_info", `{"locator":{"selector":"#b"}}`)
			p.is(out, "clickable", `true`)
			p.is(out, "visibility.occluded_by", `null`)
			p.is(p.ok("pointer.click", out.pointArgs()), "target.id", `"b"`)
			p.page(`log`, `["pointerdown","mousedown","click"]`)
			p.is(p.ok("locator.click", `{"locator":{"selector":"#b"},"fidelity":"trusted"}`), "fidelity", `"trusted"`)
			p.page(`[log.length, `+uppermost(pane)+`]`, `[6,true]`)
			p.eval(`$("#i").focus()`)
			p.hand(`(r => ({x: r.left + 20, y: r.top + 21}))(` + pane + `.getBoundingClientRect())`) // the person goes on in the pane
			p.page(until(`document.activeElement === `+pane), `true`)
			p.ok("keyboard.press", `{"key":"x","trusted":true}`)
			p.ok("keyboard.press", `{"key":"y"}`)
			p.ok("text.type", `{"text":"z"}`)
			p.page(`[$("#i").value, document.activeElement === `+pane+`]`, `["xyz",true]`)
			p.ok(menu+"hide", `{}`)
		}},
		{Name: menu + "hide/hides the pane and keeps its state", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fresh()
			before := p.ok(menu+"move", `{"left":100,"top":150}`)
			out := p.ok(menu+"hide", `{}`)
			p.is(out, "hidden", `true`)
			p.is(out, "overlay_present", `true`)
			p.page(`[`+pane+`.offsetWidth, document.elementFromPoint(200, 300)?.localName]`, `[0,"html"]`)
			p.is(p.ok(menu+"show", `{}`), "geometry", jsonOf(before.at("geometry")))
			p.page(box, `[100,150,340,420]`)
			p.ok(menu+"hide", `{}`)
		}},
		{Name: menu + "collapse/leaves a small button at the edge", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fresh()
			p.is(p.ok(menu+"collapse", `{}`), "collapsed", `true`)
			p.page(`[innerWidth - `+pane+`.getBoundingClientRect().right, ...`+box+`.slice(1)]`, `[12,12,42,42]`)
			p.ok(menu+"move", `{"corner":"bottom-left"}`)
			p.page(`(r => [r.left, innerHeight - r.bottom, r.width])(`+pane+`.getBoundingClientRect())`, `[12,12,42]`)
			p.ok(menu+"expand", `{}`)
			p.ok(menu+"hide", `{}`)
		}},
		{Name: menu + "expand/gives the full size again", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fresh()
			p.ok(menu+"collapse", `{}`)
			out := p.ok(menu+"expand", `{}`)
			p.is(out, "collapsed", `false`)
			p.is(out, "geometry.width", `340`)
			p.page(box+`.slice(1)`, `[12,340,420]`)
			p.ok(menu+"hide", `{}`)
		}},
		{Name: menu + "move/goes to corners and points within the window", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fresh()
			p.ok(menu+"move", `{"corner":"top-left"}`)
			p.page(box+`.slice(0,2)`, `[12,12]`)
			p.ok(menu+"move", `{"corner":"bottom-right"}`)
			p.page(`(r => [innerWidth - r.right, innerHeight - r.bottom])(`+pane+`.getBoundingClientRect())`, `[12,12]`)
			p.is(p.ok(menu+"move", `{"left":50,"top":60}`), "geometry", `{"left":50,"top":60,"width":340,"height":420}`)
			p.is(p.ok(menu+"move", `{"left":70}`), "geometry.top", `60`)
			p.is(p.ok(menu+"move", `{"left":-500,"top":99999}`), "geometry.left", `8`)
			p.page(`innerHeight - `+pane+`.getBoundingClientRect().bottom`, `8`)
			p.fails(menu+"move", `{"corner":"middle"}`, fault.InvalidInput)
			p.fails(menu+"move", `{}`, fault.InvalidArguments)
			p.fresh()
			p.ok(menu+"hide", `{}`)
		}},
	}
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(text)
}
