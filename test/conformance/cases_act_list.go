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

func actListCases() []Case {
	return []Case{
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
