package conformance

import (
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

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
			p.is(p.ok("dom.snapshot_text", `{"selector":"#t","max_chars":4}`), "", `{"text":"0123","truncated":true,"total_chars":10,"next":{"selector":"#t","max_chars":4,"offset":4}}`)
		}},
		{Name: "dom.snapshot_text/reads a long text to its end (B4)", HTML: `<article></article><script>
			$("article").innerHTML = Array.from({length: 400}, (_, i) => "<p>Paragraph " + i + " \u{1F375}</p>").join("")
			window.whole = Array.from({length: 400}, (_, i) => "Paragraph " + i + " \u{1F375}").join(" ")</script>`, Run: func(p *Page) {
			var read strings.Builder
			args := `{"max_chars":101}`
			for range 100 {
				out := p.ok("dom.snapshot_text", args)
				text, _ := out.at("text").(string)
				read.WriteString(text)
				next, err := json.Marshal(out.at("next"))
				if err != nil {
					p.Fatal(err)
				}
				if args = string(next); args == "null" {
					p.is(out, "truncated", `false`)
					break
				}
				p.is(out, "truncated", `true`)
			}
			quoted, err := json.Marshal(read.String())
			if err != nil {
				p.Fatal(err)
			}
			p.page(`whole`, string(quoted))
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
	}
}
