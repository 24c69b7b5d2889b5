package conformance

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const insert = "text.insert"

// controlled is a field guarded as React guards its inputs: the element's own
// value property remembers what the script set, and an input event that brings
// nothing new is ignored; the model then writes its value back.
const controlled = `<input id=i><script>
	const i = $("#i"), proto = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
	let tracked = "", model = "";
	Object.defineProperty(i, "value", {get() { return proto.get.call(i) }, set(v) { tracked = String(v); proto.set.call(i, v) }});
	i.addEventListener("input", () => { if (proto.get.call(i) !== tracked) { tracked = model = proto.get.call(i) } i.value = model });
</script>`

func insertCases() []Case {
	return []Case{
		{Name: "text.insert/appends at the caret", HTML: `<input id=i value=held>`, Run: func(p *Page) {
			p.ok(insert, `{"text":" on","target":"#i"}`)
			p.page(`$("#i").value`, `"held on"`)
			p.eval(`$("#i").setSelectionRange(0, 4)`)
			p.is(p.ok(insert, `{"text":"go"}`), "selected_text_length", `4`)
			p.page(`[$("#i").value, $("#i").selectionStart]`, `["go on",2]`)
		}},
		{Name: "text.insert/refuses a locator of several fields", HTML: `<form><label>Street <input id=ship value=a></label></form><form><label>Street <input id=bill value=b></label></form>`, Run: func(p *Page) {
			p.fails("text.insert", `{"text":"c","mode":"replace","target":{"label":"Street"}}`, fault.MultipleTargets)
			p.fails("text.select", `{"target":{"label":"Street"}}`, fault.MultipleTargets)
			p.fails("clipboard.paste", `{"target":{"label":"Street"},"text":"c"}`, fault.MultipleTargets)
			p.page(`[$("#ship").value, $("#bill").value]`, `["a","b"]`)
			p.ok("text.insert", `{"text":"c","mode":"replace","target":"input"}`) // as maps of others have it
			p.page(`[$("#ship").value, $("#bill").value]`, `["c","b"]`)
		}},
		{Name: "text.insert/replaces the value", HTML: `<textarea id=t>old</textarea>`, Run: func(p *Page) {
			out := p.ok(insert, `{"text":"new\nline","target":{"selector":"#t"},"mode":"replace"}`)
			p.is(out, "verified", `true`)
			p.is(out, "inserted_length", `8`)
			p.is(out, "input_method", `"native-setter"`)
			p.page(`$("#t").value`, `"new\nline"`)
		}},
		{Name: "text.insert/tells an input about every event", HTML: `<input id=i value=a><script>
			for (const t of ["focus","beforeinput","input","change"]) $("#i").addEventListener(t, e => log.push(e.type + ":" + (e.inputType ?? "") + ":" + (e.data ?? "")))</script>`,
			Run: func(p *Page) {
				p.ok(insert, `{"text":"x","target":"#i","mode":"replace"}`)
				p.page(`log`, `["focus::","beforeinput:insertReplacementText:x","input:insertReplacementText:x","change::"]`)
			}},
		{Name: "text.insert/updates a controlled input", HTML: controlled, Run: func(p *Page) {
			p.is(p.ok(insert, `{"text":"hello","target":"#i"}`), "verified", `true`)
			p.page(`[model, $("#i").value]`, `["hello","hello"]`)
		}},
		{Name: "text.insert/inserts into contenteditable", HTML: `<div id=e contenteditable><p>Dear</p></div><script>record($("#e"),"beforeinput","input")</script>`, Run: func(p *Page) {
			out := p.ok(insert, `{"text":" all","target":"#e"}`)
			p.is(out, "input_method", `"exec-command"`)
			p.is(out, "verified", `true`)
			p.page(`$("#e").innerHTML.replace("&nbsp;", " ")`, `"<p>Dear all</p>"`)
			p.page(`log`, `["beforeinput","input"]`)
			p.is(p.ok(insert, `{"text":"New","target":"#e","mode":"replace"}`), "selected_text_length", `8`)
			p.page(`$("#e").innerText.trim()`, `"New"`)
			p.is(p.ok(insert, `{"text":"New","target":"#e","mode":"replace"}`), "verified", `true`) // the same again
			long, err := json.Marshal(strings.Repeat("one  two\n", 999) + "end")
			if err != nil {
				p.Fatal(err)
			}
			p.is(p.ok(insert, fmt.Sprintf(`{"text":%s,"target":"#e","mode":"replace"}`, long)), "verified", `true`)
			p.page(`$("#e").innerText.replaceAll("\u00a0", " ").split("\n").filter(l => l === "one  two").length`, `999`)
		}},
		{Name: "text.insert/lets an editor handle the paste", HTML: `<div id=e contenteditable></div><script>
			$("#e").addEventListener("paste", e => { e.preventDefault(); const t = e.clipboardData.getData("text/plain"), h = e.clipboardData.getData("text/html");
				setTimeout(() => { $("#e").textContent = "[" + t + "]"; log.push(h) }, 30) })</script>`,
			Run: func(p *Page) {
				out := p.ok(insert, `{"text":"a<b\nc","target":"#e"}`)
				p.is(out, "input_method", `"synthetic-paste"`)
				p.is(out, "verified", `true`)
				p.page(`$("#e").textContent`, `"[a<b\nc]"`)
				p.page(`log`, `["<p>a&#60;b<br>c</p>"]`)
				// What HTML would fold is offered as text alone.
				p.ok(insert, `{"text":" d","target":"#e"}`)
				p.page(`[$("#e").textContent, log[1]]`, `["[ d]",""]`)
			}},
		{Name: "text.insert/does not take what an editor shows instead for the text", HTML: `<div id=e contenteditable onpaste="event.preventDefault(); this.append('!')">banana</div>`, Run: func(p *Page) {
			p.is(p.ok(insert, `{"text":"na","target":"#e"}`), "verified", `false`)
			p.page(`$("#e").textContent`, `"banana!"`)
		}},
		{Name: "text.insert/falls back where editing commands do not work", HTML: `<div id=e contenteditable style="display:none">x</div><script>record($("#e"), "input")</script>`, Run: func(p *Page) {
			out := p.ok(insert, `{"text":"yz","target":"#e"}`)
			p.is(out, "input_method", `"text-content"`)
			p.page(`$("#e").textContent`, `"xyz"`)
			p.page(`log`, `["input"]`)
		}},
		{Name: "text.insert/respects an editor that does it itself or refuses", HTML: `
			<div id=e contenteditable onbeforeinput="event.preventDefault(); setTimeout(() => { this.textContent = '<' + event.data + '>' }, 20)"></div>
			<div id=r contenteditable onbeforeinput="event.preventDefault()">keep</div>`,
			Run: func(p *Page) {
				p.is(p.ok(insert, `{"text":"yz","target":"#e"}`), "verified", `true`)
				p.page(`$("#e").textContent`, `"<yz>"`)
				p.fails(insert, `{"text":"yz","target":"#r"}`, fault.HandlerFailed)
				p.page(`$("#r").textContent`, `"keep"`)
			}},
		{Name: "text.insert/replaces the focused single-line input", HTML: `<input id=i value=old>`, Run: func(p *Page) {
			p.click("#i")
			p.ok(insert, `{"text":"new","mode":"replace"}`)
			p.page(`$("#i").value`, `"new"`)
		}},
		{Name: "text.insert/refuses an ambient replace outside of inputs and textareas", HTML: `<div id=e contenteditable>whole document</div><button id=b>b</button>`, Run: func(p *Page) {
			p.fails(insert, `{"text":"x","mode":"replace"}`, fault.AmbientReplaceRefused)
			p.eval(`$("#e").focus()`)
			p.fails(insert, `{"text":"x","mode":"replace"}`, fault.AmbientReplaceRefused)
			p.eval(`$("#b").focus()`)
			p.fails(insert, `{"text":"x","mode":"replace"}`, fault.AmbientReplaceRefused)
			p.eval(`$("#b").blur(); document.designMode = "on"`)
			p.fails(insert, `{"text":"x","mode":"replace"}`, fault.AmbientReplaceRefused)
			p.page(`$("#e").textContent`, `"whole document"`)
		}},
		{Name: "text.insert/refuses an ambient replace in the hidden field of an editor", HTML: `
			<div style="position:absolute;overflow:hidden;width:3px;height:0"><textarea id=c>clipped</textarea></div><textarea id=o style="opacity:0">drawn</textarea><textarea id=t style="width:1px;height:1px;padding:0;border:0">tiny</textarea>`, Run: func(p *Page) {
			for _, id := range []string{"c", "o", "t"} {
				p.eval(`$("#` + id + `").focus()`)
				p.fails(insert, `{"text":"x","mode":"replace"}`, fault.AmbientReplaceRefused)
				p.fails("text.type", `{"text":"x","mode":"replace"}`, fault.AmbientReplaceRefused)
			}
			p.page(`[...document.querySelectorAll("textarea")].map(t => t.value)`, `["clipped","drawn","tiny"]`)
		}},
		{Name: "text.insert/refuses what is not editable", HTML: `<input id=d disabled value=1><input id=r readonly value=1><input id=c type=checkbox><p id=p>x</p><select id=s><option>x</select>`, Run: func(p *Page) {
			for _, id := range []string{"d", "r", "c", "p", "s"} {
				p.fails(insert, `{"text":"x","target":"#`+id+`"}`, fault.TargetNotEditable)
			}
			p.fails(insert, `{"text":"x"}`, fault.TargetNotEditable)
			p.fails(insert, `{"text":"x","target":"#none"}`, fault.TargetNotFound)
			p.page(`[$("#d").value, $("#r").value]`, `["1","1"]`)
		}},
		{Name: "text.insert/sets a date and a number and refuses nonsense", HTML: `<input id=d type=date><input id=n type=number value=7>`, Run: func(p *Page) {
			p.is(p.ok(insert, `{"text":"2026-02-28","target":"#d"}`), "verified", `true`)
			p.is(p.fails(insert, `{"text":"tomorrow","target":"#d","mode":"replace"}`, fault.TargetNotEditable), "format", `"2026-12-31"`)
			p.ok(insert, `{"text":"-1.5","target":"#n","mode":"replace"}`)
			p.fails(insert, `{"text":"many","target":"#n","mode":"replace"}`, fault.TargetNotEditable)
			p.page(`[$("#d").value, $("#n").value]`, `["2026-02-28","-1.5"]`)
		}},
		{Name: "text.insert/inserts into a field in a shadow root and in a frame", HTML: `<x-a></x-a><iframe id=f srcdoc="<input id=g><div id=h contenteditable></div>"></iframe><script>$("x-a").attachShadow({mode:"open"}).innerHTML = "<input id=s><div id=e contenteditable>a</div>"</script>`, Run: func(p *Page) {
			p.ok(insert, `{"text":"one","target":"#s"}`)
			p.page(`$("x-a").shadowRoot.querySelector("#s").value`, `"one"`)
			p.is(p.ok(insert, `{"text":"b","target":"#e"}`), "verified", `true`)
			p.page(`$("x-a").shadowRoot.querySelector("#e").textContent`, `"ab"`)
			p.is(p.ok(insert, `{"text":"two","target":{"selector":"#g","frame":"#f"}}`), "verified", `true`)
			p.ok(insert, `{"text":"three","target":{"selector":"#h","frame":"#f"}}`)
			p.page(`["#g","#h"].map(s => { const e = $("#f").contentDocument.querySelector(s); return e.value ?? e.textContent })`, `["two","three"]`)
		}},
		{Name: "text.insert/marks a password as sensitive", HTML: `<input id=p type=password><input id=i>`, Run: func(p *Page) {
			p.is(p.ok(insert, `{"text":"hunter2","target":"#p"}`), "sensitive", `true`)
			p.is(p.ok(insert, `{"text":"x","target":"#i"}`), "sensitive", `false`)
			p.page(`$("#p").value`, `"hunter2"`)
		}},
		{Name: "text.insert/tells when the page changed the text", HTML: `<input id=u oninput="this.value = this.value.toUpperCase()"><input id=m maxlength=3><input id=no onbeforeinput="event.preventDefault()">`, Run: func(p *Page) {
			p.is(p.ok(insert, `{"text":"abc","target":"#u"}`), "verified", `false`)
			p.is(p.ok(insert, `{"text":"abcdef","target":"#m"}`), "verified", `false`)
			p.page(`[$("#u").value, $("#m").value]`, `["ABC","abc"]`)
			p.fails(insert, `{"text":"x","target":"#no"}`, fault.HandlerFailed)
		}},
	}
}

