package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

func scrollCases() []Case {
	const scroll = "viewport.scroll"
	const tall = `<div style="height:3000px"></div>`
	const board = `<div id=board style="width:300px;overflow-x:auto;display:flex"><div id=in style="min-width:2000px;height:40px">wide</div></div><p id=flat>flat</p>`
	return []Case{
		{Name: "viewport.scroll/scrolls the window", HTML: `<style>html{scroll-behavior:smooth}</style>` + tall, Run: func(p *Page) {
			out := p.ok(scroll, `{"delta_y":400}`)
			p.is(out, "moved", `true`)
			p.is(out, "target", `"viewport"`)
			p.is(out, "before", `{"scroll_x":0,"scroll_y":0}`)
			p.is(out, "after", `{"scroll_x":0,"scroll_y":400}`)
			p.page(`scrollY`, `400`)
		}},
		{Name: "viewport.scroll/scrolls the scrollable element of a scope", HTML: board, Run: func(p *Page) {
			out := p.ok(scroll, `{"delta_x":250,"scope":{"selector":"body > div"}}`)
			p.is(out, "target", `"element"`)
			p.is(out, "after.scroll_x", `250`)
			p.is(out, "diagnostics.target_element.label", `"div#board"`)
			p.page(`$("#board").scrollLeft`, `250`)
		}},
		{Name: "viewport.scroll/tells that nothing moved", HTML: `<p>short</p>`, Run: func(p *Page) {
			p.is(p.ok(scroll, `{"delta_y":100}`), "moved", `false`)
			p.is(p.ok(scroll, `{}`), "moved", `false`)
		}},
		{Name: "viewport.scroll/refuses a null distance", HTML: tall, Run: func(p *Page) {
			p.fails(scroll, `{"delta_y":null}`, fault.ScrollFailed)
			p.page(`scrollY`, `0`)
		}},
		{Name: "viewport.scroll/fails when the scope is missing or does not scroll", HTML: board, Run: func(p *Page) {
			p.fails(scroll, `{"delta_y":10,"scope":{"selector":"#none"}}`, fault.TargetNotFound)
			p.is(p.fails(scroll, `{"delta_y":10,"scope":{"selector":"#flat"}}`, fault.TargetNotScrollable), "axis", `"y"`)
		}},
	}
}
