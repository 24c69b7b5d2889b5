package conformance

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func valueCases() []Case {
	const text, value = "locator.text_content", "locator.value"
	return []Case{
		{Name: "locator.text_content/prefers a visible match", HTML: `<p class=m style="display:none">Old</p><p class=m>New
			text</p>`, Run: func(p *Page) {
			out := p.ok(text, `{"locator":{"selector":".m"}}`)
			p.is(out, "text", `"New text"`)
			p.is(out, "visible", `true`)
		}},
		{Name: "locator.text_content/reads a match below the fold", HTML: `<div style="height:3000px"></div><p>Low</p>`, Run: func(p *Page) {
			out := p.ok(text, `{"locator":{"selector":"p"}}`)
			p.is(out, "text", `"Low"`)
			p.is(out, "visible", `false`)
			p.page(`scrollY`, `0`)
		}},
		{Name: "locator.text_content/falls back to aria-label", HTML: `<button aria-label="Close"><svg></svg></button>`, Run: func(p *Page) {
			p.is(p.ok(text, `{"locator":{"selector":"button"}}`), "text", `"Close"`)
		}},
		{Name: "locator.text_content/fails when nothing matches", HTML: `<p hidden>x</p>`, Run: func(p *Page) {
			p.fails(text, `{"locator":{"selector":"#none"}}`, fault.TargetNotFound)
			p.fails(text, `{"locator":{"selector":"p"}}`, fault.TargetNotVisible)
		}},
		{Name: "locator.text_content/offers what comes nearest when nothing matches", HTML: `
			<h1>Order placed</h1><p hidden>order placed</p><textarea>order placed</textarea><label>Note for us <input></label><button>Send</button>`, Run: func(p *Page) {
			out := p.fails(text, `{"locator":{"text":"order Placed"}}`, fault.TargetNotFound)
			p.is(out, "nearest.length", `1`)
			p.is(out, "nearest.0.role", `"heading"`)
			p.is(out, "nearest.0.text", `"Order placed"`)
			out = p.fails("locator.wait_for", `{"locator":{"text":"ORDER placed"},"timeout_ms":10}`, fault.Timeout)
			p.is(out, "nearest.0.role", `"heading"`)
			out = p.fails(text, `{"locator":{"label":"Note"}}`, fault.TargetNotFound)
			p.is(out, "nearest.0.name", `"Note for us"`)
			out = p.fails(text, `{"locator":{"selector":"#none"}}`, fault.TargetNotFound)
			p.is(out, "nearest", `null`)
		}},
		{Name: "locator.text_content/keeps the frame's error", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fails(text, `{"locator":{"selector":"p","frame":"#none"}}`, fault.FrameNotFound)
		}},
		{Name: "locator.value/reads the live value", HTML: `<input id=i value=old><textarea id=t></textarea><select id=s><option value=1>A<option value=2 selected>B</select><input id=c type=checkbox checked>`, Run: func(p *Page) {
			p.eval(`$("#i").value = "new"; $("#t").value = "two\nlines"`)
			out := p.ok(value, `{"locator":{"selector":"#i"}}`)
			p.is(out, "value", `"new"`)
			p.is(out, "settable", `true`)
			p.is(p.ok(value, `{"locator":{"selector":"#t"}}`), "value", `"two\nlines"`)
			p.is(p.ok(value, `{"locator":{"selector":"#s"}}`), "value", `"2"`)
			p.is(p.ok(value, `{"locator":{"selector":"#c"}}`), "checked", `true`)
		}},
		{Name: "locator.value/reads contenteditable text as not settable", HTML: `<div contenteditable><p>Rich <b>text</b></p></div>`, Run: func(p *Page) {
			out := p.ok(value, `{"locator":{"selector":"[contenteditable]"}}`)
			p.is(out, "value", `"Rich text"`)
			p.is(out, "settable", `false`)
		}},
		{Name: "locator.value/gives null for what has no value", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok(value, `{"locator":{"selector":"p"}}`), "value", `null`)
		}},
		{Name: "locator.value/redacts a password", HTML: `<input type=password value=hunter2><input id=o autocomplete="section-a one-time-code" value=123456>`, Run: func(p *Page) {
			out := p.ok(value, `{"locator":{"selector":"[type=password]"}}`)
			p.is(out, "value", `null`)
			p.is(out, "redacted", `true`)
			p.is(p.ok(value, `{"locator":{"selector":"#o"}}`), "redacted", `true`)
			// "Show password" does not make it public.
			p.eval(`$("input").type = "text"`)
			p.is(p.ok(value, `{"locator":{"selector":"input"}}`), "value", `null`)
		}},
		{Name: "locator.value/redacts what a field is called for", HTML: `<label>Код из СМС <input id=a value=4711></label><input id=b name=apiKey value=sk-or-not-sk-or>
			<textarea id=c aria-label="Private key">own words</textarea><span id=l>暗証番号</span><input id=d aria-labelledby=l><input id=e name=pin value=1234>
			<form><input id=f name=pincode value=560001><input name=city></form><input id=g type=search placeholder="Search token" value=x><input id=h name=shipping value=y>
			<input id=i name=forgot_password autocomplete=username value=ann>`, Run: func(p *Page) {
			for id, class := range map[string]string{"a": "1-7 characters", "b": "8-15 characters", "c": "8-15 characters", "d": "empty", "e": "1-7 characters"} {
				out := p.ok(value, `{"locator":{"selector":"#`+id+`"}}`)
				p.is(out, "value", `null`)
				p.is(out, "redacted", `true`)
				p.is(out, "length_class", strconv.Quote(class))
			}
			for id, shown := range map[string]string{"f": "560001", "g": "x", "h": "y", "i": "ann"} {
				p.is(p.ok(value, `{"locator":{"selector":"#`+id+`"}}`), "value", strconv.Quote(shown))
			}
			p.is(p.ok(text, `{"locator":{"selector":"#c"}}`), "text", `"Private key"`)
			p.is(p.ok("dom.observe.attributes", `{"selector":"#b","attributes":["value","name"]}`), "matches.0.attributes", `{"value":null,"name":"apiKey"}`)
			found := p.ok("browser.extract_elements", `{"item_selector":"#c","fields":[{"name":"v","selector":":scope"}]}`)
			if raw, err := json.Marshal(found.value); err != nil || strings.Contains(string(raw), "own words") {
				p.Errorf("it tells %s, %v", raw, err)
			}
		}},
		{Name: "locator.value/fails when nothing matches", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fails(value, `{"locator":{"selector":"input"}}`, fault.TargetNotFound)
		}},
	}
}
