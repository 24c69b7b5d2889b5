package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

// redrawnAt draws what is in #w anew at each event of that type.
func redrawnAt(event, inside string) string {
	return `<div id=w>` + inside + `</div><script>{ const html = $("#w").innerHTML; $("#w").addEventListener("` + event + `", () => { $("#w").innerHTML = html }) }</script>`
}

// colours opens a list of its own, which takes clicks and does nothing.
func colours(shown, marked string) string {
	return `<button id=o aria-haspopup=listbox aria-expanded=false aria-controls=lb>` + shown + `</button><ul id=lb role=listbox hidden><li role=option aria-selected=` + marked + ` id=a>Blue<li role=option aria-selected=false id=b>Green</ul><script>
		$("#o").onclick = () => { $("#lb").hidden = !$("#lb").hidden; $("#o").setAttribute("aria-expanded", !$("#lb").hidden) };
		$("#lb").onclick = e => log.push(e.target.id)</script>`
}

// actRedrawnCases are pages that take away, or draw anew, what is acted on.
func actRedrawnCases() []Case {
	const deletes = `<li id=r1>Tea<button>Delete</button><li id=r2>Tea<button>Delete</button><li id=r3>Tea<button>Delete</button>`
	return []Case{
		{Name: clickOn + "/presses no other row where its own goes away", HTML: `<input id=draft><ul id=l>` + deletes + `</ul><script>$("#l").onclick = e => log.push(e.target.closest("li").id); $("#draft").onblur = () => $("#r1").remove()</script>`, Run: func(p *Page) {
			p.eval(`$("#draft").focus()`)
			p.is(p.ok(clickOn, `{"locator":{"role":"button","name":"Delete","nth":0}}`), "verified", `null`)
			p.page(`log`, `[]`)
		}},
		{Name: clickOn + "/presses no row like it that moves up", HTML: `<input id=draft><ul id=l><li>Tea<button>Delete</button><li>Tea<button>Delete</button></ul><script>$("#l").onclick = () => log.push("click"); $("#draft").onblur = () => $("li").remove()</script>`, Run: func(p *Page) {
			p.eval(`$("#draft").focus()`)
			p.is(p.ok(clickOn, `{"locator":{"role":"button","name":"Delete","nth":0}}`), "verified", `null`)
			p.page(`log`, `[]`)
		}},
		{Name: clickOn + "/presses what is drawn again with all around it once", HTML: `<div id=w><ul>` + deletes + `</ul></div><script>$("#w").addEventListener("mousedown", () => { $("#w").innerHTML = $("#w").innerHTML }); $("#w").addEventListener("click", e => log.push(e.target.closest("li").id))</script>`, Run: func(p *Page) {
			out := p.ok(clickOn, `{"locator":{"role":"button","name":"Delete","nth":1}}`)
			p.is(out, "verified", `true`)
			p.is(out, "redrawn", `true`)
			p.page(`log`, `["r2"]`)
		}},
		{Name: fillIn + "/reads the field that took its place", HTML: redrawnAt("input", `<input aria-label=Name>`), Run: func(p *Page) {
			p.fails(fillIn, `{"locator":{"label":"Name"},"text":"Ann"}`, fault.ValueNotApplied)
		}},
		{Name: fillIn + "/does not know of a field that is gone", HTML: `<div id=w><input aria-label=Name oninput="log.push(value); document.querySelector('#w').remove()"></div>`, Run: func(p *Page) {
			p.is(p.ok(fillIn, `{"locator":{"label":"Name"},"text":"Ann"}`), "verified", `null`)
			p.page(`log`, `["Ann"]`)
		}},
		{Name: selectOn + "/reads the list that took its place", HTML: redrawnAt("change", `<select aria-label=Size><option value=s>Small<option value=l>Large</select>`), Run: func(p *Page) {
			p.fails(selectOn, `{"locator":{"label":"Size"},"label":"Large"}`, fault.ValueNotApplied)
		}},
		{Name: selectOn + "/does not know of a list that is gone", HTML: `<select aria-label=Size onchange="log.push(value); this.parentNode.removeChild(this)"><option value=s>Small<option value=l>Large</select>`, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"label":"Size"},"label":"Large"}`), "verified", `null`)
			p.page(`log`, `["l"]`)
		}},
		{Name: selectOn + "/tells options of one value apart", HTML: `<select id=z aria-label=Size><option value=x>Small<option value=x>Large</select>`, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"label":"Size"},"label":"Large"}`), "verified", `true`)
			p.eval(`void ($("#z").onchange = () => $("#z").selectedIndex = 1)`)
			p.fails(selectOn, `{"locator":{"label":"Size"},"label":"Small"}`, fault.ValueNotApplied)
		}},
		{Name: checkOn + "/reads the box that took its place", HTML: redrawnAt("change", `<label><input type=checkbox> A</label>`), Run: func(p *Page) {
			p.fails(checkOn, `{"locator":{"label":"A"},"checked":true}`, fault.ValueNotApplied)
		}},
		{Name: checkOn + "/does not know of a box that is gone", HTML: `<label><input type=checkbox onchange="log.push(checked); parentElement.remove()"> A</label>`, Run: func(p *Page) {
			p.is(p.ok(checkOn, `{"locator":{"label":"A"},"checked":true}`), "verified", `null`)
			p.page(`log`, `[true]`)
		}},
		{Name: selectOn + "/does not take a mark from before for the choice", HTML: colours("Choose", "true"), Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#o"},"label":"Blue"}`), "verified", `null`)
			p.page(`log`, `["a"]`)
		}},
		{Name: selectOn + "/does not take a name that begins so for the choice", HTML: colours("Blue-grey", "false"), Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#o"},"label":"Blue"}`), "verified", `null`)
			p.page(`log`, `["a"]`)
		}},
		{Name: selectOn + "/clicks a marked option where another is shown whose name begins so", HTML: colours("Blue-grey", "true"), Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#o"},"label":"Blue"}`), "verified", `null`)
			p.page(`log`, `["a"]`)
		}},
	}
}
