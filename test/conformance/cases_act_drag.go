package conformance

import (
	"github.com/actionsjson/actions-host/pkg/fault"
)

const dragTo = "locator.drag_to"

// native is a drag-and-drop of the browser's own, with data.
const native = `<style>.z{width:150px;height:100px;border:1px solid;margin:40px}</style><div id=a draggable=true class=z>A</div><div id=z class=z>zone</div><div id=no class=z>no zone</div><script>
	$("#a").addEventListener("dragstart", e => { e.dataTransfer.setData("text/plain", "the card"); log.push("start") });
	$("#z").addEventListener("dragover", e => e.preventDefault());
	$("#z").addEventListener("drop", e => { e.preventDefault(); log.push("drop:" + e.dataTransfer.getData("text/plain")); $("#z").append($("#a")) });
	$("#a").addEventListener("dragend", () => log.push("end"))</script>`

// sortable moves a row with pointer events, as libraries for sorting do: only
// after some way, and measuring in between.
const sortable = `<style>li{height:40px;list-style:none;border:1px solid;user-select:none}</style><ul id=l><li>one<li>two<li>three<li>four</ul><script>
	let held, from; $("#l").addEventListener("pointerdown", e => { held = e.target.closest("li"); from = e.clientY; });
	addEventListener("pointermove", e => { if (!held || Math.abs(e.clientY - from) < 5) return; const over = document.elementFromPoint(e.clientX, e.clientY)?.closest("li");
		if (over && over !== held) { const after = over.getBoundingClientRect(); e.clientY > after.top + after.height / 2 ? over.after(held) : over.before(held) } });
	addEventListener("pointerup", () => { held = null })</script>`

// wires draws a line from one handle to another, and follows the pointer with a line that it
// takes away again.
const wires = `<style>i{position:absolute;width:12px;height:12px;background:teal;user-select:none}</style><svg id=lines width=600 height=200></svg>
	<i id=out style="left:20px;top:20px"></i><i id=in style="left:320px;top:120px"></i><i id=dull style="left:500px;top:20px"></i>
	<input type=range id=range style="position:absolute;left:20px;top:250px;width:300px"><canvas width=100 height=50></canvas><script>
	let drawn; addEventListener("dragstart", e => e.preventDefault());
	$("#out").onpointerdown = () => { drawn = document.createElementNS("http://www.w3.org/2000/svg", "path"); $("#lines").append(drawn) };
	addEventListener("pointermove", e => drawn?.setAttribute("d", "M20 20L" + e.clientX + " " + e.clientY));
	addEventListener("pointerup", e => { if (drawn && e.target.id !== "in") drawn.remove(); drawn = null })</script>`

// edged is a zone whose middle is the upper edge of what is in it. It is ready for a drop on
// dragover alone, and notes what comes before the drop.
const edged = `<div id=a draggable=true style="width:80px;height:40px">A</div><div id=z style="position:absolute;left:300px;top:100px;width:100px;height:100px"><i id=icon style="position:absolute;top:50px;width:100px;height:50px;background:teal"></i></div><script>
	$("#a").ondragstart = e => e.dataTransfer.setData("text/plain", "the card");
	for (const type of ["dragenter", "dragover", "drop"]) $("#z").addEventListener(type, e => { if (type !== "dragenter") e.preventDefault(); log.push([type, e.target.id, e.clientX, e.clientY].join(" ")) })</script>`

// refusing is a page that takes no drop at all: it keeps the browser from opening dropped files,
// lifts its card under the pointer, brings a card that was dragged back slowly, and shows a
// message above all.
const refusing = `<style>.card{width:100px;height:40px;border:1px solid;user-select:none;position:relative}</style><p id=note></p><div id=a draggable=true class=card>A</div><div id=b class=card>B</div><div id=z style="width:150px;height:100px;margin:40px;border:1px solid">zone</div><script>
	for (const type of ["dragover", "drop"]) document.addEventListener(type, e => e.preventDefault());
	$("#a").addEventListener("dragstart", e => e.dataTransfer.setData("text/plain", "the card"));
	const complain = () => { $("#note").textContent = "This cannot be dropped here." };
	$("#a").addEventListener("dragend", complain);
	let from; $("#b").addEventListener("pointerdown", e => { from = e; $("#b").style.transition = "" });
	addEventListener("pointermove", e => { if (from) $("#b").style.transform = "translate(" + (e.clientX - from.clientX) + "px," + (e.clientY - from.clientY) + "px)" });
	addEventListener("pointerup", () => { if (!from) return; from = null; $("#b").style.transition = "transform 300ms"; $("#b").style.transform = ""; complain() })</script>`

