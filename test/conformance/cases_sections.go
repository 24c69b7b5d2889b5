package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

func sectionCases() []Case {
	const sections = "dom.list_sections"
	return []Case{
		{Name: sections + "/lists rendered sections with heading, place and items", HTML: `
			<section id=a style="height:200px"><h2>Green tea</h2><ul><li>one<li>two</ul></section>
			<section style="display:none"><h2>Hidden</h2></section>
			<div role=region style="height:3000px"><h3>Low</h3></div><section style="height:50px"><h2>Below</h2></section>`,
			Run: func(p *Page) {
				out := p.ok(sections, `{"item_selector":"li"}`)
				p.is(out, "section_count", `3`)
				p.is(out, "sections.0.heading", `"Green tea"`)
				p.is(out, "sections.0.item_count", `2`)
				p.is(out, "sections.0.height", `200`)
				p.is(out, "sections.0.visible", `true`)
				// The parts of the selector in their order: sections first.
				p.is(out, "sections.1.heading", `"Below"`)
				p.is(out, "sections.1.visible", `false`)
				p.eval(`scrollTo(0, 100)`)
				p.page(`scrollY`, `100`)
				after := p.ok(sections, `{}`)
				p.is(after, "scroll_y", `100`)
				p.is(after, "sections.0.item_count", `0`)
				if got, want := after.number("sections.0.scroll_y"), out.number("sections.0.scroll_y"); got != want {
					p.Errorf("the section moved in the document from %v to %v", want, got)
				}
			}},
		{Name: sections + "/takes a label as heading and no long text", HTML: `
			<section aria-label="Cart"><p>words</p></section>
			<section><h2>a heading that is far too long to be one</h2><p>x</p></section>
			<section>Popular now See more Forward Back and so on</section>`,
			Run: func(p *Page) {
				out := p.ok(sections, `{"max_heading_length":20}`)
				p.is(out, "sections.0.heading", `"Cart"`)
				p.is(out, "sections.1.heading", `"a heading that is f…"`)
				p.is(out, "sections.2.heading", `"Popular now"`)
				p.is(p.ok(sections, `{"heading_selector":"p"}`), "sections.0.heading", `"words"`)
			}},
		{Name: sections + "/filters, cuts and tells the whole number", HTML: `<section>Tea</section><section>tea and milk</section><section>coffee</section>`, Run: func(p *Page) {
			out := p.ok(sections, `{"text_contains":"TEA","max_sections":1}`)
			p.is(out, "section_count", `1`)
			p.is(out, "total_count", `2`)
			p.is(out, "truncated", `true`)
		}},
		{Name: sections + "/reads inside a frame and refuses an invalid selector", HTML: `<iframe id=f srcdoc="<section><h1>Inner</h1></section>"></iframe>`, Run: func(p *Page) {
			p.is(p.ok(sections, `{"frame":"#f"}`), "sections.0.heading", `"Inner"`)
			p.fails(sections, `{"selector":"section["}`, fault.InvalidSelector)
		}},
	}
}

func findCases() []Case {
	const find = "page.find"
	return []Case{
		{Name: find + "/advances through the matches (B12)", HTML: `<p id=a>Tea one</p><div style="height:3000px"></div><p id=b>more tea</p><p id=c>tea again</p>`, Run: func(p *Page) {
			for i, want := range []string{`"p#a"`, `"p#b"`, `"p#c"`, `"p#a"`} {
				out := p.ok(find, `{"text":"tea"}`)
				p.is(out, "label", want)
				p.is(out, "match_count", `3`)
				p.is(out, "wrapped", []string{`false`, `false`, `false`, `true`}[i])
				p.page(`getSelection().toString().toLowerCase()`, `"tea"`)
			}
			p.is(p.ok(find, `{"text":"tea","backwards":true}`), "label", `"p#c"`)
			p.page(`$("#c").getBoundingClientRect().top < innerHeight`, `true`)
			p.is(p.ok(find, `{"text":"Tea","case_sensitive":true}`), "match_count", `1`)
		}},
		{Name: find + "/finds across elements and only what is rendered", HTML: `<p hidden>green tea</p><script>"green tea"</script><p id=a>very green
			<b>tea (5.0)</b></p><p>green</p><p>tea</p><p>green<br>tea</p>`, Run: func(p *Page) {
			out := p.ok(find, `{"text":"green tea"}`)
			p.is(out, "match_count", `2`)
			p.is(out, "text", `"very green tea (5.0) green tea green tea"`)
			p.page(`getSelection().toString().replace(/\s+/g, " ")`, `"green tea"`)
			p.is(p.ok(find, `{"text":"tea (5.0)"}`), "label", `"b"`)
		}},
		{Name: find + "/says when there is nothing", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.fails(find, `{"text":"tea"}`, fault.TargetNotFound), "match_count", `0`)
			p.fails(find, `{"text":" "}`, fault.TargetNotFound)
		}},
	}
}
