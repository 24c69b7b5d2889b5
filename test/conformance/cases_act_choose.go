package conformance

import "github.com/actionsjson/actions-host/pkg/fault"

const (
	selectOn = "locator.select_option"
	checkOn  = "locator.set_checked"
)

// listbox is a combobox that the page draws itself; its list stands elsewhere.
const listbox = `<button id=c role=combobox aria-expanded=false aria-controls=list>Choose</button><div id=portal></div><script>
	$("#c").addEventListener("click", () => setTimeout(() => {
		$("#portal").innerHTML = "<ul id=list role=listbox style='height:80px;overflow:auto'>" + ["Green","Black","White","Blue","Red","Long"].map(n => "<li role=option style='height:30px'>" + n + " tea</li>").join("") + "</ul>";
		for (const o of $("#list").children) o.addEventListener("click", e => { log.push([o.textContent, e.isTrusted]); $("#c").textContent = o.textContent; $("#portal").innerHTML = "" });
	}, 50))</script>`

// slowList opens with an animation, under a veil that goes away only then.
const slowList = `<style>@keyframes in{from{transform:translateY(300px)}}ul{animation:in .5s}</style><button id=c role=combobox aria-expanded=false>Choose</button><div id=p></div><script>
	$("#c").onclick = () => { $("#p").innerHTML = "<ul role=listbox><li role=option>Red<li role=option>Green</ul><div id=veil style='position:fixed;inset:0'></div>"; $("#c").setAttribute("aria-expanded", "true");
		$("ul").onanimationend = () => setTimeout(() => $("#veil").remove(), 700);
		for (const o of document.querySelectorAll("li")) o.onclick = () => { log.push(o.textContent); $("#c").textContent = o.textContent; $("#p").innerHTML = "" } }</script>`

// besideOthers are widgets that are there all the time, and what opens lists of the same names.
const besideOthers = `<style>[role=option],[role=treeitem]{height:24px}</style>
	<ul role=tree id=t><li role=treeitem>Red<li role=treeitem>Green</ul><ul role=listbox id=o><li role=option>Red<li role=option>Green</ul>
	<div id=c role=combobox aria-haspopup=listbox tabindex=0>Choose</div><button id=late role=combobox aria-expanded=false>Late</button>
	<div role=row aria-expanded=true><input id=dead role=combobox aria-haspopup=listbox></div>
	<input id=open role=combobox aria-expanded=true aria-haspopup=listbox><div id=p></div><script>
	for (const o of document.querySelectorAll("li")) o.addEventListener("click", () => log.push("other " + o.textContent));
	const show = (opener, roles) => { $("#p").innerHTML = "<div role=" + roles[0] + ">" + ["Red", "Green"].map(n => "<div role=" + roles[1] + ">" + n + "</div>").join("") + "</div>";
		for (const o of $("#p").querySelectorAll("[role=" + roles[1] + "]")) o.onclick = () => { log.push(opener.id + " " + o.textContent); opener.textContent = o.textContent; $("#p").innerHTML = "" } };
	$("#c").onclick = () => show($("#c"), ["listbox", "option"]);
	$("#late").onclick = () => { $("#t").innerHTML += ""; setTimeout(() => show($("#late"), ["tree", "treeitem"]), 50) }</script>`

// hiddenSelects are those that a page keeps for its form beside what it draws.
const hiddenSelects = `<style>.sr{position:absolute;width:1px;height:1px;overflow:hidden;opacity:0;clip:rect(0 0 0 0);pointer-events:none}</style>
	<div id=d><div class=sr aria-hidden=true><label>City<select id=s name=city style="transform:scale(0)"><option value=p>Paris</select></label></div>
		<div class=sr><input aria-haspopup=listbox readonly style="width:90px"></div><span>Paris</span><div id=b role=button aria-haspopup=listbox aria-expanded=false tabindex=0>v</div></div>
	<div><select id=none style="display:none"><option>One</select><button aria-haspopup=listbox>A</button><button aria-haspopup=listbox>B</button></div><div id=p></div><script>
	record($("#s"), "change");
	$("#b").onclick = () => { $("#p").innerHTML = "<ul role=listbox><li role=option>Paris<li role=option>Rome</ul>";
		for (const o of document.querySelectorAll("li")) o.onclick = () => { log.push(o.textContent); $("#b").textContent = o.textContent; $("#p").innerHTML = "" } }</script>`

