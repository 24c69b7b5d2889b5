package conformance

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// observedCases are about what an input is asked to observe: the call path answers it for
// all inputs alike.
func observedCases() []Case {
	const later = `<button id=b>Save</button><button id=off>Nothing</button><p id=p hidden>Saved: <b>3</b> items</p><script>
		$("#b").onclick = () => { log.push("save"); setTimeout(() => { $("#p").hidden = false; history.pushState({}, "", "?saved=3") }, 250) }
		$("#off").onclick = () => log.push("off")</script>`
	return []Case{
		{Name: clickOn + "/waits for what is expected of it", HTML: later, Run: func(p *Page) {
			out := p.ok(clickOn, `{"locator":{"selector":"#b"},"expect":{"text":"Saved: 3 items","url":"?saved=3","locator":{"selector":"#p"}}}`)
			p.is(out, "clicked", `true`)
			p.page(`[log, $("#p").hidden]`, `[["save"],false]`)
		}},
		{Name: clickOn + "/waits for what is expected on the page that it leads to", HTML: `<a href="/frame">Go</a>`, Run: func(p *Page) {
			p.ok(clickOn, `{"locator":{"text":"Go"},"expect":{"locator":{"selector":"#inner"},"url":"/frame"}}`)
			p.page(`document.querySelector("#inner").textContent`, `"Inner"`)
		}},
		{Name: clickOn + "/says that it was done where what is expected does not come", HTML: later, Run: func(p *Page) {
			for i, expect := range []string{`{"text":"Saved: 3 items"}`, `{"locator":{"selector":"#p"}}`, `{"url":"?saved"}`, `{"locator":{"selector":"p["}}`} {
				fail := p.refused(clickOn, `{"locator":{"selector":"#off"},"expect":`+strings.TrimSuffix(expect, "}")+`,"timeout_ms":200}}`, fault.ExpectationFailed)
				if fail.Dispatched != fault.WasDispatched || fail.Retryable {
					p.Errorf("%s: %+v", expect, fail)
				}
				p.page(`log.length`, string(rune('1'+i)))
			}
		}},
		{Name: clickOn + "/adds what changed once the page is at rest", HTML: `<button id=b>Save</button><p>Old</p><output></output><script>
			$("#b").onclick = () => setTimeout(() => { $("output").append("Saved") }, 60)</script>`, Run: func(p *Page) {
			p.ok("page.snapshot", `{}`)
			p.eval(`$("p").append("er")`)
			out := p.ok(clickOn, `{"locator":{"selector":"#b"},"diff":true}`)
			p.page(`$("output").textContent`, `"Saved"`)
			if diff := out.text("diff"); !strings.Contains(diff, "Saved") || strings.Contains(diff, "Older") {
				p.Errorf("the difference is %q", diff)
			}
			// The snapshots that the caller took by itself are not mixed with it.
			if diff := p.ok("page.snapshot", `{"diff":true}`).text("diff"); !strings.Contains(diff, "Older") || !strings.Contains(diff, "Saved") {
				p.Errorf("since the caller's own snapshot: %q", diff)
			}
			p.is(p.ok("locator.hover", `{"locator":{"selector":"p"},"diff":true}`), "diff", `""`)
		}},
		{Name: "locator.fill/adds what changed, or the page that it leads to", HTML: `<label>Name <input id=i></label><script>
			$("#i").oninput = e => { if (e.target.value === "go") location.href = "/frame" }</script>`, Run: func(p *Page) {
			if diff := p.ok("locator.fill", `{"locator":{"label":"Name"},"text":"Ada","diff":true}`).text("diff"); !strings.Contains(diff, "Ada") {
				p.Errorf("the difference is %q", diff)
			}
			out := p.ok("locator.fill", `{"locator":{"label":"Name"},"text":"go","expect":{"url":"/frame"},"diff":true}`)
			if text := out.text("snapshot"); !strings.Contains(text, "Inner") {
				p.Errorf("the new page is %q", text)
			}
		}},
	}
}

// shownCases are about what the page itself knows of page.wait_for.
func shownCases() []Case {
	const shown, inTree = "page.shown", `<div id=d style="display:none">in the <i>dark</i></div><x-a></x-a><iframe id=f srcdoc="<p>in the frame</p>"></iframe><div style="height:4000px"></div>
		<p>below the <b>fold</b></p><script>$("x-a").attachShadow({mode: "open"}).innerHTML = "<p>in the tree</p>"</script>`
	return []Case{
		{Name: shown + "/counts what is rendered, in frames and shadow trees too", HTML: inTree, Run: func(p *Page) {
			for _, text := range []string{"in the tree", "in the frame", "below  the fold"} {
				p.ok(shown, `{"text":"`+text+`","timeout_ms":2000}`)
			}
			p.ok(shown, `{"locator":{"selector":"b"},"timeout_ms":0}`)
			p.fails(shown, `{"text":"in the dark","timeout_ms":0}`, fault.Timeout)
			p.fails(shown, `{"locator":{"selector":"i"},"timeout_ms":0}`, fault.Timeout)
			p.fails(shown, `{"text":"tree in the","timeout_ms":0}`, fault.Timeout)
			p.fails(shown, `{"locator":{"selector":"b["},"timeout_ms":0}`, fault.InvalidSelector)
			p.eval(`void setTimeout(() => { $("#d").style.display = "" }, 50)`)
			p.ok(shown, `{"text":"in the dark","timeout_ms":2000}`)
		}},
	}
}
