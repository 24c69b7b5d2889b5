package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// blocks is a text that fills its field with colour.
const blocks = "████████"

// fieldStyle is the style of the fields of these tests, whose secrets are red.
const fieldStyle = `<style>body{margin:0;background:#fff}input,textarea,select,.editor{color:rgb(0,200,0);font:20px monospace;width:150px;border:0;outline:0;background:#fff;caret-color:transparent;transition:all 1000s!important}
	.red{color:red!important;opacity:1!important;visibility:visible!important;clip-path:none!important;animation:keep 1s infinite}@keyframes keep{from,to{opacity:1;clip-path:none}}</style>`

// fieldGallery is a page with secret fields, all red, beside green and blue ones.
func fieldGallery() map[string]string {
	red := func(more string) string {
		return `<input type=password class=red value=` + blocks + ` ` + more + `>`
	}
	inner := fieldStyle + `<input style="color:rgb(0,0,255)!important" aria-label=Tea value=` + blocks + `>` + red("")
	return map[string]string{
		"/": `<title>t</title>` + fieldStyle + `<input id=tea aria-label=Tea value=` + blocks + `><textarea rows=1 aria-label=Note>` + blocks + `</textarea>` + red("id=shown") + red(`autocomplete=current-password style="transform:rotate(20deg) scale(1.5);position:absolute;left:300px;top:200px;filter:drop-shadow(200px 100px red);-webkit-box-reflect:below 5px"`) +
			`<input class=red autocomplete=one-time-code value=` + blocks + `><input class=red name=api_token value=` + blocks + `><select class=red style="appearance:none" aria-label="Security question"><option>` + blocks + `</select><div class="editor red" contenteditable aria-label=Password>` + blocks + `</div><div class="editor red" role=textbox aria-label="Secret answer">` + blocks + `</div><div id=open></div><div id=closed></div><iframe id=same src="/inner" style="border:0;width:400px;height:60px"></iframe>` + far("b", "/inner", `style="border:0;width:400px;height:60px"`) +
			`<div style="height:900px"></div>` + red("") + `<script>for (const mode of ["open", "closed"]) document.getElementById(mode).attachShadow({mode}).innerHTML = ` +
			"`" + strings.ReplaceAll(fieldStyle, "body", "p") + `<input aria-label=Tea value=` + blocks + `>` + red("") + "`" + `;</script>`,
		"/inner": inner,
	}
}

func TestPicturesHideSecretFields(t *testing.T) {
	// Ensure that a picture without secrets has no pixel of a password, hidden or revealed, wherever its field stands and whatever the page does to it, that other fields are in it, and that all are back afterwards.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, fieldGallery())
	b := home.Open(t, url)
	c := clientOf(t, home, "one")
	top := attach(t, b, topTarget(t, b, url))
	take := func(args string) (red, green, blue int) {
		t.Helper()
		var p pictured
		c.must("browser.screenshot", args, &p)
		return p.pixels(t)
	}
	harness.Until(t, "all fields are drawn", func() bool {
		red, green, blue := take(`{"format":"png"}`)
		return red > 2000 && green > 2000 && blue > 2000
	})
	c.must("page.snapshot", `{}`, nil) // the page code is everywhere
	eval[bool](top, `([...document.querySelectorAll("input[type=password]"), ...document.getElementById("open").shadowRoot.querySelectorAll("input[type=password]"), ...same.contentDocument.querySelectorAll("input[type=password]")].forEach(f => f.type = "text"), true)`)
	harness.Until(t, "the passwords are revealed", func() bool { red, _, _ := take(`{"format":"png"}`); return red > 8000 })
	for _, args := range []string{`{"hide_secrets":true,"format":"png"}`, `{"hide_secrets":true,"format":"png","full_page":true}`, `{"hide_secrets":true,"format":"png","locator":{"selector":"body"}}`, `{"hide_secrets":true,"profile":"compact"}`} {
		if red, green, blue := take(args); red != 0 || green < 2000 || blue < 2000 {
			t.Errorf("%s: red %d, green %d, blue %d", args, red, green, blue)
		}
	}
	if e := c.call("browser.screenshot", `{"hide_secrets":true,"format":"png","locator":{"selector":"#shown"}}`); !e.OK || strings.Contains(string(e.Output), `"hidden_fields":0`) {
		t.Errorf("of one field: %v %s", e.Error, e.Output)
	}
	if red, green, _ := take(`{"format":"png"}`); red < 8000 || green < 4000 {
		t.Errorf("afterwards: red %d, green %d", red, green)
	}
	if eval[bool](top, `[...document.querySelectorAll("input, textarea")].some(f => f.matches(":indeterminate") || getComputedStyle(f).opacity !== "1" || getComputedStyle(f).clipPath !== "none")`) {
		t.Error("something stays in the page")
	}
}

