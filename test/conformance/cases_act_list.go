package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

// toggledLists are openers whose click closes their list, too, and lists that are always there.
// Nothing ties a list to its opener: one lies right below it, the other elsewhere.
const toggledLists = `<style>[role=option]{height:24px}.pop{position:absolute;background:white}#near{left:8px;top:44px}#far{right:8px;bottom:8px}#keys{position:absolute;width:1px;height:1px;overflow:hidden;opacity:0}</style>
	<div style="width:200px;height:36px"><input id=keys aria-haspopup=listbox readonly><div id=n role=button aria-haspopup=listbox aria-expanded=false style="height:36px">City</div></div>
	<div id=f role=button aria-haspopup=listbox aria-expanded=false style="margin-top:150px;width:90px">Town</div>
	<ul role=listbox><li role=option>Rome</ul><ul role=listbox><li role=option>Rome</ul><div id=p></div><script>
	for (const o of document.querySelectorAll("li")) o.onclick = () => log.push("other");
	const toggle = (opener, id) => { const open = opener.ariaExpanded === "false"; opener.ariaExpanded = open; log.push(open ? "open" : "shut");
		$("#p").innerHTML = open ? "<div class=pop id=" + id + "><div role=listbox><div role=option>Oslo</div><div role=option>Rome</div></div></div>" : "";
		for (const o of $("#p").querySelectorAll("[role=option]")) o.onclick = () => { log.push(o.textContent); opener.textContent = o.textContent; opener.ariaExpanded = "false"; $("#p").innerHTML = "" } };
	$("#n").onclick = () => toggle($("#n"), "near");
	$("#f").onclick = () => toggle($("#f"), "far")</script>`

// takenBack are lists that take a choice back that is clicked again: one of a field, one of a field
// with chips, one of check boxes that Escape does not close, and one that marks where the keys are.
const takenBack = `<style>[role=option],[role=menuitemcheckbox]{height:24px}</style><input id=one role=combobox aria-expanded=false aria-controls=l readonly>
	<div id=box style="border:1px solid"><span id=chip></span><input id=many aria-haspopup=listbox aria-expanded=false aria-controls=l></div>
	<button id=menu aria-haspopup=menu aria-expanded=false>Show</button><button id=keys aria-haspopup=listbox aria-expanded=false aria-controls=l>Pick</button><div id=p></div><script>
	const chosen = { one: new Set, many: new Set, menu: new Set, keys: new Set }; let now;
	const shut = () => { $("#p").innerHTML = ""; now.ariaExpanded = "false"; log.push("shut") };
	const draw = () => { const [list, item, mark] = now.id === "menu" ? ["menu", "menuitemcheckbox", "aria-checked"] : ["listbox", "option", "aria-selected"];
		$("#p").innerHTML = "<div id=l role=" + list + ">" + ["Red", "Blue"].map(n => "<div role=" + item + " " + mark + "=" + (now.id === "keys" ? n === "Red" : chosen[now.id].has(n)) + ">" + n + "</div>").join("") + "</div>";
		for (const o of $("#l").children) o.onclick = () => { const set = chosen[now.id], name = o.textContent; log.push(name); if (!set.delete(name)) set.add(name);
			if (now.id === "one") now.value = [...set].join(); if (now.id === "many") $("#chip").textContent = [...set].join(); if (now.id === "keys") now.textContent = name; if (now.id === "many") o.ariaSelected = set.has(name); else shut() } };
	for (const id of Object.keys(chosen)) { const opener = $("#" + id); opener.onclick = () => { const open = opener.ariaExpanded === "true"; now = opener; if (open) return shut(); now.ariaExpanded = "true"; draw() };
		opener.onkeydown = e => { if (e.key === "Escape" && id !== "menu" && $("#l")) shut() } }</script>`

// partialList is a list of a hundred that opens at the fiftieth, and draws the few of them in sight.
const partialList = `<button id=c role=combobox aria-expanded=false aria-controls=l>Choose</button><div id=p></div><script>
	let places = true, whole = false;
	const draw = () => { const first = whole ? 0 : Math.floor($("#l").scrollTop / 30);
		$("#l").firstChild.innerHTML = Array.from({length: whole ? 100 : Math.min(6, 100 - first)}, (_, i) => first + i).map(i => "<div role=option style='position:absolute;top:" + i * 30 + "px;height:30px' " + (places ? "aria-setsize=100 aria-posinset=" + (i + 1) : "") + ">Item " + i + "</div>").join("") };
	$("#c").onclick = () => { $("#c").ariaExpanded = "true"; $("#p").innerHTML = "<div id=l role=listbox style='position:relative;width:200px;height:120px;overflow:auto'><div style='height:3000px'></div></div>";
		$("#l").scrollTop = 1500; draw(); $("#l").onscroll = draw; $("#l").onclick = e => { log.push(e.target.textContent); $("#c").textContent = e.target.textContent; $("#c").ariaExpanded = "false"; $("#p").innerHTML = "" } }</script>`

