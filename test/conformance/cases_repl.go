package conformance

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	replCode  = "automation.repl"
	browserJS = "automation.browserjs"
)

func replCases() []Case {
	return []Case{
		{Name: replCode + "/gives what code writes and returns", HTML: `<p>x</p>`, Run: func(p *Page) {
			for code, want := range map[string]string{
				`return 1 + 1`:               `=> 2`,
				`return {a: [1, "b", null]}`: `=> {"a":[1,"b",null]}`,
				`// nothing`:                 ``,
				`console.log("a", {b: 1}); console.info("i"); console.warn("w"); console.error("e"); return "r"`: "a {\"b\":1}\ni\n[warn] w\n[error] e\n=> \"r\"",
				`await sleep(5); return [10n, new Map([[1, 2]]), undefined, () => 1].length`:                     `=> 4`,
				`const sleep = 1; let console; return sleep`:                                                     `=> 1`,
				`const o = {}; o.o = o; return o`:                                                                `=> {"o":"[circular]"}`,
			} {
				out := p.ok(replCode, codeArgs(code))
				p.equal(code, out.at("output"), quoted(want))
				p.is(out, "files.length", `0`)
			}
		}},
		{Name: replCode + "/tells what code threw", HTML: `<p>x</p>`, Run: func(p *Page) {
			fail := p.fails(replCode, codeArgs(`console.log("before"); throw new TypeError("no tea")`), fault.JavascriptFailed)
			p.is(fail, "exception", `"TypeError: no tea"`)
			p.is(fail, "output", `"before"`)
			p.is(fail, "trust", `"untrusted"`)
			p.is(p.fails(replCode, codeArgs(`throw "plain"`), fault.JavascriptFailed), "exception", `"thrown: \"plain\""`)
			p.fails(replCode, codeArgs(`return ][`), fault.JavascriptFailed)
			p.fails(replCode, codeArgs(`}); while (true); ({`), fault.JavascriptFailed)
			p.fails(replCode, codeArgs(`await browserjs("no function")`), fault.JavascriptFailed)
			p.fails(replCode, codeArgs(`await browserjs(document)`), fault.JavascriptFailed)
		}},
		{Name: replCode + "/waits for steps that the code does not await", HTML: `<p>x</p>`, Run: func(p *Page) {
			for code, want := range map[string]fault.Code{
				`browserjs(() => { throw new TypeError("no tea") })`:                                                           fault.JavascriptFailed,
				`navigate({ url: "file:///etc/passwd" })`:                                                                      fault.UnsafeURL,
				`(async () => { await browserjs(() => 1); await navigate({ url: "file:///etc/passwd" }) })(); return "before"`: fault.UnsafeURL,
			} {
				p.fails(replCode, codeArgs(code), want)
			}
			p.ok(replCode, codeArgs(`(async () => { await browserjs(() => { document.body.dataset.a = 1 }); await browserjs(() => { document.body.dataset.b = 1 }) })()`))
			p.page(`document.body.dataset.a + document.body.dataset.b`, `"11"`)
			for _, code := range []string{`browserjs(() => { throw 1 }).catch(() => {})`, `const fails = browserjs(() => { throw 1 }); await sleep(500); try { await fails } catch {}`} {
				p.ok(replCode, codeArgs(code))
			}
		}},
		{Name: replCode + "/has no network and loads no code", HTML: `<p>x</p>`, Run: func(p *Page) {
			address := quoted(p.Site.server.URL + "/data/list")
			before := p.Site.fetched.Load()
			for _, attempt := range []string{
				`await fetch(` + address + `)`,
				`await new Promise((resolve, reject) => { const s = new WebSocket(` + address + `.replace("http", "ws")); s.onopen = resolve; s.onerror = () => reject(new Error("no")); })`,
				`await new Promise((resolve, reject) => { const s = new EventSource(` + address + `); s.onopen = resolve; s.onerror = () => reject(new Error("no")); })`,
				`const x = new XMLHttpRequest(); x.open("GET", ` + address + `, false); x.send()`,
				`importScripts(` + address + `)`,
				`importScripts("data:text/javascript,1")`,
				`await import(` + address + `)`,
				`await import("data:text/javascript,export default 1")`,
				`await import(URL.createObjectURL(new Blob(["1"], {type: "text/javascript"})))`,
				`eval("1")`,
				`new Function("return 1")()`,
				`const db = await new Promise((resolve, reject) => { const o = indexedDB.open("x"); o.onsuccess = resolve; o.onerror = () => reject(o.error); })`,
				`document.title`,
				`chrome.runtime.id`,
			} {
				p.fails(replCode, codeArgs(attempt), fault.JavascriptFailed)
			}
			if n := p.Site.fetched.Load() - before; n != 0 {
				p.Errorf("%d requests reached the server", n)
			}
		}},
		{Name: replCode + "/ends endless code", HTML: `<p>x</p>`, Run: func(p *Page) {
			for _, code := range []string{`console.log("on"); for (;;) ;`, `console.log("on"); await new Promise(() => {})`, `console.log("on"); for (;;) await 0`} {
				fail := p.fails(replCode, with(codeArgs(code), `"timeout_ms":3000`), fault.JavascriptTimeout) // in which it begins on a busy machine, too
				p.is(fail, "output", `"on"`)
				p.is(p.ok(replCode, codeArgs(`return 1`)), "output", `"=> 1"`)
			}
			p.fails(replCode, with(codeArgs(`return 1`), `"timeout_ms":120001`), fault.InvalidInput)
		}},
		{Name: replCode + "/bounds its output", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(replCode, codeArgs(`console.log("x".repeat(250_000)); return "y"`)).text("output")
			if len(out) > 100_200 || !strings.HasPrefix(out, "xxx") || !strings.Contains(out, "more characters of output were cut") {
				p.Errorf("%d characters, …%q", len(out), out[max(0, len(out)-80):])
			}
			out = p.ok(replCode, codeArgs(`for (let i = 0; i < 200_000; i++) console.log("line " + i)`)).text("output")
			if len(out) > 100_200 || !strings.Contains(out, "were cut") {
				p.Errorf("%d characters", len(out))
			}
		}},
		{Name: replCode + "/returns files", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(replCode, codeArgs(`await returnFile("a.csv", "a,b", "text/csv"); await returnFile({fileName: "b.bin", content: new Uint8Array([1, 2])}); returnFile({name: "c.json", content: {a: 1}, type: "application/json"})`))
			p.is(out, "files.0", `{"fileName":"a.csv","mimeType":"text/csv","contentBase64":"YSxi"}`)
			p.is(out, "files.1", `{"fileName":"b.bin","mimeType":"application/octet-stream","contentBase64":"AQI="}`)
			p.is(out, "files.2.fileName", `"c.json"`)
			p.is(out, "files.length", `3`)
			p.is(p.fails(replCode, codeArgs(`await returnFile("a", new Uint8Array(9_000_000))`), fault.JavascriptFailed), "exception", `"RangeError: the files of a run may have 8388608 bytes together"`)
			big := p.ok(replCode, codeArgs(`await returnFile("a", new Uint8Array(7_000_000)); return "done"`))
			if n := len(big.text("files.0.contentBase64")); n != 9_333_336 {
				p.Errorf("%d characters of base64", n)
			}
		}},
		{Name: replCode + "/refuses code that leaves the page", HTML: `<p>x</p>`, Run: func(p *Page) {
			for _, code := range []string{`location.href = "/frame"`, `await browserjs(() => { window["loca" + "tion"] = "/frame" })`, `history.back()`} {
				f := p.refused(replCode, codeArgs(code), fault.CodeNavigationRefused)
				if !strings.Contains(f.NextStep, "navigate(") {
					p.Errorf("its next step is %q", f.NextStep)
				}
			}
			p.page(`location.pathname !== "/frame"`, `true`)
		}},
		{Name: replCode + "/navigates and goes on there", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(replCode, codeArgs(`
				const before = await browserjs(() => document.title);
				const { finalUrl, tabId } = await navigate({ url: "/frame" });
				return [before, finalUrl.endsWith("/frame"), typeof tabId, await browserjs(() => location.pathname)]`))
			p.is(out, "output", quoted(`=> ["`+replCode+`/navigates and goes on there",true,"number","/frame"]`))
			leads := quoted(inside(`<script>setTimeout(() => { location = "/frame" }, 100)</script>`))
			p.is(p.ok(replCode, codeArgs(`await browserjs(() => 1); await navigate(`+leads+`); await sleep(1000); return await browserjs(() => location.pathname)`)), "output", quoted(`=> "/frame"`))
			p.fails(replCode, codeArgs(`await navigate({ url: "file:///etc/passwd" })`), fault.UnsafeURL)
		}},
	}
}

