package conformance

import (
	"context"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const waitFor = "locator.wait_for"

func waitCases() []Case {
	return []Case{
		{Name: "locator.wait_for/returns at once when it already holds", HTML: `<p>x</p>`, Run: func(p *Page) {
			for _, args := range []string{
				`{"locator":{"selector":"p"},"timeout_ms":0}`,
				`{"locator":{"selector":"p"},"state":"attached","timeout_ms":0}`,
				`{"locator":{"selector":"#none"},"state":"hidden","timeout_ms":0}`,
				`{"locator":{"selector":"#none"},"state":"detached","timeout_ms":0}`,
				`{"locator":{"selector":"p","frame":"#none"},"state":"detached","timeout_ms":0}`,
			} {
				p.is(p.ok(waitFor, args), "matched", `true`)
			}
		}},
		{Name: "locator.wait_for/sees an element appear", HTML: `<main></main>`, Run: func(p *Page) {
			p.eval(`void setTimeout(() => { $("main").innerHTML = "<p>late</p>" }, 150)`)
			p.ok(waitFor, `{"locator":{"selector":"p"},"timeout_ms":5000}`)
		}},
		{Name: "locator.wait_for/gives the text of what came, and nothing of a secret", HTML: `<main><p hidden>before</p></main>`, Run: func(p *Page) {
			p.eval(`void setTimeout(() => { $("main").innerHTML = "<p hidden>one</p><p>  late\n words</p><textarea autocomplete=cc-number>4111111111111111</textarea>" }, 150)`)
			p.is(p.ok(waitFor, `{"locator":{"selector":"p"},"timeout_ms":5000}`), "text", `"late words"`)
			p.is(p.ok(waitFor, `{"locator":{"selector":"p"},"state":"attached"}`), "text", `"one"`)
			p.is(p.ok(waitFor, `{"locator":{"selector":"i"},"state":"detached"}`), "text", `null`)
			for _, locator := range []string{`{"selector":"textarea"}`, `{"selector":"main"}`} {
				if text := p.text(p.ok(waitFor, `{"locator":`+locator+`}`), "text"); strings.Contains(text, "4111") {
					p.Errorf("%s: a secret was told: %s", locator, text)
				}
			}
			p.eval(`$("main").textContent = "x".repeat(2000)`)
			if text := p.text(p.ok(waitFor, `{"locator":{"selector":"main"}}`), "text"); len(text) > 1010 || !strings.Contains(text, "…") {
				p.Errorf("a long text has %d bytes", len(text))
			}
		}},
		{Name: "locator.wait_for/sees a class make an element visible", HTML: `<style>.off{display:none}</style><p class=off>x</p>`, Run: func(p *Page) {
			p.ok(waitFor, `{"locator":{"selector":"p"},"state":"attached","timeout_ms":0}`)
			p.eval(`void setTimeout(() => { $("p").className = "" }, 100)`)
			p.ok(waitFor, `{"locator":{"selector":"p"},"state":"visible","timeout_ms":5000}`)
		}},
		{Name: "locator.wait_for/sees an element hidden", HTML: `<p>busy</p>`, Run: func(p *Page) {
			p.eval(`void setTimeout(() => { $("p").hidden = true }, 100)`)
			p.ok(waitFor, `{"locator":{"selector":"p"},"state":"hidden","timeout_ms":5000}`)
			p.page(`$("p").hidden`, `true`)
		}},
		{Name: "locator.wait_for/sees an element detached", HTML: `<x-a></x-a><script>$("x-a").attachShadow({mode:"open"}).innerHTML = "<p>busy</p>"</script>`, Run: func(p *Page) {
			p.eval(`void setTimeout(() => { $("x-a").shadowRoot.querySelector("p").remove() }, 100)`)
			p.ok(waitFor, `{"locator":{"selector":"p"},"state":"detached","timeout_ms":5000}`)
			p.page(`$("x-a").shadowRoot.querySelector("p")`, `null`)
		}},
		{Name: "locator.wait_for/sees what lasts for a moment only, in a frame and in a shadow tree too", HTML: `<main></main>
			<x-a></x-a><iframe srcdoc="<x-b></x-b>"></iframe><script>
				$("x-a").attachShadow({mode: "open"})
				window.inner = () => $("iframe").contentDocument.body
				// As far apart as looks that nothing calls for, which see none of them or only the last.
				window.flash = (where, tag) => { for (let i = 1; i < 60; i++) setTimeout(() => {
					where.innerHTML = ` + "`<${tag}>now</${tag}>`" + `
					setTimeout(() => where.replaceChildren(), 20)
				}, i * 100 + 40) }
			</script>`, Run: func(p *Page) {
			for _, c := range []struct{ where, tag, more string }{
				{`$("main")`, "b", ``}, {`$("x-a").shadowRoot`, "i", ``}, {`inner()`, "u", `"frame":"iframe",`},
			} {
				p.eval(`flash(` + c.where + `,"` + c.tag + `")`)
				p.is(p.ok(waitFor, `{"locator":{`+c.more+`"selector":"`+c.tag+`"},"state":"attached","timeout_ms":750}`), "matched", `true`)
			}
		}},
		{Name: "locator.wait_for/times out with the state it saw", HTML: `<div style="height:3000px"></div><p>low</p>`, Run: func(p *Page) {
			out := p.fails(waitFor, `{"locator":{"selector":"p"},"timeout_ms":120}`, fault.Timeout)
			p.is(out, "match_count", `1`)
			p.is(out, "visible_count", `0`)
			p.is(out, "state", `"visible"`)
			p.is(out, "timeout_ms", `120`)
			p.fails(waitFor, `{"locator":{"selector":"p"},"state":"hidden","timeout_ms":50}`, fault.Timeout)
			p.fails(waitFor, `{"locator":{"selector":"p"},"state":"gone"}`, fault.InvalidInput)
		}},
		{Name: "locator.wait_for/refuses an invalid selector at once", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fails(waitFor, `{"locator":{"selector":"p["},"timeout_ms":30000}`, fault.InvalidSelector)
		}},
		{Name: "locator.wait_for/ends when the call is cancelled", HTML: `<p>x</p>`, Run: func(p *Page) {
			ctx, cancel := context.WithCancel(p.Context())
			defer cancel()
			time.AfterFunc(200*time.Millisecond, cancel)
			p.failsIn(ctx, waitFor, `{"locator":{"selector":"#none"},"timeout_ms":30000}`, fault.Cancelled)
		}},
	}
}
