package conformance

import (
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// caseMap is the map of the cases' pages: an action, a state with markers, and
// an action with a postcondition.
const caseMap = `{"protocol":"actions.json","version":1,
"x_actions":{"files":[{"id":"case-skill","path":"SKILL.md"}]},
"state_projections":[{"name":"case.items","snapshot":{"version":1,"source":"dom",
  "extract":[{"id":"items","selector":"li","many":true,"fields":{"id":{"attribute":"id"},"name":{"property":"innerText","trim":true}}}],
  "projection":{"language":"jsonata","expression":"{\"items\": [records.items]}"},
  "output_schema":{"type":"object","required":["items"]}},
  "summaries":[{"name":"agent_context","expression":"$count(state.items) & ' items'"}],
  "postconditions":{"case.add":{"verify":{"language":"jsonata","expression":"input.name in state.items.name"},"settle_ms":1500,"failure_message":"The item is not in the list."}},
  "markers":[
    {"id":"field","type":"cursor","recipe":[{"primitive":"locator.element_info","args":{"locator":{"selector":"input"}}},{"primitive":"text.insert","args":{"target":"input","text":"here"}}]},
    {"id":"heading","type":"pointer","recipe":[{"primitive":"locator.element_info","args":{"locator":{"selector":"h1"}}}]},
    {"id":"gone","type":"pointer","recipe":[{"primitive":"locator.element_info","args":{"locator":{"selector":"#gone"}}}]}]}],
"tools":[
  {"name":"case.heading","description":"Read the heading.","input_schema":{"type":"object"},
   "x_actions":{"handler":"locator.text_content","binding":{"arguments":{"locator":{"selector":"h1"}}}}},
  {"name":"case.add","description":"Type a name and press Enter.","input_schema":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}},
   "output_schema":{"type":"object","required":["added"],"properties":{"added":{"type":"string","maxLength":20}}},
   "workflow":{"version":1,"expression_language":"jsonata","steps":[
     {"id":"type","primitive":"text.insert","args":{"target":"input","text":"{% input.name %}","mode":"replace"}},
     {"id":"enter","primitive":"keyboard.press","args":{"key":"Enter"}}],
     "output":"{% {'added': input.name} %}"}}]}`

// listPage is a page whose list grows a moment after Enter.
const listPage = `<h1>List</h1><ul><li id=a>one</li></ul><form onsubmit="event.preventDefault(); add(this.n.value)"><input name=n></form>
<script>function add(name) { if (name === "lost") return; setTimeout(() => { const li = document.createElement("li"); li.id = name; li.textContent = name; $("ul").prepend(li); }, 150); }</script>`

func siteCases() []Case {
	return []Case{
		{Name: "actions.site/lists and calls the actions of the page", HTML: `<h1>x</h1>`, Run: func(p *Page) {
			p.is(p.ok(siteTool, `{"mode":"list"}`), "actions.0.name", `"case.heading"`)
			p.is(p.ok(siteTool, `{"mode":"list","query":"PRESS enter"}`), "actions.0.name", `"case.add"`)
			p.is(p.ok(siteTool, `{"mode":"call","action":"case.heading"}`), "text", `"x"`)
			p.fails(siteTool, `{"mode":"call","action":"case.none"}`, fault.UnknownAction)
			p.fails(siteTool, `{"mode":"call"}`, fault.InvalidInput)
		}},
		{Name: "actions.site/reads the state, a summary and what changed", HTML: listPage, Run: func(p *Page) {
			out := p.ok(siteTool, `{"mode":"state_diff","projection":"case.items"}`)
			p.is(out, "baseline", `"initialized"`)
			p.is(p.ok(siteTool, `{"mode":"state_read"}`), "state", `{"items":[{"id":"a","name":"one"}]}`)
			p.eval(`add("b"), new Promise(r => setTimeout(r, 200))`)
			out = p.ok(siteTool, `{"mode":"state_diff"}`)
			p.is(out, "baseline", `"previous_snapshot"`)
			p.is(out, "semantic_deltas.0.type", `"entity_added"`)
			p.is(p.ok(siteTool, `{"mode":"state_summary"}`), "summary", `"2 items"`)
			p.is(p.ok(siteTool, `{"mode":"state_summary","projection_name":"case.items","summary_name":"agent_context"}`), "summary", `"2 items"`)
			p.fails(siteTool, `{"mode":"state_summary","summary_name":"none"}`, fault.StateSummaryNotFound)
			p.fails(siteTool, `{"mode":"state_read","projection_name":"none"}`, fault.StateProjectionNotFound)
			p.ok(siteTool, `{"mode":"state_read","projection":"case.items","projection_name":"case.items"}`)
			p.fails(siteTool, `{"mode":"state_read","projection":"case.items","projection_name":"none"}`, fault.InvalidInput)
			p.fails(siteTool, `{"mode":"state_summary","summary":"agent_context","summary_name":"none"}`, fault.InvalidInput)
			p.fails(siteTool, `{"mode":"state_summary","summary":"none"}`, fault.StateSummaryNotFound)
			p.fails(siteTool, `{"mode":"state_read","projection":"none"}`, fault.StateProjectionNotFound)
			p.eval(`add("x".repeat(200)), new Promise(r => setTimeout(r, 200))`)
			p.fails(siteTool, `{"mode":"state_read","max_bytes":100,"projection":"case.items"}`, fault.StatePayloadTooLarge)
		}},
		{Name: "actions.site/reads a page of 20,000 records, what changed in it, and the whole in pages", HTML: listPage, Run: func(p *Page) {
			p.eval(`$("ul").innerHTML = Array.from({length: 20000}, (_, i) => "<li id=i" + i + ">item " + i + "</li>").join("")`)
			p.is(p.ok(siteTool, `{"mode":"state_summary"}`), "summary", `"20000 items"`)
			p.ok(siteTool, `{"mode":"state_diff"}`)
			p.eval(`document.querySelector("#i15000").textContent = "another"`)
			out := p.ok(siteTool, `{"mode":"state_diff"}`)
			p.is(out, "patches", `[{"op":"replace","path":"/items/15000/name","value":"another"}]`)
			p.fails(siteTool, `{"mode":"state_read"}`, fault.StatePayloadTooLarge)
			out = p.ok(siteTool, `{"mode":"state_read","max_bytes":16000000}`)
			p.eval(`document.querySelector("ul").textContent = ""`) // the pages are of one look
			var text strings.Builder
			for {
				piece, _ := out.at("text").(string)
				text.WriteString(piece)
				next := out.at("next.arguments")
				if next == nil {
					break
				}
				args, err := json.Marshal(next)
				if err != nil {
					p.Fatal(err)
				}
				out = p.ok(siteTool, string(args))
			}
			var whole Output
			if err := json.Unmarshal([]byte(text.String()), &whole.value); err != nil {
				p.Fatal(err)
			}
			p.is(whole, "state.items.length", `20000`)
			p.is(whole, "state.items.15000", `{"id":"i15000","name":"another"}`)
			p.is(whole, "state.items.19999", `{"id":"i19999","name":"item 19999"}`)
		}},
		{Name: "actions.site/waits for the postcondition and checks the value", HTML: listPage, Run: func(p *Page) {
			p.is(p.ok(siteTool, `{"mode":"call","action":"case.add","arguments":{"name":"two"}}`), "added", `"two"`)
			out := p.fails(siteTool, `{"mode":"call","action":"case.add","arguments":{"name":"lost"}}`, fault.StatePostconditionFailed)
			p.is(out, "expected", `"input.name in state.items.name"`)
			p.fails(siteTool, `{"mode":"call","action":"case.add","arguments":{"name":"a name that is too long for it"}}`, fault.InvalidResult)
		}},
		{Name: "actions.site/previews an action and does nothing", HTML: listPage + spied, Run: func(p *Page) {
			out := p.ok(siteTool, `{"mode":"preview","action":"case.add","arguments":{"name":"two"}}`)
			p.is(out, "would_run", `"yes"`)
			p.is(out, "known_steps", `2`)
			p.is(out, "steps.0.does", `"type 3 characters into a textbox without a name"`)
			p.is(out, "steps.1.does", `"press the key Enter in what has the focus then"`)
			p.is(out, "decision.verdict", `"allow"`)
			p.is(p.ok(siteTool, `{"mode":"preview","action":"case.heading"}`), "steps.0.target.name", `"List"`)
			p.fails(siteTool, `{"mode":"preview","action":"case.add","arguments":{"name":7}}`, fault.InvalidInput)
			p.fails(siteTool, `{"mode":"preview","action":"case.none"}`, fault.UnknownAction)
			p.page(`seen.join() + $("input").value + document.querySelectorAll("li").length`, `"1"`)
		}},
		{Name: "marker.query/finds the place of a marker", HTML: `<h1>x</h1>`, Run: func(p *Page) {
			p.ok(siteTool, `{"mode":"state_summary"}`)
			if x, _ := p.ok("marker.query", `{"id":"heading"}`).at("location.x").(float64); x <= 0 {
				p.Errorf("x is %v", x)
			}
			p.is(p.fails("marker.query", `{"id":"none"}`, fault.MarkerNotFound), "registered", `["field","gone","heading"]`)
			p.is(p.fails("marker.query", `{"id":"gone"}`, fault.MarkerRecipeStepFailed), "step_index", `0`)
		}},
		{Name: "cursor.move_to/runs the recipe of a cursor marker", HTML: `<input>`, Run: func(p *Page) {
			p.ok(siteTool, `{"mode":"state_summary"}`)
			p.is(p.ok("cursor.move_to", `{"marker":"field"}`), "moved", `true`)
			p.page(`$("input").value`, `"here"`)
			p.fails("cursor.move_to", `{"marker":"heading"}`, fault.MarkerTypeMismatch)
		}},
		{Name: "pointer.move_to/moves the pointer to a marker", HTML: `<h1>x</h1><script>record($("h1"), "mouseover")</script>`, Run: func(p *Page) {
			p.ok(siteTool, `{"mode":"state_summary"}`)
			p.is(p.ok("pointer.move_to", `{"marker":"heading"}`), "moved", `true`)
			p.page(`log`, `["mouseover"]`)
		}},
	}
}
