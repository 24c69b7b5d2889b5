package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const dismiss = "browser.dismiss_dialog"

// asking is a page whose buttons ask the user in every way.
const asking = `<style>button{display:block;margin:20px;width:120px;height:30px}</style>
<button id=alert onclick="alert('Good day'); log.push('alert')">Alert</button>
<button id=confirm onclick="log.push(confirm('Delete it?'))">Confirm</button>
<button id=prompt onclick="log.push(prompt('Your name?', 'Ann'))">Prompt</button>
<button id=two onclick="alert('First'); log.push(confirm('Second'))">Two</button>
<button id=trap onmousedown="log.push(confirm('Trap'))">Trap</button>`

func dialogCases() []Case {
	return []Case{
		{Name: dismiss + "/answers an alert, a confirm and a prompt", HTML: asking, Run: func(p *Page) {
			p.is(p.clickAsks("#alert"), "dialog.message", `"Good day"`)
			p.is(p.ok(dismiss, `{}`), "dialog.type", `"alert"`)
			p.is(p.clickAsks("#confirm"), "dialog.type", `"confirm"`)
			p.is(p.ok(dismiss, `{}`), "accept", `false`)
			p.clickAsks("#confirm")
			p.ok(dismiss, `{"accept":false}`)
			p.clickAsks("#confirm")
			p.is(p.ok(dismiss, `{"accept":true}`), "accept", `true`)
			dialog := p.clickAsks("#prompt")
			p.is(dialog, "dialog.default_prompt", `"Ann"`)
			p.is(dialog, "dialog.trust", `"untrusted"`)
			p.is(p.ok(dismiss, `{"prompt_text":"Béla"}`), "accept", `true`)
			p.clickAsks("#prompt")
			p.ok(dismiss, `{"accept":true}`)
			p.clickAsks("#prompt")
			p.ok(dismiss, `{}`)
			p.clickAsks("#prompt")
			p.ok(dismiss, `{"accept":false,"prompt_text":"unheard"}`)
			p.page(`log`, `["alert",false,false,true,"Béla","Ann",null,null]`)
			p.is(p.ok(tabsList, `{}`), "tabs.0.dialog", `null`)
			p.fails(dismiss, `{}`, fault.NoDialog)
		}},
		{Name: dismiss + "/ends the call under way and refuses the next ones", HTML: asking, Run: func(p *Page) {
			p.eval(`setTimeout(() => log.push(confirm("Now?")), 200), 1`)
			dialog := p.fails("locator.wait_for", `{"locator":{"selector":"#never"},"timeout_ms":20000}`, fault.DialogOpen)
			p.is(dialog, "dialog.message", `"Now?"`)
			for _, next := range [][2]string{
				{"page.info", `{}`}, {"pointer.click", `{"x":5,"y":5}`}, {shoot, `{}`}, {press, `{"key":"a","trusted":true}`},
				{navigate, `{"reload":true}`}, {navigate, `{"reload":true,"force":true}`},
			} {
				_, f := p.backend.Call(p.Context(), p.T, next[0], next[1])
				if f == nil || f.Code != fault.DialogOpen || f.Dispatched != fault.NotDispatched {
					p.Errorf("%s while the dialog is open: %+v", next[0], f)
				}
			}
			p.is(p.ok(tabsList, `{}`), "tabs.0.dialog.message", `"Now?"`)
			p.ok(dismiss, `{}`)
			p.page(`log`, `[false]`)
		}},
		{Name: dismiss + "/answers a chain of dialogs one by one", HTML: asking, Run: func(p *Page) {
			p.is(p.clickAsks("#two"), "dialog.message", `"First"`)
			p.ok(dismiss, `{}`)
			second := p.fails("locator.wait_for", `{"locator":{"selector":"#never"},"timeout_ms":5000}`, fault.DialogOpen)
			p.is(second, "dialog.message", `"Second"`)
			p.ok(dismiss, `{"accept":false}`)
			p.page(`log`, `[false]`)
		}},
		{Name: dismiss + "/ends trusted input in the middle of its gesture", HTML: asking, Run: func(p *Page) {
			// What is let go of while the dialog is open never reaches the page, as with a
			// real mouse and keyboard; the next gesture is whole again.
			for _, asked := range [][2]string{{"#trap", "Trap"}, {"#confirm", "Delete it?"}} {
				dialog := p.fails("locator.click", fmt.Sprintf(`{"locator":{"selector":%q}}`, asked[0]), fault.DialogOpen)
				p.is(dialog, "dialog.message", fmt.Sprintf("%q", asked[1]))
				p.ok(dismiss, `{"accept":true}`)
			}
			p.eval(`$("#confirm").focus()`)
			p.fails(press, `{"key":"Enter","trusted":true,"allow_repeat":true}`, fault.DialogOpen)
			p.ok(dismiss, `{"accept":false}`)
			p.page(`log`, `[true,true,false]`)
			p.fails("locator.click", `{"locator":{"selector":"#alert"}}`, fault.DialogOpen)
			p.ok(dismiss, `{}`)
			p.page(`log`, `[true,true,false,"alert"]`)
		}},
		{Name: dismiss + "/lets the page be left or kept", HTML: `<textarea id=t></textarea><script>addEventListener("beforeunload", e => e.preventDefault())</script>`, Run: func(p *Page) {
			p.eval(`$("#t").focus()`)
			p.ok("text.type", `{"text":"draft","trusted":true}`) // a page that nobody has touched may not ask
			p.is(p.fails(navigate, `{"reload":true}`, fault.DialogOpen), "dialog.type", `"beforeunload"`)
			p.ok(dismiss, `{}`)
			p.page(`$("#t").value`, `"draft"`)
			p.fails(navigate, `{"reload":true}`, fault.DialogOpen)
			p.ok(dismiss, `{"accept":true}`)
			p.ok("locator.wait_for", `{"locator":{"selector":"#t"}}`)
			p.settles(`document.querySelector("#t")?.value`, `""`) // the new document may not have run its scripts yet
			p.ok(navigate, `{"reload":true}`)
		}},
		{Name: dismiss + "/sees a dialog that nobody called for", HTML: asking, Run: func(p *Page) {
			p.ok("pointer.click", `{"x":300,"y":300}`)
			p.eval(`setTimeout(() => alert("x".repeat(5000)), 50), 1`)
			message := ""
			for message == "" && p.Context().Err() == nil {
				message, _ = p.ok(tabsList, `{}`).at("tabs.0.dialog.message").(string)
			}
			if !strings.HasPrefix(message, "xxx") || len(message) > 2010 {
				p.Errorf("the message has %d bytes", len(message))
			}
			p.ok(dismiss, `{}`)
			p.ok("page.info", `{}`)
		}},
	}
}

// clickAsks clicks what the selector matches; the page must answer with a
// dialog, which the evidence shows.
func (p *Page) clickAsks(selector string) Output {
	p.Helper()
	info := p.ok("locator.element_info", `{"locator":{"selector":"`+selector+`"}}`)
	raw, f := p.backend.Call(p.Context(), p.T, "pointer.click", info.pointArgs())
	if f == nil || f.Code != fault.DialogOpen {
		p.Fatalf("the click on %s gave %s, %+v", selector, raw, f)
	}
	if f.Dispatched != fault.WasDispatched {
		p.Errorf("dispatched %q", f.Dispatched)
	}
	return Output{map[string]any{"dialog": f.Evidence["dialog"]}}
}
