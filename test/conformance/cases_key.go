package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

const press = "keyboard.press"

func keyCases() []Case {
	return []Case{
		{Name: "keyboard.press/dispatches keydown, keypress and keyup", HTML: `<div id=d tabindex=0>x</div><script>for (const t of ["keydown","keypress","keyup"]) document.addEventListener(t, e => log.push([t, e.key, e.code, e.keyCode]))</script>`, Run: func(p *Page) {
			p.eval(`$("#d").focus()`)
			out := p.ok(press, `{"key":"'"}`)
			p.is(out, "fidelity", `"synthetic"`)
			p.is(out, "effect", `"none"`)
			p.is(out, "target_label", `"div#d"`)
			p.page(`log`, `[["keydown","'","Quote",222],["keypress","'","Quote",39],["keyup","'","Quote",222]]`)
		}},
		{Name: "keyboard.press/splits chords and takes a plus", HTML: `<script>document.addEventListener("keydown", e => log.push([e.key, e.code, e.ctrlKey, e.shiftKey, e.altKey]))</script>`, Run: func(p *Page) {
			p.is(p.ok(press, `{"key":"Control+Shift+K"}`), "modifiers", `["control","shift"]`)
			p.is(p.ok(press, `{"key":"+"}`), "key", `"+"`)
			p.is(p.ok(press, `{"key":"Control++"}`), "key", `"+"`)
			p.is(p.ok(press, `{"key":"A","modifiers":["Ctrl"]}`), "key", `"a"`)
			p.page(`log`, `[["K","KeyK",true,true,false],["+","Equal",false,false,false],["+","Equal",true,false,false],["a","KeyA",true,false,false]]`)
		}},
		{Name: "keyboard.press/Enter submits a form to its server", HTML: `<form action="/submit"><input name=q></form>`, Run: func(p *Page) {
			p.click("input")
			p.ok(insert, `{"text":"green tea","mode":"replace"}`)
			p.is(p.ok(press, `{"key":"Enter"}`), "effect", `"submitted_form"`)
			if got := p.received(); got.Get("q") != "green tea" {
				p.Errorf("received %v", got)
			}
		}},
		{Name: "keyboard.press/Enter respects a prevented keydown", HTML: `<form onsubmit="log.push('submit'); return false"><input id=i onkeydown="event.preventDefault()"><input id=k onkeypress="event.preventDefault()"><button>Go</button></form>`, Run: func(p *Page) {
			p.eval(`$("#i").focus()`)
			p.is(p.ok(press, `{"key":"Enter"}`), "effect", `"prevented"`)
			p.eval(`$("#k").focus()`)
			p.is(p.ok(press, `{"key":"Enter"}`), "effect", `"prevented"`)
			p.page(`log`, `[]`)
		}},
		{Name: "keyboard.press/Enter clicks the default button and respects a disabled one", HTML: `
			<form onsubmit="log.push('submit:' + event.submitter?.id); return false"><input id=a><input><button id=go onclick="log.push('click')">Go</button><button id=no>No</button></form>
			<form onsubmit="log.push('bad'); return false"><input id=b><button disabled>Go</button></form>
			<form onsubmit="log.push('bad'); return false"><input id=c><input></form>
			<form onsubmit="log.push('one'); return false"><input id=d><input type=checkbox></form>`,
			Run: func(p *Page) {
				for _, id := range []string{"a", "b", "c", "d"} {
					p.eval(`$("#` + id + `").focus()`)
					p.ok(press, `{"key":"Enter"}`)
				}
				p.page(`log`, `["click","submit:go","one"]`)
			}},
		{Name: "keyboard.press/Enter breaks the line in a textarea", HTML: `<form onsubmit="log.push('submit'); return false"><textarea id=t>ab</textarea><button>Go</button></form>`, Run: func(p *Page) {
			p.eval(`$("#t").focus(); $("#t").setSelectionRange(1, 1)`)
			p.is(p.ok(press, `{"key":"Enter"}`), "effect", `"inserted_text"`)
			p.page(`[$("#t").value, log.length]`, `["a\nb",0]`)
		}},
		{Name: "keyboard.press/Enter and Space click a button", HTML: `<button id=b onclick="log.push('b')">B</button><a id=a href="#x" onclick="log.push('a')">A</a><button id=n onkeydown="event.preventDefault()" onclick="log.push('n')">N</button>`, Run: func(p *Page) {
			p.eval(`$("#b").focus()`)
			p.is(p.ok(press, `{"key":"Enter"}`), "effect", `"clicked"`)
			p.is(p.ok(press, `{"key":"Space"}`), "effect", `"clicked"`)
			p.eval(`$("#a").focus()`)
			p.is(p.ok(press, `{"key":"Enter"}`), "effect", `"clicked"`)
			p.eval(`$("#n").focus()`)
			p.is(p.ok(press, `{"key":" "}`), "effect", `"prevented"`)
			p.page(`log`, `["b","b","a"]`)
		}},
		{Name: "keyboard.press/Space toggles a checkbox", HTML: `<input id=c type=checkbox><script>record($("#c"),"click","change","keyup")</script>`, Run: func(p *Page) {
			p.eval(`$("#c").focus()`)
			p.is(p.ok(press, `{"key":" "}`), "effect", `"toggled"`)
			p.page(`[$("#c").checked, ...log]`, `[true,"keyup","click","change"]`)
		}},
		{Name: "keyboard.press/Tab and Shift+Tab move the focus", HTML: `
			<input id=a><input id=x disabled><input id=h type=hidden><button id=m tabindex=-1>m</button><x-a></x-a><div style="display:none"><input></div><a id=z href="#">z</a>
			<script>$("x-a").attachShadow({mode:"open"}).innerHTML = "<button id=s>s</button>"</script>`,
			Run: func(p *Page) {
				const active = `document.activeElement.shadowRoot?.activeElement?.id ?? document.activeElement.id`
				for _, want := range []string{`"a"`, `"s"`, `"z"`, `"a"`} {
					p.is(p.ok(press, `{"key":"Tab"}`), "effect", `"moved_focus"`)
					p.page(active, want)
				}
				p.ok(press, `{"key":"Shift+Tab"}`)
				p.page(active, `"z"`)
				p.ok(press, `{"key":"Tab","modifiers":["Shift"]}`)
				p.page(active, `"s"`)
			}},
		{Name: "keyboard.press/Escape closes a modal dialog", HTML: `<dialog id=d><button>x</button></dialog><dialog id=k oncancel="event.preventDefault()"></dialog>`, Run: func(p *Page) {
			p.eval(`$("#d").showModal()`)
			p.is(p.ok(press, `{"key":"Escape"}`), "effect", `"closed_dialog"`)
			p.page(`$("#d").open`, `false`)
			p.eval(`$("#k").showModal()`)
			p.ok(press, `{"key":"Esc"}`)
			p.page(`$("#k").open`, `true`)
		}},
		{Name: "keyboard.press/repeat presses again and 0 presses nothing", HTML: `<div id=d tabindex=0></div><script>record(document,"keydown","keyup")</script>`, Run: func(p *Page) {
			out := p.ok(press, `{"key":"ArrowDown","repeat":0}`)
			p.is(out, "pressed", `false`)
			p.page(`log`, `[]`)
			p.is(p.ok(press, `{"key":"ArrowDown","repeat":3}`), "repeat", `3`)
			p.page(`log`, `["keydown","keyup","keydown","keyup","keydown","keyup"]`)
		}},
		{Name: "keyboard.press/refuses an unknown key", HTML: `<script>record(document,"keydown")</script>`, Run: func(p *Page) {
			for _, key := range []string{"", "Entr", "Control+", "Hyper+A", "F25", "ab"} {
				p.fails(press, `{"key":"`+key+`"}`, fault.InvalidKey)
			}
			p.fails(press, `{"key":"a","modifiers":["Hyper"]}`, fault.InvalidInput)
			p.page(`log`, `[]`)
		}},
	}
}

