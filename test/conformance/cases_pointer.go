package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

const clickEvents = `"pointerover","pointerenter","mouseover","mouseenter","pointermove","mousemove","pointerdown","mousedown","pointerup","mouseup"`

const allMouse = `record($("#b"),"pointerover","pointerenter","pointerout","pointerleave","mouseover","mouseenter","mouseout","mouseleave","pointermove","mousemove",` +
	`"pointerdown","mousedown","pointerup","mouseup","click","auxclick","contextmenu")`

func pointerCases() []Case {
	const move, click = "pointer.move", "pointer.click"
	return []Case{
		{Name: "pointer.move/dispatches hover events in order", HTML: `<button id=b style="position:absolute;left:0;top:0;width:50px;height:50px">x</button><script>` + allMouse + `</script>`, Run: func(p *Page) {
			p.is(p.ok(move, `{"x":10,"y":10}`), "target.id", `"b"`)
			p.page(`log`, `["pointerover","pointerenter","mouseover","mouseenter","pointermove","mousemove"]`)
		}},
		{Name: "pointer.move/leaves the element it was on before", HTML: `<button id=b style="position:absolute;left:0;top:0;width:50px;height:50px">x</button><script>` + allMouse + `</script>`, Run: func(p *Page) {
			p.ok(move, `{"x":10,"y":10}`)
			p.eval(`log.length = 0`)
			p.ok(move, `{"x":12,"y":10}`)
			p.page(`log`, `["pointermove","mousemove"]`)
			p.eval(`log.length = 0`)
			p.ok(move, `{"x":300,"y":300}`)
			p.page(`log`, `["pointerout","pointerleave","mouseout","mouseleave"]`)
		}},
		{Name: "pointer.move/refuses null and outside points", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fails(move, `{"x":null,"y":1}`, fault.MissingCoordinates)
			p.fails(move, `{"x":99999,"y":1}`, fault.PointOutOfViewport)
		}},
		{Name: "pointer.click/dispatches the mouse sequence in order", HTML: `<button id=b>x</button><script>` + allMouse + `; var seen; $("#b").addEventListener("click", e =>
				seen = [e.clientX, e.clientY, e.button, e.buttons, e.detail, e.composed, e.bubbles, e.cancelable]);
				var down; $("#b").addEventListener("pointerdown", e => down = [e.buttons, e.pointerType, e.isPrimary, e.pressure])</script>`, Run: func(p *Page) {
			out := p.ok(info, `{"locator":{"selector":"#b"}}`)
			p.is(p.ok(click, out.pointArgs()), "target.tag_name", `"button"`)
			p.page(`log`, `[`+clickEvents+`,"click"]`)
			p.page(`seen.slice(2)`, `[0,0,1,true,true,true]`)
			p.page(`down`, `[1,"mouse",true,0.5]`)
		}},
		{Name: "pointer.click/focuses the field and sets the caret", HTML: `<input id=i style="font:20px monospace;width:300px" value="0123456789"><script>record($("#i"),"mousedown","focus","mouseup","click")</script>`, Run: func(p *Page) {
			out := p.ok(info, `{"locator":{"selector":"#i"}}`)
			p.is(p.ok(click, out.pointArgs()), "focused", `true`)
			p.page(`document.activeElement.id`, `"i"`)
			p.page(`log`, `["mousedown","focus","mouseup","click"]`)
			p.page(`$("#i").selectionStart`, `10`)
			p.clickAt(`(() => { const r = $("#i").getBoundingClientRect(); return {x: Math.round(r.left + 3 + 12 * 3.1), y: Math.round(r.top + 12)} })()`)
			p.page(`$("#i").selectionStart`, `3`)
		}},
		{Name: "pointer.click/blurs when the target takes no focus", HTML: `<input id=i autofocus><p id=p>text</p>`, Run: func(p *Page) {
			p.eval(`$("#i").focus()`)
			p.is(p.click("#p"), "focused", `false`)
			p.page(`document.activeElement.localName`, `"body"`)
		}},
		{Name: "pointer.click/keeps the focus when mousedown is prevented", HTML: `<input id=i><button id=b onmousedown="event.preventDefault()" onclick="log.push('click')">B</button>`, Run: func(p *Page) {
			p.eval(`$("#i").focus()`)
			p.click("#b")
			p.page(`document.activeElement.id`, `"i"`)
			p.page(`log`, `["click"]`)
		}},
		{Name: "pointer.click/toggles a checkbox through its label", HTML: `<label id=l><input id=c type=checkbox> Agree</label> <label id=m for=d>Other</label><input id=d type=radio><script>record($("#c"),"input","change")</script>`, Run: func(p *Page) {
			p.click("#c")
			p.page(`$("#c").checked`, `true`)
			p.page(`log`, `["input","change"]`)
			p.click("#m")
			p.page(`[$("#d").checked, document.activeElement.id]`, `[true,"d"]`)
			p.clickAt(`(() => { const r = $("#l").getBoundingClientRect(); return {x: Math.round(r.right - 5), y: Math.round(r.top + 8)} })()`)
			p.page(`$("#c").checked`, `false`)
		}},
		{Name: "pointer.click/submits a form by its button", HTML: `<form action="/submit"><input name=q value=tea><button name=go value=1><b>Go</b></button></form>`, Run: func(p *Page) {
			p.click("button b")
			if got := p.received(); got.Get("q") != "tea" || got.Get("go") != "1" {
				p.Errorf("received %v", got)
			}
		}},
		{Name: "pointer.click/right opens the context menu without a click", HTML: `<button id=b>x</button><script>` + allMouse + `; var b; $("#b").addEventListener("contextmenu", e => b = [e.button, e.buttons])</script>`, Run: func(p *Page) {
			out := p.ok(info, `{"locator":{"selector":"#b"}}`)
			p.is(p.ok(click, with(out.pointArgs(), `"button":"right"`)), "button", `"right"`)
			p.page(`log.slice(6)`, `["pointerdown","mousedown","contextmenu","pointerup","mouseup","auxclick"]`)
			p.page(`b`, `[2,2]`)
		}},
		{Name: "pointer.click/middle gives auxclick", HTML: `<button id=b>x</button><script>` + allMouse + `</script>`, Run: func(p *Page) {
			out := p.ok(info, `{"locator":{"selector":"#b"}}`)
			p.ok(click, with(out.pointArgs(), `"button":"middle"`))
			p.page(`log.slice(6)`, `["pointerdown","mousedown","pointerup","mouseup","auxclick"]`)
		}},
		{Name: "pointer.click/passes modifiers on and refuses unknown ones", HTML: `<button id=b>x</button><script>$("#b").onclick = e => log.push(e.ctrlKey, e.shiftKey, e.altKey, e.metaKey)</script>`, Run: func(p *Page) {
			out := p.ok(info, `{"locator":{"selector":"#b"}}`)
			p.fails(click, with(out.pointArgs(), `"modifiers":["hyper"]`), fault.InvalidInput)
			p.page(`log`, `[]`)
			p.is(p.ok(click, with(out.pointArgs(), `"modifiers":["CTRL","Option"]`)), "modifiers", `["control","alt"]`)
			p.page(`log`, `[true,false,true,false]`)
		}},
	}
}
