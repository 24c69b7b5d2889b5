package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

const (
	pick = "automation.ask_user_which_element"

	// spied has the page note all real input that reaches it.
	spied = `<script>
var seen = [];
for (const t of ["pointermove", "mousemove", "pointerdown", "mousedown", "mouseup", "click", "keydown", "keyup", "contextmenu"])
  window.addEventListener(t, e => e.isTrusted && seen.push(t + (e.key ?? "")), true);
</script>`
)

// Picker is a person at the picker. A backend of the whole chain has one.
type Picker interface {
	// AwaitPicker waits until the user can point.
	AwaitPicker(t *testing.T)
	// PressInPicker clicks what an expression in the picker's own document gives.
	PressInPicker(t *testing.T, element string)
	// Point moves the pointer.
	Point(t *testing.T, x, y float64)
	// Press clicks where the pointer is, without moving it.
	Press(t *testing.T, x, y float64)
	// Wheel scrolls what is below the middle of the view.
	Wheel(t *testing.T, dy float64)
	// LeaveTab shows another tab until back is called.
	LeaveTab(t *testing.T) (back func())
}

// picked is what became of a picker.
type picked struct {
	Output
	failed *fault.Error
}

// picking has the user pick, in the background, and waits until the user can.
func (p *Page) picking(args string) <-chan picked {
	p.Helper()
	done := p.pickingAs(p.backend, args)
	p.picker().AwaitPicker(p.T)
	return done
}

func (p *Page) pickingAs(backend Backend, args string) <-chan picked {
	p.Helper()
	done := make(chan picked, 1)
	ctx, cancel := context.WithTimeout(p.Context(), 30*time.Second)
	go func() {
		defer cancel()
		var out picked
		raw, failed := backend.Call(ctx, p.T, pick, args)
		out.failed = failed
		record, _ := p.catalogue.Record(pick)
		switch {
		case failed != nil:
			p.Logf("the pick ended: %v", failed)
		case record.CheckOutput(raw) != nil:
			p.Errorf("%v: %s", record.CheckOutput(raw), raw)
		case json.Unmarshal(raw, &out.value) != nil:
			p.Errorf("%s", raw)
		}
		done <- out
	}()
	return done
}

func (p *Page) picker() Picker {
	p.Helper()
	person, ok := p.backend.(Picker)
	if !ok {
		p.Fatal("this backend has no picker")
	}
	return person
}

// middle is the middle of what a selector matches, in the page's world.
func middle(selector string) string {
	return fmt.Sprintf(`(r => ({x: r.left + Math.min(r.width / 2, 20), y: r.top + Math.min(r.height / 2, 8)}))(document.querySelector(%q).getBoundingClientRect())`, selector)
}

// pickAt has the user click at a point, and returns what was chosen.
func (p *Page) pickAt(point string) Output {
	p.Helper()
	done := p.picking(`{"message":"Which <b>tea</b>?"}`)
	p.hand(point)
	out := <-done
	if out.failed != nil {
		p.Fatalf("%v %v", out.failed, out.failed.Evidence)
	}
	return out.Output
}

func (p *Page) cancelled(done <-chan picked, reason string) {
	p.Helper()
	out := <-done
	if out.failed == nil || out.failed.Code != fault.PickerCancelled || out.failed.Evidence["reason"] != reason {
		p.Errorf("want picker_cancelled by %s, got %v %v", reason, out.value, out.failed)
	}
}

func (p *Page) point(js string) {
	p.Helper()
	var at struct{ X, Y float64 }
	p.backend.Eval(p.T, js, &at)
	p.picker().Point(p.T, at.X, at.Y)
}

// findsIt checks that selector and XPath of an output lead to the very element, as the page's own
// world finds it.
func (p *Page) findsIt(out Output, el string) {
	p.Helper()
	p.page(fmt.Sprintf(`(el => [document.querySelectorAll(%[2]q).length, document.querySelector(%[2]q) === el,
		document.evaluate(%[3]q, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue === el])(%[1]s)`, el, out.text("selector"), out.text("xpath")), `[1,true,true]`)
}