// restless is a page that moves, scales, takes away and brings anew its password field all
// the time, and does to it whatever is done to a field that may be seen.
const restless = `<title>t</title><div id=place></div><input id=tea aria-label=Tea value=████████ style="position:fixed;left:0;top:550px">
	<script>
		const make = () => { const f = document.createElement("input"); f.type = "password"; f.className = "red"; f.value = "████████"; return f; };
		const all = [make(), make(), make()];
		document.body.append(...all);
		new MutationObserver(records => { for (const r of records) for (const f of all) f.setAttribute(r.attributeName, tea.getAttribute(r.attributeName)); }).observe(tea, {attributes: true});
		let n = 0;
		const step = () => {
			n++;
			for (const [i, f] of all.entries()) {
				f.style.cssText = "position:fixed;left:" + (n * 37 + i * 150) % 900 + "px;top:" + (n * 53) % 500 + "px;transform:scale(" + (1 + n % 3 / 2) + ");opacity:1!important;clip-path:none!important;z-index:" + n;
				f.type = n % 2 ? "text" : "password";
			}
			document.body.style.zoom = 1 + n % 4 / 10;
			if (n % 3 === 0) { const host = document.createElement("div"); place.replaceChildren(host); const root = host.attachShadow({mode: n % 2 ? "open" : "closed"}); root.innerHTML = "<style>input{color:red;opacity:1!important}</style>"; root.append(all[n % 3]); }
			if (n % 5 === 0) { all[1].remove(); document.body.append(all[1]); }
			if (n % 11 === 0) { all[2].remove(); all[2] = make(); document.body.append(all[2]); }
			scrollTo(0, n % 100);
		};
		const frame = () => { step(); requestAnimationFrame(frame); };
		frame();
	</script>`

func TestPicturesOfARestlessField(t *testing.T) {
	// Ensure that no picture without secrets has a pixel of a password field that the page moves, changes and makes anew in every frame; one that is not certain is refused by name.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": fieldStyle + `<div style="height:2000px"></div>` + restless})
	home.Open(t, url)
	c := clientOf(t, home, "one")
	harness.Until(t, "the field is drawn", func() bool {
		var p pictured
		c.must("browser.screenshot", `{"format":"png"}`, &p)
		red, _, _ := p.pixels(t)
		return red > 1000
	})
	given := 0
	for i := range harness.Times(6, 200) {
		args := []string{`{"hide_secrets":true,"format":"png"}`, `{"hide_secrets":true,"profile":"compact","format":"png"}`, `{"hide_secrets":true,"format":"png","full_page":true}`}[i%3] // a JPEG has hues of its own
		p, ok := c.pictureOrRefusal(args)
		if !ok {
			continue
		}
		given++
		if red, green, _ := p.pixels(t); red != 0 || green == 0 {
			t.Errorf("picture %d, %s: red %d, green %d", i, args, red, green)
		}
	}
	if t.Logf("%d pictures were given", given); given == 0 {
		t.Error("no picture was given")
	}
}

