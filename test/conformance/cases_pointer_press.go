package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

// pressed records what a pad gets of the pointer, with the buttons.
const pressed = `<div id=pad style="position:absolute;left:100px;top:100px;width:300px;height:200px;background:#eee"></div><button id=b>Else</button><script>
	for (const t of ["pointerdown","pointermove","pointerup"]) $("#pad").addEventListener(t, e => { if (t !== "pointermove" || e.buttons) log.push([t, e.clientX, e.clientY, e.buttons, e.isTrusted]) })</script>`

// pressCases returns the cases of a pointer that stays pressed between calls.
func pressCases() []Case {
	const down, move, up = "pointer.down", "pointer.move", "pointer.up"
	return []Case{
		{Name: down + "/holds the button until it goes up", HTML: pressed, Run: func(p *Page) {
			p.is(p.ok(down, `{"x":150,"y":150}`), "release_after_ms", `30000`)
			p.is(p.ok(move, `{"x":200,"y":160}`), "fidelity", `"trusted"`)
			p.ok(move, `{"x":250,"y":200}`)
			p.is(p.ok(up, `{}`), "pressed", `false`)
			p.page(`log`, `[["pointerdown",150,150,1,true],["pointermove",200,160,1,true],["pointermove",250,200,1,true],["pointerup",250,200,0,true]]`)
			if out := p.ok(move, `{"x":200,"y":160}`); out.at("fidelity") != nil {
				p.Errorf("a pointer that is up moved as %v", out.at("fidelity"))
			}
		}},
		{Name: down + "/is released by itself in time", HTML: pressed, Run: func(p *Page) {
			p.ok(down, `{"x":150,"y":150,"release_after_ms":200}`)
			p.settles(`log.map(e => e[0])`, `["pointerdown","pointerup"]`)
			p.is(p.fails(up, `{}`, fault.PointerNotPressed), "reason", `"timeout"`)
		}},
		{Name: down + "/is released before another action", HTML: pressed + clicks, Run: func(p *Page) {
			p.ok(down, `{"x":150,"y":150}`)
			p.ok(clickOn, `{"locator":{"selector":"#b"}}`)
			p.page(`log.map(e => e[0])`, `["pointerdown","pointerup","pad","b"]`)
			p.is(p.fails(up, `{}`, fault.PointerNotPressed), "reason", `"other_action"`)
		}},
		{Name: down + "/reaches a page that keeps the events to itself", HTML: `<script>for (const t of ["pointerdown", "mousedown", "pointerup", "mouseup"]) addEventListener(t, e => { log.push(t); e.stopImmediatePropagation() }, true)</script>` + pressed, Run: func(p *Page) {
			p.ok(down, `{"x":150,"y":150}`)
			p.ok(up, `{}`)
			p.page(`log`, `["pointerdown","mousedown","pointerup","mouseup"]`)
		}},
		{Name: up + "/ends a drag of the browser's own", HTML: `<div id=d draggable=true style="position:absolute;left:100px;top:100px;width:80px;height:80px;background:#eee"></div><script>for (const t of ["dragstart", "dragend", "pointerup"]) $("#d").addEventListener(t, e => log.push(t))</script>`, Run: func(p *Page) {
			p.ok(down, `{"x":120,"y":120}`)
			p.ok(move, `{"x":130,"y":130}`)
			p.ok(move, `{"x":300,"y":300}`)
			p.settles(`log`, `["dragstart"]`)
			p.ok(up, `{}`)
			p.settles(`log`, `["dragstart","dragend"]`)
		}},
		{Name: up + "/refuses a button that is not down", HTML: pressed, Run: func(p *Page) {
			p.refuses(up, `{"x":150,"y":150}`, fault.PointerNotPressed)
			p.refuses(down, `{"x":9000,"y":150}`, fault.PointOutOfViewport)
			p.page(`log`, `[]`)
		}},
	}
}