func pickerCases() []Case {
	return []Case{
		{Name: pick + "/gives what the user clicks, found by its selector and XPath", HTML: `
			<style>p, div, button, span { display: block; width: 300px; height: 26px; margin: 2px }</style>
			<button data-t=0 id='say "hi" it&#39;s \ [x]'>quoted</button><p data-t=1>one</p><div>between</div><p data-t=2>two</p>
			<span id=twin>twin</span><span id=twin data-t=3>twin</span><x-a><button data-t=4>in a custom element</button></x-a>
			<form><input name=attributes value=v data-t=5><input name=parentNode></form>
			<svg width=60 height=26><g><rect data-t=6 width=60 height=26 /></g></svg>
			<button data-t=7 aria-label='a "b" \ c'>labelled</button>
			<script>for (const el of document.querySelectorAll("[data-t]")) { el.mark = el.dataset.t; el.removeAttribute("data-t"); }
			const at = t => [...document.querySelectorAll("*")].find(el => el.mark === String(t));</script>`,
			Run: func(p *Page) {
				for i := range 8 {
					el := fmt.Sprintf("at(%d)", i)
					out := p.pickAt(fmt.Sprintf(`(r => ({x: r.left + 10, y: r.top + 8}))(%s.getBoundingClientRect())`, el))
					p.findsIt(out, el)
					p.page(el+".localName", fmt.Sprintf("%q", out.text("tagName")))
				}
				out := p.pickAt(`(r => ({x: r.left + 10, y: r.top + 8}))(at(0).getBoundingClientRect())`)
				p.is(out, "text", `"quoted"`)
				p.is(out, "attributes", `{"id":"say \"hi\" it's \\ [x]"}`)
				p.is(out, "boundingBox.width", `300`)
				if html := out.text("html"); html != `<button id="say &quot;hi&quot; it's \ [x]">quoted</button>` {
					p.Error(html)
				}
			}},
		{Name: pick + "/climbs and descends, and begins anew where the pointer moves on", HTML: `<div id=outer style="padding:10px"><div id=mid style="padding:10px"><button id=inner>Inner</button></div></div><button id=other>Other</button><p id=low style="height:3000px">Low</p>`, Run: func(p *Page) {
			done := p.picking(`{}`)
			p.point(middle("#inner"))
			for _, key := range []string{"ArrowUp", "ArrowUp", "ArrowDown"} {
				p.keys(key)
			}
			p.hand(middle("#inner"))
			p.is((<-done).Output, "attributes.id", `"mid"`)
			done = p.picking(`{}`)
			p.point(middle("#inner"))
			p.keys("ArrowUp")
			p.hand(middle("#other"))
			p.is((<-done).Output, "attributes.id", `"other"`)
			done = p.picking(`{}`)
			p.point(middle("#inner"))
			p.keys("ArrowDown") // there is nothing further in
			p.keys("Enter")
			p.is((<-done).Output, "attributes.id", `"inner"`)
			done = p.picking(`{}`)
			p.point(middle("#inner"))
			p.picker().Wheel(p.T, 300) // the page below moves, and the mark with it
			p.settles(`scrollY`, `300`)
			p.keys("Enter")
			p.is((<-done).Output, "attributes.id", `"low"`)
		}},
		{Name: pick + "/chooses only what is marked", HTML: `<style>button { position: absolute; left: 20px; width: 90px }</style>
			<div id=card><button id=keep style="top:20px">Keep</button></div><button id=delete style="top:200px">Delete</button>
			<script>var marks = 0; document.addEventListener("toggle", e => e.newState === "open" && marks++, true);
			const swap = () => { const [a, b] = [$("#keep"), $("#delete")]; [a.style.top, b.style.top] = [b.style.top, a.style.top]; };
			const marked = () => !!document.querySelector("[data-actions-json-attachment=actions-json-picked]:popover-open");</script>`, Run: func(p *Page) {
			for name, choose := range map[string]func(){
				"Enter": func() { p.keys("Enter") },
				"click": func() { p.picker().Press(p.T, 40, 30) },
			} {
				done := p.picking(`{}`)
				p.point(`({x: 40, y: 30})`)
				p.settles(`marked()`, `true`)
				p.eval(`(swap(), marks = 0)`) // the pointer stays where it is
				choose()
				p.settles(`marks > 0`, `true`)
				select {
				case out := <-done:
					p.Fatalf("%s: %v %v was chosen, and Keep was marked", name, out.value, out.failed)
				default:
				}
				p.eval(`(swap(), marks = 0)`)
				choose() // Delete is marked
				p.settles(`marks > 0`, `true`)
				choose()
				p.is((<-done).Output, "attributes.id", `"keep"`)
			}
			done := p.picking(`{}`)
			p.point(`({x: 40, y: 30})`)
			p.keys("ArrowUp")
			p.eval(`(() => { const again = $("#keep").cloneNode(true); $("#keep").replaceWith(again); })()`) // it looks the same
			p.picker().Press(p.T, 40, 30)
			p.is((<-done).Output, "attributes.id", `"card"`)
		}},
		{Name: pick + "/ends at Cancel and at Escape", HTML: `<button id=b>B</button><input id=field>` + spied, Run: func(p *Page) {
			done := p.picking(`{}`)
			p.point(middle("#b")) // with an element marked, too
			p.picker().PressInPicker(p.T, `document.querySelector("#picker-cancel")`)
			p.cancelled(done, "button")
			p.eval(`$("#field").focus()`)
			done = p.picking(`{}`)
			p.keys("Escape")
			p.cancelled(done, "escape")
			p.settles(`[document.activeElement.id, document.querySelectorAll("[data-actions-json-attachment^=actions-json-pick]").length]`, `["field",0]`)
			p.page(`seen.filter(t => /^key|click|down/.test(t))`, `[]`)
			ctx, giveUp := context.WithCancel(p.Context())
			defer giveUp()
			ended := make(chan *fault.Error, 1)
			go func() {
				_, err := p.backend.Call(ctx, p.T, pick, `{}`)
				ended <- err
			}()
			p.picker().AwaitPicker(p.T)
			giveUp()
			if err := <-ended; err == nil || err.Code != fault.Cancelled {
				p.Errorf("a call that was given up ended with %v", err)
			}
			p.settles(`document.querySelectorAll("[data-actions-json-attachment^=actions-json-pick]").length`, `0`)
		}},
		{Name: pick + "/takes nothing from the page and shows it nothing", HTML: `<button id=b style="margin:60px">B</button><button id=c>C</button><div id=cover popover=manual style="inset:0;width:100vw;height:100vh;margin:0">cover</div>` + spied, Run: func(p *Page) {
			done := p.picking(`{}`)
			p.eval(`(() => {
				const host = document.querySelector("[data-actions-json-attachment=actions-json-picker]");
				for (const on of [window, document, document.body, $("#c"), host]) {
					for (const t of ["pointermove", "pointerdown", "mousedown", "mouseup", "click"]) on.dispatchEvent(new MouseEvent(t, {bubbles: true, composed: true, clientX: 70, clientY: 70, detail: 1}));
					on.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
				}
				host.click?.();
				for (const frame of [...Array(window.length).keys()].map(i => window[i])) frame.postMessage({kind: "own_frame", ask: "choose", key: "x".repeat(32), actions_host_key: "x".repeat(32)}, "*");
				seen = [];
			})()`)
			p.point(middle("#b"))
			p.point(middle("#c"))
			p.keys("ArrowUp")
			p.keys("ArrowDown")
			p.page(`seen`, `[]`)
			p.eval(`$("#cover").showPopover()`) // over the picker, for a moment
			p.settles(`document.elementFromPoint(100, 70).dataset.actionsJsonAttachment`, `"actions-json-picker"`)
			p.eval(`$("#cover").hidePopover()`)
			p.eval(`document.querySelector("[data-actions-json-attachment=actions-json-picker]").remove()`)
			p.settles(`document.querySelectorAll("[data-actions-json-attachment=actions-json-picker]").length`, `1`)
			p.picker().AwaitPicker(p.T)
			p.hand(middle("#b"))
			out := <-done
			if out.failed != nil {
				p.Fatal(out.failed)
			}
			p.is(out.Output, "attributes.id", `"b"`)
			p.page(`seen.filter(t => /down|up|click|Arrow/.test(t))`, `[]`)
		}},
		{Name: pick + "/finds elements in frames and shadow roots", HTML: `
			<style>iframe { width: 200px; height: 60px; border: 3px solid; padding: 4px }</style>
			<iframe id=same src="{{SAME}}/frame"></iframe><iframe id=other src="{{OTHER}}/frame"></iframe>
			<x-host id=host></x-host>
			<script>
			const root = $("#host").attachShadow({mode: "open"});
			root.innerHTML = '<div><button style="width:90px">Shade</button><button style="width:90px" id=second>Second</button></div>';
			$("#host").append(document.createElement("button"));
			const at = (el, x = 12, y = 12) => (r => ({x: r.left + x, y: r.top + y}))(el.getBoundingClientRect());
			</script>`, Run: func(p *Page) {
			p.settles(`document.readyState`, `"complete"`)
			for _, frame := range []string{"same", "other"} {
				out := p.pickAt(fmt.Sprintf(`at($("#%s"), 20, 18)`, frame))
				p.is(out, "attributes.id", `"inner"`)
				p.is(out, "frame", fmt.Sprintf(`["#%s"]`, frame))
				p.is(p.ok("locator.text_content", fmt.Sprintf(`{"locator":{"selector":%q,"frame":["#%s"]}}`, out.text("selector"), frame)), "text", `"Inner"`)
				p.is(p.ok("locator.text_content", fmt.Sprintf(`{"locator":{"ref":%q}}`, out.text("ref"))), "text", `"Inner"`)
				p.is(p.ok("locator.text_content", fmt.Sprintf(`{"locator":{"xpath":%q,"frame":["#%s"]}}`, out.text("xpath"), frame)), "text", `"Inner"`)
			}
			confined := p.as(control.SessionParams{Kind: policy.SessionAgent, ID: "confined", Mode: policy.ModeAsk, Origins: []string{p.Site.server.URL}})
			done := p.pickingAs(confined.backend, `{}`)
			p.picker().AwaitPicker(p.T)
			p.hand(`at($("#other"), 20, 18)`)
			p.is((<-done).Output, "attributes.id", `"other"`) // the frame is of this page, what is in it not
			out := p.pickAt(`at(root.querySelector("#second"))`)
			p.is(out, "text", `"Second"`)
			p.is(out, "xpath", `null`)
			p.is(p.ok("locator.text_content", fmt.Sprintf(`{"locator":{"selector":%q}}`, out.text("selector"))), "text", `"Second"`)
			out = p.pickAt(`at(root.querySelector("button"))`)
			p.is(p.ok("locator.text_content", fmt.Sprintf(`{"locator":{"selector":%q}}`, out.text("selector"))), "text", `"Shade"`)
		}},
		{Name: pick + "/keeps secrets", HTML: `<form id=f style="padding:20px"><input id=p type=password value=hunter2 data-value=hunter2><textarea id=k name="api key">sk-12345</textarea><input id=n name=n value=plain></form>`, Run: func(p *Page) {
			p.eval(`$("#p").type = "text"`) // once a password, always one
			for _, el := range []string{"#p", "#k", "#f"} {
				point := middle(el)
				if el == "#f" {
					point = `({x: 14, y: 14})`
				}
				out := p.pickAt(point)
				whole, _ := json.Marshal(out.value)
				for _, secret := range []string{"hunter2", "sk-12345"} {
					if strings.Contains(string(whole), secret) {
						p.Errorf("%s: %s", el, whole)
					}
				}
				if el == "#f" && !strings.Contains(out.text("html"), `value="plain"`) {
					p.Errorf("%s", whole)
				}
			}
		}},
		{Name: pick + "/is one in a tab", HTML: `<button id=b>B</button>`, Run: func(p *Page) {
			done := p.picking(`{}`)
			p.fails(pick, `{}`, fault.PickerActive)
			p.as(control.SessionParams{Kind: policy.SessionAgent, ID: "another", Mode: policy.ModeAct}).fails(pick, `{}`, fault.PickerActive)
			p.hand(middle("#b"))
			p.is((<-done).Output, "attributes.id", `"b"`)
		}},
		{Name: pick + "/ends when the page goes away", HTML: `<button id=b>B</button>`, Run: func(p *Page) {
			done := p.picking(`{}`)
			p.eval(`void setTimeout(() => (location.href = "/frame"))`)
			p.cancelled(done, "navigation")
			p.settles(`location.pathname`, `"/frame"`) // the old document says that it goes before the new one is there
			done = p.picking(`{}`)
			back := p.picker().LeaveTab(p.T)
			p.cancelled(done, "hidden")
			p.fails(pick, `{}`, fault.PickerCancelled)
			back()
		}},
		{Name: pick + "/is not moved by the input of agents", HTML: `<button id=b onclick="clicks++">B</button><button id=c>C</button><script>var clicks = 0</script>`, Run: func(p *Page) {
			done := p.picking(`{}`)
			p.point(middle("#c"))
			agent := p.as(control.SessionParams{Kind: policy.SessionCLI, Mode: policy.ModeAct})
			agent.ok("locator.click", `{"locator":{"selector":"#b"}}`)
			agent.ok("keyboard.press", `{"key":"Escape","trusted":true}`)
			agent.ok("keyboard.press", `{"key":"Enter","trusted":true}`)
			p.page(`clicks`, `2`) // the button had the focus
			select {
			case out := <-done:
				p.Fatalf("the picker ended: %v %v", out.value, out.failed)
			case <-time.After(time.Second): // longer than an agent's input is taken for its own
			}
			p.hand(middle("#c"))
			p.is((<-done).Output, "attributes.id", `"c"`)
		}},
	}
}