// free are things that follow the pointer and stay where they are let go of: a dialog by its title,
// a handle between two panes, and a tile on a grid.
const free = `<style>#dialog,#tile{position:absolute;width:100px;height:60px;border:1px solid;user-select:none}#panes{display:flex;width:400px;height:50px}#left{width:150px}#bar{width:10px;background:teal}</style>
	<div id=panes><div id=left></div><div id=bar></div><div></div></div><div id=dialog style="left:20px;top:100px"><b id=title>Title</b></div><div id=tile style="left:200px;top:100px">tile</div><script>
	const follow = (handle, move) => { let from; handle.addEventListener("pointerdown", e => { from = e });
		addEventListener("pointermove", e => from && move(e.clientX - from.clientX, e.clientY - from.clientY)); addEventListener("pointerup", () => { from = null }) };
	follow($("#title"), (x, y) => { $("#dialog").style.left = 20 + x + "px"; $("#dialog").style.top = 100 + y + "px" });
	follow($("#bar"), x => { $("#left").style.width = 150 + x + "px" });
	follow($("#tile"), (x, y) => { $("#tile").style.left = 200 + 50 * Math.round(x / 50) + "px"; $("#tile").style.top = 100 + 50 * Math.round(y / 50) + "px" })</script>`

// ends notes what a drag and what follows it let go of, and the buttons of each move.
const ends = native + `<button id=b>b</button><script>
	for (const type of ["pointerdown", "pointercancel", "pointerup", "mouseup", "click"]) addEventListener(type, e => log.push(type), true);
	const buttons = new Set(); addEventListener("mousemove", e => buttons.add(e.buttons), true)</script>`

