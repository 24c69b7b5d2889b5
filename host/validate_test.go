package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// orderMap is a map with one action, into which TestMistakes writes mistakes.
const orderMap = `{"protocol":"actions.json","version":1,
 "state_projections":[{"name":"cart","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"{% $count(records.teas) %}"}},
  "postconditions":{"shop.order":{"projection":"cart","verify":{"language":"jsonata","expression":"{% state.count = 1 %}"}}}}],
 "tools":[{"name":"shop.order","description":"Orders a tea by its name.",
  "input_schema":{"type":"object","properties":{"tea":{"type":"string","description":"Its name"}},"required":["tea"],"additionalProperties":false},
  "workflow":{"version":1,"expression_language":"jsonata","steps":[
   {"id":"open","primitive":"locator.click","args":{"locator":{"role":"button","name":"Order"}}},
   {"id":"type","primitive":"locator.fill","args":{"locator":{"label":"Tea"},"text":"{% input.tea %}"}}],
  "output":"{% {'ok': steps.type.ok} %}"}}]}`

func TestMistakes(t *testing.T) {
	// Ensure that validate refuses a map with something in it that cannot run, by the rule that names it, warns of what runs and gives nothing, and finds nothing wrong with the map without the mistake.
	catalogue := primitive.Load()
	if r := validateText("good", []byte(orderMap), catalogue, validateFlags{}); !r.OK || len(r.Findings) > 0 {
		t.Errorf("the good one: %+v", r.Findings)
	}
	const locator, text, output, input = `{"role":"button","name":"Order"}`, `"{% input.tea %}"`, `"{% {'ok': steps.type.ok} %}"`, `"tea":{"type":"string"`
	for _, c := range []struct{ old, new, rule string }{
		{`"locator.click"`, `"locator.clik"`, "S15"},
		{`"id":"open",`, `"id":"open","foo":1,`, "S15"},
		{`"id":"type"`, `"id":"open"`, "S15"},
		{`"id":"open",`, `"id":"open","for_each":"input.teas",`, "S15"},
		{text, `"{% input.( %}"`, "S15"},
		{text, `"Tea {% input.tea %}"`, "S15"},
		{input, input + `,"pattern":"("`, "S6"},
		{input, `"tea":{"type":"strng"`, "S6"},
		{`"version":1,
`, `"version":"1",
`, "S2"},
		{`"actions.json"`, `"action.json"`, "S1"},
		{`"text":` + text, `"text":"x","txt":1`, "argument_schema_violation"},
		{`,"text":` + text, ``, "argument_schema_violation"},
		{locator, `{"rol":"button"}`, "argument_schema_violation"},
		{locator, `"#order"`, "argument_schema_violation"},
		{locator, `{}`, "argument_schema_violation"},
		{`"args":{"locator":` + locator, `"args":{"timeout_ms":"soon","locator":` + locator, "argument_schema_violation"},
		{locator, `{"selector":"div[["}`, "invalid_selector"},
		{locator, `{"selector":"button:contains('Order')"}`, "invalid_selector"},
		{text, `"{{input.tea}}"`, "foreign_template"},
		{text, `"{{ tea }}"`, "foreign_template"},
		{text, `"${input.tea}"`, "foreign_template"},
		{output, `"{% steps.nope.output %}"`, "unknown_step"},
		{locator, `{"selector":"{% steps.type.output.x %}"}`, "later_step"},
		{text, `"{% inputs.tea %}"`, "unknown_name"},
		{text, `"{% $uppercas(input.tea) %}"`, "unknown_function"},
		{text, `"{% $tea %}"`, "unknown_function"},
		{`"{% state.count = 1 %}"`, `"{% cart.count = 1 and state %}"`, "unknown_name"},
		{`$count(records.teas)`, `$count(teas)`, "unknown_name"},
		{`"{% state.count = 1 %}"`, `"{% state.count > previous.count %}"`, "unknown_name"},
		{`"{% state.count = 1 %}"`, `"{% $size(state.teas) = 1 %}"`, "unknown_function"},
		{text, `"{% input.teaa %}"`, "undeclared_input (warning)"},
		{output, `"{% steps.type.output.nope %}"`, "unknown_primitive_output_field (warning)"},
		{`"version":1,
`, `"version":"0.1.0-working",
`, "S2 (warning)"},
		{text, `"Dear {{name}}"`, ""}, // a text that a site may want
	} {
		if strings.Count(orderMap, c.old) == 0 {
			t.Fatalf("%s is not in the map", c.old)
		}
		r := validateText("bad", []byte(strings.Replace(orderMap, c.old, c.new, 1)), catalogue, validateFlags{})
		rule, warning := strings.CutSuffix(c.rule, " (warning)")
		found := slices.ContainsFunc(r.Findings, func(f actionmap.Finding) bool {
			return f.Rule == rule && f.Hint != "" && f.Line > 0 && (f.Severity == actionmap.SeverityWarning) == warning
		})
		if found != (rule != "") || r.OK != (warning || rule == "") {
			t.Errorf("%s in place of %s: valid %t, %+v", c.new, c.old, r.OK, r.Findings)
		}
	}
}