func editKeyCases() []Case {
	const state = `[$("#i").value, $("#i").selectionStart, $("#i").selectionEnd]`
	return []Case{
		{Name: "keyboard.press/Backspace and Delete edit", HTML: `<input id=i value="abcdef"><div id=e contenteditable>xyz</div>`, Run: func(p *Page) {
			p.eval(`$("#i").focus(); $("#i").setSelectionRange(3, 3)`)
			p.is(p.ok(press, `{"key":"Backspace"}`), "effect", `"deleted_text"`)
			p.page(state, `["abdef",2,2]`)
			p.ok(press, `{"key":"Delete"}`)
			p.page(state, `["abef",2,2]`)
			p.eval(`$("#i").setSelectionRange(1, 3)`)
			p.ok(press, `{"key":"Backspace"}`)
			p.page(state, `["af",1,1]`)
			p.eval(`$("#e").focus(); getSelection().collapse($("#e").firstChild, 3)`)
			p.ok(press, `{"key":"Backspace","repeat":2}`)
			p.page(`$("#e").textContent`, `"x"`)
		}},
		{Name: "keyboard.press/arrows, Home and End move the caret", HTML: `<input id=i value="one two">`, Run: func(p *Page) {
			p.eval(`$("#i").focus(); $("#i").setSelectionRange(3, 3)`)
			p.is(p.ok(press, `{"key":"ArrowLeft"}`), "effect", `"moved_caret"`)
			p.page(state, `["one two",2,2]`)
			p.ok(press, `{"key":"End"}`)
			p.page(state, `["one two",7,7]`)
			p.is(p.ok(press, `{"key":"Shift+Home"}`), "effect", `"selected_text"`)
			p.page(state, `["one two",0,7]`)
			p.ok(press, `{"key":"ArrowRight"}`)
			p.page(state, `["one two",7,7]`)
		}},
		{Name: "keyboard.press/Control+A selects", HTML: `<input id=i value="one two">`, Run: func(p *Page) {
			p.eval(`$("#i").focus()`)
			p.is(p.ok(press, `{"key":"Control+A"}`), "effect", `"selected_text"`)
			p.page(state, `["one two",0,7]`)
			p.ok(press, `{"key":"x"}`)
			p.page(state, `["x",1,1]`)
		}},
		{Name: "keyboard.press/printable keys insert text", HTML: `<input id=i><input id=n type=number><script>record($("#i"),"beforeinput","input")</script>`, Run: func(p *Page) {
			p.eval(`$("#i").focus()`)
			p.is(p.ok(press, `{"key":"é"}`), "effect", `"inserted_text"`)
			p.ok(press, `{"key":"Shift+a"}`)
			p.is(p.ok(press, `{"key":"Control+b"}`), "effect", `"none"`)
			p.page(`[$("#i").value, ...log]`, `["éA","beforeinput","input","beforeinput","input"]`)
			p.eval(`$("#n").focus()`)
			p.ok("text.type", `{"text":"-1.5"}`)
			p.page(`$("#n").value`, `"-1.5"`)
		}},
		{Name: "keyboard.press/repeats in a task for each key", HTML: `<input id=i><script>
			let shown = 0; const draw = () => { window.drawn = shown }; draw(); // as a framework, which draws after the task
			$("#i").onkeydown = () => { const next = drawn + 1; shown = next; const c = new MessageChannel(); c.port1.onmessage = draw; c.port2.postMessage(0) }</script>`, Run: func(p *Page) {
			p.eval(`$("#i").focus()`)
			p.ok("keyboard.press", `{"key":"ArrowDown","repeat":5}`)
			p.settles(`drawn`, `5`)
		}},
		{Name: "keyboard.press/arrows choose in the radio button's own group", HTML: `
			<input type=radio name=size id=a><input type=radio name=size id=b><form id=f><input type=radio name=size id=x></form><input type=radio name=size id=y form=f>
			<x-a></x-a><select id=s><option>one<optgroup disabled><option>two</optgroup><option>three</select>
			<script>$("x-a").attachShadow({mode:"open"}).innerHTML = "<input type=radio name=size id=c><input type=radio name=size id=d>"</script>`,
			Run: func(p *Page) {
				p.eval(`$("#b").focus()`)
				p.ok(press, `{"key":"ArrowDown"}`)
				p.page(`[document.activeElement.id, $("#x").checked]`, `["a",false]`)
				p.eval(`$("#x").focus()`)
				p.ok(press, `{"key":"ArrowDown"}`)
				p.page(`document.activeElement.id`, `"y"`)
				p.eval(`$("x-a").shadowRoot.querySelector("#c").focus()`)
				p.is(p.ok(press, `{"key":"ArrowDown"}`), "effect", `"changed_choice"`)
				p.page(`[$("x-a").shadowRoot.activeElement?.id, $("#a").checked]`, `["d",true]`)
				p.eval(`$("#s").focus()`)
				p.ok(press, `{"key":"ArrowDown"}`)
				p.page(`$("#s").value`, `"three"`)
			}},
		{Name: "keyboard.press/arrows choose in selects and groups", HTML: `
			<select id=s><option>a<option disabled>b<option>c</select><input type=radio name=r id=r1 checked><input type=radio name=r id=r2><input id=n type=number value=4><script>record($("#s"),"input","change")</script>`,
			Run: func(p *Page) {
				p.eval(`$("#s").focus()`)
				p.is(p.ok(press, `{"key":"ArrowDown"}`), "effect", `"changed_choice"`)
				p.page(`[$("#s").value, ...log]`, `["c","input","change"]`)
				p.eval(`$("#r1").focus()`)
				p.ok(press, `{"key":"ArrowRight"}`)
				p.page(`[$("#r2").checked, document.activeElement.id]`, `[true,"r2"]`)
				p.eval(`$("#n").focus()`)
				p.ok(press, `{"key":"ArrowUp"}`)
				p.page(`$("#n").value`, `"5"`)
			}},
	}
}