func actDragCases() []Case {
	order := `[...$("#l").children].map(e => e.textContent)`
	return []Case{
		{Name: dragTo + "/carries the data of a real drag", HTML: native, Run: func(p *Page) {
			out := p.ok(dragTo, `{"locator":{"selector":"#a"},"to":{"selector":"#z"}}`)
			p.is(out, "verified", `true`)
			p.is(out, "dropped", `true`)
			p.is(out, "fidelity", `"trusted"`)
			p.page(`[log, $("#a").parentElement.id]`, `[["start","drop:the card","end"],"z"]`)
		}},
		{Name: dragTo + "/is synthetic where that is asked for", HTML: native, Run: func(p *Page) {
			out := p.ok(dragTo, `{"locator":{"selector":"#a"},"to":{"locator":{"selector":"#z"}},"fidelity":"synthetic"}`)
			p.is(out, "fidelity", `"synthetic"`)
			p.page(`[log, $("#a").parentElement.id]`, `[["start","drop:the card","end"],"z"]`)
		}},
		{Name: dragTo + "/sorts a list that follows the pointer", HTML: sortable, Run: func(p *Page) {
			p.is(p.ok(dragTo, `{"locator":{"text_equals":"one","selector":"li"},"to":{"selector":"li:nth-child(3)"}}`), "moved", `true`)
			p.page(order+`.indexOf("one") > 0`, `true`)
			p.is(p.ok(dragTo, `{"locator":{"text_equals":"one","selector":"li"},"to":{"selector":"li:nth-child(1)"},"fidelity":"synthetic"}`), "moved", `true`)
			p.page(order+`.indexOf("one") < 2`, `true`)
		}},
		{Name: dragTo + "/fails when the page does not react", HTML: native, Run: func(p *Page) {
			p.fails(dragTo, `{"locator":{"selector":"#a"},"to":{"selector":"#no"}}`, fault.DragFailed)
			p.fails(dragTo, `{"locator":{"selector":"#a"},"to":{"selector":"#no"},"fidelity":"synthetic"}`, fault.DragFailed)
			p.page(`log.includes("drop:the card")`, `false`)
			// Nothing stays pressed or intercepted.
			p.is(p.ok(dragTo, `{"locator":{"selector":"#a"},"to":{"selector":"#z"}}`), "dropped", `true`)
		}},
		{Name: dragTo + "/tells what changed where nothing moved", HTML: wires, Run: func(p *Page) {
			for _, fidelity := range []string{"auto", "synthetic"} {
				out := p.ok(dragTo, `{"locator":{"selector":"#out"},"to":{"selector":"#in"},"fidelity":"`+fidelity+`"}`)
				p.is(out, "verified", `null`)
				p.is(out, "changed", `["svg#lines content"]`)
				p.is(out, "moved", `false`)
			}
			p.page(`document.querySelectorAll("#lines path").length`, `2`)
			p.is(p.ok(dragTo, `{"locator":{"selector":"#range"},"to":{"x":300,"y":300}}`), "changed", `["input#range input","input#range change"]`)
			p.is(p.ok(dragTo, `{"locator":{"selector":"canvas"},"to":{"x":300,"y":300}}`), "verified", `null`)
			p.fails(dragTo, `{"locator":{"selector":"#dull"},"to":{"selector":"#in"}}`, fault.DragFailed)
		}},
		{Name: dragTo + "/does not take what the page refuses, or only shifts, for a drop", HTML: refusing, Run: func(p *Page) {
			for _, source := range []string{"#a", "#b"} {
				for _, fidelity := range []string{"auto", "synthetic"} {
					p.eval(`$("#note").textContent = ""`)
					out := p.ok(dragTo, `{"locator":{"selector":"`+source+`"},"to":{"selector":"#z"},"fidelity":"`+fidelity+`"}`)
					p.is(out, "verified", `null`)
					p.is(out, "moved", `false`)
				}
			}
		}},
		{Name: dragTo + "/sees what was moved freely", HTML: free, Run: func(p *Page) {
			for _, fidelity := range []string{"auto", "synthetic"} {
				for source, to := range map[string]string{"#title": `{"x":240,"y":300}`, "#bar": `{"x":230,"y":40}`, "#tile": `{"x":427,"y":222}`} {
					out := p.ok(dragTo, `{"locator":{"selector":"`+source+`"},"to":`+to+`,"fidelity":"`+fidelity+`"}`)
					p.is(out, "moved", `true`)
					p.is(out, "verified", `true`)
				}
				p.eval(`($("#dialog").style = "left:20px;top:100px", $("#tile").style = "left:200px;top:100px", $("#left").style = "")`)
			}
		}},
		{Name: dragTo + "/drops text into a field", HTML: `<p id=word style="width:fit-content">word</p><input id=field><script>getSelection().selectAllChildren($("#word"))</script>`, Run: func(p *Page) {
			p.is(p.ok(dragTo, `{"locator":{"selector":"#word"},"to":{"selector":"#field"}}`), "verified", `true`)
			p.page(`$("#field").value`, `"word"`)
		}},
		{Name: dragTo + "/rests over what it is let go of on", HTML: edged, Run: func(p *Page) {
			p.is(p.ok(dragTo, `{"locator":{"selector":"#a"},"to":{"selector":"#z"}}`), "dropped", `true`)
			p.page(`log.slice(-3)`, `["dragover icon 350 150","dragover icon 350 150","drop icon 350 150"]`)
			p.page(`log.filter(event => event.startsWith("dragenter icon")).length`, `1`)
		}},
		{Name: dragTo + "/ends a drag of the browser's without letting the button go in the page", HTML: ends, Run: func(p *Page) {
			dragged := `["pointerdown","start","pointercancel","drop:the card","end"]`
			for range 2 {
				p.ok(dragTo, `{"locator":{"selector":"#a"},"to":{"selector":"#z"}}`)
				p.settles(`log`, dragged)
				p.eval(`(log.length = 0, buttons.clear())`)
				p.ok("locator.hover", `{"locator":{"selector":"#no"}}`)
				p.ok(clickOn, `{"locator":{"selector":"#b"}}`)
				p.page(`[log, [...buttons]]`, `[["pointerdown","pointerup","mouseup","click"],[0]]`)
				p.eval(`(log.length = 0, document.body.prepend($("#a")))`)
			}
		}},
		{Name: dragTo + "/says whether anything took the drop only where there is one", HTML: native + sortable, Run: func(p *Page) {
			p.eval(`$("#a").addEventListener("dragend", () => $("#a").append("!"))`)
			for _, fidelity := range []string{"auto", "synthetic"} {
				p.is(p.ok(dragTo, `{"locator":{"selector":"li:nth-child(1)"},"to":{"selector":"li:nth-child(3)"},"fidelity":"`+fidelity+`"}`), "dropped", `null`)
				p.is(p.ok(dragTo, `{"locator":{"selector":"#a"},"to":{"selector":"#no"},"fidelity":"`+fidelity+`"}`), "dropped", `false`)
			}
		}},
		// (C19)
		{Name: dragTo + "/refuses an end that is not on screen", HTML: native + `<div style="height:3000px"></div><div id=far class=z>far</div>`, Run: func(p *Page) {
			p.is(p.refuses(dragTo, `{"locator":{"selector":"#a"},"to":{"x":100,"y":5000}}`, fault.PointOutOfViewport), "end", `"to"`)
			p.is(p.refuses(dragTo, `{"locator":{"selector":"#a"},"to":{"selector":"#far"}}`, fault.PointOutOfViewport), "end", `"to"`)
			p.page(`log`, `[]`)
		}},
		{Name: "pointer.drag/drags between points and locators", HTML: native, Run: func(p *Page) {
			p.ok("pointer.drag", `{"from":{"x":100,"y":100},"to":{"locator":{"selector":"#z"}},"steps":5}`)
			p.page(`log`, `["start","drop:the card","end"]`)
			p.ok("pointer.drag", `{"from":{"selector":"#a"},"to":{"selector":"#z"},"fidelity":"synthetic"}`)
			p.page(`log.length`, `6`)
		}},
		{Name: "pointer.drag/follows a path", HTML: `<canvas id=c width=300 height=300 style="border:1px solid"></canvas><script>let down = false;
			for (const t of ["pointerdown","pointermove","pointerup"]) $("#c").addEventListener(t, e => { if (t === "pointerdown") down = true; if (down) log.push([e.offsetX, e.offsetY]); if (t === "pointerup") { down = false; document.title = "drawn" } })</script>`, Run: func(p *Page) {
			for _, fidelity := range []string{"auto", "synthetic"} {
				p.eval(`log.length = 0`)
				out := p.ok("pointer.drag", `{"path":[{"x":60,"y":60},{"x":120,"y":60},{"x":120,"y":120},{"x":60,"y":120},{"x":60,"y":60}],"fidelity":"`+fidelity+`"}`)
				p.is(out, "dragged", `true`)
				p.page(`[[120,60],[120,120],[60,120],[60,60]].every(([x, y]) => log.some(([a, b]) => Math.abs(a - x) < 15 && Math.abs(b - y) < 15)) && log.every(([a, b]) => a > 40 && a < 125 && b > 40 && b < 125)`, `true`)
			}
			p.is(p.refuses("pointer.drag", `{"path":[{"x":60,"y":60},{"x":9000,"y":60},{"x":70,"y":60}]}`, fault.PointOutOfViewport), "end", `"path"`)
			p.refuses("pointer.drag", `{"path":[{"x":60,"y":60},{"x":70,"y":60}],"to":{"x":1,"y":1}}`, fault.InvalidInput)
		}},
		{Name: "pointer.drag/refuses points outside the viewport", HTML: native, Run: func(p *Page) {
			p.refuses("pointer.drag", `{"from":{"x":-5,"y":100},"to":{"x":100,"y":100}}`, fault.PointOutOfViewport)
			p.refuses("pointer.drag", `{"from":{"x":100,"y":100},"to":{"x":100,"y":9000}}`, fault.PointOutOfViewport)
			p.page(`log`, `[]`)
		}},
	}
}
