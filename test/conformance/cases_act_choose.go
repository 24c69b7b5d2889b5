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
		{Name: selectOn + "/goes to what is drawn in place of a hidden select", HTML: hiddenSelects, Run: func(p *Page) {
			p.is(p.ok(selectOn, `{"locator":{"label":"City"},"label":"Rome"}`), "verified", `true`)
			p.is(p.ok(selectOn, `{"locator":{"selector":"#d input"},"label":"Paris"}`), "verified", `true`)
			p.page(`[log, $("#b").textContent]`, `[["Rome","Paris"],"Paris"]`)
			p.is(p.refuses(selectOn, `{"locator":{"selector":"#none"},"label":"One","timeout_ms":50}`, fault.TargetNotActionable), "openers.length", `2`)
		}},
		{Name: selectOn + "/refuses what has no options", HTML: `<p id=p>x</p>`, Run: func(p *Page) {
			p.refuses(selectOn, `{"locator":{"selector":"#p"},"label":"x"}`, fault.TargetNotActionable)
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
		{Name: checkOn + "/reports a page that keeps its state and refuses what has none", HTML: `<input id=c type=checkbox onclick="event.preventDefault()"><input id=r type=radio checked><p id=p>x</p><input id=d type=checkbox disabled>`, Run: func(p *Page) {
			p.is(p.fails(checkOn, `{"locator":{"selector":"#c"},"checked":true}`, fault.ValueNotApplied), "checked_after", `false`)
			p.refuses(checkOn, `{"locator":{"selector":"#r"},"checked":false}`, fault.InvalidInput)
			p.refuses(checkOn, `{"locator":{"selector":"#p"},"checked":true}`, fault.TargetNotActionable)
			p.refuses(checkOn, `{"locator":{"selector":"#d"},"checked":true,"timeout_ms":50}`, fault.TargetDisabled)
		}},
	}
}