func typeCases() []Case {
	const typeText = "text.type"
	return []Case{
		{Name: "text.type/types with key events", HTML: `<input id=i value=a><script>for (const t of ["keydown","keypress","input","keyup"]) $("#i").addEventListener(t, e => log.push(t + ":" + (e.key ?? e.data)))</script>`, Run: func(p *Page) {
			p.eval(`$("#i").focus(); $("#i").setSelectionRange(1, 1)`)
			out := p.ok(typeText, `{"text":"B1"}`)
			p.is(out, "length", `2`)
			p.is(out, "verified", `true`)
			p.page(`$("#i").value`, `"aB1"`)
			p.page(`log`, `["keydown:B","keypress:B","input:B","keyup:B","keydown:1","keypress:1","input:1","keyup:1"]`)
		}},
		{Name: "text.type/overtypes what select_back_chars selects", HTML: `<input id=i value="one two">`, Run: func(p *Page) {
			p.eval(`$("#i").focus(); $("#i").setSelectionRange(7, 7)`)
			p.is(p.ok(typeText, `{"text":"2","select_back_chars":3}`), "selected_back", `3`)
			p.page(`$("#i").value`, `"one 2"`)
			p.ok(typeText, `{"text":"x","mode":"replace"}`)
			p.page(`$("#i").value`, `"x"`)
		}},
		{Name: "text.type/leaves out a character whose keydown is prevented", HTML: `<input id=i onkeydown="if (event.key === '-') event.preventDefault()">`, Run: func(p *Page) {
			p.eval(`$("#i").focus()`)
			p.is(p.ok(typeText, `{"text":"1-2"}`), "verified", `false`)
			p.page(`$("#i").value`, `"12"`)
		}},
		{Name: "text.type/does not take what stood there before for the text", HTML: `<input id=i value=2024 onkeydown="event.preventDefault()"><input id=m value=1000 maxlength=4><input id=o value=aba><input id=h value=100><div id=e contenteditable>banana</div>`, Run: func(p *Page) {
			for _, c := range []struct{ id, args, verified, now string }{
				{"i", `{"text":"2"}`, `false`, `2024`},
				{"i", `{"text":"\n"}`, `null`, `2024`},
				{"m", `{"text":"0"}`, `false`, `1000`},
				{"o", `{"text":"a","select_back_chars":1}`, `true`, `aba`}, // by itself
				{"o", `{"text":"b"}`, `true`, `abab`},
				{"o", `{"text":"ab","mode":"replace"}`, `true`, `ab`},
				{"h", `{"text":"00","select_back_chars":1}`, `true`, `1000`}, // once before and once after
				{"e", `{"text":"na"}`, `true`, `bananana`},
			} {
				p.eval(`{ const el = $("#` + c.id + `"); el.focus(); el.value ? el.setSelectionRange(9, 9) : getSelection().collapse(el, 1) }`)
				p.is(p.ok(typeText, c.args), "verified", c.verified)
				p.page(`$("#`+c.id+`").value ?? $("#`+c.id+`").innerText`, `"`+c.now+`"`)
			}
		}},
		{Name: "text.type/presses Enter and Tab for line breaks and tabs", HTML: `<textarea id=a></textarea><input id=b>`, Run: func(p *Page) {
			p.eval(`$("#a").focus()`)
			p.ok(typeText, `{"text":"one\r\ntwo\nthree\tfour"}`)
			p.page(`[$("#a").value, $("#b").value, document.activeElement.id]`, `["one\ntwo\nthree","four","b"]`)
		}},
		{Name: "text.type/follows a code into the next boxes", HTML: digits, Run: func(p *Page) {
			p.eval(`boxes[0].focus()`)
			p.is(p.ok("text.type", `{"text":"1234"}`), "verified", `true`)
			p.page(`code()`, `"1234"`)
			p.eval(`$("#name").focus()`)
			p.is(p.ok("text.type", `{"text":"xyz"}`), "verified", `false`)
		}},
		{Name: "text.type/refuses when nothing editable has the focus", HTML: `<p>x</p><div id=e contenteditable>keep</div>`, Run: func(p *Page) {
			p.fails(typeText, `{"text":"x"}`, fault.TargetNotEditable)
			p.eval(`$("#e").focus()`)
			p.fails(typeText, `{"text":"x","mode":"replace"}`, fault.AmbientReplaceRefused)
			p.page(`$("#e").textContent`, `"keep"`)
		}},
	}
}
