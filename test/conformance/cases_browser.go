package conformance

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // the two formats of screenshots
	_ "image/png"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	shoot    = "browser.screenshot"
	navigate = "browser.navigate"
	tabsList = "browser.claimed_tabs.list"
	activate = "browser.claimed_tabs.activate"
	siteTool = "actions.site"
)

// navigateCases show pages and pictures of them.
func navigateCases() []Case {
	return []Case{
		{Name: shoot + "/captures the page of the tab", HTML: `<style>body{background:rgb(10,200,30)}</style>`, Run: func(p *Page) {
			out := p.ok(shoot, `{"format":"png"}`)
			img := p.image(out)
			if r, g, b, _ := img.At(600, 300).RGBA(); r>>8 != 10 || g>>8 != 200 || b>>8 != 30 {
				p.Errorf("the pixel is %d,%d,%d", r>>8, g>>8, b>>8)
			}
			p.is(out, "surface_identity", `"captured_target"`)
			p.is(out, "encoded.resized", `false`)
			p.is(out, "viewport.device_pixel_ratio", `1`)
		}},
		{Name: shoot + "/shrinks to the limits", HTML: `<script>document.write("<p>" + "many words of text ".repeat(3000))</script>`, Run: func(p *Page) {
			img := p.image(p.ok(shoot, `{"format":"png","max_width":640,"max_height":300}`))
			if size := img.Bounds(); size.Dx() > 640 || size.Dy() > 300 {
				p.Errorf("the picture is %v", size)
			}
			for _, limit := range []string{`"max_kilobytes":60`, `"max_kb":60`, `"max_kb":60,"max_kilobytes":60`} {
				out := p.ok(shoot, `{"format":"png",`+limit+`}`)
				p.is(out, "mime_type", `"image/jpeg"`)
				if n, _ := out.at("image_bytes").(float64); n > 60*1024 {
					p.Errorf("%s: %v bytes", limit, n)
				}
			}
			p.fails(shoot, `{"max_kilobytes":0}`, fault.InvalidInput)
			p.fails(shoot, `{"max_kb":0}`, fault.InvalidInput)
			p.fails(shoot, `{"max_kilobytes":60,"max_kb":50}`, fault.InvalidInput)
		}},
		{Name: tabsList + "/lists claimed tabs only", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.eval(`open("about:blank"), 1`)
			out := p.ok(tabsList, `{}`)
			p.is(out, "count", `1`)
			p.is(out, "tabs.0.host", `"127.0.0.1"`)
		}},
		{Name: activate + "/changes the current tab and refuses an unclaimed one", HTML: `<p>x</p>`, Run: func(p *Page) {
			id := p.ok(tabsList, `{}`).at("tabs.0.tab_id")
			out := p.ok(activate, fmt.Sprintf(`{"tab_id":%.0f}`, id))
			p.is(out, "focused", `false`)
			p.is(out, "tab.current", `true`)
			p.is(p.ok(tabsList, `{}`), "tabs.0.current", `true`)
			p.is(p.ok(activate, fmt.Sprintf(`{"tab_id":%.0f,"focus":true}`, id)), "focused", `true`)
			p.fails(activate, `{"tab_id":123456789}`, fault.TabNotClaimed)
		}},
		{Name: navigate + "/loads, reloads and refuses unsafe addresses", HTML: `<h1 id=a>one</h1>`, Run: func(p *Page) {
			before := p.ok("page.info", `{}`).at("url")
			out := p.ok(navigate, fmt.Sprintf(`{"url":"%s#a"}`, before))
			p.is(out, "runtime_replaced", `false`)
			p.is(p.ok(navigate, `{"reload":true}`), "runtime_replaced", `true`)
			p.is(p.ok(navigate, fmt.Sprintf(`{"url":%q}`, before)), "navigated", `true`)
			for _, bad := range []string{"file:///etc/passwd", "chrome://version", "javascript:alert(1)", "about:blank", "data:text/html,x"} {
				p.fails(navigate, fmt.Sprintf(`{"url":%q}`, bad), fault.UnsafeURL)
			}
			const nowhere = "http://127.0.0.1:1/tea?q=1"
			_, f := p.backend.Call(p.Context(), p.T, navigate, fmt.Sprintf(`{"url":%q}`, nowhere))
			if f == nil || f.Code != fault.NavigationFailed || !strings.HasPrefix(f.Message, nowhere+": ") || f.Evidence["requested_url"] != nowhere {
				p.Errorf("an address that cannot be loaded: %+v", f)
			}
			p.fails(navigate, `{}`, fault.InvalidInput)
		}},
	}
}