// keyDetailCases prove that the page knows what a key would submit.
func keyDetailCases() []Case {
	return []Case{
		{Name: "keys.prepare/knows what Enter and Space would send", HTML: `<form method=post><input id=i name=q value=1><button id=s>Order</button></form><input id=lone><button id=more>More</button>`, Run: func(p *Page) {
			ask := func(id, key string) any {
				p.eval(`$("#` + id + `").focus()`)
				return p.ok("keys.prepare", `{"key":"`+key+`","recent_submits":[]}`).at("submit_key")
			}
			sent := ask("s", "Enter")
			if sent == nil || ask("s", " ") != sent {
				p.Errorf("the button gives %v and %v", sent, ask("s", " "))
			}
			if ask("i", "Enter") != sent {
				p.Errorf("Enter in the field gives %v, the button %v", ask("i", "Enter"), sent)
			}
			for _, other := range [][2]string{{"i", " "}, {"s", "Tab"}, {"s", "Control+Enter"}, {"lone", "Enter"}, {"more", "Enter"}} {
				if got := ask(other[0], other[1]); got != nil {
					p.Errorf("%v gives %v", other, got)
				}
			}
		}},
		{Name: "keys.verify/counts the trusted keys", HTML: `<input id=i type=password autofocus>`, Run: func(p *Page) {
			p.ok("keys.prepare", `{"recent_submits":[],"hold":"A"}`)
			p.eval(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "a", bubbles: true}))`) // of a script
			// A page may lie about what the browser counts, to its own scripts alone.
			p.eval(`(Performance.prototype.__defineGetter__("eventCounts", () => new Map([["keydown", 9]])), EventCounts.prototype.get = () => 9, $("#i").dispatchEvent(new KeyboardEvent("keydown", {key: "b", bubbles: true})), $("#i").blur(), $("#i").focus())`)
			p.is(p.ok("keys.verify", `{"hold":"A"}`), "keys", `0`)
			p.fails("keys.verify", `{"hold":"A"}`, fault.StateMismatch)
		}},
		{Name: "keys.prepare/refuses what was sent a moment ago", HTML: `<form method=post><input name=q value=1><button id=s>Order</button></form><script>$("#s").focus()</script>`, Run: func(p *Page) {
			sent, _ := p.ok("keys.prepare", `{"key":"Enter","recent_submits":[]}`).at("submit_key").(string)
			p.fails("keys.prepare", `{"key":"Enter","recent_submits":["`+sent+`"]}`, fault.DuplicateSubmit)
			p.is(p.ok("keys.prepare", `{"key":"Enter","allow_repeat":true,"recent_submits":["`+sent+`"]}`), "submit_key", `"`+sent+`"`)
		}},
	}
}
