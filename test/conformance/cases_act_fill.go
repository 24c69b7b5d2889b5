package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	fillIn  = "locator.fill"
	pressOn = "locator.press"
)

// model is a rich text editor that keeps its own text, draws it anew from there
// and takes edits as editors do: by beforeinput and paste.
const model = `<div id=e contenteditable style="min-height:2em;border:1px solid"></div><button id=else>else</button><script>
	let text = "old";
	const e = $("#e"), draw = () => { e.innerHTML = ""; for (const line of text.split("\n")) { const p = document.createElement("p"); p.textContent = line || "\u200b"; e.append(p) } };
	const put = s => { const all = getSelection().toString().length >= text.replace(/\n/g, "").length; text = all ? s : text + s; draw(); getSelection().selectAllChildren(e); getSelection().collapseToEnd() };
	e.addEventListener("beforeinput", ev => { ev.preventDefault(); if (ev.inputType === "insertText") put(ev.data); else if (ev.inputType.startsWith("delete")) { text = ""; draw() } });
	e.addEventListener("paste", ev => { ev.preventDefault(); put(ev.clipboardData.getData("text/plain")) });
	e.addEventListener("blur", draw); draw();</script>`

func actFillCases() []Case {
	return []Case{
		{Name: fillIn + "/replaces what the field holds with real input", HTML: `<input id=i value=old><textarea id=t>old</textarea><script>
			for (const t of ["focus","beforeinput","input"]) $("#i").addEventListener(t, e => log.push([t, e.inputType ?? "", e.isTrusted]))</script>`, Run: func(p *Page) {
			out := p.ok(fillIn, `{"locator":{"selector":"#i"},"text":"new text"}`)
			p.is(out, "verified", `true`)
			p.is(out, "fidelity", `"trusted"`)
			p.is(out, "value", `"new text"`)
			p.page(`log.filter(e => e[0] === "input")`, `[["input","insertText",true]]`)
			p.is(p.ok(fillIn, `{"locator":{"selector":"#t"},"text":"two\nlines"}`), "verified", `true`)
			p.page(`[$("#i").value, $("#t").value]`, `["new text","two\nlines"]`)
			// The browser's own editing would take minutes for so many lines.
			p.is(p.ok(fillIn, fmt.Sprintf(`{"locator":{"selector":"#t"},"text":%q}`, strings.Repeat("line\n", 10_000))), "verified", `true`)
			p.page(`$("#t").value.length`, `50000`)
			p.is(p.ok(fillIn, `{"locator":{"selector":"#i"},"text":""}`), "verified", `true`)
			p.page(`$("#i").value`, `""`)
		}},
		{Name: fillIn + "/is synthetic where that is asked for", HTML: controlled, Run: func(p *Page) {
			out := p.ok(fillIn, `{"locator":{"selector":"#i"},"text":"hello","fidelity":"synthetic"}`)
			p.is(out, "fidelity", `"synthetic"`)
			p.is(out, "verified", `true`)
			p.page(`[model, $("#i").value]`, `["hello","hello"]`)
		}},
		{Name: fillIn + "/updates a controlled input", HTML: controlled, Run: func(p *Page) {
			p.is(p.ok(fillIn, `{"locator":{"selector":"#i"},"text":"hello"}`), "verified", `true`)
			p.page(`[model, $("#i").value]`, `["hello","hello"]`)
		}},
		// (C7)
		{Name: fillIn + "/reports a page that rewrites the value", HTML: `<input id=u oninput="this.value = 'fixed'"><input id=m maxlength=3><input id=b onblur="this.value = 'reverted'">
			<input id=n oninput="this.value = Number(this.value.replaceAll(',', '')).toLocaleString('en')"><input id=c oninput="this.value = (this.value.replace('.', '') / 100).toFixed(2)">`, Run: func(p *Page) {
			out := p.fails(fillIn, `{"locator":{"selector":"#u"},"text":"abc"}`, fault.ValueNotApplied)
			p.is(out, "value", `"fixed"`)
			p.is(p.fails(fillIn, `{"locator":{"selector":"#m"},"text":"abcdef"}`, fault.ValueNotApplied), "value", `"abc"`)
			out = p.ok(fillIn, `{"locator":{"selector":"#n"},"text":"1234567"}`)
			p.is(out, "reformatted", `true`)
			p.is(out, "value", `"1,234,567"`)
			// 1234 that became 12.34 is another amount.
			p.is(p.fails(fillIn, `{"locator":{"selector":"#c"},"text":"1234"}`, fault.ValueNotApplied), "value", `"12.34"`)
		}},
		{Name: fillIn + "/reports a page that strips signs", HTML: `<input id=a oninput="this.value = this.value.replace(/[^\d]/g, '')"><input id=p type=password oninput="this.value = this.value.replace(/\W/g, '')">
			<input id=c autocomplete=cc-number oninput="this.value = this.value.replace(/(\d{4})(?=\d)/g, '$1 ')">`, Run: func(p *Page) {
			p.is(p.fails(fillIn, `{"locator":{"selector":"#a"},"text":"1,50"}`, fault.ValueNotApplied), "value", `"150"`)
			p.is(p.fails(fillIn, `{"locator":{"selector":"#p"},"text":"Secret0!"}`, fault.ValueNotApplied), "value_length", `7`)
			p.is(p.ok(fillIn, `{"locator":{"selector":"#c"},"text":"4111111111111111"}`), "reformatted", `true`)
		}},
		// (C8)
		{Name: fillIn + "/ends with the text in the model of an editor", HTML: model, Run: func(p *Page) {
			for _, fidelity := range []string{"auto", "synthetic"} {
				for _, text := range []string{"one line", `two\nlines`, ""} {
					p.is(p.ok(fillIn, fmt.Sprintf(`{"locator":{"selector":"#e"},"text":"%s","fidelity":%q}`, text, fidelity)), "verified", `true`)
					p.eval(`$("#else").focus()`)
					p.page(`text`, `"`+text+`"`)
				}
			}
		}},
		{Name: fillIn + "/sets dates, times, colours, numbers and ranges", HTML: `<input id=date type=date><input id=time type=time><input id=datetime type=datetime-local><input id=month type=month><input id=week type=week>
			<input id=color type=color><input id=range type=range min=0 max=10 step=2><input id=number type=number><input id=email type=email value=x@y.z><script>
			for (const i of document.querySelectorAll("input")) i.addEventListener("input", () => log.push(i.id))</script>`, Run: func(p *Page) {
			values := [][2]string{
				{"date", "2026-12-31"}, {"time", "23:59"}, {"datetime", "2026-12-31T23:59"}, {"month", "2026-12"}, {"week", "2026-W53"},
				{"color", "#102030"}, {"range", "6"}, {"number", "-1.5"}, {"email", "a@b.example"},
			}
			for _, v := range values {
				p.is(p.ok(fillIn, fmt.Sprintf(`{"locator":{"selector":"#%s"},"text":%q}`, v[0], v[1])), "verified", `true`)
				p.page(fmt.Sprintf(`$("#%s").value`, v[0]), fmt.Sprintf("%q", v[1]))
			}
			p.page(`[...new Set(log)].length`, fmt.Sprint(len(values)))
			p.is(p.refuses(fillIn, `{"locator":{"selector":"#date"},"text":"tomorrow"}`, fault.TargetNotEditable), "format", `"2026-12-31"`)
			p.refuses(fillIn, `{"locator":{"selector":"#number"},"text":"many"}`, fault.TargetNotEditable)
			p.refuses(fillIn, `{"locator":{"selector":"#date"},"text":"2026-12-31","fidelity":"trusted"}`, fault.CapabilityUnavailable)
		}},
		{Name: fillIn + "/never tells a secret", HTML: `<input id=p type=password><input id=o autocomplete=one-time-code><input id=x type=password oninput="this.value = 'other'">`, Run: func(p *Page) {
			for _, id := range []string{"p", "o"} {
				out := p.ok(fillIn, `{"locator":{"selector":"#`+id+`"},"text":"hunter2"}`)
				p.is(out, "sensitive", `true`)
				p.is(out, "value_length", `7`)
				if strings.Contains(fmt.Sprint(out.value), "hunter2") {
					p.Errorf("the output holds the secret: %v", out.value)
				}
				p.page(`$("#`+id+`").value`, `"hunter2"`)
			}
			out := p.fails(fillIn, `{"locator":{"selector":"#x"},"text":"hunter2"}`, fault.ValueNotApplied)
			if strings.Contains(fmt.Sprint(out.value), "other") || strings.Contains(fmt.Sprint(out.value), "hunter2") {
				p.Errorf("the evidence holds the secret: %v", out.value)
			}
		}},
		{Name: fillIn + "/refuses what takes no text and names what to use", HTML: `<select id=s><option>A</select><input id=c type=checkbox><input id=f type=file><input id=r readonly value=1><input id=d disabled><p id=p>x</p><button id=b>b</button><form id=form>form<input type=hidden name=localName></form>`, Run: func(p *Page) {
			p.is(p.refuses(fillIn, `{"locator":{"selector":"#form"},"text":"x"}`, fault.TargetNotEditable), "tag_name", `"form"`)
			for id, use := range map[string]string{"s": `"locator.select_option"`, "c": `"locator.set_checked"`, "f": `"locator.upload_file"`, "r": `null`, "p": `null`, "b": `null`} {
				p.is(p.refuses(fillIn, `{"locator":{"selector":"#`+id+`"},"text":"x"}`, fault.TargetNotEditable), "use", use)
			}
			p.refuses(fillIn, `{"locator":{"selector":"#d"},"text":"x","timeout_ms":100}`, fault.TargetDisabled)
			p.refuses(fillIn, `{"locator":{"selector":"#none"},"text":"x","timeout_ms":100}`, fault.TargetNotFound)
			p.fails(fillIn, `{"locator":{"selector":"#s"}}`, fault.InvalidInput)
		}},
		{Name: fillIn + "/finds the field by its label, in shadow roots and in frames", HTML: `<label>Name <input id=n></label><label>Draft <textarea id=d>begun</textarea></label><x-a></x-a><iframe id=f srcdoc="<input id=g>"></iframe>
			<script>$("x-a").attachShadow({mode:"closed"}).innerHTML = "<input id=s oninput='document.title = this.value'>"</script>`, Run: func(p *Page) {
			p.is(p.ok(fillIn, `{"locator":{"label":"Name"},"text":"one"}`), "verified", `true`)
			p.is(p.ok(fillIn, `{"locator":{"selector":"#s"},"text":"two"}`), "verified", `true`)
			p.is(p.ok(fillIn, `{"locator":{"selector":"#g","frame":"#f"},"text":"three"}`), "verified", `true`)
			p.is(p.ok(fillIn, `{"locator":{"label":"Draft"},"text":"four"}`), "verified", `true`)
			p.page(`[$("#n").value, document.title, $("#f").contentDocument.querySelector("#g").value, $("#d").value]`, `["one","two","three","four"]`)
		}},
		{Name: fillIn + "/fills under a floating label and refuses under a modal", HTML: `<style>.f{position:relative;width:200px}.f input{width:200px;height:30px}.f label{position:absolute;inset:0}</style>
			<div class=f><input id=i><label for=i>Name</label></div><input id=j><div id=m style="display:none;position:fixed;inset:0;background:#fff">modal</div>`, Run: func(p *Page) {
			p.is(p.ok(fillIn, `{"locator":{"selector":"#i"},"text":"x"}`), "verified", `true`)
			p.eval(`$("#m").style.display = ""`)
			p.is(p.refuses(fillIn, `{"locator":{"selector":"#j"},"text":"x","timeout_ms":100}`, fault.TargetOccluded), "occluded_by.target_label", `"div#m"`)
		}},
		// (C24)
		{Name: pressOn + "/presses real keys on the target", HTML: `<form action="/submit"><input name=q id=q value=tea></form><textarea id=t>ab</textarea>` + keyLog, Run: func(p *Page) {
			p.is(p.ok(pressOn, `{"locator":{"selector":"#t"},"key":"Control+A"}`), "fidelity", `"trusted"`)
			p.page(`[$("#t").selectionStart, $("#t").selectionEnd, document.activeElement.id]`, `[0,2,"t"]`)
			p.ok(pressOn, `{"locator":{"selector":"#t"},"key":"x"}`)
			p.ok(pressOn, `{"locator":{"selector":"#t"},"key":"Enter"}`)
			p.page(`$("#t").value`, `"x\n"`)
			p.page(`log.every(e => e[5])`, `true`)
			p.ok(pressOn, `{"locator":{"selector":"#q"},"key":"Enter"}`)
			if got := p.received(); got.Get("q") != "tea" {
				p.Errorf("received %v", got)
			}
		}},
		{Name: pressOn + "/moves in a list of options and is synthetic where that is asked for", HTML: `<div id=c role=combobox tabindex=0 aria-expanded=false>none</div><script>
			let at = -1; $("#c").addEventListener("keydown", e => { if (e.key === "ArrowDown") at++; if (e.key === "Enter") $("#c").textContent = "option " + at; log.push(e.isTrusted) })</script>`, Run: func(p *Page) {
			for _, key := range []string{"ArrowDown", "ArrowDown", "Enter"} {
				p.is(p.ok(pressOn, fmt.Sprintf(`{"locator":{"selector":"#c"},"key":%q}`, key)), "verified", `true`)
			}
			p.page(`$("#c").textContent`, `"option 1"`)
			out := p.ok(pressOn, `{"locator":{"selector":"#c"},"key":"ArrowDown","fidelity":"synthetic"}`)
			p.is(out, "fidelity", `"synthetic"`)
			p.is(out, "verified", `true`)
			p.page(`log`, `[true,true,true,false]`)
		}},
		{Name: pressOn + "/refuses what takes no focus and unknown keys", HTML: `<p id=p>x</p><input id=i>`, Run: func(p *Page) {
			p.refuses(pressOn, `{"locator":{"selector":"#p"},"key":"Enter"}`, fault.TargetNotFocusable)
			p.refuses(pressOn, `{"locator":{"selector":"#i"},"key":"NoSuchKey"}`, fault.InvalidKey)
		}},
	}
}
