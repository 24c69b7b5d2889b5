package lint_test

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/lint"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// What the format allows and will not work, or may do harm.
func ExampleMap() {
	text := []byte(`{
		"protocol": "actions.json", "version": "1", "surface": {"name": "shop"},
		"tools": [{
			"name": "click_button_3", "description": "Buys.",
			"input_schema": {"type": "object", "properties": {}, "additionalProperties": false},
			"workflow": {"steps": [
				{"id": "press", "primitive": "locator.click", "args": {"locator": {"selector": "button"}}, "on_error": "continue"},
				{"id": "check", "primitive": "page.info", "args": {}, "when": "{% steps.pres.ok %}"}
			]}
		}]
	}`)
	for _, f := range lint.Map(text, lint.PlaceOf("scopes/private/sites/shop.example/actions.json"), primitive.Load()) {
		fmt.Println(f.Severity, f.ID)
	}
	// Output:
	// warning missing_postcondition:/tools/click_button_3
	// warning layout_bound_name:/tools/click_button_3/name
	// warning undotted_name:/tools/click_button_3/name
	// warning broad_selector:/tools/click_button_3/workflow/steps/press/args/locator/selector
	// error unknown_step:/tools/click_button_3/workflow/steps/check/when
}
