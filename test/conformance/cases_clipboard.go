package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

const (
	copyText  = "clipboard.copy"
	pasteText = "clipboard.paste"
	readClip  = "clipboard.read"
	writeClip = "clipboard.write"
)

// pasteCases pass the text along, so that the page code alone can do them.
func pasteCases() []Case {
	return []Case{
		{Name: pasteText + "/lets an editor handle the paste", HTML: `<div id=e contenteditable>old</div><script>
			$("#e").addEventListener("paste", e => { e.preventDefault(); log.push(e.clipboardData.getData("text/plain"), e.clipboardData.getData("text/html"));
				setTimeout(() => { $("#e").textContent = "[" + e.clipboardData.types + "]" }, 20) })</script>
			<canvas id=c tabindex=0 style="width:9px;height:9px"></canvas><script>$("#c").addEventListener("paste", e => e.preventDefault())</script>`,
			Run: func(p *Page) {
				out := p.ok(pasteText, `{"text":"a<b\nc","target":"#e"}`)
				p.is(out, "default_prevented", `true`)
				p.is(out, "changed", `true`)
				p.is(out, "input_method", `"synthetic-paste"`)
				p.is(out, "html_provided", `false`)
				p.ok(pasteText, `{"html":"<b>bold</b>","target":"#e"}`)
				p.page(`log`, `["a<b\nc","<p>a&#60;b<br>c</p>","bold","<b>bold</b>"]`)
				out = p.ok(pasteText, `{"text":"x","target":"#c"}`)
				p.is(out, "default_prevented", `true`)
				p.is(out, "changed", `false`)
			}},
		{Name: pasteText + "/inserts where nobody handles it", HTML: `<input id=i value=ad><div id=e contenteditable>one</div><input id=p type=password><script>record($("#i"),"paste","beforeinput","input","change")</script>`, Run: func(p *Page) {
			p.eval(`$("#i").focus(); $("#i").setSelectionRange(1, 1)`)
			out := p.ok(pasteText, `{"text":"bc"}`)
			p.is(out, "input_method", `"native-setter"`)
			p.is(out, "target_kind", `"activeElement"`)
			p.page(`[$("#i").value, ...log]`, `["abcd","paste","beforeinput","input","change"]`)
			p.is(p.ok(pasteText, `{"text":"-two","target":"#e"}`), "input_method", `"exec-command"`)
			p.page(`$("#e").innerText`, `"one-two"`)
			p.is(p.ok(pasteText, `{"text":"hunter2","target":"#p"}`), "sensitive", `true`)
		}},
		{Name: pasteText + "/keeps the words of HTML apart where only text goes", HTML: `<textarea id=t></textarea><div id=e contenteditable style="white-space:pre-wrap"></div>`, Run: func(p *Page) {
			for html, want := range map[string]string{
				`<style>p{color:red}</style><p>one</p>\n<p>two<br>three</p>`:                  `one\ntwo\nthree`,
				`<ul>\n <li>a</li>\n <li>b  <i>c</i></li></ul>`:                               `a\nb c`,
				`<table><tr><td>a</td><td>b</td></tr>\n<tr><td>c</td><td>d</td></tr></table>`: `a\tb\nc\td`,
				`<table>\n<tr>\n<td>a</td>\n<td>b</td>\n</tr>\n</table>`:                      `a\tb`,
				`a<br>\nb <br> c<br> `:        `a\nb\nc`,
				`just <b> bold</b> text`:      `just bold text`,
				`<p>p</p><pre>  x\n  y</pre>`: `p\n  x\n  y`,
			} {
				for _, id := range []string{"t", "e"} {
					p.eval(`$("#t").value = $("#e").textContent = ""`)
					p.ok(pasteText, `{"html":"`+html+`","text":"","target":"#`+id+`"}`)
					p.page(`$("#t").value || $("#e").innerText`, `"`+want+`"`)
				}
			}
			p.eval(`$("#t").value = ""`)
			p.ok(pasteText, `{"html":"<p>a</p><p><br></p><p>b</p>","target":"#t"}`)
			p.page(`$("#t").value`, `"a\n\nb"`)
			p.eval(`$("#t").value = "kept"; $("#t").select()`)
			p.fails(pasteText, `{"html":"<img src=x>","target":"#t"}`, fault.NothingPasted)
			p.page(`$("#t").value`, `"kept"`)
		}},
		{Name: pasteText + "/fails where nothing takes it", HTML: `<p id=p>text</p><input id=d readonly><input id=n type=number value=1><input id=x onbeforeinput="event.preventDefault()">`, Run: func(p *Page) {
			p.fails(pasteText, `{"text":"x"}`, fault.NoPasteTarget)
			for _, id := range []string{"p", "d", "x"} {
				p.fails(pasteText, `{"text":"x","target":"#`+id+`"}`, fault.NothingPasted)
			}
			p.fails(pasteText, `{"text":"many","target":"#n"}`, fault.NothingPasted)
			p.fails(pasteText, `{"text":"x","target":"#none"}`, fault.TargetNotFound)
			p.page(`[$("#p").textContent, $("#d").value, $("#n").value]`, `["text","","1"]`)
		}},
	}
}

