package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

func readCases() []Case {
	return []Case{
		{Name: "page.info/reads the current document", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok("page.info", `{}`), "title", `"page.info/reads the current document"`)
			p.eval(`history.pushState({}, "", "#later"); document.title = "Later"`)
			out := p.ok("page.info", `{}`)
			p.is(out, "title", `"Later"`)
			p.page(`location.href.endsWith("#later")`, `true`)
			var href string
			p.backend.Eval(p.T, `location.href`, &href)
			if out.at("url") != href {
				p.Errorf("url %v, want %s", out.at("url"), href)
			}
		}},
		{Name: "dom.snapshot_text/reads visible text without scripts and hidden parts", HTML: `
			<h1>Title</h1><p>Hello   <b>world</b></p><p style="display:none">gone</p><p style="visibility:hidden">ghost <b style="visibility:visible">seen</b></p>
			<details><summary>More</summary>closed</details><noscript>no</noscript><textarea>draft</textarea><div>a</div><div>b</div>`,
			Run: func(p *Page) {
				p.is(p.ok("dom.snapshot_text", `{}`), "", `{"text":"Title Hello world seen More a b","truncated":false,"total_chars":31}`)
			}},
		{Name: "dom.snapshot_text/cuts at max_chars and tells the total", HTML: `<p id=t>0123456789</p>`, Run: func(p *Page) {
			p.is(p.ok("dom.snapshot_text", `{"selector":"#t","max_chars":4}`), "", `{"text":"0123","truncated":true,"total_chars":10}`)
		}},
		{Name: "dom.snapshot_text/reads inside shadow roots and frames", HTML: `
			<x-a>slotted</x-a><iframe id=f srcdoc="<p>framed</p>"></iframe>
			<script>$("x-a").attachShadow({mode:"open"}).innerHTML = "<b>shadow</b> <slot></slot>"</script>`,
			Run: func(p *Page) {
				p.is(p.ok("dom.snapshot_text", `{}`), "text", `"shadow slotted"`)
				p.is(p.ok("dom.snapshot_text", `{"frame":"#f"}`), "text", `"framed"`)
			}},
		{Name: "dom.snapshot_text/refuses an invalid selector", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.fails("dom.snapshot_text", `{"selector":"p, ["}`, fault.InvalidSelector), "part", `"["`)
		}},
		{Name: "dom.snapshot_text/works under a strict CSP", HTML: `<p>strict</p><button>Go</button>`, CSP: "default-src 'none'", Run: func(p *Page) {
			p.is(p.ok("dom.snapshot_text", `{"selector":"p"}`), "text", `"strict"`)
			p.is(p.ok("locator.element_info", `{"locator":{"role":"button","name":"Go"}}`), "clickable", `true`)
		}},
		{Name: "overlay.menu.hide/succeeds without a pane", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok("overlay.menu.hide", `{}`), "", `{"overlay_id":"actions-json-menu","hidden":true,"overlay_present":false}`)
		}},
		{Name: "overlay.menu.show/succeeds without a pane", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok("overlay.menu.show", `{}`), "hidden", `false`)
		}},
	}
}