func TestNoPictureOfThePast(t *testing.T) {
	// Ensure that a page which shows what it was before, in a view transition that lasts, gives no picture without secrets but the error that names it, and gives one when it is over.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title><style>::view-transition-group(*),::view-transition-old(*),::view-transition-new(*){animation-duration:1000s}</style>` + fieldStyle + `<input type=password class=red value=` + blocks + `>`})
	b := home.Open(t, url)
	c := clientOf(t, home, "one")
	doc := attach(t, b, topTarget(t, b, url))
	if got := eval[string](doc, `(window.shown = document.startViewTransition(() => {})).ready.then(() => "ready", String)`); got != "ready" {
		t.Fatalf("the transition is %s", got)
	}
	harness.Until(t, "the refusal names it", func() bool {
		refused := c.call("browser.screenshot", `{"hide_secrets":true}`)
		if refused.Error != nil && refused.Error.Code == fault.ScreenshotCaptureFailed {
			return false // a machine that is busy
		}
		wantCode(t, refused, fault.ScreenshotCoverFailed)
		return true
	})
	eval[bool](doc, `(shown.skipTransition(), true)`)
	var p pictured
	c.must("browser.screenshot", fmt.Sprintf(`{"hide_secrets":true,"format":%q}`, "png"), &p)
	if red, _, _ := p.pixels(t); red != 0 {
		t.Errorf("%d pixels of the password", red)
	}
}

func TestPicturesHideSecretsInOddFrames(t *testing.T) {
	// Ensure that a picture without secrets has no pixel of a password in a frame whose document has no address of its own, or is in a frame of such a frame, and none of a frame that comes while pictures are taken.
	t.Parallel()
	home := harness.Shared(t)
	red := `<style>html,body{margin:0}</style><input type=password style="border:0;box-sizing:border-box;width:120px;height:60px;color:red;background:red" value=` + blocks + `>`
	frame := func(attributes string) string {
		return `<iframe style="border:0;width:120px;height:60px" ` + attributes + `></iframe>`
	}
	url, _ := pages(t, map[string]string{
		"/": `<title>t</title>` + frame(`srcdoc='`+red+`'`) + frame(`sandbox srcdoc='`+red+`'`) + frame(`sandbox="allow-scripts" src="/red"`) + frame(`src='data:text/html,`+red+`'`) + frame(`id=blank`) + frame(`id=blob`) + frame(`id=written`) + far("b", "/nested", `style="border:0;width:120px;height:60px"`) +
			`<object data="/red" style="width:120px;height:60px"></object><embed src="/red" style="width:120px;height:60px"><script>
			const red = ` + "`" + red + "`" + `;
			blank.contentDocument.body.innerHTML = red;
			blob.src = URL.createObjectURL(new Blob([red], {type: "text/html"}));
			written.contentDocument.open(); written.contentDocument.write(red); written.contentDocument.close();
			const come = () => { const f = document.createElement("iframe"); f.style = "width:120px;height:60px"; if (Math.random() < 0.5) f.srcdoc = red; else f.src = "/red"; document.body.append(f); setTimeout(() => f.remove(), 300); setTimeout(come, 170); };
			window.begin = () => (come(), true);
			</script>`,
		"/red": red, "/nested": `<style>body{margin:0}</style><iframe style="border:0;width:120px;height:60px" srcdoc='` + red + `'></iframe>`,
	})
	b := home.Open(t, url)
	c := clientOf(t, home, "one")
	harness.Until(t, "all frames are drawn", func() bool {
		var p pictured
		c.must("browser.screenshot", `{"format":"png"}`, &p)
		red, _, _ := p.pixels(t)
		return red > 60_000
	})
	given := 0
	for i := range harness.Times(5, 40) {
		if i == 3 {
			eval[bool](attach(t, b, topTarget(t, b, url)), `begin()`)
		}
		p, ok := c.pictureOrRefusal(`{"hide_secrets":true,"format":"png"}`)
		if !ok {
			continue
		}
		given++
		if red, _, _ := p.pixels(t); red != 0 {
			t.Errorf("picture %d: red %d, left out %v", i, red, p.left())
		}
	}
	if t.Logf("%d pictures were given", given); given == 0 {
		t.Error("no picture was given")
	}
}
