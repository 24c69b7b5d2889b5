package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const consoleTool = "browser.console"

func consoleCases() []Case {
	return []Case{
		{Name: consoleTool + "/gives what was written before the first call", HTML: `<script>
			console.log("count %d of %s%c", 2, "tea", "color:red", 7n, null);
			console.warn("careful");
			setTimeout(() => { throw new TypeError("no tea") });
		</script>`, Run: func(p *Page) {
			p.eval(`new Promise(done => setTimeout(done, 20))`)
			p.freshConsole()
			out := p.ok(consoleTool, `{}`)
			p.is(out, "recording", `true`)
			p.is(out, "trust", `"untrusted"`)
			p.is(p.message(out, "count"), "text", `"count 2 of tea 7n null"`)
			p.is(p.message(out, "count"), "level", `"log"`)
			p.is(p.message(out, "careful"), "level", `"warning"`)
			thrown := p.message(out, "no tea")
			p.is(thrown, "level", `"error"`)
			p.is(thrown, "source", `"exception"`)
			p.is(thrown, "text", `"Uncaught TypeError: no tea"`)
			p.is(p.ok(consoleTool, `{}`), "started", `null`)
		}},
		{Name: consoleTool + "/goes on from a cursor", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.freshConsole()
			cursor := p.ok(consoleTool, `{}`).number("next_cursor")
			p.eval(`[..."abcde"].forEach(c => console.info("next " + c))`)
			page := p.ok(consoleTool, fmt.Sprintf(`{"since":%.0f,"limit":2}`, cursor))
			p.is(page, "entries.0.text", `"next a"`)
			p.is(page, "entries.1.text", `"next b"`)
			p.is(page, "has_more", `true`)
			rest := p.ok(consoleTool, fmt.Sprintf(`{"since":%.0f}`, page.number("next_cursor")))
			p.is(rest, "entries.length", `3`)
			p.is(rest, "entries.0.text", `"next c"`)
			p.is(p.ok(consoleTool, `{"limit":1}`), "entries.0.text", `"next e"`)
			p.is(p.ok(consoleTool, fmt.Sprintf(`{"since":%.0f}`, rest.number("next_cursor"))), "entries.length", `0`)
			p.eval(`for (let i = 0; i < 1200; i++) console.log("flood " + i)`)
			flood := p.ok(consoleTool, fmt.Sprintf(`{"since":%.0f,"limit":1}`, rest.number("next_cursor")))
			p.is(flood, "entries.0.text", `"flood 200"`)
			p.is(flood, "dropped", `200`)
		}},
		{Name: consoleTool + "/filters, clears and stops", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.freshConsole()
			p.ok(consoleTool, `{}`)
			p.eval(`console.error("Green Tea"), console.log("green", {a: 1, b: "x"}, [1, 2]), console.debug("black"), 1`)
			p.is(p.ok(consoleTool, `{"levels":["log"]}`), "entries.0.text", `"green {a: 1, b: \"x\"} [1, 2]"`)
			p.is(p.ok(consoleTool, `{"levels":["error","debug"]}`), "entries.length", `2`)
			p.is(p.ok(consoleTool, `{"text_contains":"green t"}`), "entries.0.text", `"Green Tea"`)
			p.is(p.ok(consoleTool, `{"clear":true}`), "entries.length", `3`)
			p.is(p.ok(consoleTool, `{}`), "entries.length", `0`)
			p.is(p.ok(consoleTool, `{"stop":true}`), "recording", `false`)
			p.eval(`console.log("unheard"), 1`)
			p.is(p.ok(consoleTool, `{"stop":true}`), "entries.length", `0`)
			p.fails(consoleTool, `{"levels":["loud"]}`, fault.InvalidInput)
			p.fails(consoleTool, `{"limit":201}`, fault.InvalidInput)
		}},
		{Name: consoleTool + "/hides secrets and cuts", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.freshConsole()
			p.ok(consoleTool, `{}`)
			p.eval(`console.log("login", {user: "ada", password: "hunter2hunter2"}), console.log("Authorization: Bearer abcdefghijklmnop"), console.log("y".repeat(9000)), 1`)
			out := p.ok(consoleTool, `{}`)
			for i := range 3 {
				text, _ := out.at(fmt.Sprintf("entries.%d.text", i)).(string)
				if strings.Contains(text, "hunter2") || strings.Contains(text, "abcdefghijk") || len(text) > 2100 {
					p.Errorf("the entry is %.200s", text)
				}
			}
			p.is(p.message(out, "login"), "text", `"login {user: \"ada\", password: [redacted]}"`)
		}},
		{Name: consoleTool + "/survives a navigation", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.freshConsole()
			p.ok(consoleTool, `{}`)
			p.eval(`console.log("first page"), 1`)
			p.ok(navigate, `{"url":"`+p.Site.other+`/frame"}`)
			p.eval(`console.log("second page"), 1`)
			out := p.ok(consoleTool, `{}`)
			first, second := p.message(out, "first page").number("seq"), p.message(out, "second page").number("seq")
			between := p.message(out, "another document").number("seq")
			if first == 0 || between < first || second < between {
				p.Errorf("the order is %v, %v, %v", first, between, second)
			}
		}},
	}
}

// freshConsole forgets what earlier cases left.
func (p *Page) freshConsole() {
	p.Helper()
	p.ok(consoleTool, `{"stop":true,"clear":true}`)
}

// message finds the entry whose text has the words.
func (p *Page) message(out Output, words string) Output {
	p.Helper()
	entries, _ := out.at("entries").([]any)
	for _, entry := range entries {
		if text, _ := (Output{entry}).at("text").(string); strings.Contains(text, words) {
			return Output{entry}
		}
	}
	return Output{}
}