func browserJSCases() []Case {
	return []Case{
		{Name: browserJS + "/runs functions in the page and apart from it", HTML: `<button>b</button><script>window.own = {n: 7}</script>`, Run: func(p *Page) {
			p.is(p.ok(replCode, codeArgs(`return await browserjs((a, b) => [document.querySelector("button").textContent, a + b, typeof own], 1, 2)`)), "output", quoted(`=> ["b",3,"undefined"]`))
			p.is(p.ok(replCode, codeArgs(`return await browserjs.main(() => [own.n, typeof nativeClick])`)), "output", quoted(`=> [7,"undefined"]`))
			p.is(p.ok(replCode, codeArgs(`console.log("one"); await browserjs(async () => { console.log("two", {a: 1}); await new Promise((go) => setTimeout(go, 10)); console.warn("three"); }); console.log("four")`)), "output", quoted("one\ntwo {\"a\":1}\n[warn] three\nfour"))
			p.is(p.ok(replCode, codeArgs(`const all = await Promise.all([1, 2, 3].map((n) => browserjs((x) => x * 2, n))); return all`)), "output", quoted(`=> [2,4,6]`))
			p.is(p.ok(replCode, codeArgs(`return await browserjs(() => document.body)`)), "output", quoted(`=> "<body>"`))
			p.ok(replCode, codeArgs(`await browserjs(() => document.querySelector("button").textContent = "changed")`))
			p.page(`document.querySelector("button").textContent`, `"changed"`)
		}},
		{Name: browserJS + "/tells what a function threw", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.fails(replCode, codeArgs(`await browserjs(() => { throw new TypeError("no tea") })`), fault.JavascriptFailed), "exception", `"TypeError: no tea"`)
			p.is(p.ok(replCode, codeArgs(`try { await browserjs(() => nothing.at.all) } catch (e) { return e.message }`)), "output", quoted(`=> "the function threw: ReferenceError: nothing is not defined"`))
			p.fails(replCode, codeArgs(`const o = { m() { return 1 } }; await browserjs(o.m)`), fault.JavascriptFailed)
			p.fails(replCode, codeArgs(`const o = {}; o.o = o; await browserjs((x) => x, o)`), fault.JavascriptFailed)
		}},
		{Name: browserJS + "/fails where the function leaves the page", HTML: `<a href="/frame">to</a>`, Run: func(p *Page) {
			f := p.refused(replCode, codeArgs(`await browserjs((key) => { window[key] = "/frame" }, "location"); return "left"`), fault.CodeNavigationRefused)
			if f.Evidence["left"] != true {
				p.Errorf("it says %+v", f)
			}
		}},
		{Name: browserJS + "/ends a function that keeps the page busy", HTML: `<p>x</p>`, Run: func(p *Page) {
			for _, code := range []string{`await browserjs(() => { for (;;) ; })`, `await browserjs.main(() => { for (;;) ; })`, `await browserjs(async () => { await new Promise((go) => setTimeout(go, 20)); for (;;) ; })`} {
				p.fails(replCode, with(codeArgs(code), `"timeout_ms":1500`), fault.JavascriptTimeout)
				p.is(p.ok(replCode, codeArgs(`return await browserjs(() => "usable")`)), "output", quoted(`=> "usable"`))
			}
			ctx, cancel := context.WithTimeout(p.Context(), 700*time.Millisecond)
			defer cancel()
			p.failsIn(ctx, replCode, codeArgs(`await browserjs(() => { for (;;) ; })`), fault.HandlerTimeout)
			p.is(p.ok(replCode, codeArgs(`return await browserjs(() => "usable")`)), "output", quoted(`=> "usable"`))
			beating, stop := context.WithCancel(p.Context())
			defer stop()
			ended := p.backgroundIn(beating, replCode, codeArgs(`await browserjs(async () => { let beats = 0; for (;;) { document.body.dataset.beats = ++beats; await new Promise((go) => setTimeout(go, 20)); } })`))
			p.settles(`document.body.dataset.beats > 1`, `true`)
			stop()
			p.ends(ended, fault.Cancelled)
			p.until("the code stops soon", func() (stands bool) { // its caller is answered at once
				p.backend.Eval(p.T, `new Promise(done => { const from = document.body.dataset.beats; setTimeout(() => done(document.body.dataset.beats === from), 300) })`, &stands)
				return stands
			})
		}},
		{Name: browserJS + "/refuses real input that is not armed", HTML: `<button onclick="window.clicked = 1">b</button>`, Run: func(p *Page) {
			p.is(p.ok(replCode, codeArgs(`try { await browserjs(() => nativeClick("button")) } catch (e) { return e.message }`)), "output", quoted(`=> "the function threw: NativeInputError: real input is not armed for this code"`))
			p.is(p.ok(replCode, codeArgs(`return await browserjs(async () => { try { await nativePress("a") } catch (e) { return [e.code, e.reason] } })`)), "output", quoted(`=> ["permission_denied","not armed"]`))
			p.page(`window.clicked ?? 0`, `0`)
		}},
	}
}

// codeArgs makes the arguments of a run.
func codeArgs(code string) string {
	return `{"title":"Test","code":` + quoted(code) + `}`
}

func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