// image decodes the picture beside an output, which is the last one.
func (p *Page) image(Output) image.Image {
	p.Helper()
	_, data, _ := strings.Cut(p.backend.(interface{ Picture() string }).Picture(), ",")
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		p.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		p.Fatal(err)
	}
	return img
}

// keyLog records what keys the page sees and whether they are trusted.
const keyLog = `<script>for (const t of ["keydown", "keyup"]) addEventListener(t, e => log.push([t, e.key, e.code, e.keyCode, e.ctrlKey, e.isTrusted]), true)</script>`

func trustedCases() []Case {
	return []Case{
		{Name: press + "/trusted holds modifiers as real keys", HTML: `<input id=i value="some text">` + keyLog, Run: func(p *Page) {
			p.eval(`$("#i").focus()`)
			out := p.ok(press, `{"key":"Control+A","trusted":true}`)
			p.is(out, "fidelity", `"trusted"`)
			p.is(out, "modifiers", `["control"]`)
			p.page(`log`, `[["keydown","Control","ControlLeft",17,true,true],["keydown","a","KeyA",65,true,true],["keyup","a","KeyA",65,true,true],["keyup","Control","ControlLeft",17,false,true]]`)
			p.page(`[$("#i").selectionStart, $("#i").selectionEnd]`, `[0,9]`)
			p.ok(press, `{"key":"x","trusted":true}`)
			p.page(`$("#i").value`, `"x"`)
		}},
		{Name: press + "/trusted moves the focus, submits and edits", HTML: `<form action="/submit"><input name=a><input name=b></form>`, Run: func(p *Page) {
			p.eval(`$("[name=a]").focus()`)
			p.ok(press, `{"key":"Tab","trusted":true}`)
			p.page(`document.activeElement.name`, `"b"`)
			p.ok("text.type", `{"text":"it's 5.","trusted":true}`)
			p.ok(press, `{"key":"ArrowLeft","repeat":2,"trusted":true}`)
			p.ok(press, `{"key":"Backspace","trusted":true}`)
			p.page(`$("[name=b]").value`, `"it's5."`)
			p.ok(press, `{"key":"Shift+Tab","trusted":true}`)
			p.page(`document.activeElement.name`, `"a"`)
			p.is(p.ok(press, `{"key":"z","repeat":0,"trusted":true}`), "pressed", `false`)
			p.page(`$("[name=a]").value`, `""`)
		}},
		{Name: press + "/sends the same thing once", HTML: `<form id=f action="/submit" method=post target=t onsubmit="log.push('sent')"><input name=q value=1><button id=s>Order</button></form><iframe name=t></iframe>
			<button id=more onclick="log.push('more')">More</button>`, Run: func(p *Page) {
			p.ok("locator.click", `{"locator":{"selector":"#s"}}`)
			for _, more := range []string{``, `,"trusted":true`} {
				p.refuses(press, `{"key":"Enter"`+more+`}`, fault.DuplicateSubmit) // the focus stays on the button
				p.refuses(press, `{"key":"Space"`+more+`}`, fault.DuplicateSubmit)
			}
			p.page(`log`, `["sent"]`)
			p.ok(press, `{"key":"Enter","allow_repeat":true}`)
			p.eval(`$("[name=q]").value = "2"`)
			p.eval(`$("[name=q]").focus()`)
			p.ok(press, `{"key":"Enter","trusted":true}`)
			p.refuses("locator.click", `{"locator":{"selector":"#s"}}`, fault.DuplicateSubmit)
			p.eval(`$("#more").focus()`)
			p.ok(press, `{"key":"Enter"}`)
			p.ok(press, `{"key":"Enter"}`)
			p.page(`log`, `["sent","sent","sent","more","more"]`)
		}},
		{Name: press + "/trusted repeats as separate presses", HTML: keyLog, Run: func(p *Page) {
			p.ok(press, `{"key":"ArrowDown","repeat":5,"trusted":true}`)
			p.page(`log.filter(e => e[0] === "keydown" && e[1] === "ArrowDown").length`, `5`)
			p.fails(press, `{"key":"NoSuchKey","trusted":true}`, fault.InvalidKey)
			p.fails(press, `{"key":"Foo+A","trusted":true}`, fault.InvalidKey)
		}},
		{Name: "text.type/trusted types for an editor on a canvas", HTML: `<canvas id=c tabindex=0 style="width:50px;height:50px"></canvas><script>
			// A model that only keys can reach, which takes the same key twice within 20 ms as one.
			let text = "", last = ""; let when = 0
			$("#c").addEventListener("keydown", e => { log.push([e.key, e.code, e.keyCode])
				if (e.key === last && e.timeStamp - when < 20) return; last = e.key; when = e.timeStamp
				if (e.key === "Enter") text += "\n"; else if (e.key === "ArrowLeft") text = text.slice(0, -1); else if ([...e.key].length === 1) text += e.key })
			$("#c").addEventListener("keypress", e => { window.pressed = (window.pressed ?? "") + String.fromCodePoint(e.charCode) }); $("#c").focus()</script>`, Run: func(p *Page) {
			p.ok("text.type", `{"text":"all, it's \"5.5\"?\r\nÄé\n€ \ud83c\udf75","trusted":true}`)
			p.page(`text`, `"all, it's \"5.5\"?\nÄé\n€ \ud83c\udf75"`)
			p.page(`pressed.split("€")[0]`, `"all, it's \"5.5\"?\rÄé\r"`)
			p.page(`log.filter(e => ",'.\"?".includes(e[0])).map(e => e.slice(1))`, `[["Comma",188],["Quote",222],["Quote",222],["Period",190],["Quote",222],["Slash",191]]`)
		}},
		{Name: "text.type/trusted types a character of two halves", HTML: `<textarea id=t></textarea><div id=e contenteditable></div>`, Run: func(p *Page) {
			for _, id := range []string{"t", "e"} {
				p.eval(`$("#` + id + `").focus()`)
				p.ok("text.type", `{"text":"tea \ud83c\udf75\ud83d\udc69\u200d\ud83c\udf73 漢","trusted":true}`)
				p.page(`($("#`+id+`").value ?? $("#`+id+`").textContent).replace("\u00a0", " ")`, `"tea \ud83c\udf75\ud83d\udc69\u200d\ud83c\udf73 漢"`)
			}
		}},
		{Name: "text.type/trusted types every character as a key", HTML: `<textarea id=t></textarea>` + keyLog, Run: func(p *Page) {
			p.eval(`$("#t").focus()`)
			out := p.ok("text.type", `{"text":"Ab'ü漢","trusted":true}`)
			p.is(out, "length", `5`)
			p.page(`$("#t").value`, `"Ab'ü漢"`)
			p.page(`log.filter(e => e[0] === "keydown").map(e => e[3])`, `[65,66,222,0,0]`)
			p.ok("text.type", `{"text":"!","select_back_chars":2,"trusted":true}`)
			p.page(`$("#t").value`, `"Ab'!"`)
		}},
	}
}
