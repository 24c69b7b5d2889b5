package conformance

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// codeEditor keeps lines in a model of its own, draws the first three of them, and reads a small
// text area, which it empties after each change.
const codeEditor = `<style>#code{position:relative;width:300px;height:80px}textarea{position:absolute;width:1px;height:1px;border:0;padding:0;opacity:0;resize:none}</style>
	<div id=code role=code><textarea id=t aria-label=Code></textarea><pre id=lines></pre></div><script>
	var model = "one\ntwo\nthree\nfour\nfive"; let all = false;
	const draw = () => { $("#lines").textContent = model.split("\n").slice(0, 3).join("\n") }; draw();
	const put = text => { model = all ? text : model + text; all = false; $("#t").value = ""; draw() };
	$("#t").addEventListener("keydown", e => { if (e.ctrlKey && e.keyCode === 65) { all = true; e.preventDefault() } else if (e.key === "Backspace") { put(""); e.preventDefault() } });
	$("#t").addEventListener("input", () => put($("#t").value));
	$("#t").addEventListener("paste", e => { e.preventDefault(); put(e.clipboardData.getData("text/plain")) });
	$("#lines").onmousedown = e => { e.preventDefault(); $("#t").focus() }</script>`

// stubbornEditor takes the key that selects all of its text and selects nothing. It refuses
// what is put into it, or adds it.
const stubbornEditor = `<style>#code{position:relative;width:300px;height:80px}textarea{position:absolute;width:1px;height:1px;border:0;padding:0;opacity:0;resize:none}</style>
	<div id=code role=code><textarea id=t aria-label=Code></textarea><pre id=lines></pre></div><script>
	var model = "alpha\nbeta\ngamma", adds = false; const put = text => { if (adds) model += text; $("#t").value = ""; $("#lines").textContent = model }; put();
	$("#t").addEventListener("keydown", e => { if (e.ctrlKey && e.keyCode === 65) e.preventDefault() });
	$("#t").addEventListener("input", () => put($("#t").value));
	$("#t").addEventListener("paste", e => { e.preventDefault(); put(e.clipboardData.getData("text/plain")) })</script>`

// sliders are set by keys, by the track, or not at all.
const sliders = `<style>.track{position:relative;width:300px;height:10px;margin:20px;background:#ccc}.thumb{position:absolute;width:14px;height:14px;background:teal}</style>
	<div class=track><div class=thumb id=keys role=slider tabindex=0 aria-valuemin=0 aria-valuemax=10 aria-valuenow=2></div></div>
	<div class=track id=press><div class=thumb id=track role=slider tabindex=0 aria-valuemin=0 aria-valuemax=300 aria-valuenow=0></div></div><div class=thumb id=fixed role=slider tabindex=0 aria-valuemin=0 aria-valuemax=9 aria-valuenow=4></div><script>
	$("#keys").onkeydown = e => { const by = {ArrowRight: 1, ArrowLeft: -1}[e.key]; if (by) { const now = +e.target.ariaValueNow + by; log.push(now); queueMicrotask(() => setTimeout(() => e.target.ariaValueNow = now)) } };
	$("#press").onmousedown = e => { $("#track").ariaValueNow = Math.round(e.clientX - $("#press").getBoundingClientRect().left) }</script>`

// actEditorCases returns the cases of fields that are more than an input.
func actEditorCases() []Case {
	return []Case{
		{Name: fillIn + "/replaces all text of a code editor by the editor's own selection", HTML: codeEditor, Run: func(p *Page) {
			for _, fidelity := range []string{"auto", "synthetic"} {
				for _, text := range []string{"first", `a = 1\nb = 2`} {
					p.is(p.ok(fillIn, fmt.Sprintf(`{"locator":{"selector":"#t"},"text":"%s","fidelity":%q}`, text, fidelity)), "verified", `true`)
					p.page(`model`, `"`+text+`"`)
				}
			}
			p.is(p.ok(fillIn, `{"locator":{"selector":"#t"},"text":""}`), "verified", `null`)
			p.page(`model`, `""`)
		}},
		{Name: fillIn + "/does not take what a code editor kept for the text", HTML: stubbornEditor, Run: func(p *Page) {
			for _, fidelity := range []string{"auto", "synthetic"} {
				p.eval(`model = "alpha\nbeta\ngamma"; adds = false; put()`)
				p.is(p.ok(fillIn, fmt.Sprintf(`{"locator":{"selector":"#t"},"text":"beta","fidelity":%q}`, fidelity)), "verified", `null`)
				p.page(`model`, `"alpha\nbeta\ngamma"`)
				p.eval(`adds = true`)
				p.is(p.ok(fillIn, fmt.Sprintf(`{"locator":{"selector":"#t"},"text":"delta","fidelity":%q}`, fidelity)), "verified", `null`)
				p.page(`model`, `"alpha\nbeta\ngammadelta"`)
			}
		}},
		{Name: fillIn + "/presses no key into what has taken the focus from a slider", HTML: sliders + `<input id=thief><script>$("#keys").onfocus = () => $("#thief").focus(); $("#thief").onkeydown = e => log.push(e.key)</script>`, Run: func(p *Page) {
			p.fails(fillIn, `{"locator":{"selector":"#keys"},"text":"7"}`, fault.ValueNotApplied)
			p.page(`[$("#keys").ariaValueNow, log]`, `["2",[]]`)
		}},
		{Name: fillIn + "/sets sliders by keys and by their track", HTML: sliders, Run: func(p *Page) {
			p.is(p.ok(fillIn, `{"locator":{"selector":"#keys"},"text":"6"}`), "verified", `true`)
			p.page(`[$("#keys").ariaValueNow, log]`, `["6",[3,4,5,6]]`)
			p.is(p.ok(fillIn, `{"locator":{"selector":"#track"},"text":"150"}`), "verified", `true`)
			p.page(`$("#track").ariaValueNow`, `"150"`)
			p.is(p.fails(fillIn, `{"locator":{"selector":"#fixed"},"text":"7"}`, fault.ValueNotApplied), "value", `"4"`)
			p.refuses(fillIn, `{"locator":{"selector":"#keys"},"text":"11"}`, fault.TargetNotEditable)
		}},
	}
}
