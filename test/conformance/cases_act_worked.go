package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

const setChecked = "locator.set_checked"

// stoppedKeys is a list of tabs that moves the focus by arrow keys, and lets no other listener
// see a key: the one of the page is first on the window.
const stoppedKeys = `<div role=tablist><button role=tab id=a>A</button><button role=tab id=b tabindex=-1>B</button><button role=tab id=c tabindex=-1>C</button></div><script>
	const stop = e => { e.preventDefault(); e.stopImmediatePropagation() };
	addEventListener("keydown", e => { stop(e); log.push([e.key, e.isTrusted]); const way = e.key === "ArrowRight" ? "nextElementSibling" : "previousElementSibling"; document.activeElement[way]?.focus() }, true);
	for (const type of ["keypress", "keyup", "focusin", "beforeinput"]) addEventListener(type, stop, true);</script>`

// twice is a box that is declared around a native one, and an item of a menu around a round
// button of the same name: only the inner ones are drawn, and listen.
const twice = `<style>ul{margin:0;padding:0;list-style:none}[role=menu] li{width:40px;height:40px;padding:20px}li a{display:block;width:40px;height:40px;border-radius:50%;background:teal}</style>
	<div role=checkbox id=outer aria-label="Select Ann" style="position:relative;width:20px;height:20px"><input type=checkbox id=inner aria-label="Select Ann" style="position:absolute;margin:0;width:20px;height:20px;opacity:0"><i style="display:block;width:20px;height:20px;background:red"></i></div>
	<ul role=menu><li role=menuitem id=add><a role=menuitem aria-label=Add onclick="log.push('add')"></a><li role=menuitem id=cut><a role=menuitem aria-label=Cut onclick="log.push('cut')"></a></ul>
	<ul role=tree><li role=treeitem aria-expanded=true id=docs><span>Docs</span><ul role=group><li role=treeitem id=same>Docs</ul></ul>`

// digits are the boxes of a code: each takes one character, hands on the rest, and the focus.
const digits = `<form><input class=d><input class=d><input class=d><input class=d></form><input id=name maxlength=1><input id=next value=bc><script>
	const boxes = [...document.querySelectorAll(".d")], code = () => boxes.map(b => b.value).join("");
	boxes.forEach((box, at) => { box.onfocus = () => box.select(); box.oninput = () => { const rest = box.value; boxes.slice(at, at + rest.length).forEach((b, i) => { b.value = rest[i] }); boxes[Math.min(at + rest.length, 3)].focus() } })</script>`

// scrolling is a page that scrolls under a drag, which nothing takes.
const scrolling = `<style>body{height:5000px;user-select:none}div{position:relative;width:80px;height:40px}</style><div id=own draggable=true>Own</div><div id=plain>Plain</div><div id=fixed style="position:fixed;top:200px">Fixed</div><div id=free>Free</div><script>
	let held, from; addEventListener("pointerdown", e => { held = e.target; from = e.clientY }); addEventListener("pointerup", () => { held = null });
	addEventListener("dragover", () => scrollBy(0, 5)); addEventListener("pointermove", e => { if (!held) return; scrollBy(0, 5); if (held.id === "free") held.style.top = e.clientY - from + 200 + "px" })</script>`

// replaced is a tree that draws itself anew after a drop: the source is gone before the drag ends.
const replaced = `<style>li{width:150px;height:40px;border:1px solid}</style><ul id=from><li id=events draggable=true>Events</ul><ul id=to><li id=docs>Docs</ul><script>
	document.addEventListener("dragstart", e => e.dataTransfer.setData("text", "events")); $("#docs").addEventListener("dragover", e => e.preventDefault());
	$("#docs").addEventListener("drop", e => { e.preventDefault(); log.push(e.dataTransfer.getData("text")); $("#from").innerHTML = ""; $("#to").innerHTML = "<li>Docs<li>Events" });
	addEventListener("dragend", () => log.push("end"))</script>`

// opening is a picture that a press covers before the button is let go of.
const opening = `<canvas id=c width=200 height=200 style="background:teal"></canvas><dialog id=d style="inset:0;width:100%;height:100%"><button>Close</button></dialog><script>$("#c").onpointerdown = e => { if (e.ctrlKey) $("#d").showModal() }</script>`