func clipboardCases() []Case {
	return []Case{
		{Name: readClip + "/reads what was written", HTML: `<p>x</p>`, Run: func(p *Page) {
			for _, text := range []string{`"green tea"`, `"two\nlines \ud83c\udf75 \"quoted\""`, `""`} {
				p.is(p.ok(writeClip, `{"text":`+text+`}`), "written", `true`)
				p.is(p.ok(readClip, `{}`), "text", text)
			}
		}},
		{Name: writeClip + "/replaces what stands there", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok(writeClip, `{"text":"first"}`), "length", `5`)
			p.ok(writeClip, `{"text":"second"}`)
			p.is(p.ok(readClip, `{}`), "text", `"second"`)
		}},
		{Name: copyText + "/copies the selection and what the page makes of it", HTML: `<p id=p>green tea</p><input id=i value=field><div id=m>model</div>
			<script>$("#m").addEventListener("copy", e => { e.preventDefault(); e.clipboardData.setData("text/plain", "MODEL"); e.clipboardData.setData("text/html", "<b>MODEL</b>") })</script>`, Run: func(p *Page) {
			out := p.ok(copyText, `{"target":"#p"}`)
			p.is(out, "copied_length", `9`)
			p.is(out, "default_prevented", `false`)
			p.is(p.ok(readClip, `{}`), "text", `"green tea"`)
			p.eval(`$("#i").focus(); $("#i").setSelectionRange(1, 3)`)
			p.ok(copyText, `{}`)
			p.is(p.ok(readClip, `{}`), "text", `"ie"`)
			out = p.ok(copyText, `{"target":"#m"}`)
			p.is(out, "default_prevented", `true`)
			p.is(out, "html_copied", `true`)
			p.is(p.ok(readClip, `{}`), "text", `"MODEL"`)
		}},
		{Name: copyText + "/fails where nothing is selected", HTML: `<p id=p>x</p><p id=e></p><div id=m oncopy="event.preventDefault()">m</div>`, Run: func(p *Page) {
			p.ok(writeClip, `{"text":"before"}`)
			p.fails(copyText, `{}`, fault.NothingCopied)
			p.fails(copyText, `{"target":"#e"}`, fault.NoSelectTarget)
			p.fails(copyText, `{"target":"#m"}`, fault.NothingCopied)
			p.is(p.ok(readClip, `{}`), "text", `"before"`)
		}},
		{Name: "clipboard.selection/copies no secret", HTML: `<input id=p type=password value=hunter2>`, Run: func(p *Page) {
			p.ok(writeClip, `{"text":"before"}`)
			p.fails(copyText, `{"target":"#p"}`, fault.NothingCopied)
			p.is(p.ok(readClip, `{}`), "text", `"before"`)
		}},
		{Name: pasteText + "/pastes what was copied", HTML: `<p id=p>green tea</p><div id=m oncopy="event.preventDefault(); event.clipboardData.setData('text/plain', 'm'); event.clipboardData.setData('text/html', '<i>m</i>')">m</div>
			<textarea id=t></textarea><div id=e contenteditable onpaste="event.preventDefault(); this.innerHTML = event.clipboardData.getData('text/html')"></div>`, Run: func(p *Page) {
			p.ok(copyText, `{"target":"#p"}`)
			out := p.ok(pasteText, `{"target":"#t"}`)
			p.is(out, "source", `"system-clipboard"`)
			p.page(`$("#t").value`, `"green tea"`)
			p.ok(copyText, `{"target":"#m"}`)
			p.is(p.ok(pasteText, `{"target":"#e"}`), "html_provided", `true`)
			p.page(`$("#e").innerHTML`, `"<i>m</i>"`)
			p.is(p.ok(pasteText, `{"text":"own","target":"#t"}`), "source", `"argument"`)
			p.page(`$("#t").value`, `"green teaown"`)
		}},
	}
}
