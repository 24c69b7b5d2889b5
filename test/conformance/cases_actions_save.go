package conformance

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func actionsSaveCases() []Case {
	const save = "actions.save"
	return []Case{
		{Name: save + "/saves what the session did and runs it with other inputs", HTML: `<label>Name <input id=name></label><label>Password <input id=pw type=password></label>
			<ul><li><b>Green</b> <button onclick="pick('green')">Choose</button></li><li><b>Black</b> <button onclick="pick('black')">Choose</button></li></ul><output id=out></output>
			<script>const pick = (tea) => document.getElementById("out").textContent = tea + " for " + document.getElementById("name").value + " " + document.getElementById("pw").value.length</script>`,
			Run: func(p *Page) {
				client := p.as(control.SessionParams{Kind: policy.SessionMCP, ID: "saves", Mode: policy.ModeAct})
				client.ok("browser.claimed_tabs.activate", fmt.Sprintf(`{"tab_id":%d}`, int(p.ok("browser.claimed_tabs.list", `{}`).number("tabs.0.tab_id"))))
				client.ok("locator.fill", `{"locator":{"selector":"#name"},"text":"Ann Smith"}`)
				client.ok("locator.fill", `{"locator":{"selector":"#pw"},"text":"hunter2hunter2"}`)
				client.ok("locator.click", `{"locator":{"selector":"li:nth-of-type(1) button"}}`)
				client.ok("locator.text_content", `{"locator":{"selector":"#out"}}`)
				client.fails(save, `{"name":"no name"}`, fault.InvalidInput)
				client.fails(save, `{"name":"case.saved","calls":"8-3"}`, fault.InvalidInput)
				preview := client.ok(save, `{"name":"case.saved","preview":true}`)
				p.is(preview, "inputs", `["name","password","item_to_choose"]`)
				p.is(preview, "sentences.0", `"type *name* into *Name*"`)
				client.fails("actions.site", `{"mode":"call","action":"case.saved","arguments":{}}`, fault.UnknownAction)
				out := client.ok(save, `{"name":"case.saved"}`)
				p.is(out, "unproven", `true`)
				client.fails(save, `{"name":"case.saved"}`, fault.InstallConflict)
				p.is(client.ok("actions.site", `{"mode":"list","query":"case.saved"}`), "actions.0.unproven", `true`)
				ran := client.ok("actions.site", `{"mode":"call","action":"case.saved","arguments":{"name":"Bob","password":"x","item_to_choose":"Black"}}`)
				p.is(ran, "text", `"black for Bob 1"`)
				p.is(client.ok("actions.site", `{"mode":"list","query":"case.saved"}`), "actions.0.unproven", `null`)
			}},
		{Name: save + "/makes a loop of what was done to several items", HTML: `<ul><li><b>Green</b> <button>Mark</button></li><li><b>Black</b> <button>Mark</button></li><li><b>White</b> <button>Mark</button></li></ul><p id=marked></p>
			<script>addEventListener("click", (e) => { if (e.target.localName === "button") document.getElementById("marked").textContent += e.target.parentElement.firstChild.textContent + " " })</script>`,
			Run: func(p *Page) {
				client := p.as(control.SessionParams{Kind: policy.SessionMCP, ID: "saves a loop", Mode: policy.ModeAct})
				client.ok("browser.claimed_tabs.activate", fmt.Sprintf(`{"tab_id":%d}`, int(p.ok("browser.claimed_tabs.list", `{}`).number("tabs.0.tab_id"))))
				for _, n := range []int{1, 2} {
					client.ok("locator.click", fmt.Sprintf(`{"locator":{"selector":"li:nth-of-type(%d) button"}}`, n))
				}
				p.is(client.ok(save, `{"name":"case.marked"}`), "inputs", `["item_to_mark_list"]`)
				client.ok("actions.site", `{"mode":"call","action":"case.marked","arguments":{"item_to_mark_list":["White","Green","Black"]}}`)
				p.page(`document.getElementById("marked").textContent`, `"Green Black White Green Black "`)
			}},
	}
}
