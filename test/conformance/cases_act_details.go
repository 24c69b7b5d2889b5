package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// actDetailCases prove what the page does for the actions of the host.
func actDetailCases() []Case {
	return []Case{
		{Name: "target.prepare/finds the point and a handle", HTML: `<div style="height:3000px"></div><button id=b>Go</button>`, Run: func(p *Page) {
			out := p.ok("target.prepare", `{"action":"click","locator":{"selector":"#b"}}`)
			p.is(out, "way", `"pointer"`)
			p.is(out, "label", `"button#b"`)
			p.is(out, "scrolled", `true`)
		}},
		{Name: "target.prepare/refuses before anything happens", HTML: `<button id=b disabled>Go</button>`, Run: func(p *Page) {
			p.refuses("target.prepare", `{"action":"click","locator":{"selector":"#b"},"timeout_ms":50}`, fault.TargetDisabled)
		}},
		{Name: "target.show/finds, names and marks without touching", HTML: `<a href="/next?x=1"><span id=s>Next page</span></a><form action="/send"><label>Pass <input type=password value=pl4nted></label><button id=b disabled>Go</button></form>
			<p id=h style="display:none">x</p>` + spied + `<script>for (const t of ["focusin", "scroll", "input"]) addEventListener(t, () => seen.push(t), true);</script>`, Run: func(p *Page) {
			out := p.ok("target.show", `{"locator":{"selector":"#b"},"single":true,"mark":3}`)
			p.is(out, "role", `"button"`)
			p.is(out, "name", `"Go"`)
			p.is(out, "enabled", `false`)
			p.is(out, "marked", `true`)
			out = p.ok("target.show", `{"locator":{"label":"Pass"}}`)
			p.is(out, "sensitive", `true`)
			p.is(out, "marked", `false`)
			if strings.Contains(fmt.Sprint(out), "pl4nted") {
				p.Errorf("the secret is in %v", out)
			}
			p.is(p.ok("target.show", `{"locator":"#h","mark":1}`), "marked", `false`)
			var at struct{ X, Y float64 }
			p.backend.Eval(p.T, `(({x, y}) => ({x: x + 5, y: y + 5}))($("#s").getBoundingClientRect())`, &at)
			out = p.ok("target.show", fmt.Sprintf(`{"x":%v,"y":%v}`, at.X, at.Y))
			p.is(out, "role", `"link"`)
			if address, _ := out.at("address").(string); !strings.HasSuffix(address, "/next?x=1") {
				p.Errorf("the link leads to %q", address)
			}
			p.page(`seen.join()`, `""`)
		}},
		{Name: "target.show/refuses what is missing or ambiguous", HTML: `<button>A</button><button>B</button>`, Run: func(p *Page) {
			p.fails("target.show", `{"locator":{"selector":"button"},"single":true}`, fault.MultipleTargets)
			p.is(p.ok("target.show", `{"locator":{"selector":"button"}}`), "name", `"A"`)
			p.fails("target.show", `{"locator":"#none"}`, fault.TargetNotFound)
			p.fails("target.show", `{}`, fault.MissingCoordinates)
			p.fails("target.show", `{"x":3,"y":-9}`, fault.PointOutOfViewport)
		}},
		{Name: "target.describe/describes what is drawn and tells no value", HTML: `<button data-testid=go>Go</button><button hidden>No</button><label>Pass <input type=password value=pl4nted></label>`, Run: func(p *Page) {
			out := p.ok("target.describe", `{"locator":{"selector":"button, input"}}`)
			p.is(out, "found", `3`)
			p.is(out, "shown", `2`)
			text := fmt.Sprint(out)
			if !strings.Contains(text, "name:Go") || !strings.Contains(text, "test_id:go") || !strings.Contains(text, "secret:true") || strings.Contains(text, "pl4nted") {
				p.Errorf("%s", text)
			}
		}},
		{Name: "target.describe/finds nothing without an error", HTML: `<button>A</button>`, Run: func(p *Page) {
			p.is(p.ok("target.describe", `{"locator":"#none"}`), "found", `0`)
		}},
		{Name: "target.verify/says what the target got", HTML: `<button id=b>Go</button>`, Run: func(p *Page) {
			ref := p.ok("target.prepare", `{"action":"click","locator":{"selector":"#b"}}`).at("ref").(string)
			p.is(p.fails("target.verify", `{"action":"click","locator":{"ref":"`+ref+`"}}`, fault.OutcomeUnknown), "reason", `"not_seen"`)
			p.is(p.ok("target.verify", `{"action":"click","locator":{"ref":"`+ref+`"}}`), "lost", `"button#b"`)
		}},
		{Name: "target.destination/finds where a drag ends", HTML: `<div style="height:3000px"></div><div id=d style="width:40px;height:40px">x</div>`, Run: func(p *Page) {
			p.refuses("target.destination", `{"hold":"A","locator":{"selector":"#d"},"still":true}`, fault.PointOutOfViewport)
			out := p.ok("target.destination", `{"hold":"A","locator":{"selector":"#d"}}`)
			p.is(out, "label", `"div#d"`)
			p.is(p.ok("target.destination", `{"hold":"A","x":30,"y":40}`), "point.y", `40`)
			p.refuses("target.destination", `{"hold":"A","x":30,"y":-1}`, fault.PointOutOfViewport)
			p.fails("target.destination", `{"hold":"A","x":30}`, fault.MissingCoordinates)
		}},
		{Name: "target.dropped/says whether the drop was taken", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok("target.destination", `{"hold":"A","x":30,"y":40}`)
			p.eval(`document.body.dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true}))`) // of a script
			p.eval(`document.body.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true}))`)
			out := p.ok("target.dropped", `{"hold":"A"}`)
			p.is(out, "taken", `false`)
			p.is(out, "seen", `[]`)
		}},
		{Name: "target.grasped/says whether the browser drags", HTML: `<p id=p draggable=true>x</p><p id=q>y</p>`, Run: func(p *Page) {
			ref := p.ok("target.prepare", `{"action":"drag","hold":"A","locator":{"selector":"#p"},"to":{"x":30,"y":40}}`).at("ref").(string)
			p.eval(`$("#p").dispatchEvent(new DragEvent("dragstart", {bubbles: true, cancelable: true}))`) // of a script
			p.is(p.ok("target.grasped", `{"ref":"`+ref+`"}`), "native", `false`)
			p.is(p.ok("target.grasped", `{"ref":"gone"}`), "native", `false`)
		}},
		{Name: "target.act/waits, clicks and reads back", HTML: `<button id=b disabled onclick="log.push('x')">Go</button><script>setTimeout(() => { $("#b").disabled = false }, 80)</script>`, Run: func(p *Page) {
			p.is(p.ok("target.act", `{"action":"click","locator":{"selector":"#b"}}`), "result.verified", `true`)
			p.page(`log`, `["x"]`)
		}},
		{Name: "upload.part/keeps parts until they are used", HTML: `<input id=f type=file>`, Run: func(p *Page) {
			p.ok("upload.part", `{"upload_id":"u","file":0,"name":"a.txt","type":"text/plain","data":"aGVs"}`)
			p.ok("upload.part", `{"upload_id":"u","file":0,"name":"a.txt","type":"text/plain","data":"bG8="}`)
			p.is(p.ok("target.act", `{"action":"upload","upload_id":"u","locator":{"selector":"#f"}}`), "result.files.0.size", `5`)
			p.page(`$("#f").files[0].text()`, `"hello"`)
			p.fails("target.act", `{"action":"upload","upload_id":"u","locator":{"selector":"#f"}}`, fault.HandlerFailed)
		}},
	}
}

// doubleClickCases prove the pointer's primitives that know no target.
func doubleClickCases() []Case {
	return []Case{
		{Name: "pointer.double_click/sends both sequences and dblclick", HTML: `<p id=p>words</p><script>for (const t of ["mousedown","click","dblclick"]) $("#p").addEventListener(t, e => log.push(t + e.detail))</script>`, Run: func(p *Page) {
			info := p.ok("locator.element_info", `{"locator":{"selector":"#p"}}`)
			p.is(p.ok("pointer.double_click", info.pointArgs()), "double_clicked", `true`)
			p.page(`log`, `["mousedown1","click1","mousedown2","click2","dblclick2"]`)
			p.fails("pointer.double_click", `{"x":null,"y":3}`, fault.MissingCoordinates)
		}},
		{Name: "pointer.click/refuses fractions that are no pixels", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fails("pointer.click", `{"x":0.4,"y":0.6}`, fault.InvalidInput)
			p.ok("pointer.click", `{"x":10.5,"y":0.6}`)
		}},
	}
}