// workedCases prove that nothing that worked is called failed.
func workedCases() []Case {
	return []Case{
		{Name: pressOn + "/counts the key that the page lets no other listener see", HTML: stoppedKeys, Run: func(p *Page) {
			for _, step := range [][2]string{{"#a", "ArrowRight"}, {"#b", "ArrowRight"}, {"#c", "ArrowLeft"}} {
				p.is(p.ok(pressOn, `{"locator":{"selector":"`+step[0]+`"},"key":"`+step[1]+`"}`), "verified", `true`)
			}
			p.page(`[document.activeElement.id, log]`, `["b",[["ArrowRight",true],["ArrowRight",true],["ArrowLeft",true]]]`)
		}},
		{Name: press + "/trusted counts the keys that the page lets no other listener see", HTML: stoppedKeys, Run: func(p *Page) {
			p.eval(`$("#a").focus()`)
			p.is(p.ok(press, `{"key":"ArrowRight","repeat":2,"trusted":true}`), "pressed", `true`)
			p.is(p.ok(press, `{"key":"ArrowLeft","trusted":true}`), "pressed", `true`)
			p.page(`document.activeElement.id`, `"b"`)
		}},
		{Name: setChecked + "/reads the state of the native box in the one that is declared", HTML: twice, Run: func(p *Page) {
			for _, locator := range []string{`"selector":"#outer"`, `"role":"checkbox","name":"Select Ann"`} {
				for _, checked := range []string{"true", "false"} {
					for _, fidelity := range []string{"auto", "synthetic"} {
						p.is(p.ok(setChecked, `{"locator":{`+locator+`},"checked":`+checked+`,"fidelity":"`+fidelity+`"}`), "checked_after", checked)
						p.page(`$("#inner").checked`, checked)
					}
				}
			}
		}},
		{Name: clickOn + "/presses the middle of an item that is drawn twice", HTML: twice, Run: func(p *Page) {
			p.is(p.ok(clickOn, `{"locator":{"selector":"#add"}}`), "verified", `true`)
			p.is(p.ok(clickOn, `{"locator":{"role":"menuitem","name":"Cut"}}`), "verified", `true`)
			p.page(`log`, `["add","cut"]`)
		}},
		{Name: shot + "/lists a control that is drawn twice once", HTML: twice, Run: func(p *Page) {
			p.eval(`$("#inner").checked = true`)
			p.tree(hostTree(p, `{}`), `
- checkbox "Select Ann" [ref=1] [checked]
- menu:
  - menuitem "Add" [ref=2]
  - menuitem "Cut" [ref=3]
- tree [ref=4]:
  - treeitem "Docs" [ref=5] [expanded]:
    - treeitem "Docs" [ref=6]`)
		}},
		{Name: fillIn + "/follows a code into the next boxes", HTML: digits, Run: func(p *Page) {
			for fidelity, pin := range map[string]string{"auto": "1234", "synthetic": "5678"} {
				out := p.ok(fillIn, `{"locator":{"selector":".d","strict":false},"text":"`+pin+`","fidelity":"`+fidelity+`"}`)
				p.is(out, "verified", `true`)
				p.is(out, "value", `"`+pin+`"`)
				p.page(`code()`, `"`+pin+`"`)
				// What was there before proves nothing.
				p.is(p.ok(fillIn, `{"locator":{"selector":".d","strict":false},"text":"`+pin+`","fidelity":"`+fidelity+`"}`), "verified", `null`)
			}
			p.fails(fillIn, `{"locator":{"selector":".d","strict":false},"text":"12345"}`, fault.ValueNotApplied)
			p.eval(`boxes.forEach(b => { b.type = "password"; b.value = "" })`)
			out := p.ok(fillIn, `{"locator":{"selector":".d","strict":false},"text":"1234"}`)
			p.is(out, "verified", `true`)
			p.is(out, "value", `null`)
			p.is(out, "value_length", `4`)
			p.fails(fillIn, `{"locator":{"selector":"#name"},"text":"xyz"}`, fault.ValueNotApplied)
		}},
		{Name: dragTo + "/takes no scrolling for a move", HTML: scrolling, Run: func(p *Page) {
			p.fails(dragTo, `{"locator":{"selector":"#own"},"to":{"x":300,"y":300}}`, fault.DragFailed)
			for _, id := range []string{"plain", "fixed"} {
				p.eval(`scrollTo(0, 0)`)
				out := p.ok(dragTo, `{"locator":{"selector":"#`+id+`"},"to":{"x":300,"y":300}}`)
				p.is(out, "moved", `false`)
				p.is(out, "verified", `null`)
				p.is(out, "changed", `["html scroll"]`)
			}
			p.eval(`scrollTo(0, 0)`)
			p.is(p.ok(dragTo, `{"locator":{"selector":"#free"},"to":{"x":300,"y":300}}`), "moved", `true`)
		}},
		{Name: dragTo + "/knows a drop whose source is gone", HTML: replaced, Run: func(p *Page) {
			out := p.ok(dragTo, `{"locator":{"selector":"#events"},"to":{"selector":"#docs"}}`)
			p.is(out, "dropped", `true`)
			p.is(out, "verified", `true`)
			p.page(`log`, `["events"]`)
		}},
		{Name: clickOn + "/cannot tell of a press that covers its own target", HTML: opening, Run: func(p *Page) {
			out := p.ok(clickOn, `{"locator":{"selector":"#c"},"modifiers":["Control"]}`)
			p.is(out, "verified", `null`)
			p.page(`$("#d").open`, `true`)
			p.eval(`$("#d").close()`)
			p.is(p.ok(clickOn, `{"locator":{"selector":"#c"}}`), "verified", `true`)
		}},
	}
}
