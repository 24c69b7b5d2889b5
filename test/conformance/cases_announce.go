package conformance

import (
	"fmt"
	"strings"
	"time"
)

const (
	a11yWatch     = "a11y.watch"
	a11yEvents    = "a11y.events.read"
	a11ySubscribe = "a11y.announcements_subscribe"
	a11yConfigure = "a11y.announcements_configure"
)

func announceCases() []Case {
	return []Case{
		{Name: a11yWatch + "/hears live regions by their attributes", HTML: `<div id=s role=status></div><div id=a role=alert aria-label=Errors></div><div id=l role=log></div><div id=off aria-live=off role=alert></div><div id=t role=timer></div><output id=o></output><p id=p></p>
			<div id=atomic aria-live=polite aria-atomic=true>Total <b id=n>1</b></div><form id=r aria-live=polite aria-relevant="removals"><input type=hidden name=id><input type=hidden name=localName><i>gone</i></form><div id=add aria-live=polite aria-relevant=additions><i id=word>word</i></div>`, Run: func(p *Page) {
			p.is(p.freshWatch(), "observer_regions", `7`)
			p.eval(`$("#s").textContent = "Saved", $("#a").innerHTML = "<b>Bad</b> address", $("#off").textContent = "off", $("#t").textContent = "0:01", $("#p").textContent = "plain",
				$("#o").textContent = "42", $("#n").textContent = "2", $("#r i").remove(), $("#word").firstChild.data = "other", $("#l").append("line")`)
			all := p.announced(7)
			want := map[string]string{"Saved": "polite status", "Bad address": "assertive alert", "42": "polite status", "Total 2": "polite region", "gone": "polite region", "line": "polite log", "other": "polite region"}
			for i := range 7 {
				a := Output{all.at(fmt.Sprintf("announcements.%d", i))}
				text, _ := a.at("text").(string)
				if got := fmt.Sprint(a.at("politeness"), " ", a.at("region_role")); want[text] != got {
					p.Errorf("%q is %s, want %q", text, got, want[text])
				}
				if text == "Bad address" {
					p.is(a, "interrupt", `true`)
					p.is(a, "region", `"Errors"`)
					p.is(a, "category", `"live"`)
				}
				if text == "gone" {
					p.is(a, "region", `"form#r"`)
				}
			}
		}},
		{Name: a11yWatch + "/says a burst once and waits while busy", HTML: `<div id=s role=status></div><div id=l role=log></div><div id=b role=status aria-busy=true></div>`, Run: func(p *Page) {
			p.freshWatch()
			p.eval(`(async () => { for (let n = 1; n <= 5; n++) { $("#s").textContent = "step " + n; await null; } })()`)
			p.eval(`["one", "two"].forEach(t => $("#l").insertAdjacentHTML("beforeend", "<p>" + t + "</p>")), $("#b").textContent = "half"`)
			p.is(p.announced(2), "announcements.length", `2`)
			p.eval(`$("#b").textContent = "whole", $("#b").removeAttribute("aria-busy")`)
			all := p.announced(3)
			p.is(p.announcement(all, "step"), "text", `"step 5"`)
			p.is(p.announcement(all, "one"), "text", `"one two"`)
			p.is(p.announcement(all, "whole"), "text", `"whole"`)
		}},
		{Name: a11yWatch + "/hears shadow roots, frames and what appears", HTML: `<div id=host></div><iframe src="/frame"></iframe><div id=h role=alert hidden>Hidden until now</div><input type=password value=hush>`, Run: func(p *Page) {
			p.eval(`$("#host").attachShadow({mode: "open"}).innerHTML = "<div role=status></div>"`)
			p.freshWatch()
			p.eval(`$("#host").shadowRoot.firstChild.textContent = "from a shadow"`)
			p.eval(`frames[0].document.body.insertAdjacentHTML("beforeend", "<div role=alert>from a frame</div>")`)
			p.eval(`$("#h").hidden = false`)
			p.eval(`document.body.insertAdjacentHTML("beforeend", "<section><div role=alert>a toast<style>x{}</style><span aria-hidden=true>unsaid</span></div></section>")`)
			all := p.announced(4)
			for _, words := range []string{"from a shadow", "from a frame", "Hidden until now", "a toast"} {
				p.is(p.announcement(all, words), "text", `"`+words+`"`)
			}
			p.eval(`new Promise(done => { const f = document.querySelector("iframe"); f.onload = () => done(1); f.srcdoc = "<div role=status id=x></div>" })`)
			p.eval(`frames[0].document.querySelector("#x").textContent = "from its next page"`)
			p.announced(5)
		}},
		{Name: a11yWatch + "/hears texts right below a shadow root", HTML: `<x-clock></x-clock><x-toast role=status></x-toast><x-list role=status></x-list><div id=s role=status></div>`, Run: func(p *Page) {
			// Ensure that such a text is announced by the region around its host, changed or put anew, and that one in no region holds nothing up.
			p.eval(`for (const name of ["x-clock", "x-toast", "x-list"]) $(name).attachShadow({mode: "open"}).textContent = "12:00"`)
			p.freshWatch()
			p.eval(`$("x-clock").shadowRoot.firstChild.data = "12:01", $("#s").textContent = "Sent"`)
			p.is(p.announcement(p.announced(1), "Sent"), "text", `"Sent"`)
			p.eval(`$("x-toast").shadowRoot.firstChild.data = "Saved", $("x-list").shadowRoot.textContent = "Sorted"`)
			all := p.announced(3)
			p.is(p.announcement(all, "Saved"), "text", `"Saved"`)
			p.is(p.announcement(all, "Sorted"), "text", `"Sorted"`)
		}},
		{Name: a11yWatch + "/goes on in the next document and ends", HTML: `<div id=s role=status></div>`, Run: func(p *Page) {
			p.freshWatch()
			p.eval(`$("#s").textContent = "first page"`)
			first := p.announced(1)
			p.ok(navigate, `{"url":"`+p.Site.other+inside(`<div role=alert>It failed</div><div id=s role=status></div>`)+`"}`)
			p.announced(2) // the alert that came with the page
			p.eval(`$("#s").textContent = "second page"`)
			var next Output
			p.until("the next page is heard", func() bool {
				next = p.ok(a11yEvents, fmt.Sprintf(`{"since":%.0f}`, first.number("next_cursor")))
				return next.number("announcements.length") == 2
			})
			p.is(next, "announcements.0.text", `"It failed"`)
			p.is(next, "announcements.1.text", `"second page"`)
			p.is(p.ok(a11yWatch, `{"enabled":false}`), "watching", `false`)
			p.is(p.ok(a11yEvents, `{}`), "watching", `false`)
		}},
		{Name: a11yWatch + "/switches a site's screen reader mode on", HTML: `<div id=docs-aria-speakable></div><script>addEventListener("keydown", e => { log.push([e.key, e.ctrlKey, e.altKey, e.isTrusted]); if (e.key === "z" && e.ctrlKey && e.altKey) $("#docs-aria-speakable").textContent = "Screen reader support enabled." })</script>`, Run: func(p *Page) {
			p.is(p.ok(a11yWatch, `{}`), "screen_reader", `"not_requested"`)
			p.page(`log`, `[]`)
			p.is(p.ok(a11yWatch, `{"enable_screen_reader":true}`), "screen_reader", `"enabled"`)
			p.page(`log.at(-1)`, `["z",true,true,true]`)
			p.eval(`$("#docs-aria-speakable").textContent = "nothing"`)
			p.is(p.ok(a11yWatch, `{"enable_screen_reader":true,"screen_reader_chord":"Shift+F9"}`), "screen_reader", `"unverified(nothing)"`)
			p.eval(`$("#docs-aria-speakable").remove()`)
			p.is(p.ok(a11yWatch, `{"enable_screen_reader":true}`), "screen_reader", `"unverified(no #docs-aria-speakable)"`)
		}},
		{Name: a11yEvents + "/goes on from a cursor", HTML: `<div id=l role=log></div>`, Run: func(p *Page) {
			p.freshWatch()
			for i := range 3 {
				p.eval(fmt.Sprintf(`$("#l").insertAdjacentHTML("beforeend", "<p>line %d</p>")`, i))
				p.announced(i + 1)
			}
			page := p.ok(a11yEvents, `{"limit":2}`)
			p.is(page, "announcements.1.text", `"line 1"`)
			rest := p.ok(a11yEvents, fmt.Sprintf(`{"since":%.0f}`, page.number("next_cursor")))
			p.is(rest, "announcements.length", `1`)
			p.is(rest, "announcements.0.text", `"line 2"`)
			p.is(rest, "dropped", `0`)
			p.is(rest, "trust", `"untrusted"`)
		}},
		{Name: a11yEvents + "/says when nobody watches", HTML: `<div id=s role=status></div>`, Run: func(p *Page) {
			p.ok(a11yWatch, `{"enabled":false}`)
			p.eval(`$("#s").textContent = "unheard"`)
			out := p.ok(a11yEvents, `{}`)
			p.is(out, "watching", `false`)
			p.is(out, "announcements", `[]`)
		}},
		{Name: a11ySubscribe + "/tells announcements with the next answers", HTML: `<div id=a role=alert></div>`, Run: func(p *Page) {
			p.ok(a11yWatch, `{"enabled":false}`)
			out := p.ok(a11ySubscribe, `{}`)
			p.is(out, "assertive", `"inject"`)
			p.is(out, "polite", `"buffer"`)
			p.is(out, "watching", `false`)
			p.ok(a11yWatch, `{}`)
			p.is(p.ok(a11ySubscribe, `{}`), "watching", `true`)
		}},
		{Name: a11yConfigure + "/changes the modes", HTML: `<div id=s role=status></div><div id=a role=alert></div>`, Run: func(p *Page) {
			p.freshWatch()
			out := p.ok(a11yConfigure, `{"assertive":"off","polite":"inject"}`)
			p.is(out, "assertive", `"off"`)
			p.is(out, "polite", `"inject"`)
			p.eval(`$("#s").textContent = "polite words", $("#a").textContent = "rude words"`)
			p.is(p.announced(1), "announcements.0.text", `"polite words"`)
			p.ok(a11yConfigure, `{"assertive":"inject","polite":"buffer"}`)
			p.announced(2)
		}},
	}
}

