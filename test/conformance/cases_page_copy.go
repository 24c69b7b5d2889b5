package conformance

import (
	"encoding/json"
	"fmt"
	stdhtml "html"
	"strings"
)

const pageCopy = "page.copy"

// copied returns the HTML of a copy.
func copied(p *Page) (html string, out Output) {
	p.Helper()
	out = p.ok(pageCopy, `{}`)
	if err := json.Unmarshal([]byte(p.text(out, "html")), &html); err != nil {
		p.Fatalf("the copy is %v", out.value)
	}
	return html, out
}

func pageCopyCases() []Case {
	return []Case{
		copiesNothingTyped(),
		{Name: pageCopy + "/has what the page shows and none of what was put in", HTML: `<title>Shop</title><meta name="csrf-token" content="meta-planted"><meta name="description" content="All the teas">
			<h1 id="top" class="big" onclick="steal()">Teas</h1><!-- comment-planted -->
			<form><input name="q"><input type="password" name="pw"><input type="hidden" name="token" value="hidden-planted">
			<textarea name="note">default-planted</textarea><label><input type="checkbox" name="box" value="yes" checked> Gift</label>
			<select name="kind"><option>Green<option selected>Black</select><div contenteditable>editable-planted</div><button value="go">Send</button></form>
			<a href="javascript:run()">Run</a><a href="/teas?page=2">More</a><script>window.x = "script-planted"</script>`, Run: func(p *Page) {
			p.page(`(document.querySelector("[name=q]").value = "typed-planted", document.querySelector("[name=pw]").value = "secret-planted", 1)`, `1`)
			html, out := copied(p)
			for _, want := range []string{`<h1 id="top" class="big">Teas</h1>`, `All the teas`, `<input type="checkbox" name="box" value="yes">`, `<option>Black</option>`, `<button value="go">Send</button>`, `href="/teas?page=2"`, `<title>Shop</title>`} {
				if !strings.Contains(html, want) {
					p.Errorf("the copy lacks %s:\n%s", want, html)
				}
			}
			for _, gone := range []string{"planted", "steal", "<script", "javascript", "comment", "checked", "selected"} {
				if strings.Contains(html, gone) {
					p.Errorf("the copy has %s:\n%s", gone, html)
				}
			}
			for name, want := range map[string]string{"handlers": `1`, "secrets": `1`, "hidden_values": `1`, "values": `3`, "typed_texts": `0`} {
				p.is(out, "taken."+name, want)
			}
			p.page(`document.querySelector("[name=q]").value`, `"typed-planted"`) // the page is as it was
		}},
		{Name: pageCopy + "/keeps shadow trees, styles and frames", HTML: `<style>p { color: rgb(1, 2, 3); background: url("/ask.png") }</style><p>x</p><div id="host"></div>
			<iframe srcdoc="&lt;p&gt;framed&lt;/p&gt;&lt;input value=frame-planted&gt;"></iframe>`, Run: func(p *Page) {
			p.page(`(() => { const root = document.querySelector("#host").attachShadow({mode: "open"}); root.innerHTML = "<b>in the shadow</b><input>"; root.querySelector("input").value = "shadow-planted"; return 1; })()`, `1`)
			html, _ := copied(p)
			for _, want := range []string{`color: rgb(1, 2, 3)`, `<template shadowrootmode="open"><b>in the shadow</b>`, `<p>framed</p><input></body>`} {
				if !strings.Contains(stdhtml.UnescapeString(html), want) {
					p.Errorf("the copy lacks %s:\n%s", want, html)
				}
			}
			for _, gone := range []string{"planted", "ask.png"} {
				if strings.Contains(html, gone) {
					p.Errorf("the copy has %s:\n%s", gone, html)
				}
			}
		}},
		// Ensure that the attributes of a form with a field called attributes are in the copy, and its handlers are not.
		{Name: pageCopy + "/has the attributes of a form that hides its own properties", HTML: `<form id="stay" class="big" onsubmit="steal()"><select name="attributes"><option>1</select></form>`, Run: func(p *Page) {
			html, out := copied(p)
			if !strings.Contains(html, `<form id="stay" class="big">`) {
				p.Error(html)
			}
			p.is(out, "taken.handlers", `1`)
		}},
		{Name: pageCopy + "/takes out what was typed wherever the page repeats it", HTML: `<input aria-label="Name"><input aria-label="Password" type="password"><p data-for="Ada Planted">Thanks, ada   planted! Adam goes.</p><p>pass-Planted-9</p>`, Run: func(p *Page) {
			p.ok("text.insert", `{"text":"Ada Planted","target":{"selector":"[aria-label=Name]"}}`)
			p.page(`(document.querySelector("[type=password]").value = "pass-Planted-9", 1)`, `1`)
			html, out := copied(p)
			if strings.Contains(strings.ToLower(html), "planted") || !strings.Contains(html, "Adam goes.") || !strings.Contains(html, "Thanks, [redacted]!") {
				p.Errorf("the copy is\n%s", html)
			}
			p.is(out, "taken.typed_texts", fmt.Sprint(3))
		}},
	}
}
