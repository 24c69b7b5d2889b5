package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// stepsMap orders several teas in one action, and has postconditions that ask what changed.
const stepsMap = `{
  "protocol": "actions.json", "version": 1,
  "tools": [
    {
      "name": "shop.orders", "description": "Order several teas.",
      "input_schema": { "type": "object", "required": ["teas", "name"], "properties": { "teas": { "type": "array" }, "name": { "type": "string" } } },
      "workflow": {
        "version": 1, "expression_language": "jsonata",
        "steps": [
          {
            "id": "each", "for_each": "{% input.teas %}", "min_items": 1, "max_items": 5,
            "steps": [
              { "id": "card", "primitive": "dom.observe.attributes", "args": { "selector": "{% \".teas li[data-tea='\" & item & \"']\" %}", "attributes": ["data-tea"] } },
              { "id": "there", "assert": "{% steps.card.output.match_count = 1 %}", "message": "{% 'The shop has no ' & item %}" },
              { "id": "choose", "primitive": "locator.click", "args": { "locator": { "selector": "{% \".teas li[data-tea='\" & item & \"'] button\" %}" } } },
              { "id": "name", "primitive": "locator.fill", "args": { "locator": { "label": "Name" }, "text": "{% input.name & ' ' & (index + 1) %}" } },
              {
                "id": "send", "primitive": "locator.click", "args": { "locator": { "role": "button", "name": "Send the order" } },
                "settle_after": { "locator": { "selector": "#result", "text_contains": "{% item & ' for ' & input.name & ' ' & (index + 1) %}" }, "timeout_ms": 5000 }
              },
              { "id": "receipt", "primitive": "locator.text_content", "args": { "locator": { "selector": "#result" } } }
            ],
            "output": "{% steps.receipt.output.text %}"
          }
        ],
        "output": "{% {'receipts': [steps.each.output]} %}"
      }
    },
    {
      "name": "shop.note", "description": "Write the note.",
      "input_schema": { "type": "object", "required": ["note"], "properties": { "note": { "type": "string" } } },
      "workflow": { "version": 1, "expression_language": "jsonata", "steps": [
        { "id": "fill", "primitive": "locator.fill", "args": { "locator": { "label": "Note for the packer" }, "text": "{% input.note %}" } }
      ], "output": "{% {'note': input.note} %}" }
    },
    {
      "name": "shop.choose", "description": "Choose another tea.",
      "input_schema": { "type": "object", "required": ["tea"], "properties": { "tea": { "type": "string" } } },
      "workflow": { "version": 1, "expression_language": "jsonata", "steps": [
        { "id": "choose", "primitive": "locator.click", "args": { "locator": { "selector": "{% \".teas li[data-tea='\" & input.tea & \"'] button\" %}" } } }
      ], "output": "{% {'tea': input.tea} %}" }
    }
  ],
  "state_projections": [
    {
      "name": "shop.form",
      "snapshot": {
        "version": 1, "source": "dom",
        "extract": [
          { "id": "note", "selector": "[name=note]", "many": false, "fields": { "text": { "property": "value" } } },
          { "id": "chosen", "selector": ".chosen", "many": false, "fields": { "text": {} } }
        ],
        "projection": { "language": "jsonata", "expression": "{% {'note': records.note.text, 'chosen': records.chosen.text} %}" }
      },
      "postconditions": {
        "shop.note": { "verify": { "expression": "{% state.note = input.note %}" }, "changed": "or_already" },
        "shop.choose": { "verify": { "expression": "{% $contains(state.chosen, input.tea) %}" }, "changed": true, "settle_ms": 300 }
      }
    }
  ]
}`

func TestStepsOfAMap(t *testing.T) {
	// Ensure that steps of a for_each run in turn for each item, as the shop's server sees it, that an assertion ends them
	// before anything is done for an item that is not there, and that an answer says what the action changed.
	t.Parallel()
	home := harness.NewHome(t)
	rec := sites.NewRecorder(nil)
	file := home.Map(t, "private", "localhost", "shop", stepsMap)
	if checked := home.Run(t, "validate", file); checked.Exit != 0 {
		t.Fatalf("validate: %s%s", checked.Stdout, checked.Stderr)
	}
	home.Launch(t, serve(t, sites.Teahouse(rec)))

	var ordered struct{ Receipts []string }
	both := home.SiteCall(t, "shop.orders", `{"teas":["Gyokuro","Assam"],"name":"Ada"}`)
	harness.Must(t, both, &ordered)
	if got := strings.Join(ordered.Receipts, "; "); got != "Order T-001: Gyokuro for Ada 1; Order T-002: Assam for Ada 2" {
		t.Errorf("receipts %q", got)
	}
	if steps, err := json.Marshal(both.Meta.Steps); err != nil || !strings.Contains(string(steps), `"id":"send"`) || strings.Count(string(steps), `"id"`) != 7 {
		t.Errorf("steps %s", steps)
	}
	var one struct{ Receipts []string }
	harness.Must(t, home.SiteCall(t, "shop.orders", `{"teas":["Sencha"],"name":"Bo"}`), &one)
	if len(one.Receipts) != 1 {
		t.Errorf("one order gives %v", one.Receipts)
	}
	missing := home.SiteCall(t, "shop.orders", `{"teas":["Assam","Coffee","Sencha"],"name":"Cy"}`)
	if missing.OK || missing.Error.Code != fault.WorkflowAssertionFailed || !strings.Contains(missing.Error.Message, "at item 2 of 3: The shop has no Coffee") {
		t.Errorf("a tea that is not there: %+v", missing.Error)
	}
	if none := home.SiteCall(t, "shop.orders", `{"teas":[],"name":"Cy"}`); none.OK || none.Error.Code != fault.WorkflowTooFewItems {
		t.Errorf("no teas: %+v", none.Error)
	}
	var bodies []string
	for _, r := range rec.All() {
		if r.Method == "POST" {
			bodies = append(bodies, r.Body)
		}
	}
	want := []string{order("Gyokuro", "Ada 1"), order("Assam", "Ada 2"), order("Sencha", "Bo 1"), order("Assam", "Cy 1")}
	if got := strings.Join(bodies, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the server received\n%s", got)
	}

	for i, c := range []struct {
		action, args, postcondition string
		already                     bool
		code                        fault.Code
	}{
		{action: "shop.note", args: `{"note":"soon"}`, postcondition: `{"changed":true,"ok":true,"projection":"shop.form"}`},
		{action: "shop.note", args: `{"note":"soon"}`, postcondition: `{"already":true,"changed":false,"ok":true,"projection":"shop.form"}`, already: true},
		{action: "shop.choose", args: `{"tea":"Sencha"}`, postcondition: `{"changed":true,"ok":true,"projection":"shop.form"}`},
		{action: "shop.choose", args: `{"tea":"Sencha"}`, postcondition: `{"changed":false,"ok":false,"projection":"shop.form"}`, code: fault.StatePostconditionFailed},
	} {
		e := home.SiteCall(t, c.action, c.args)
		post, err := json.Marshal(e.Meta.Postcondition)
		if err != nil || string(post) != c.postcondition || e.Already != c.already || e.OK != (c.code == "") || !e.OK && e.Error.Code != c.code {
			t.Errorf("%d: already %v, postcondition %s, error %v", i, e.Already, post, e.Error)
		}
	}
}

// order is what the shop sends for a tea.
func order(tea, name string) string { return fmt.Sprintf(`{"tea":%q,"name":%q,"note":""}`, tea, name) }
