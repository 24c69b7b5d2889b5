package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

// talking is an editor drawn on a canvas: it tells a screen reader where the
// caret is, in a task of its own after each key.
const talking = `<canvas id=c tabindex=0 style="width:50px;height:50px"></canvas><div id=docs-aria-speakable></div><script>
	let at = 0; const words = ["start", "one", "two", "three", "", "five"]
	$("#c").addEventListener("keydown", e => { if (e.key !== "ArrowRight") return; at++; setTimeout(() => { $("#docs-aria-speakable").textContent = words[at] ?? "end" }) })
	$("#c").focus()</script>`

func gatedCases() []Case {
	const gated = "keyboard.press_gated"
	return []Case{
		{Name: gated + "/presses a number of times", HTML: talking, Run: func(p *Page) {
			p.eval(`$("#c").addEventListener("keydown", e => log.push(performance.now()))`)
			out := p.ok(gated, `{"key":"ArrowRight","stop":"count","count":5}`)
			p.is(out, "", `{"stop":"count","steps_done":5,"fidelity":"trusted"}`)
			p.page(`[at, log.slice(1).every((t, i) => t - log[i] >= 24)]`, `[5,true]`)
			p.is(p.ok(gated, `{"key":"ArrowRight","stop":"count","count":0}`), "steps_done", `0`)
			out = p.ok(gated, `{"key":"ArrowRight","stop":"count","count":4,"max_presses":2}`)
			p.is(out, "stop", `"partial"`)
			p.is(out, "reason", `"max_presses"`)
			p.page(`at`, `7`)
		}},
		{Name: gated + "/presses until the page says it", HTML: talking, Run: func(p *Page) {
			out := p.ok(gated, `{"key":"ArrowRight","stop":"until","expect":"^th.ee$"}`)
			p.is(out, "steps_done", `3`)
			p.is(out, "final_a11y", `"three"`)
			p.is(p.ok(gated, `{"key":"ArrowRight","stop":"until","expect":["three"],"polarity":"no_match"}`), "steps_done", `1`)
			out = p.ok(gated, `{"key":"ArrowRight","stop":"until","expect":"never","max_presses":3}`)
			p.is(out, "stop", `"partial"`)
			p.is(out, "steps_done", `3`)
			p.page(`at`, `7`)
		}},
		{Name: gated + "/follows a path and halts where it is left", HTML: talking, Run: func(p *Page) {
			out := p.ok(gated, `{"key":"ArrowRight","stop":"path","expect":["one","one","th"],"polarity":["match","no_match","match"]}`)
			p.is(out, "steps_done", `3`)
			p.eval(`at = 0`)
			evidence := p.fails(gated, `{"key":"ArrowRight","stop":"path","expect":["one","six","three"]}`, fault.KeyPathDiverged)
			p.is(evidence, "steps_done", `1`)
			p.is(evidence, "expected", `"six"`)
			p.is(evidence, "actual", `"two"`)
			p.page(`at`, `2`)
		}},
		{Name: "keyboard.spoken_text/hears the editor, the focus and a live region, and no secret", HTML: `
			<button id=b aria-label="Send">go</button><input id=i value="typed"><input id=p type=password value=hunter2><div id=l role=status></div><div id=s></div>`, Run: func(p *Page) {
			announce := func(want string) {
				p.Helper()
				p.is(p.ok(gated, `{"key":"Shift","stop":"until","expect":"","max_presses":1}`), "final_a11y", want)
			}
			p.eval(`$("#b").focus()`)
			announce(`"Send"`)
			p.eval(`$("#i").focus()`)
			announce(`"typed"`)
			p.eval(`$("#p").focus(); $("#l").textContent = "saved"`)
			announce(`"saved"`)
			p.eval(`$("#s").id = "docs-aria-speakable"; $("#docs-aria-speakable").textContent = "line 1"`)
			announce(`"line 1"`)
		}},
		{Name: gated + "/refuses what makes no sense", HTML: talking, Run: func(p *Page) {
			for _, args := range []string{
				`{"key":"ArrowRight","stop":"count"}`, `{"key":"ArrowRight","stop":"count","count":2001}`, `{"key":"ArrowRight","stop":"until"}`,
				`{"key":"ArrowRight","stop":"until","expect":["a","b"]}`, `{"key":"ArrowRight","stop":"path","expect":[]}`,
				`{"key":"ArrowRight","stop":"until","expect":"("}`, `{"key":"ArrowRight","stop":"always"}`,
			} {
				p.fails(gated, args, fault.InvalidInput)
			}
			p.fails(gated, `{"key":"NoSuchKey","stop":"count","count":1}`, fault.InvalidKey)
			p.page(`at`, `0`)
		}},
	}
}
