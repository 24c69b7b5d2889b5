package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

func clickTargetCases() []Case {
	const click = "pointer.click"
	return []Case{
		{Name: "pointer.click/hits inside shadow roots", HTML: `<x-a></x-a><script>
			$("x-a").attachShadow({mode:"open"}).innerHTML = "<label><input id=i></label><button id=b>In</button>";
			$("x-a").shadowRoot.querySelector("#b").onclick = () => log.push("inner"); $("x-a").onclick = e => log.push(e.target.localName)</script>`,
			Run: func(p *Page) {
				p.is(p.click("#b"), "target.id", `"b"`)
				p.page(`log`, `["inner","x-a"]`)
				p.click("#i")
				p.page(`$("x-a").shadowRoot.activeElement.id`, `"i"`)
			}},
		{Name: "pointer.click/hits inside a frame at the right place", HTML: `
			<div style="height:70px"></div><iframe id=f style="margin-left:90px;border:4px solid;transform:scale(1.5);transform-origin:0 0"
			srcdoc="<button id=b style='margin:40px'>In</button><input id=i><script>b.onclick = e => parent.log.push(e.clientX > b.getBoundingClientRect().left && e.clientX < b.getBoundingClientRect().right, e.target.id)</script>"></iframe>`,
			Run: func(p *Page) {
				out := p.ok(info, `{"locator":{"selector":"#b","frame":"#f"}}`)
				p.is(p.ok(click, out.pointArgs()), "target.id", `"b"`)
				p.page(`log`, `[true,"b"]`)
				p.ok(click, p.ok(info, `{"locator":{"selector":"#i","frame":"#f"}}`).pointArgs())
				p.page(`$("#f").contentDocument.activeElement.id`, `"i"`)
			}},
		{Name: "pointer.click/names a form whose fields are named as its members", HTML: `<form id=f style="padding:30px"><input type=hidden name=id value=7><input name=localName></form><input form=f name=far><form id=g><input type=hidden name=localName>form</form>`, Run: func(p *Page) {
			out := p.ok(click, `{"x":15,"y":15}`)
			p.is(out, "target.id", `"f"`)
			p.is(out, "target.tag_name", `"form"`)
			for _, call := range []string{"pointer.move", "pointer.double_click"} {
				p.is(p.ok(call, `{"x":15,"y":15}`), "target.id", `"f"`)
			}
			p.is(p.ok(info, `{"locator":{"selector":"#f"}}`), "tag_name", `"form"`)
			p.is(p.ok("form.verify", `{"locator":{"selector":"#f"}}`), "field_count", `2`)
			p.is(p.ok(readAttributes, `{"selector":"#f","attributes":["id"]}`), "matches.0.tag_name", `"form"`)
			p.is(p.fails("text.insert", `{"text":"x","target":"#g"}`, fault.TargetNotEditable), "tag_name", `"form"`)
			p.eval(`$("#g").contentEditable = "true"`)
			p.is(p.ok("text.insert", `{"text":"x","target":"#g"}`), "tag_name", `"form"`)
			p.is(p.ok(pasteText, `{"text":"x","target":"#g"}`), "tag_name", `"form"`)
			p.eval(`$("#g").focus()`)
			p.is(p.ok("text.type", `{"text":"x"}`), "tag_name", `"form"`)
		}},
		{Name: "pointer.click/refuses null and missing coordinates", HTML: `<script>record(document, "pointerdown", "click")</script>`, Run: func(p *Page) {
			p.fails(click, `{"x":null,"y":null}`, fault.MissingCoordinates)
			p.fails(click, `{"x":5}`, fault.MissingCoordinates)
			p.fails(click, `{}`, fault.MissingCoordinates)
			p.fails(click, `{"x":"5","y":5}`, fault.InvalidInput)
			p.page(`log`, `[]`)
		}},
		{Name: "pointer.click/refuses points outside the viewport", HTML: `<script>record(document, "pointerdown", "click")</script>`, Run: func(p *Page) {
			p.fails(click, `{"x":-1,"y":5}`, fault.PointOutOfViewport)
			p.is(p.fails(click, `{"x":5,"y":100000}`, fault.PointOutOfViewport), "viewport.width", `1280`)
			p.page(`log`, `[]`)
		}},
		{Name: "pointer.click/refuses a disabled button and dispatches nothing", HTML: `<button id=b disabled style="position:absolute;left:0;top:0;width:90px;height:40px"><i>Off</i></button><script>record(document,"pointerover","pointerdown","mousedown","click")</script>`, Run: func(p *Page) {
			out := p.fails(click, `{"x":40,"y":20}`, fault.TargetNotActionable)
			p.is(out, "reason", `"disabled"`)
			p.page(`log`, `[]`)
		}},
		{Name: "pointer.click/gives the click to the overlay that covers the point", HTML: `
			<button id=b onclick="log.push('under')" style="position:absolute;left:0;top:0;width:90px;height:40px">B</button>
			<div id=veil onclick="log.push('veil')" style="position:fixed;inset:0"></div>`,
			Run: func(p *Page) {
				p.is(p.ok(click, `{"x":40,"y":20}`), "target.id", `"veil"`)
				p.page(`log`, `["veil"]`)
			}},
		{Name: "pointer.click/clicks what holds both ends when the target is replaced", HTML: `<div id=d><button id=b onmousedown="this.replaceWith(Object.assign(document.createElement('button'), {id: 'c', textContent: 'B'}))">B</button></div><script>$("#d").onclick = e => log.push(e.target.id)</script>`, Run: func(p *Page) {
			p.ok(click, p.ok(info, `{"locator":{"selector":"#b"}}`).pointArgs())
			p.page(`log`, `[]`)
		}},
	}
}
