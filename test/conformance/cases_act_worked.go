package conformance

const setChecked = "locator.set_checked"

// stoppedKeys is a list of tabs that moves the focus by arrow keys, and lets no other listener
// see a key: the one of the page is first on the window.
const stoppedKeys = `<div role=tablist><button role=tab id=a>A</button><button role=tab id=b tabindex=-1>B</button><button role=tab id=c tabindex=-1>C</button></div><script>
	const stop = e => { e.preventDefault(); e.stopImmediatePropagation() };
	addEventListener("keydown", e => { stop(e); log.push([e.key, e.isTrusted]); const way = e.key === "ArrowRight" ? "nextElementSibling" : "previousElementSibling"; document.activeElement[way]?.focus() }, true);
	for (const type of ["keypress", "keyup", "focusin", "beforeinput"]) addEventListener(type, stop, true);</script>`

// workedCases prove that nothing that worked is called failed.
func workedCases() []Case {
	return []Case{
		{Name: pressOn + "/counts the key that the page lets no other listener see", HTML: stoppedKeys, Run: func(p *Page) {
			for _, step := range [][2]string{{"#a", "ArrowRight"}, {"#b", "ArrowRight"}, {"#c", "ArrowLeft"}} {
				p.is(p.ok(pressOn, `{"locator":{"selector":"`+step[0]+`"},"key":"`+step[1]+`"}`), "verified", `true`)
			}
			p.page(`[document.activeElement.id, log]`, `["b",[["ArrowRight",true],["ArrowRight",true],["ArrowLeft",true]]]`)
		}},
		{Name: press + "/trusted counts the keys that the page lets no other listener see", HTML: stoppedKeys, Run: func(p *Page) {
			p.eval(`$("#a").focus()`)
			p.is(p.ok(press, `{"key":"ArrowRight","repeat":2,"trusted":true}`), "pressed", `true`)
			p.is(p.ok(press, `{"key":"ArrowLeft","trusted":true}`), "pressed", `true`)
			p.page(`document.activeElement.id`, `"b"`)
		}},
	}
}