func actListCases() []Case {
	return []Case{
		{Name: selectOn + "/takes an index for the place in the whole list", HTML: partialList, Run: func(p *Page) {
			const at = `{"locator":{"selector":"#c"},"timeout_ms":400,`
			p.is(p.ok(selectOn, at+`"index":52}`), "selected", `[{"value":"","label":"Item 52","index":52}]`)
			p.is(p.fails(selectOn, at+`"index":0}`, fault.OptionNotFound), "options.0.index", `50`)
			p.eval(`places = false; $("#c").click(); $("#c").click()`)
			p.fails(selectOn, at+`"index":0}`, fault.InvalidInput)
			p.is(p.ok(selectOn, at+`"label":"Item 51"}`), "selected", `[{"value":"","label":"Item 51"}]`)
			p.eval(`whole = true`)
			p.is(p.ok(selectOn, at+`"index":1}`), "selected", `[{"value":"","label":"Item 1","index":1}]`)
			p.page(`log`, `["Item 52","Item 51","Item 1"]`)
		}},
		{Name: selectOn + "/leaves alone what is chosen already", HTML: takenBack, Run: func(p *Page) {
			for _, id := range []string{"one", "menu"} {
				p.eval(`log.splice(0)`)
				p.is(p.ok(selectOn, `{"locator":{"selector":"#`+id+`"},"label":"Blue"}`), "selected.0.label", `"Blue"`)
				out := p.ok(selectOn, `{"locator":{"selector":"#`+id+`"},"label":"Blue"}`)
				p.is(out, "changed", `false`)
				p.is(out, "verified", `true`)
				p.page(`[log, chosen.`+id+`.has("Blue"), $("#`+id+`").ariaExpanded]`, `[["Blue","shut","shut"],true,"false"]`)
			}
			p.is(p.ok(selectOn, `{"locator":{"selector":"#one"},"label":"Blue","fidelity":"synthetic"}`), "changed", `false`)
		}},
		{Name: selectOn + "/leaves open a list that was open", HTML: takenBack, Run: func(p *Page) {
			p.ok(selectOn, `{"locator":{"selector":"#many"},"label":"Blue"}`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#many"},"label":"Blue"}`), "changed", `false`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#many"},"label":"Red"}`), "changed", `true`)
			p.page(`[log, $("#chip").textContent, $("#many").ariaExpanded]`, `[["Blue","Red"],"Blue,Red","true"]`)
		}},
		{Name: selectOn + "/clicks an option that only the keys have marked", HTML: takenBack, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#keys"},"label":"Red"}`), "changed", `true`)
			p.page(`log`, `["Red","shut"]`)
		}},
		{Name: selectOn + "/tells nothing of a choice that is a secret", HTML: `<select id=s aria-label="Security question"><option>Pet<option>School<option disabled>Car</select><select id=c aria-label=Colour><option>Red<option>Green</select>`, Run: func(p *Page) {
			for id, want := range map[string][2]string{"s": {`true`, `null`}, "c": {`false`, `"Green"`}} {
				out := p.ok(selectOn, `{"locator":{"selector":"#`+id+`"},"index":1}`)
				p.is(out, "sensitive", want[0])
				p.is(out, "selected.0.label", want[1])
			}
			p.page(`[$("#s").value, $("#c").value]`, `["School","Green"]`)
			p.is(p.fails(selectOn, `{"locator":{"selector":"#s"},"index":2}`, fault.TargetDisabled), "option", `null`)
		}},
		{Name: selectOn + "/uses a list that is open already", HTML: toggledLists, Run: func(p *Page) {
			p.ok("locator.click", `{"locator":{"selector":"#n"}}`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#keys"},"label":"Rome"}`), "verified", `true`)
			p.page(`log`, `["open","Rome"]`)
		}},
		{Name: selectOn + "/opens again a list that its click has closed", HTML: toggledLists, Run: func(p *Page) {
			p.ok("locator.click", `{"locator":{"selector":"#f"}}`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#f"},"label":"Rome"}`), "verified", `true`)
			p.page(`log`, `["open","shut","open","Rome"]`)
			p.eval(`$("#f").onclick = () => log.push("dead")`)
			p.is(p.fails(selectOn, `{"locator":{"selector":"#f"},"label":"Rome"}`, fault.OptionNotFound), "option_count", `0`)
		}},
	}
}
