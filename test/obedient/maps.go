package obedient

import (
	"fmt"
	"strings"
)

// action is a stored action of one step.
func action(name, description, primitive, args string) string {
	return fmt.Sprintf(`{"name":%q,"description":%s,"input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[`+
		`{"id":"s","primitive":%q,"args":%s}]}}`, name, description, primitive, args)
}

// carrying is a stored action that reads #c and then does something with what it has read.
func carrying(name, primitive, args string) string {
	return fmt.Sprintf(`{"name":%q,"description":"d","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","steps":[`+
		`{"id":"s","primitive":"locator.text_content","args":{"locator":{"selector":"#c"}}},{"id":"t","primitive":%q,"args":%s}]}}`, name, primitive, args)
}

// siteActions are those that every map has.
var siteActions = strings.Join([]string{
	action("t.buy", `"Buys."`, "locator.click", `{"locator":{"selector":"#buy"}}`),
	action("t.pay", `"Pays."`, "locator.click", `{"locator":{"selector":"#pay","frame":"#bank"}}`),
	action("t.read", `"Reads."`, "locator.text_content", `{"locator":{"selector":"#c"}}`),
	action("t.strict", `"Reads one."`, "locator.text_content", `{"locator":{"selector":".two","strict":true}}`),
	carrying("t.fail", "locator.text_content", `{"locator":{"selector":"{% $error(steps.s.output.text) %}"}}`),
	carrying("t.carry", "transfer.write", `{"label":"said","format":"text/plain","value":"{% steps.s.output.text %}"}`),
	carrying("t.task", "task.add", `{"text":"{% $substring(steps.s.output.text, 0, 200) %}"}`),
}, ",")

// states is a projection of what #c shows.
const states = `"state_projections":[{"name":"t.state","description":"d","snapshot":{"version":1,"source":"dom",` +
	`"extract":[{"id":"r","selector":"#c","fields":{"text":{"trim":true}}}],"projection":{"language":"jsonata","expression":"{% {'text': records.r.text} %}"}}}],`

// blocked are the primitives that the map of the policy "map" blocks.
const blocked = `"requires":{"primitive_dictionary":{"blocked_primitives":["locator.click","locator.press","pointer.click","keyboard.press",` +
	`"browser.navigate","browser.open_tab","browser.screenshot","page.fetch","clipboard.read","runtime.session.log"]}},`

// mapText is the map of a lane's own host, with what a channel adds.
func mapText(policy string, more Map) string {
	actions := siteActions
	if more.Tools != "" {
		actions += "," + more.Tools
	}
	rest := states + more.Rest
	if more.File != "" {
		rest += `"x_actions":{"files":[{"id":"more","path":"MORE.md"}]},`
	}
	if policy == "map" {
		rest += blocked
	}
	return `{"protocol":"actions.json","version":1,` + rest + `"tools":[` + actions + `]}`
}
