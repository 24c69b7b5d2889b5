package conformance

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

var longText = strings.Repeat("long ", 400)

const cards = `<section id=shop aria-label="Shop"><h2>Fruit</h2>
	<article><a href="/apple"><img src="/apple.png" alt="Apple"></a><b class=price>1</b></article>
	<article><a href="/pear">Pear</a><b class=price></b><i class=price>2</i></article>
	<article><a href="/pear">Pear</a><b class=price></b><i class=price>2</i></article>
	<article><u></u></article></section>`

// positioned is a page whose content is positioned or floated, and one article not
// shown.
const positioned = `<style>html, body { margin: 0 } article { width: 90px; height: 20px } #a { position: absolute; top: 10px } #b { float: left }</style>
	<article id=a>Apple</article><article id=b>Pear</article><article style="display:none">Plum</article>`

func extractCases() []Case {
	const fields = `"item_selector":"article","fields":[{"name":"name","selector":"a, img","attributes":["text","alt"]},{"name":"price","selector":".price"}]`
	return []Case{
		{Name: "browser.extract_elements/extracts fields with fallbacks", HTML: cards, Run: func(p *Page) {
			out := p.ok("browser.extract_elements", `{`+fields+`,"scope":{"selector":"#shop"}}`)
			p.is(out, "items", `[{"name":"Apple","price":"1"},{"name":"Pear","price":"2"}]`)
			p.is(out, "item_count", `2`)
		}},
		{Name: "browser.extract_elements/resolves href and src", HTML: cards, Run: func(p *Page) {
			out := p.ok("browser.extract_elements", `{"item_selector":"article","fields":[{"name":"href","selector":"a","attribute":"href"},{"name":"src","selector":"img","attribute":"src"}]}`)
			for _, path := range []string{"items.0.href", "items.0.src"} {
				if s, _ := out.at(path).(string); !strings.HasPrefix(s, "http://127.0.0.1:") {
					p.Errorf("%s is %q, not resolved", path, s)
				}
			}
			p.is(out, "items.1.src", `null`)
		}},
		{Name: "browser.extract_elements/drops empty and repeated rows", HTML: cards, Run: func(p *Page) {
			out := p.ok("browser.extract_elements", `{`+fields+`}`)
			p.is(out, "item_count", `2`)
			p.is(out, "total_count", `4`)
			p.is(out, "truncated", `false`)
		}},
		{Name: "browser.extract_elements/tells how many rows are off screen", HTML: rows, Run: func(p *Page) {
			const args = `"item_selector":".row","fields":[{"name":"t"}]`
			out := p.ok("browser.extract_elements", `{`+args+`}`)
			p.is(out, "item_count", `3`)
			p.is(out, "hidden_count", `1`)
			p.is(p.ok("browser.extract_elements", `{`+args+`,"visible_only":false}`), "items.3", `{"t":"Far"}`)
			p.is(p.ok("browser.extract_elements", `{`+args+`,"max_matches":1}`), "truncated", `true`)
		}},
		{Name: "browser.extract_elements/climbs to the nearest ancestor that holds items", HTML: cards, Run: func(p *Page) {
			out := p.ok("browser.extract_elements", `{`+fields+`,"scope":{"selector":"h2","text_equals":"fruit","root_strategy":"nearest_ancestor_containing_items"}}`)
			p.is(out, "item_count", `2`)
			p.is(out, "scope.selector_count", `1`)
			out = p.ok("browser.extract_elements", `{`+fields+`,"scope":{"selectors":["h3","h2"],"root_selector":"section"}}`)
			p.is(out, "item_count", `2`)
		}},
		{Name: "browser.extract_elements/reads a page whose body has no height", HTML: positioned, Run: func(p *Page) {
			p.page(`document.body.getBoundingClientRect().height`, `0`)
			const args = `"item_selector":"article","fields":[{"name":"t"}]`
			for _, scope := range []string{``, `,"scope":{}`, `,"scope":{"text_contains":"pear"}`, `,"scope":{"selector":"body"}`} {
				p.is(p.ok("browser.extract_elements", `{`+args+scope+`}`), "items", `[{"t":"Apple"},{"t":"Pear"}]`)
			}
			p.fails("browser.extract_elements", `{`+args+`,"scope":{"selector":"#none"}}`, fault.TargetNotFound)
			p.is(p.ok("dom.snapshot_text", `{}`), "text", `"Apple Pear"`)
		}},
		{Name: "browser.extract_elements/fails when the scope is missing", HTML: cards, Run: func(p *Page) {
			p.fails("browser.extract_elements", `{`+fields+`,"scope":{"selector":"#none"}}`, fault.TargetNotFound)
			p.fails("browser.extract_elements", `{"item_selector":"article"}`, fault.InvalidInput)
			p.fails("browser.extract_elements", `{"item_selector":"article","fields":[{"name":"a\nb"}]}`, fault.InvalidInput)
		}},
		{Name: "browser.extract_elements/never gives a password", HTML: `<p><input type=password value=hunter2></p>`, Run: func(p *Page) {
			p.is(p.ok("browser.extract_elements", `{"item_selector":"p","fields":[{"name":"v","selector":"input","attribute":"value"}]}`), "items", `[]`)
		}},
	}
}