// observeRegionCases are those of the part that no caller can name.
func observeRegionCases() []Case {
	return []Case{{Name: "a11y.observe/counts the live regions", HTML: `<div role=status></div><div aria-live=off role=alert></div><iframe srcdoc="<output>x</output>"></iframe>`, Run: func(p *Page) {
		p.is(p.ok("a11y.observe", `{}`), "regions", `2`)
		p.is(p.ok("a11y.observe", `{"enabled":true,"present":true}`), "observing", `true`)
		p.is(p.ok("a11y.observe", `{"enabled":false}`), "observing", `false`)
	}}}
}

// freshWatch forgets what earlier cases left.
func (p *Page) freshWatch() Output {
	p.Helper()
	p.ok(a11yWatch, `{"enabled":false}`)
	return p.ok(a11yWatch, `{}`)
}

// announced waits for so many announcements and returns them.
func (p *Page) announced(count int) Output {
	p.Helper()
	var out Output
	p.until(fmt.Sprintf("%d announcements are heard", count), func() bool {
		out = p.ok(a11yEvents, `{}`)
		return out.number("announcements.length") >= float64(count)
	})
	if out.number("announcements.length") != float64(count) {
		p.Errorf("more was said: %v", out.at("announcements"))
	}
	return out
}

// announcement finds the one whose text has the words.
func (p *Page) announcement(out Output, words string) Output {
	p.Helper()
	all, _ := out.at("announcements").([]any)
	for _, one := range all {
		if text, _ := (Output{one}).at("text").(string); strings.Contains(text, words) {
			return Output{one}
		}
	}
	p.Errorf("nobody said %q: %v", words, all)
	return Output{}
}

// until waits for a condition.
func (p *Page) until(what string, condition func() bool) {
	p.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			p.Fatalf("it did not happen: %s", what)
		}
	}
}
