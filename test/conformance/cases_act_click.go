package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const clickOn = "locator.click"

// clicks records which elements get which trusted clicks.
const clicks = `<script>addEventListener("click", e => log.push([e.target.id || e.target.localName, e.isTrusted, e.detail]))</script>`

func actClickCases() []Case {
	return []Case{
		{Name: clickOn + "/sends a real click and tells what the target got", HTML: `<button id=b>Go</button>` + clicks, Run: func(p *Page) {
			out := p.ok(clickOn, `{"locator":{"role":"button","name":"Go"}}`)
			p.is(out, "fidelity", `"trusted"`)
			p.is(out, "verified", `true`)
			p.is(out, "focused", `true`)
			p.is(out, "label", `"button#b"`)
			p.is(out, "events.length", `6`)
			p.page(`log`, `[["b",true,1]]`)
			p.page(`navigator.userActivation.hasBeenActive`, `true`)
		}},
		{Name: clickOn + "/is synthetic where that is asked for", HTML: `<button id=b>Go</button>` + clicks, Run: func(p *Page) {
			out := p.ok(clickOn, `{"locator":{"selector":"#b"},"fidelity":"synthetic"}`)
			p.is(out, "fidelity", `"synthetic"`)
			p.is(out, "verified", `true`)
			p.page(`log`, `[["b",false,1]]`)
		}},
		{Name: clickOn + "/passes button and modifiers", HTML: `<p id=p>x</p><script>for (const t of ["contextmenu","auxclick","click"]) $("#p").addEventListener(t, e => { e.preventDefault(); log.push([t, e.button, e.ctrlKey, e.shiftKey]) })</script>`, Run: func(p *Page) {
			p.is(p.ok(clickOn, `{"locator":{"selector":"#p"},"button":"right"}`), "verified", `true`)
			p.is(p.ok(clickOn, `{"locator":{"selector":"#p"},"button":"middle"}`), "verified", `true`)
			p.ok(clickOn, `{"locator":{"selector":"#p"},"modifiers":["Control","Shift"]}`)
			p.page(`log.filter(e => e[0] !== "auxclick" || e[1] === 1)`, `[["contextmenu",2,false,false],["auxclick",1,false,false],["click",0,true,true]]`)
		}},
		// (C3)
		{Name: clickOn + "/scrolls the target out from under sticky bars", HTML: `<style>html{scroll-behavior:smooth}header,footer{position:sticky;top:0;height:120px;background:#ccc;z-index:9}footer{top:auto;bottom:0}</style>
			<header>bar</header><div style="height:3000px"></div><button id=b>Go</button><div style="height:3000px"></div><footer>bar</footer>` + clicks, Run: func(p *Page) {
			p.is(p.ok(clickOn, `{"locator":{"selector":"#b"}}`), "scrolled", `true`)
			// Left under the header by the page itself.
			p.eval(`scrollBy({top: $("#b").getBoundingClientRect().top - 60, behavior: "instant"})`)
			p.is(p.ok(clickOn, `{"locator":{"selector":"#b"}}`), "scrolled", `true`)
			at := p.ok(clickOn, `{"locator":{"selector":"#b"}}`)
			if at.at("scrolled") != nil {
				p.Error("it scrolled without need")
			}
			p.page(`log`, `[["b",true,1],["b",true,1],["b",true,1]]`)
		}},
		// (C2)
		{Name: clickOn + "/refuses a covered target and names what covers it", HTML: `<button id=b>Go</button><div id=banner style="position:fixed;inset:0;background:#fff">cookies</div>` + clicks, Run: func(p *Page) {
			for _, fidelity := range []string{"auto", "synthetic"} {
				out := p.refuses(clickOn, fmt.Sprintf(`{"locator":{"selector":"#b"},"timeout_ms":200,"fidelity":%q}`, fidelity), fault.TargetOccluded)
				p.is(out, "occluded_by.target_label", `"div#banner"`)
				p.is(out, "occluded_by.tag_name", `"div"`)
				p.is(out, "occluded_by.rect.left", `0`)
			}
			p.page(`log`, `[]`)
		}},
		// (C1)
		{Name: clickOn + "/refuses several matches and lists them", HTML: `<ul><li>One <button>Edit</button><li>Two <button>Edit</button><li>Three <button>Edit</button></ul>` + clicks, Run: func(p *Page) {
			out := p.refuses(clickOn, `{"locator":{"text_equals":"Edit"}}`, fault.MultipleTargets)
			p.is(out, "candidates.length", `3`)
			p.is(p.ok(clickOn, `{"locator":{"text_equals":"Edit","nth":1}}`), "verified", `true`)
			p.page(`log.length`, `1`)
		}},
		{Name: clickOn + "/waits until it is there, shown, enabled and uncovered", HTML: `<div id=cover style="position:fixed;inset:0;background:#fff"></div><script>
			setTimeout(() => { document.body.insertAdjacentHTML("beforeend", "<button id=b disabled style='display:none'>Go</button>") }, 60);
			setTimeout(() => { $("#b").style.display = "" }, 120);
			setTimeout(() => { $("#b").disabled = false }, 180);
			setTimeout(() => { $("#cover").remove() }, 240);</script>` + clicks, Run: func(p *Page) {
			p.is(p.ok(clickOn, `{"locator":{"selector":"#b"}}`), "verified", `true`)
			p.page(`log`, `[["b",true,1]]`)
		}},
		{Name: clickOn + "/refuses what is not there, disabled or hidden", HTML: `<button id=d disabled>D</button><button id=a aria-disabled=true>A</button><button id=h style="display:none">H</button><button id=n style="pointer-events:none">N</button><div inert><button id=i>I</button></div>` + clicks, Run: func(p *Page) {
			for id, code := range map[string]fault.Code{
				"x": fault.TargetNotFound, "d": fault.TargetDisabled, "a": fault.TargetDisabled, "h": fault.TargetNotVisible,
				"n": fault.TargetNotActionable, "i": fault.TargetNotActionable,
			} {
				p.refuses(clickOn, fmt.Sprintf(`{"locator":{"selector":"#%s"},"timeout_ms":100}`, id), code)
			}
			p.page(`log`, `[]`)
		}},
		{Name: clickOn + "/refuses a target that keeps moving and waits for one that stops", HTML: `<style>@keyframes slide{to{transform:translateX(400px)}}#m{animation:slide .7s linear infinite alternate}#s{animation:slide .3s linear forwards}</style>
			<button id=m>M</button><br><button id=s>S</button>` + clicks, Run: func(p *Page) {
			// A machine so busy that it draws nothing for a while shows it at rest; then the click must have met it.
			want := `[["s",true,1]]`
			if _, f := p.backend.Call(p.Context(), p.T, clickOn, `{"locator":{"selector":"#m"},"timeout_ms":300}`); f == nil {
				want = `[["m",true,1],["s",true,1]]`
			} else if f.Code != fault.TargetMoved {
				p.Errorf("a moving target: %v", f)
			}
			p.eval(`$("#s").style.animation = "none", $("#s").offsetWidth, $("#s").style.animation = ""`)
			p.is(p.ok(clickOn, `{"locator":{"selector":"#s"}}`), "verified", `true`)
			p.page(`log`, want)
		}},
		{Name: clickOn + "/meets a target that is drawn anew all the time", HTML: `<div id=r></div><script>
			window.count = 0; const draw = () => { $("#r").innerHTML = "<button onclick='count++'>Go</button>" }; draw();
			let drawing = setInterval(draw, 50); window.slower = interval => { clearInterval(drawing); drawing = setInterval(draw, interval); return true }</script>`, Run: func(p *Page) {
			// A machine that is too busy to press within 50 ms says so, and gets more time.
			for done, interval := 0, 50; done < 8; {
				_, f := p.backend.Call(p.Context(), p.T, clickOn, `{"locator":{"role":"button","name":"Go"}}`)
				switch {
				case f == nil:
					done++
				case f.Code == fault.TargetMoved && interval < 2000:
					interval *= 2
					p.eval(fmt.Sprintf(`slower(%d)`, interval))
				default:
					p.Fatalf("the click gave %v", f)
				}
			}
			p.page(`count`, `8`)
		}},
		{Name: clickOn + "/tells of a target that was removed while it waited", HTML: `<button id=b disabled>Go</button><script>window.b = $("#b")</script>`, Run: func(p *Page) {
			// Later each time, until the call has seen it before.
			code := fault.TargetNotFound
			for delay := 100; code == fault.TargetNotFound && delay < 10_000; delay *= 2 {
				p.eval(fmt.Sprintf(`document.body.append(b), void setTimeout(() => b.remove(), %d)`, delay))
				_, f := p.backend.Call(p.Context(), p.T, clickOn, fmt.Sprintf(`{"locator":{"selector":"#b"},"timeout_ms":%d}`, delay+2000))
				if f == nil || f.Dispatched != fault.NotDispatched {
					p.Fatalf("the click gave %v", f)
				}
				code = f.Code
			}
			if code != fault.TargetDetached {
				p.Errorf("it is told as %s", code)
			}
		}},
		{Name: clickOn + "/keeps back a press that would hit something else", HTML: `<button id=b>Go</button><button id=evil style="display:none;position:absolute;left:0;top:0;width:300px;height:300px">Delete all</button>
			<script>for (const t of ["pointerdown","mousedown","mouseup","click"]) $("#evil").addEventListener(t, e => log.push(t));
			$("#b").addEventListener("mousemove", () => { $("#evil").style.display = ""; setTimeout(() => { $("#evil").style.display = "none" }, 300) })</script>`, Run: func(p *Page) {
			out := p.fails(clickOn, `{"locator":{"selector":"#b"}}`, fault.TargetMoved)
			p.is(out, "hit", `"button#evil"`)
			p.page(`log`, `[]`)
		}},
		{Name: clickOn + "/reaches shadow roots and frames", HTML: `<x-a></x-a><x-c></x-c><div id=boxless role=button style="display:contents" onclick="log.push(this.id)"><b>No box</b></div><div style="height:2000px"></div><iframe id=f style="border:7px solid;padding:5px;width:400px;height:200px" srcdoc="<div style='height:900px'></div><button onclick='parent.log.push(event.isTrusted)'>Inner</button>"></iframe>
			<script>for (const [name, mode] of [["x-a","open"],["x-c","closed"]]) { const r = $(name).attachShadow({mode}); r.innerHTML = "<button>" + mode + "</button>"; r.firstChild.onclick = () => log.push(mode) }</script>`, Run: func(p *Page) {
			p.is(p.ok(clickOn, `{"locator":{"role":"button","name":"open"}}`), "verified", `true`)
			p.is(p.ok(clickOn, `{"locator":{"role":"button","name":"closed"}}`), "verified", `true`)
			p.is(p.ok(clickOn, `{"locator":{"text_equals":"Inner","frame":"#f"}}`), "verified", `true`)
			p.is(p.ok(clickOn, `{"locator":{"role":"button","name":"No box"}}`), "verified", `true`)
			p.page(`log`, `["open","closed",true,"boxless"]`)
		}},
		{Name: clickOn + "/reaches a frame of another origin", HTML: `<div style="height:300px"></div><iframe id=f src="{{OTHER}}/frame"></iframe>`, Run: func(p *Page) {
			out := p.ok(clickOn, `{"locator":{"selector":"#inner","frame":"#f"}}`)
			p.is(out, "verified", `true`)
			p.is(out, "fidelity", `"trusted"`)
		}},
		// (C5)
		{Name: clickOn + "/refuses native selects and file fields and names what to use", HTML: `<select id=s><option>A</select><input id=f type=file>`, Run: func(p *Page) {
			p.is(p.refuses(clickOn, `{"locator":{"selector":"#s"}}`, fault.TargetNotActionable), "use", `"locator.select_option"`)
			p.is(p.refuses(clickOn, `{"locator":{"selector":"#f"}}`, fault.TargetNotActionable), "use", `"locator.upload_file"`)
		}},
		// (C14)
		{Name: clickOn + "/tells of a change of route and of a page that left", HTML: `<button onclick="history.pushState({}, '', '?next')">Next</button>
			<button onclick="setTimeout(() => history.pushState({}, '', '?' + ++n))">Later</button><script>let n = 0</script><a href="/frame">Away</a>`, Run: func(p *Page) {
			before := p.ok("page.info", `{}`).at("url").(string)
			out := p.ok(clickOn, `{"locator":{"text_equals":"Next"}}`)
			p.is(out, "page_url_changed.previous", fmt.Sprintf("%q", before))
			p.is(out, "page_url_changed.current", fmt.Sprintf("%q", before+"?next"))
			// What the page puts off until it has handled the click comes before the answer.
			for i := range 10 {
				out := p.ok(clickOn, `{"locator":{"text_equals":"Later"}}`)
				p.is(out, "page_url_changed.current", fmt.Sprintf("%q", before+"?"+fmt.Sprint(i+1)))
			}
			// The answer waits for the page to leave, for as long as most servers take.
			p.ok(clickOn, `{"locator":{"text_equals":"Away"}}`)
			p.ok("page.wait_for", `{"url_contains":"/frame"}`)
			p.is(p.ok("locator.wait_for", `{"locator":{"selector":"#inner"},"timeout_ms":5000}`), "matched", `true`)
		}},
		{Name: clickOn + "/works on hostile pages", CSP: "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; require-trusted-types-for 'script'",
			HTML: `<style>* {transition: all 5s !important; animation-duration: 9s !important; cursor: none !important} button::before {content: ""; position: absolute; inset: 0}</style>
			<form id=f><input name=nodeName><input name=localName><input name=firstChild><input name=getAttribute><input name=parentNode><input name=id><input name=matches><button id=b type=button>Go</button></form>
			<script>Element.prototype.getBoundingClientRect = () => { throw 1 }; Document.prototype.elementFromPoint = () => null</script>` + clicks, Run: func(p *Page) {
				p.is(p.ok(clickOn, `{"locator":{"selector":"#b"}}`), "verified", `true`)
				p.page(`log`, `[["b",true,1]]`)
			}},
		{Name: clickOn + "/waits for what the pointer's coming draws anew", HTML: `<style>button{position:absolute;width:60px;height:40px}i{position:absolute;inset:0}</style><p>Pictures</p><script>
			const later = {at_once: f => f(), microtask: queueMicrotask, task: f => { const c = new MessageChannel(); c.port1.onmessage = f; c.port2.postMessage(0) }, frame: requestAnimationFrame, timer: setTimeout};
			const picture = (w, color) => "data:image/svg+xml," + encodeURIComponent("<svg xmlns='http://www.w3.org/2000/svg' width='" + w + "' height='30'><rect width='99' height='99' fill='" + color + "'/></svg>");
			const redraw = {
				inside: b => { b.innerHTML = "<i>On</i>" },
				whole: b => { const again = b.cloneNode(true); again.onclick = b.onclick; b.replaceWith(again) },
				image: b => { b.firstChild.src = picture(50, "blue") },
				covered: b => { if (!b.nextSibling?.matches?.("i")) b.insertAdjacentHTML("beforeend", "<i></i>") },
			};
			Object.keys(redraw).forEach((what, x) => Object.keys(later).forEach((when, y) => {
				document.body.insertAdjacentHTML("beforeend", "<button id=" + what + "_" + when + " style='left:" + (300 + x * 90) + "px;top:" + y * 60 + "px'>" + (what === "image" ? "<img src=\"" + picture(20, "red") + "\">" : "<i>Off</i>") + "</button>");
				const b = document.body.lastChild;
				b.onclick = () => log.push(b.id);
				b.onmouseenter = () => later[when](() => redraw[what](b));
			}))</script>`, Run: func(p *Page) {
			var want []string
			for _, what := range []string{"inside", "whole", "image", "covered"} {
				for _, when := range []string{"at_once", "microtask", "task", "frame", "timer"} {
					want = append(want, what+"_"+when)
					p.ok(clickOn, `{"locator":{"selector":"#`+what+"_"+when+`"}}`)
				}
			}
			p.page(`log.join()`, `"`+strings.Join(want, ",")+`"`)
		}},
		// (C20)
		{Name: clickOn + "/works in a tab that is not in front", HTML: `<button id=b>Go</button><input id=i>` + clicks, Run: func(p *Page) {
			p.ok("browser.open_tab", fmt.Sprintf(`{"url":%q,"active":true}`, p.Site.server.URL+"/frame"))
			p.is(p.ok(clickOn, `{"locator":{"selector":"#b"}}`), "verified", `true`)
			p.is(p.ok("locator.fill", `{"locator":{"selector":"#i"},"text":"behind"}`), "verified", `true`)
			p.page(`[log, $("#i").value]`, `[[["b",true,1]],"behind"]`)
			tab := p.ok(tabsList, `{}`)
			p.is(tab, "tabs.0.active", `false`)
			p.ok(activate, fmt.Sprintf(`{"tab_id":%v,"focus":true}`, tab.at("tabs.0.tab_id")))
		}},
		// (C10)
		{Name: clickOn + "/presses a submit only once", HTML: `<form id=f action="/submit" method=post target=t><input name=q value=1><button id=s>Weiter</button></form><iframe name=t></iframe>
			<button id=buy>Jetzt kaufen</button><button id=jp>注文を確定する</button>
			<ul><li>A <button class=d>Delete</button><li>B <button class=d>Delete</button></ul>
			<form id=g role=search target=t><input type=search name=q><button id=find>Send search</button></form>` + clicks, Run: func(p *Page) {
			for _, id := range []string{"s", "buy", "jp"} {
				p.ok(clickOn, `{"locator":{"selector":"#`+id+`"}}`)
				p.refuses(clickOn, `{"locator":{"selector":"#`+id+`"}}`, fault.DuplicateSubmit)
				p.refuses(clickOn, `{"locator":{"selector":"#`+id+`"},"fidelity":"synthetic"}`, fault.DuplicateSubmit)
				p.ok(clickOn, `{"locator":{"selector":"#`+id+`"},"allow_repeat":true}`)
			}
			p.page(`log.map(e => e[0])`, `["s","s","buy","buy","jp","jp"]`)
			p.eval(`$("[name=q]").value = "2"`)
			p.ok(clickOn, `{"locator":{"selector":"#s"}}`)
			p.refuses("locator.press", `{"locator":{"selector":"#f input"},"key":"Enter"}`, fault.DuplicateSubmit)
			// Each row's own button, and a search as often as one likes.
			p.ok(clickOn, `{"locator":{"selector":".d","nth":0}}`)
			p.ok(clickOn, `{"locator":{"selector":".d","nth":1}}`)
			p.ok(clickOn, `{"locator":{"selector":"#find"}}`)
			p.ok(clickOn, `{"locator":{"selector":"#find"}}`)
		}},
		// (C12)
		{Name: clickOn + "/comes back when the click opens a dialog", HTML: `<button onclick="log.push(confirm('Sure?'))">Ask</button>`, Run: func(p *Page) {
			out := p.fails(clickOn, `{"locator":{"text_equals":"Ask"}}`, fault.DialogOpen)
			p.is(out, "dialog.message", `"Sure?"`)
			p.ok("browser.dismiss_dialog", `{"accept":true}`)
			p.page(`log`, `[true]`)
		}},
		{Name: "locator.double_click/gives both clicks and the double click", HTML: `<p id=p>some words</p><script>for (const t of ["click","dblclick"]) $("#p").addEventListener(t, e => log.push([t, e.detail, e.isTrusted]))</script>`, Run: func(p *Page) {
			p.is(p.ok("locator.double_click", `{"locator":{"selector":"#p"}}`), "verified", `true`)
			p.page(`log`, `[["click",1,true],["click",2,true],["dblclick",2,true]]`)
			p.eval(`log.length = 0`)
			p.is(p.ok("locator.double_click", `{"locator":{"selector":"#p"},"fidelity":"synthetic"}`), "verified", `true`)
			p.page(`log`, `[["click",1,false],["click",2,false],["dblclick",2,false]]`)
		}},
		{Name: "locator.hover/opens a menu that a style shows", HTML: `<style>#menu{display:none}#m:hover #menu{display:block}</style><div style="height:1500px"></div><div id=m>Menu<div id=menu><button id=b>Item</button></div></div>` + clicks, Run: func(p *Page) {
			p.is(p.ok("locator.hover", `{"locator":{"selector":"#m"}}`), "verified", `true`)
			p.ok(clickOn, `{"locator":{"selector":"#b"}}`)
			p.page(`log`, `[["b",true,1]]`)
			p.is(p.ok("locator.hover", `{"locator":{"selector":"#m"},"fidelity":"synthetic"}`), "hovered", `true`)
		}},
		{Name: "locator.hover/is a mouse to the page, also without a window", HTML: `<p>media</p>`, Run: func(p *Page) {
			p.ok("locator.hover", `{"locator":{"selector":"p"}}`)
			p.page(`["pointer: fine", "hover: hover", "any-pointer: fine", "any-hover: hover", "pointer: coarse"].map(q => matchMedia("(" + q + ")").matches)`, `[true,true,true,true,false]`)
		}},
		{Name: "locator.scroll_into_view/scrolls only if needed and gives the point", HTML: `<header style="position:sticky;top:0;height:100px;background:#ccc">bar</header><div style="height:2500px"></div><button id=b>Go</button><div style="height:2500px"></div>`, Run: func(p *Page) {
			out := p.ok("locator.scroll_into_view", `{"locator":{"selector":"#b"}}`)
			p.is(out, "scrolled", `true`)
			p.page(fmt.Sprintf(`document.elementFromPoint(%v, %v).id`, out.at("point.x"), out.at("point.y")), `"b"`)
			if again := p.ok("locator.scroll_into_view", `{"locator":{"selector":"#b"}}`); again.at("scrolled") != nil {
				p.Error("it scrolled without need")
			}
		}},
		{Name: "locator.scroll_into_view/fails when nothing matches", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.refuses("locator.scroll_into_view", `{"locator":{"selector":"#none"},"timeout_ms":0}`, fault.TargetNotFound)
		}},
	}
}
