package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// logMessages makes the page keep the messages of its frames.
const logMessages = `<script>addEventListener("message", e => typeof e.data === "string" && log.push(e.data))</script>`

// reporting returns an attribute with which a frame's element reports an event.
func reporting(event, what string) string {
	return ` on` + event + `="top.postMessage('` + what + `', '*')"`
}

// frame is an iframe element of another origin with the body.
func frame(attributes, html string) string { return frameOn("OTHER", attributes, html) }

func frameOn(host, attributes, html string) string {
	return `<iframe ` + attributes + ` src="{{` + host + `}}` + inside(html) + `"></iframe>`
}

// takingFocus is a field whose keys bring the focus into a frame of another origin.
var takingFocus = logMessages + `<input id=a>` + frame("id=o", `<input autofocus><script>addEventListener("keydown", e => top.postMessage("far " + e.key, "*"))</script>`) + `<script>
	$("#a").onkeydown = e => { log.push(e.key); $("#o").focus() }</script>`

// frameCases need the worker: it brings the page code into the documents of
// other origins.
func frameCases() []Case {
	return []Case{
		{Name: readText + "/reads in a frame of another origin", HTML: frame("id=o", `<p>far</p>`) + `<p>near</p>`, Run: func(p *Page) {
			p.is(p.ok(readText, `{"locator":{"selector":"p","frame":"#o"}}`), "text", `"far"`)
			p.is(p.ok(readText, `{"locator":{"selector":"p","frame":{"host":"localhost"}}}`), "text", `"far"`)
			p.is(p.ok(readText, `{"locator":{"selector":"p"}}`), "text", `"near"`)
			p.fails(readText, `{"locator":{"selector":"#none","frame":"#o"}}`, fault.TargetNotFound)
			p.fails(readText, `{"locator":{"selector":"p","frame":["#o","iframe"]}}`, fault.FrameNotFound)
		}},
		{Name: readText + "/goes through frames of several origins", HTML: frame("id=a", `<p>1</p>`+frameOn("SAME", "id=b", `<p>2</p>`+frameOn("SAME", "id=c", `<p>3</p>`+frameOn("THIRD", "id=d", `<p>4</p>`)))), Run: func(p *Page) {
			p.ok(waitFor, `{"locator":{"selector":"p","frame":["#a","#b","#c","#d"]},"state":"attached","timeout_ms":5000}`)
			for i, path := range []string{`["#a"]`, `["#a","#b"]`, `["#a","#b","#c"]`, `["#a",{"host":"127.0.0.1"},"#c",{"host":"third.localhost"}]`} {
				p.is(p.ok(readText, `{"locator":{"selector":"p","frame":`+path+`}}`), "text", fmt.Sprintf("%q", fmt.Sprint(i+1)))
			}
		}},
		{Name: readText + "/takes the host from the document, not from the address (C16)", HTML: `
			<iframe src="{{OTHER}}` + inside(`<p>hostile</p>`) + `&x=third.localhost#third.localhost"></iframe>` +
			frameOn("THIRD", "", `<script>location.href = "{{OTHER}}`+inside(`<p id=moved>hostile</p>`)+`"</script>`) +
			frameOn("THIRD", "", `<p>friend</p>`),
			Run: func(p *Page) {
				// Chromium gives a frame no layout that changes its process before the page around it is laid out.
				p.ok(waitFor, `{"locator":{"selector":"#moved","frame":"iframe:nth-of-type(2)"},"state":"attached","timeout_ms":5000}`)
				p.is(p.ok(readText, `{"locator":{"selector":"p","frame":{"host":"third.localhost"}}}`), "text", `"friend"`)
				p.fails(readText, `{"locator":{"selector":"p","frame":{"host":"hird.localhost"}}}`, fault.FrameNotFound)
				p.fails(readText, `{"locator":{"selector":"p","frame":{"host":"stripe.com"}}}`, fault.FrameNotFound)
			}},
		{Name: info + "/gives true geometry inside a frame of another origin", HTML: logMessages + `<style>body{height:3000px}</style>` +
			frame(`id=o style="position:absolute;left:100px;top:250px;width:300px;height:200px;border:10px solid;padding:5px;transform:scale(.5);transform-origin:0 0"`,
				`<style>body{height:2000px}button{position:absolute;left:20px;top:130px;width:100px;height:40px;padding:0;border:0}</style><button`+reporting("click", "hit")+`>B</button><script>const t = setInterval(() => { scrollTo(0, 100); if (scrollY === 100) { clearInterval(t); document.body.append(Object.assign(document.createElement("i"), {id: "scrolled"})); } }, 20)</script>`),
			Run: func(p *Page) {
				p.eval(`scrollTo(0, 200)`)
				p.ok(waitFor, `{"locator":{"selector":"#scrolled","frame":"#o"},"state":"attached","timeout_ms":5000}`)
				out := p.ok(info, `{"locator":{"selector":"button","frame":"#o"},"auto_scroll":false}`)
				p.is(out, "bounding_box.left", `117.5`)
				p.is(out, "bounding_box.top", `72.5`)
				p.is(out, "bounding_box.width", `50`)
				p.is(out, "bounding_box.height", `20`)
				p.is(out, "visibility.fully_visible", `true`)
				p.is(p.ok(clickPoint, out.pointArgs()), "target.bounding_box.left", `117.5`)
				p.settles(`log`, `["hit"]`)
			}},
		{Name: info + "/sees what covers a frame of another origin", HTML: `
			<div id=half style="position:absolute;left:0;top:0;width:60px;height:100px;z-index:1"></div>` +
			frame(`id=o style="position:absolute;left:0;top:0;border:0"`, `<button style="width:100px;height:40px">B</button>`),
			Run: func(p *Page) {
				out := p.ok(info, `{"locator":{"selector":"button","frame":"#o"}}`)
				if x := out.number("clickable_center.x"); x < 60 {
					p.Errorf("the point %v is covered", x)
				}
				p.eval(`$("#half").style.width = "200px"`)
				fail := p.fails(info, `{"locator":{"selector":"button","frame":"#o"}}`, fault.TargetNotActionable)
				p.is(fail, "visibility.occluded_by.target_label", `"div#half"`)
			}},
		{Name: info + "/sees what covers a frame two origins above", HTML: `<div id=veil style="position:fixed;inset:0;z-index:1" hidden></div>` +
			frame(`id=a style="border:0;width:400px"`, frameOn("THIRD", `id=b style="border:0"`, `<button>B</button>`)),
			Run: func(p *Page) {
				p.ok(waitFor, `{"locator":{"selector":"button","frame":["#a","#b"]},"timeout_ms":5000}`)
				p.ok(info, `{"locator":{"selector":"button","frame":["#a","#b"]}}`)
				p.eval(`$("#veil").hidden = false`)
				fail := p.fails(info, `{"locator":{"selector":"button","frame":["#a","#b"]}}`, fault.TargetNotActionable)
				p.is(fail, "visibility.occluded_by.target_label", `"div#veil"`)
			}},
		{Name: info + "/scrolls the pages around a frame of another origin", HTML: logMessages + `<div style="height:3000px"></div>` +
			frame(`id=o style="height:200px"`, `<div style="height:1500px"></div><button`+reporting("click", "deep")+`>B</button>`),
			Run: func(p *Page) {
				out := p.ok(info, `{"locator":{"selector":"button","frame":"#o"}}`)
				p.is(out, "initial_visibility.state", `"requires_scroll"`)
				p.ok(clickPoint, out.pointArgs())
				p.settles(`log`, `["deep"]`)
			}},
		{Name: info + "/enters closed shadow roots in a frame of another origin", HTML: `<div id=host></div><script>
			const root = $("#host").attachShadow({mode: "closed"});
			root.innerHTML = ` + "`" + frame("name=in", `<x-card></x-card><script>$("x-card").attachShadow({mode: "closed"}).innerHTML = "<button>Deep</button>"</script>`) + "`" + `;
			</script>`,
			Run: func(p *Page) {
				p.ok(waitFor, `{"locator":{"role":"button","name":"Deep","frame":{"name":"in"}},"timeout_ms":5000}`)
				p.is(p.ok(info, `{"locator":{"role":"button","name":"Deep","frame":{"name":"in"}}}`), "text", `"Deep"`)
			}},
		{Name: waitFor + "/waits in a frame of another origin that loads another document", HTML: frame("id=o", `<p>first</p><script>setTimeout(() => location.href = "{{THIRD}}`+inside(`<script>setTimeout(() => document.body.append(Object.assign(document.createElement("p"), {id: "late", textContent: "second"})), 200)</script>`)+`", 300)</script>`),
			Run: func(p *Page) {
				p.ok(waitFor, `{"locator":{"selector":"#late","frame":"#o"},"timeout_ms":8000}`)
				p.is(p.ok(readText, `{"locator":{"selector":"#late","frame":"#o"}}`), "text", `"second"`)
			}},
		{Name: waitFor + "/sees that the page around a frame of another origin scrolls", HTML: `<div style="height:3000px"></div>` + frame("id=o", `<p>x</p>`), Run: func(p *Page) {
			p.ok(waitFor, `{"locator":{"selector":"p","frame":"#o"},"state":"attached","timeout_ms":5000}`)
			p.eval(`setTimeout(() => $("#o").scrollIntoView(), 300)`)
			p.ok(waitFor, `{"locator":{"selector":"p","frame":"#o"},"timeout_ms":5000}`)
		}},
		{Name: waitFor + "/waits until a frame of another origin is gone", HTML: frame("id=o", `<p>x</p>`), Run: func(p *Page) {
			p.ok(readText, `{"locator":{"selector":"p","frame":"#o"}}`)
			p.eval(`setTimeout(() => $("#o").remove(), 200)`)
			p.ok(waitFor, `{"locator":{"selector":"p","frame":"#o"},"state":"detached","timeout_ms":5000}`)
		}},
		{Name: clickPoint + "/clicks in a frame of another origin", HTML: logMessages + frame(`style="position:absolute;left:20px;top:10px;width:200px;height:90px;border:3px solid"`,
			`<button style="position:absolute;left:0;top:0;width:80px;height:40px"`+reporting("click", "clicked")+`>B</button>`+frameOn("THIRD", `style="position:absolute;left:100px;top:0;border:0;width:80px;height:60px"`, `<i style="display:block;height:60px"`+reporting("mousedown", "down")+`></i>`)),
			Run: func(p *Page) {
				p.is(p.ok(clickPoint, `{"x":30,"y":20}`), "target.tag_name", `"button"`)
				p.is(p.ok(clickPoint, `{"x":150,"y":40}`), "target.viewport.width", `1280`)
				p.settles(`log`, `["clicked","down"]`)
				p.fails(clickPoint, `{"x":1281,"y":5}`, fault.PointOutOfViewport)
			}},
		{Name: insert + "/inserts in a frame of another origin", HTML: logMessages + frame("id=o", `<form action="/submit"><input name=q`+reporting("input", "typed")+`><button>Go</button></form>`), Run: func(p *Page) {
			out := p.ok(insert, `{"target":{"selector":"input","frame":"#o"},"text":"far"}`)
			p.is(out, "verified", `true`)
			p.settles(`log`, `["typed"]`)
			p.ok(clickPoint, p.ok(info, `{"locator":{"selector":"button","frame":"#o"}}`).pointArgs())
			if got := p.received().Get("q"); got != "far" {
				p.Errorf("the server got %q", got)
			}
		}},
		{Name: insert + "/inserts where the focus is, in a frame of another origin", HTML: logMessages + frame(`id=o style="position:absolute;left:0;top:0;border:0"`, `<input style="width:100px;height:30px" oninput="top.postMessage(this.value, '*')" onkeydown="top.postMessage(event.key, '*')">`), Run: func(p *Page) {
			p.ok(clickPoint, `{"x":50,"y":15}`)
			p.ok(insert, `{"text":"here"}`)
			p.ok("keyboard.press", `{"key":"x","trusted":false}`)
			p.settles(`log`, `["here","x","herex"]`)
			p.page(`document.activeElement.id`, `"o"`)
		}},
		{Name: press + "/sends a key once where it moves the focus into a frame of another origin", HTML: takingFocus, Run: func(p *Page) {
			p.eval(`$("#a").focus()`)
			p.ok(press, `{"key":"Enter"}`)
			p.page(`document.activeElement.id`, `"o"`)
			p.eval(`$("#a").focus()`)
			if f := p.refused(press, `{"key":"x","repeat":3}`, fault.FocusMoved); f.Dispatched != fault.WasDispatched {
				p.Errorf("a key of three went out: %v", f.Dispatched)
			}
			p.settles(`log`, `["Enter","x"]`)
		}},
		{Name: "text.type/types nothing into a frame of another origin that takes the focus", HTML: takingFocus, Run: func(p *Page) {
			p.eval(`$("#a").focus()`)
			if f := p.refused("text.type", `{"text":"xyz"}`, fault.FocusMoved); f.Dispatched != fault.WasDispatched {
				p.Errorf("a character of three went out: %v", f.Dispatched)
			}
			p.settles(`log`, `["x"]`)
		}},
		{Name: pressOn + "/sends a key once where it moves the focus into a frame of another origin", HTML: takingFocus, Run: func(p *Page) {
			p.ok(pressOn, `{"locator":{"selector":"#a"},"key":"Enter","fidelity":"synthetic"}`)
			p.settles(`log`, `["Enter"]`)
		}},
		{Name: readAttributes + "/reads in a frame of another origin", HTML: frame("id=o", `<p id=x>x</p>`), Run: func(p *Page) {
			p.is(p.ok(readAttributes, `{"selector":"p","attributes":["id"],"frame":["#o"]}`), "matches.0.attributes.id", `"x"`)
		}},
		{Name: readText + "/reads sandboxed and blank frames", HTML: `
			<iframe id=a sandbox="allow-scripts" srcdoc="<p>sandboxed"></iframe><iframe id=b></iframe>
			<iframe id=c sandbox="allow-scripts" src="{{SAME}}` + inside(`<p>opaque</p>`) + `"></iframe>
			<script>$("#b").contentDocument.write("<p>blank"); $("#b").contentDocument.close()</script>`,
			Run: func(p *Page) {
				p.is(p.ok(readText, `{"locator":{"selector":"p","frame":"#a"}}`), "text", `"sandboxed"`)
				p.is(p.ok(readText, `{"locator":{"selector":"p","frame":"#b"}}`), "text", `"blank"`)
				p.is(p.ok(readText, `{"locator":{"selector":"p","frame":"#c"}}`), "text", `"opaque"`)
			}},
		{Name: readText + "/leads a ref to the frame that gave it", HTML: `<button>top</button>` + frame("id=a", frameOn("THIRD", "id=b", `<button>one</button><button>two</button>`)), Run: func(p *Page) {
			p.ok(waitFor, `{"locator":{"selector":"button","frame":["#a","#b"]},"timeout_ms":5000}`)
			out := p.fails(readText, `{"locator":{"selector":"button","strict":true,"frame":["#a","#b"]}}`, fault.MultipleTargets)
			ref, _ := out.at("candidates.1.ref").(string)
			p.is(p.ok(readText, `{"locator":{"ref":"`+ref+`"}}`), "text", `"two"`)
			found := p.ok(info, `{"locator":{"ref":"`+ref+`"}}`)
			byPath := p.ok(info, `{"locator":{"selector":"button","nth":1,"frame":["#a","#b"]}}`)
			p.is(found, "bounding_box.left", fmt.Sprint(byPath.number("bounding_box.left")))
			p.eval(`$("#a").src = $("#a").src`)
			p.ok(waitFor, `{"locator":{"selector":"button","frame":["#a","#b"]},"timeout_ms":5000}`)
			p.fails(readText, `{"locator":{"ref":"`+ref+`"}}`, fault.StaleRef)
			p.fails(readText, `{"locator":{"ref":"zzz1"}}`, fault.StaleRef)
		}},
		{Name: clickOn + "/clicks in frames of other origins and sees what covers them", HTML: logMessages + `<div id=veil style="position:fixed;inset:0;z-index:1" hidden></div><div style="height:1500px"></div>` +
			frame(`id=a style="width:400px;height:300px"`, `<div style="height:600px"></div>`+frameOn("THIRD", `id=b`, `<button id=x onclick="top.postMessage('click ' + event.isTrusted, '*')">Far</button>`)),
			Run: func(p *Page) {
				target := `{"locator":{"role":"button","name":"Far","frame":["#a",{"host":"third.localhost"}]}}`
				out := p.ok(clickOn, target)
				p.is(out, "fidelity", `"trusted"`)
				p.is(out, "verified", `true`)
				p.ok(clickOn, with(target, `"fidelity":"synthetic"`))
				p.settles(`log`, `["click true","click false"]`)
				p.eval(`$("#veil").hidden = false`)
				fail := p.fails(clickOn, with(target, `"timeout_ms":300`), fault.TargetOccluded)
				p.is(fail, "occluded_by.target_label", `"div#veil"`)
				p.page(`log.length`, `2`)
			}},
		{Name: clickOn + "/refuses a frame as such", HTML: logMessages + frame("id=o", `<button onclick="top.postMessage('click', '*')">x</button>`), Run: func(p *Page) {
			p.is(p.refuses(clickOn, `{"locator":{"selector":"#o"}}`, fault.TargetNotActionable), "reason", `"frame"`)
			p.page(`log`, `[]`)
		}},
		{Name: dragTo + "/carries the data from a frame of one origin into a frame of another", HTML: logMessages +
			frame(`id=a width=300 height=200`, `<div id=s draggable=true style="width:80px;height:60px">card</div><script>document.getElementById("s").ondragstart = e => e.dataTransfer.setData("text/plain", "the card"); document.getElementById("s").ondragend = () => top.postMessage("end", "*")</script>`) +
			frameOn("THIRD", `id=b width=300 height=200`, `<div id=z style="width:200px;height:150px">zone</div><script>const z = document.getElementById("z"); z.ondragover = e => e.preventDefault(); z.ondrop = e => { e.preventDefault(); top.postMessage("drop " + e.dataTransfer.getData("text/plain"), "*") }</script>`),
			Run: func(p *Page) {
				out := p.ok(dragTo, `{"locator":{"selector":"#s","frame":"#a"},"to":{"selector":"#z","frame":"#b"}}`)
				p.is(out, "dropped", `true`)
				p.settles(`log.sort()`, `["drop the card","end"]`)
			}},
		{Name: "locator.fill/fills a field in a frame of another origin", HTML: frame("id=o", `<form action="/submit"><label>Card <input name=q></label><button>Pay</button></form>`), Run: func(p *Page) {
			p.is(p.ok("locator.fill", `{"locator":{"label":"Card","frame":"#o"},"text":"4111"}`), "verified", `true`)
			p.ok(clickOn, `{"locator":{"role":"button","name":"Pay","frame":"#o"}}`)
			if got := p.received().Get("q"); got != "4111" {
				p.Errorf("the server got %q", got)
			}
		}},
		{Name: readText + "/finds its frame among fifty", HTML: strings.Repeat(frame("width=40 height=20", `<p>no</p>`), 49) + frameOn("THIRD", "id=last", `<p>yes</p>`), Run: func(p *Page) {
			p.is(p.ok(readText, `{"locator":{"selector":"p","frame":"#last"}}`), "text", `"yes"`)
			p.is(p.ok(readText, `{"locator":{"selector":"p","frame":{"host":"third.localhost"}}}`), "text", `"yes"`)
		}},
	}
}
