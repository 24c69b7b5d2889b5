package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

func focusCases() []Case {
	const focus = "dom.focus"
	return []Case{
		{Name: focus + "/focuses and keeps the selection", HTML: `<input id=a value=abcdef><button id=b>B</button>`, Run: func(p *Page) {
			p.eval(`$("#a").setSelectionRange(1, 4)`)
			out := p.ok(focus, `{"locator":{"selector":"#a"}}`)
			p.is(out, "selection_preserved", `true`)
			p.is(out, "selection_before_length", `3`)
			p.page(`[document.activeElement.id, $("#a").selectionStart, $("#a").selectionEnd]`, `["a",1,4]`)
			p.ok(focus, `{"locator":{"role":"button","name":"B"}}`)
			p.page(`document.activeElement.id`, `"b"`)
		}},
		{Name: focus + "/focuses inside shadow roots and frames", HTML: `<x-a></x-a><iframe id=f srcdoc="<input id=g>"></iframe>
			<script>$("x-a").attachShadow({mode:"open", delegatesFocus:true}).innerHTML = "<input id=s>"</script>`, Run: func(p *Page) {
			p.ok(focus, `{"locator":{"selector":"#s"}}`)
			p.page(`$("x-a").shadowRoot.activeElement.id`, `"s"`)
			p.ok(focus, `{"locator":{"selector":"#g","frame":"#f"}}`)
			p.page(`[document.activeElement.id, $("#f").contentDocument.activeElement.id]`, `["f","g"]`)
			p.ok(focus, `{"locator":{"selector":"x-a"}}`)
			p.page(`$("x-a").shadowRoot.activeElement.id`, `"s"`)
		}},
		{Name: focus + "/fails where the focus is not taken", HTML: `<p id=p>text</p><input id=d disabled><input id=x onfocus="this.blur()"><div id=i inert><input id=n></div><input id=h hidden>`, Run: func(p *Page) {
			for _, id := range []string{"p", "d", "x", "n"} {
				p.fails(focus, `{"locator":{"selector":"#`+id+`"}}`, fault.TargetNotFocusable)
			}
			p.fails(focus, `{"locator":{"selector":"#h"}}`, fault.TargetNotVisible)
			p.fails(focus, `{"locator":{"selector":"#none"}}`, fault.TargetNotFound)
		}},
	}
}

func selectCases() []Case {
	const sel = "text.select"
	const field = `[$("#i").selectionStart, $("#i").selectionEnd, document.activeElement.id]`
	return []Case{
		{Name: sel + "/sends the events of the mouse that selects", HTML: `<p id=p>green tea</p><script>for (const t of ["pointerdown","mousedown","selectionchange","pointerup","mouseup"]) document.addEventListener(t, () => log.at(-1) === t || log.push(t));
			document.addEventListener("mouseup", () => window.got = getSelection().toString())</script>`, Run: func(p *Page) {
			p.ok(sel, `{"target":"#p","mode":"all"}`)
			p.page(`[got, log.filter(t => t !== "selectionchange"), log.indexOf("selectionchange") < log.indexOf("mouseup")]`, `["green tea",["pointerdown","mousedown","pointerup","mouseup"],true]`)
		}},
		{Name: sel + "/selects a field and a part of it", HTML: `<input id=i value="green tea"><input id=n type=number value=12>`, Run: func(p *Page) {
			out := p.ok(sel, `{"target":"#i","mode":"all"}`)
			p.is(out, "selected_length", `9`)
			p.is(out, "target_kind", `"resolved-locator"`)
			p.page(field, `[0,9,"i"]`)
			out = p.ok(sel, `{"start":6,"end":99}`)
			p.is(out, "selected_length", `3`)
			p.is(out, "target_kind", `"activeElement"`)
			p.page(field, `[6,9,"i"]`)
			p.is(p.ok(sel, `{"target":{"selector":"#n"}}`), "selected_length", `2`)
			p.fails(sel, `{"target":"#n","start":1}`, fault.NoSelectTarget)
		}},
		{Name: sel + "/selects text nodes of an element", HTML: `<p id=p>green <b>tea</b> is<script>/* not text */</script> fine</p><div id=e contenteditable>draft</div>`, Run: func(p *Page) {
			p.is(p.ok(sel, `{"target":"#p"}`), "selected_length", `17`)
			p.page(`getSelection().toString()`, `"green tea is fine"`)
			p.is(p.ok(sel, `{"target":"#p","start":6,"end":9}`), "selected_length", `3`)
			p.page(`getSelection().toString()`, `"tea"`)
			p.ok(sel, `{"target":"#e"}`)
			p.ok("text.type", `{"text":"new"}`)
			p.page(`$("#e").textContent`, `"new"`)
		}},
		{Name: sel + "/fails where there is no text", HTML: `<p id=p></p><input id=i><p id=u style="user-select:none">fixed</p><p id=t>abc</p>`, Run: func(p *Page) {
			p.fails(sel, `{}`, fault.NoSelectTarget)
			for _, args := range []string{`{"target":"#p"}`, `{"target":"#i"}`, `{"target":"#u"}`, `{"target":"#t","start":3}`} {
				p.fails(sel, args, fault.NoSelectTarget)
			}
			p.fails(sel, `{"target":"#none"}`, fault.TargetNotFound)
			p.fails(sel, `{"target":"#t","start":2,"end":1}`, fault.InvalidArguments)
		}},
	}
}
