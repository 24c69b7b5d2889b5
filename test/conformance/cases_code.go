package conformance

import (
	"context"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	runCode   = "browser.run_javascript"
	debugCode = "debug.run_javascript"
)

func codeCases() []Case {
	return []Case{
		{Name: runCode + "/gives the result with its type", HTML: `<p>x</p>`, Run: func(p *Page) {
			for source, want := range map[string][2]string{
				`return 1 + 1`:                          {`2`, `"number"`},
				`return {a: [1, undefined, {b: null}]}`: {`{"a":[1,null,{"b":null}]}`, `"object"`},
				`return []`:                             {`[]`, `"array"`},
				`return null`:                           {`null`, `"null"`},
				`// nothing`:                            {`null`, `"undefined"`},
				`return "a\ud800b"`:                     {`"a` + "\ufffd" + `b"`, `"string"`},
				`Array.prototype.toJSON = () => "spoilt"; return [1]`: {`[1]`, `"array"`},
			} {
				out := p.ok(runCode, sourceArgs(source))
				p.is(out, "result", want[0])
				p.is(out, "type", want[1])
				p.is(out, "described", `null`)
			}
			p.is(p.ok(runCode, `{"source":"return location.pathname"}`), "execution", `{"transport":"chrome.debugger","world":"main"}`)
		}},
		{Name: runCode + "/describes what JSON has no form for", HTML: `<p id=x>x</p>`, Run: func(p *Page) {
			for source, want := range map[string][2]string{
				`return document.querySelector("p")`: {`"<p#x>"`, `"node"`},
				`return window`:                      {`"[Window]"`, `"object"`},
				`return 10n`:                         {`"10n"`, `"bigint"`},
				`return NaN`:                         {`"NaN"`, `"number"`},
				`return function f() {}`:             {`"[function f]"`, `"function"`},
				`return Symbol("s")`:                 {`"Symbol(s)"`, `"symbol"`},
				`return new Map([[1, 2]])`:           {`"[Map of 1]"`, `"object"`},
				`return new Error("e")`:              {`"Error: e"`, `"object"`},
			} {
				out := p.ok(runCode, sourceArgs(source))
				p.is(out, "result", want[0])
				p.is(out, "type", want[1])
				p.is(out, "described", `true`)
			}
			p.is(p.ok(runCode, sourceArgs(`const o = {n: document.body}; o.o = o; return o`)), "result", `{"n":"<body>","o":"[circular]"}`)
			p.fails(runCode, sourceArgs(`return "x".repeat(3e6)`), fault.JavascriptFailed)
		}},
		{Name: runCode + "/gives args and helpers", HTML: `<div><p id=x>  two   words <b style="display:none">no</b></p></div>`, Run: func(p *Page) {
			out := p.ok(runCode, `{"source":"const el = helpers.queryRelative(document.querySelector('div'), args.find); return [helpers.visibleText(el), helpers.isElementVisible(el.querySelector('b')), helpers.normalizeText(' a  b ')]","args":{"find":"p"}}`)
			p.is(out, "result", `["two words",false,"a b"]`)
		}},
		{Name: runCode + "/waits for promises", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok(runCode, sourceArgs(`await new Promise(done => setTimeout(done, 50)); return "later"`)), "result", `"later"`)
			p.is(p.ok(runCode, sourceArgs(`return fetch("/frame").then(r => r.status)`)), "result", `200`)
			p.is(p.ok(runCode, sourceArgs(`await new Promise(done => setTimeout(done, 20)); debugger; return "went on"`)), "result", `"went on"`)
		}},
		{Name: runCode + "/tells what the code threw", HTML: `<p>x</p>`, Run: func(p *Page) {
			fail := p.fails(runCode, sourceArgs(`function deep(n) { if (n) deep(n - 1); else throw new TypeError("no tea"); } deep(20)`), fault.JavascriptFailed)
			p.is(fail, "exception", `"TypeError: no tea"`)
			p.is(fail, "stack.length", `5`)
			p.is(fail, "trust", `"untrusted"`)
			p.is(p.fails(runCode, sourceArgs(`return Promise.reject("plain")`), fault.JavascriptFailed), "exception", `"\"plain\""`)
			p.fails(runCode, sourceArgs(`return ][`), fault.JavascriptFailed)
			long := p.fails(runCode, sourceArgs(`throw new Error("x".repeat(5000))`), fault.JavascriptFailed)
			if text, _ := long.at("exception").(string); len(text) > 600 {
				p.Errorf("%d characters of the page's text", len(text))
			}
		}},
		// (D19)
		{Name: runCode + "/ends an endless loop", HTML: `<button onclick="log.push('clicked')">b</button>`, Run: func(p *Page) {
			for source, known := range map[string]string{
				`for (;;) ;`: `true`, `await 0; for (;;) ;`: ``, `for (;;) await 0`: ``,
				// On a busy machine the time may be over before the loop begins.
				`await new Promise(done => setTimeout(done, 20)); for (;;) ;`: ``,
			} {
				fail := p.fails(runCode, with(sourceArgs(source), `"timeout_ms":300`), fault.JavascriptTimeout)
				if known != "" {
					p.is(fail, "terminated", known)
				}
				p.is(p.ok(runCode, sourceArgs(`return "usable"`)), "result", `"usable"`)
			}
			// This one begins after its time, beside the next call.
			fail := p.fails(runCode, with(sourceArgs(`await new Promise(go => { window.go = go }); for (;;) ;`), `"timeout_ms":300`), fault.JavascriptTimeout)
			p.is(fail, "terminated", `null`)
			p.fails(runCode, with(sourceArgs(`setTimeout(go, 100); await new Promise(() => {})`), `"timeout_ms":700`), fault.JavascriptTimeout)
			p.is(p.ok(runCode, sourceArgs(`return "usable"`)), "result", `"usable"`)
			p.click("button")
			p.page(`log`, `["clicked"]`)
		}},
		{Name: runCode + "/ends code that waits for ever", HTML: `<script>window.beats = 0; setInterval(() => window.beats++, 5)</script>`, Run: func(p *Page) {
			fail := p.fails(runCode, with(sourceArgs(`await new Promise(() => {})`), `"timeout_ms":200`), fault.JavascriptTimeout)
			p.is(fail, "terminated", `null`) // the page's own code was not hit
			p.page(`new Promise(done => { const from = beats; setTimeout(() => done(beats > from), 100) })`, `true`)
			ctx, cancel := context.WithTimeout(p.Context(), 200*time.Millisecond)
			defer cancel()
			p.failsIn(ctx, runCode, sourceArgs(`for (;;) ;`), fault.HandlerTimeout)
			p.is(p.ok(runCode, sourceArgs(`return 1`)), "result", `1`)
		}},
		{Name: runCode + "/hands a dialog of the code over", HTML: `<p>x</p>`, Run: func(p *Page) {
			fail := p.fails(runCode, sourceArgs(`window.answer = prompt("How much tea?"); return 1`), fault.DialogOpen)
			p.is(fail, "dialog.message", `"How much tea?"`)
			p.ok("browser.dismiss_dialog", `{"accept":true,"prompt_text":"much"}`)
			p.page(`answer`, `"much"`)
			p.is(p.ok(runCode, sourceArgs(`return answer`)), "result", `"much"`)
		}},
		// (lesson 63)
		{Name: runCode + "/works under a strict policy of the page", HTML: `<p>x</p>`, CSP: "default-src 'none'; sandbox allow-scripts allow-same-origin", Run: func(p *Page) {
			p.is(p.ok(runCode, sourceArgs(`return document.querySelector("p").textContent`)), "result", `"x"`)
		}},
		{Name: runCode + "/takes one source", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok(runCode, `{"javascript":"return 3"}`), "result", `3`)
			p.fails(runCode, `{"javascript":"return 3","source":"return 4"}`, fault.InvalidInput)
			p.fails(runCode, `{"args":{}}`, fault.InvalidInput)
			p.fails(runCode, `{"source":"return 1","timeout_ms":60001}`, fault.InvalidInput)
		}},
		{Name: debugCode + "/runs code as well", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok(debugCode, sourceArgs(`window.mark = 7; return document.title`)), "result", `"`+debugCode+`/runs code as well"`)
			p.page(`window.mark`, `7`)
		}},
	}
}

// sourceArgs makes the arguments of a call from the code.
func sourceArgs(source string) string {
	return `{"source":"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(source) + `"}`
}