func actChooseCases() []Case {
	return []Case{
		{Name: selectOn + "/answers where the choice leads to another page", HTML: `<select id=s onchange="location.href = '/frame?' + value"><option value=a>Ay<option value=b>Bee</select>`, Run: func(p *Page) {
			for range 5 { // what a document says as it goes may be lost
				out := p.ok(selectOn, `{"locator":{"selector":"#s"},"value":"b"}`)
				p.is(out, "navigated", `true`)
				p.is(out, "selected", `[{"value":"b","label":"Bee","index":1}]`)
				p.eval(`void setTimeout(() => history.back())`)
				p.settles(`document.querySelector("#s") !== null`, `true`)
				p.eval(`void ($("#s").value = "a")`) // the browser may remember the choice
			}
		}},
		{Name: selectOn + "/chooses by value, label and index", HTML: `<select id=s><option value=a>Ay<option value=b>Bee<option value=c>See</select><script>record($("#s"),"input","change")</script>`, Run: func(p *Page) {
			out := p.ok(selectOn, `{"locator":{"selector":"#s"},"value":"b"}`)
			p.is(out, "selected", `[{"value":"b","label":"Bee","index":1}]`)
			p.is(out, "verified", `true`)
			p.is(out, "changed", `true`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#s"},"label":"See"}`), "selected.0.value", `"c"`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#s"},"index":0}`), "selected.0.value", `"a"`)
			p.page(`log`, `["input","change","input","change","input","change"]`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#s"},"index":0}`), "changed", `false`)
			p.page(`[$("#s").value, log.length]`, `["a",6]`)
		}},
		{Name: selectOn + "/chooses several", HTML: `<select id=s multiple><option>a<option selected>b<option>c</select>`, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#s"},"label":["c","a"]}`), "verified", `true`)
			p.page(`[...$("#s").selectedOptions].map(o => o.value)`, `["a","c"]`)
			p.ok(selectOn, `{"locator":{"selector":"#s"},"value":[]}`)
			p.page(`$("#s").selectedOptions.length`, `0`)
		}},
		{Name: selectOn + "/waits for options and lists them where none matches", HTML: `<select id=s><option>a</select><select id=one><option>x<option disabled>y</select><script>setTimeout(() => $("#s").add(new Option("late")), 150)</script>`, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#s"},"label":"late"}`), "verified", `true`)
			out := p.refuses(selectOn, `{"locator":{"selector":"#s"},"label":"none"}`, fault.OptionNotFound)
			p.is(out, "options.1.label", `"late"`)
			p.is(out, "option_count", `2`)
			p.refuses(selectOn, `{"locator":{"selector":"#one"},"label":"y"}`, fault.TargetDisabled)
			p.refuses(selectOn, `{"locator":{"selector":"#one"},"label":["x","y"]}`, fault.InvalidInput)
			p.refuses(selectOn, `{"locator":{"selector":"#one"}}`, fault.InvalidInput)
			p.refuses(selectOn, `{"locator":{"selector":"#one"},"label":"x","index":0}`, fault.InvalidInput)
			p.refuses(selectOn, `{"locator":{"selector":"#one"},"label":"x","fidelity":"trusted"}`, fault.CapabilityUnavailable)
		}},
		{Name: selectOn + "/reports a page that takes the choice back", HTML: `<select id=s onchange="this.selectedIndex = 0"><option>a<option>b</select>`, Run: func(p *Page) {
			p.is(p.fails(selectOn, `{"locator":{"selector":"#s"},"label":"b"}`, fault.ValueNotApplied), "selected.0.label", `"a"`)
		}},
		// (C9)
		{Name: selectOn + "/opens a list that the page draws and clicks the option", HTML: listbox, Run: func(p *Page) {
			out := p.ok(selectOn, `{"locator":{"selector":"#c"},"label":"Black tea"}`)
			p.is(out, "selected.0.label", `"Black tea"`)
			p.is(out, "verified", `true`)
			p.is(out, "fidelity", `"trusted"`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#c"},"label":"Red tea","fidelity":"synthetic"}`), "verified", `true`)
			p.page(`log`, `[["Black tea",true],["Red tea",false]]`)
			p.is(p.fails(selectOn, `{"locator":{"selector":"#c"},"label":"Coffee"}`, fault.OptionNotFound), "options.length", `6`)
		}},
		{Name: selectOn + "/waits until an opening list can be clicked", HTML: slowList, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#c"},"label":"Green"}`), "verified", `true`)
			p.page(`log`, `["Green"]`)
		}},
		{Name: selectOn + "/opens by keys what no click opens", HTML: `<button role=option style="display:block">Other</button><input id=c role=combobox aria-expanded=false aria-controls=l><div id=p></div><script>
			$("#c").addEventListener("keydown", e => { if (e.key !== "ArrowDown") return; log.push(e.isTrusted);
				$("#p").innerHTML = "<ul role=listbox id=l><li role=option>Other</ul>"; $("#p li").onclick = () => { $("#c").value = "Other"; $("#p").innerHTML = "" } })</script>`, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#c"},"label":"Other"}`), "verified", `true`)
			p.page(`[log, $("#c").value]`, `[[true],"Other"]`)
		}},
		{Name: selectOn + "/takes the only near name and lists many options", HTML: `<select id=s></select><script>for (let i = 0; i < 60; i++) $("#s").add(new Option("Tea " + i)); $("#s").add(new Option("Café crème (500 ml)"))</script>`, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#s"},"label":"cafe creme"}`), "selected.0.label", `"Café crème (500 ml)"`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#s"},"label":"tea 7"}`), "selected.0.label", `"Tea 7"`)
			out := p.refuses(selectOn, `{"locator":{"selector":"#s"},"label":"Tea"}`, fault.OptionNotFound)
			p.is(out, "options.length", `61`)
			p.is(out, "option_count", `61`)
		}},
		{Name: selectOn + "/clicks the drawn rows of a list for screen readers", HTML: `<style>.row{height:24px}</style><div style="position:relative;width:200px;height:30px"><input id=c role=combobox aria-expanded=false aria-controls=l style="position:absolute;inset:0;opacity:0"><span style="position:absolute;inset:0">Choose</span></div><div id=p></div><script>
			$("#c").parentElement.onmousedown = () => { $("#p").innerHTML = "<div id=l role=listbox style='width:0;height:0;overflow:hidden'><div role=option>jack</div></div><div><div class=row aria-selected=false title=Jack>Jack</div><div class=row aria-selected=false title=Lucy>Lucy</div></div>";
				for (const row of document.querySelectorAll(".row")) row.onclick = () => { log.push(row.title); row.setAttribute("aria-selected", "true") } }</script>`, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#c"},"label":"Lucy"}`), "verified", `true`)
			p.page(`log`, `["Lucy"]`)
		}},
		{Name: selectOn + "/passes by the options of what it did not open", HTML: besideOthers, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#c"},"label":"Green"}`), "verified", `true`)
			p.page(`log`, `["c Green"]`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#late"},"label":"Red"}`), "changed", `true`)
			p.page(`log`, `["c Green","late Red"]`)
			p.is(p.fails(selectOn, `{"locator":{"selector":"#dead"},"label":"Red"}`, fault.OptionNotFound), "option_count", `0`)
			p.eval(`$("#open").after($("#o").cloneNode(true))`)
			p.fails(selectOn, `{"locator":{"selector":"#open"},"label":"Red","timeout_ms":200}`, fault.OptionNotFound)
			p.eval(`document.querySelectorAll("#o").forEach(o => o.remove())`)
			p.fails(selectOn, `{"locator":{"selector":"#open"},"label":"Red","timeout_ms":200}`, fault.OptionNotFound)
			p.page(`log`, `["c Green","late Red"]`)
		}},
		{Name: selectOn + "/opens again a list that still fades away", HTML: `<button id=c role=combobox aria-expanded=false>Choose</button><ul id=l role=listbox hidden><li role=option>Red<li role=option>Green</ul><script>let end;
			$("#c").onclick = () => { clearTimeout(end); $("#l").hidden = false; $("#c").ariaExpanded = "true" };
			for (const o of document.querySelectorAll("li")) o.onclick = () => { log.push(o.textContent); $("#c").textContent = o.textContent; $("#c").ariaExpanded = "false"; end = setTimeout(() => $("#l").hidden = true, 2000) }</script>`, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#c"},"label":"Red"}`), "verified", `true`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#c"},"label":"Green"}`), "verified", `true`)
			p.page(`log`, `["Red","Green"]`)
		}},
		{Name: selectOn + "/says only what it saw to change", HTML: `<style>[role=option]{height:24px}</style><ul role=listbox id=l><li role=option>Red<li role=option aria-selected=false>Green</ul><script>
			for (const o of document.querySelectorAll("li")) o.onclick = () => { log.push(o.textContent); if (o.ariaSelected) o.ariaSelected = "true" }</script>`, Run: func(p *Page) {
			out := p.ok(selectOn, `{"locator":{"selector":"#l"},"label":"Red"}`)
			p.is(out, "changed", `null`)
			p.is(out, "verified", `null`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#l"},"label":"Green"}`), "changed", `true`)
			out = p.ok(selectOn, `{"locator":{"selector":"#l"},"label":"Green"}`)
			p.is(out, "changed", `false`)
			p.is(out, "verified", `true`)
			p.page(`log`, `["Red","Green"]`)
		}},
		{Name: selectOn + "/chooses in menus of check boxes", HTML: `<button id=c aria-haspopup=menu aria-expanded=false>View</button><div id=p></div><script>
			$("#c").onclick = () => { $("#p").innerHTML = "<div role=menu><div role=menuitemcheckbox aria-checked=false>Ruler</div></div>";
				$("#p [aria-checked]").onclick = e => { log.push(e.target.textContent); e.target.ariaChecked = "true" } }</script>`, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"selector":"#c"},"label":"Ruler"}`), "verified", `true`)
			p.page(`log`, `["Ruler"]`)
		}},
		{Name: selectOn + "/goes to what is drawn in place of a hidden select", HTML: hiddenSelects, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"label":"City"},"label":"Rome"}`), "verified", `true`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#d input"},"label":"Paris"}`), "verified", `true`)
			p.page(`[log, $("#b").textContent]`, `[["Rome","Paris"],"Paris"]`)
			p.is(p.refuses(selectOn, `{"locator":{"selector":"#none"},"label":"One","timeout_ms":50}`, fault.TargetNotActionable), "openers.length", `2`)
		}},
		{Name: selectOn + "/refuses what has no options", HTML: `<p id=p>x</p><form id=f>form<input type=hidden name=localName></form>`, Run: func(p *Page) {
			p.refuses(selectOn, `{"locator":{"selector":"#p"},"label":"x"}`, fault.TargetNotActionable)
			p.is(p.refuses(selectOn, `{"locator":{"selector":"#f"},"label":"x"}`, fault.TargetNotActionable), "tag_name", `"form"`)
		}},
		// (C6)
		{Name: checkOn + "/leaves alone what is as wanted and clicks what is not", HTML: `<input id=c type=checkbox checked><label for=c>Tea</label><script>record($("#c"),"click","change")</script>`, Run: func(p *Page) {
			out := p.ok(checkOn, `{"locator":{"selector":"#c"},"checked":true}`)
			p.is(out, "checked_before", `true`)
			p.is(out, "checked_after", `true`)
			p.is(out, "changed", `false`)
			p.page(`log`, `[]`)
			out = p.ok(checkOn, `{"locator":{"selector":"#c"},"checked":false}`)
			p.is(out, "checked_before", `true`)
			p.is(out, "checked_after", `false`)
			p.is(out, "fidelity", `"trusted"`)
			p.page(`[log, $("#c").checked]`, `[["click","change"],false]`)
			p.is(p.ok(checkOn, `{"locator":{"label":"Tea"},"checked":true,"fidelity":"synthetic"}`), "checked_after", `true`)
			p.is(p.ok(checkOn, `{"locator":{"text_equals":"Tea","selector":"label"},"checked":false}`), "checked_after", `false`)
			p.page(`$("#c").checked`, `false`)
		}},
		{Name: checkOn + "/clicks the label of a hidden control", HTML: `<style>input{position:absolute;width:1px;height:1px;opacity:0;clip-path:inset(50%);pointer-events:none}</style><input id=c type=checkbox><label for=c>Tea</label><input id=r type=radio name=r><label for=r>Pot</label><input id=d type=checkbox hidden><label for=d>Cup</label>`, Run: func(p *Page) {
			for _, id := range []string{"c", "r", "d"} {
				p.is(p.ok(checkOn, `{"locator":{"selector":"#`+id+`"},"checked":true}`), "checked_after", `true`)
			}
			p.page(`[$("#c").checked, $("#r").checked, $("#d").checked]`, `[true,true,true]`)
		}},
		{Name: checkOn + "/works on switches that the page draws", HTML: `<div id=s role=switch aria-checked=false tabindex=0 style="width:40px;height:20px">x</div><script>$("#s").onclick = () => setTimeout(() => $("#s").setAttribute("aria-checked", $("#s").getAttribute("aria-checked") !== "true"), 80)</script>`, Run: func(p *Page) {
			p.is(p.ok(checkOn, `{"locator":{"selector":"#s"},"checked":true}`), "checked_after", `true`)
			p.is(p.ok(checkOn, `{"locator":{"selector":"#s"},"checked":true}`), "changed", `false`)
			p.is(p.ok(checkOn, `{"locator":{"selector":"#s"},"checked":false}`), "checked_after", `false`)
		}},
		{Name: checkOn + "/reports a page that keeps its state and refuses what has none", HTML: `<input id=c type=checkbox onclick="event.preventDefault()"><input id=r type=radio checked><p id=p>x</p><input id=d type=checkbox disabled><form id=f>form<input type=hidden name=localName></form>`, Run: func(p *Page) {
			p.is(p.fails(checkOn, `{"locator":{"selector":"#c"},"checked":true}`, fault.ValueNotApplied), "checked_after", `false`)
			p.refuses(checkOn, `{"locator":{"selector":"#r"},"checked":false}`, fault.InvalidInput)
			p.refuses(checkOn, `{"locator":{"selector":"#p"},"checked":true}`, fault.TargetNotActionable)
			p.is(p.refuses(checkOn, `{"locator":{"selector":"#f"},"checked":true}`, fault.TargetNotActionable), "tag_name", `"form"`)
			p.refuses(checkOn, `{"locator":{"selector":"#d"},"checked":true,"timeout_ms":50}`, fault.TargetDisabled)
		}},
	}
}
