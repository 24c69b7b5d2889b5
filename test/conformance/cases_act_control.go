package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

// actControlCases returns the cases of controls that are small, or drawn by other elements
// than the one that has their name.
func actControlCases() []Case {
	return []Case{
		{Name: clickOn + "/clicks what is only a few pixels large", HTML: `<style>.dot{position:absolute;border-radius:50%;background:red}</style>
			<i id=six class=dot style="left:300px;top:40px;width:6px;height:6px"></i><i id=two class=dot style="left:330.4px;top:40.7px;width:1.9px;height:2px"></i>
			<svg width=200 height=100 style="position:absolute;left:0;top:0"><text id=t x=20 y=30 font-size=7>1</text><path id=p d="M40 90 Q 90 -40 140 90" fill=none stroke=black stroke-width=2></path><rect id=r x=160 y=20 width=7 height=7></rect></svg>
			<a id=one href="#x" style="position:absolute;left:400px;top:20px;font-size:9px">1</a>` + clicks, Run: func(p *Page) {
			for _, id := range []string{"six", "two", "t", "p", "r", "one"} {
				p.is(p.ok(clickOn, `{"locator":{"selector":"#`+id+`"}}`), "verified", `true`)
			}
			p.page(`log.map(e => e[0])`, `["six","two","t","p","r","one"]`)
		}},
		{Name: clickOn + "/clicks what is drawn over a field inside its own control", HTML: `<style>.c{position:relative;width:240px;height:40px;border:1px solid;cursor:pointer;overflow:hidden;margin:4px}.c span{position:absolute;inset:0}.c input{position:absolute;inset:0;border:0}</style>
			<div class=c id=placeholder><b><input role=combobox aria-expanded=false></b><span>Choose</span></div>
			<div class=c id=clear><input role=combobox style="opacity:0"><span>Jack</span></div>
			<div class=c id=none><input role=combobox readonly style="pointer-events:none"></div>
			<div class=c id=dummy><b><input role=combobox style="left:-100px;width:1px;height:1px;opacity:0;transform:scale(.01)"></b><span>Choose</span></div>
			<div class=c id=sections><b style="opacity:0"><i contenteditable role=spinbutton aria-label=Month>MM</i>/<i contenteditable role=spinbutton aria-label=Day>DD</i></b></div>
			<script>for (const c of document.querySelectorAll(".c")) c.onmousedown = e => log.push([c.id, e.isTrusted])</script>`, Run: func(p *Page) {
			for _, id := range []string{"placeholder", "clear", "none", "dummy"} {
				p.is(p.ok(clickOn, `{"locator":{"selector":"#`+id+` input"}}`), "verified", `true`)
			}
			p.is(p.ok(clickOn, `{"locator":{"role":"spinbutton","name":"Day"}}`), "verified", `true`)
			p.page(`document.activeElement.getAttribute("aria-label")`, `"Day"`)
			p.is(p.ok(clickOn, `{"locator":{"selector":"#clear input"},"fidelity":"synthetic"}`), "verified", `true`)
			p.page(`log`, `[["placeholder",true],["clear",true],["none",true],["dummy",true],["sections",true],["clear",false]]`)
		}},
		{Name: clickOn + "/clicks the box of a hidden field beside the signs of its chips", HTML: `<style>.c{position:relative;width:160px;height:40px;border:1px solid}.c>div{position:absolute;width:1px;height:1px;clip:rect(0 0 0 0);overflow:hidden;opacity:0;pointer-events:none}.c svg{position:absolute;left:70px;top:10px}</style>
			<div class=c id=chips><div><input role=combobox readonly></div><svg width=20 height=20 tabindex=0 id=sign><rect width=20 height=20></rect></svg></div>
			<div class=c id=bar><div><input id=lost></div><button style="width:60px">Save</button></div>
			<script>for (const c of document.querySelectorAll(".c")) c.onclick = e => log.push(e.target.closest("[id]").id)</script>`, Run: func(p *Page) {
			p.is(p.ok(clickOn, `{"locator":{"selector":"#chips input"}}`), "verified", `true`)
			p.refuses(clickOn, `{"locator":{"selector":"#lost"},"timeout_ms":100}`, fault.TargetNotActionable)
			p.page(`log`, `["chips"]`)
		}},
		{Name: clickOn + "/clicks the button around a picture that takes no pointer", HTML: `<button id=b><svg id=s width=20 height=20 style="pointer-events:none"><rect width=20 height=20></rect></svg></button>
			<div id=d style="cursor:pointer"><i id=i style="pointer-events:none">icon</i></div><a id=a href="#x"><b style="float:left">Floating</b></a>` + clicks, Run: func(p *Page) {
			for _, id := range []string{"s", "i", "a"} {
				p.is(p.ok(clickOn, `{"locator":{"selector":"#`+id+`"}}`), "verified", `true`)
			}
			p.page(`log.map(e => e[0])`, `["b","d","b"]`)
		}},
		{Name: clickOn + "/presses nothing of another control", HTML: `<style>.row{position:relative;height:40px;margin:4px}.row>*{position:absolute;inset:0}#veil{position:fixed;inset:0;top:400px;background:#0008}</style>
			<div class=row><input id=f><button id=over>Clear all</button></div>
			<div class=row><input id=g style="pointer-events:none"><a href="#x" id=link>Link</a></div>
			<div style="position:relative;height:200px"><input id=h><div id=spinner style="position:absolute;inset:0;background:#fff">Loading</div></div>
			<div class=row><button id=off style="pointer-events:none">Off</button></div>
			<div style="position:absolute;top:450px"><input id=low></div><div id=veil></div>` + clicks, Run: func(p *Page) {
			for id, code := range map[string]fault.Code{
				"f": fault.TargetOccluded, "g": fault.TargetNotActionable, "h": fault.TargetOccluded, "off": fault.TargetNotActionable, "low": fault.TargetOccluded,
			} {
				p.refuses(clickOn, `{"locator":{"selector":"#`+id+`"},"timeout_ms":100}`, code)
			}
			p.page(`log`, `[]`)
		}},
		{Name: clickOn + "/waits for what comes, and offers what is similar", HTML: `<p id=q>Quiet</p><button id=sendForm>Send</button>`, Run: func(p *Page) {
			out := p.refuses(clickOn, `{"locator":{"role":"button","name":"Zzz"},"timeout_ms":100}`, fault.TargetNotFound)
			p.is(out, "nearest.length", `1`) // of its role
			out = p.refuses(clickOn, `{"locator":{"selector":"form > .send-button"},"timeout_ms":100}`, fault.TargetNotFound)
			p.is(out, "nearest.0.name", `"Send"`)
			p.is(p.refuses(clickOn, `{"locator":{"selector":"#zzz"},"timeout_ms":100}`, fault.TargetNotFound), "nearest", `null`)
			p.eval(`void fetch("/slow?ms=2000").then(() => document.body.insertAdjacentHTML("beforeend", "<button onclick='log.push(1)'>Late</button>"))`)
			p.is(p.ok(clickOn, `{"locator":{"role":"button","name":"Late"}}`), "verified", `true`)
			p.page(`log`, `[1]`)
		}},
		{Name: clickOn + "/refuses ten thousand matches", HTML: `<p>Rows</p><script>document.body.append(...Array.from({length: 10000}, () => Object.assign(document.createElement("button"), {textContent: "Row"})))</script>`, Run: func(p *Page) {
			for _, locator := range []string{`{"role":"button","name":"Row"}`, `{"text":"Row"}`, `{"selector":"button"}`} {
				out := p.refuses(clickOn, `{"locator":`+locator+`}`, fault.MultipleTargets)
				p.is(out, "match_count", `10000`)
				p.is(out, "candidates.length", `6`)
			}
		}},
		{Name: fillIn + "/fills a transparent field below its placeholder", HTML: `<div style="position:relative;width:200px;height:30px;overflow:hidden;border:1px solid"><span style="position:absolute;inset:0;z-index:1">Type here</span><input id=i style="opacity:0"></div>`, Run: func(p *Page) {
			p.is(p.ok(fillIn, `{"locator":{"selector":"#i"},"text":"tea"}`), "verified", `true`)
			p.page(`$("#i").value`, `"tea"`)
		}},
	}
}
