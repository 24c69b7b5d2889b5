package workflow_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// The scenarios of the format's reference, by their ids: E expressions,
// V validation, X execution. A row with a note has another result than the
// reference implementation, on purpose.

func TestExpressionScenarios(t *testing.T) {
	// Ensure the scenarios E1 to E5: values keep their types, literals stay, and what is no slot or not allowed is refused.
	for _, c := range []struct {
		id, args, want string // want: the arguments that the primitive gets
		code           fault.Code
		note           string
	}{
		{id: "E1", args: `{"n":"{% input.count + 2 %}"}`, want: `{"n":5}`},
		{id: "E2", args: `{"o":"{% {'on': true, 'n': input.count} %}"}`, want: `{"o":{"on":true,"n":3}}`},
		{id: "E3", args: `{"slot":"{% input.count %}","literal":"input.count"}`, want: `{"slot":3,"literal":"input.count"}`},
		{id: "E4", args: `{"x":"count {% input.count %}"}`, code: fault.PartialExpressionUnsupported},
		{id: "E5 $eval", args: `{"x":"{% $eval('1') %}"}`, code: fault.DisallowedExpressionFunction},
		{id: "E5 $random", args: `{"x":"{% $random() %}"}`, code: fault.DisallowedExpressionFunction},
		{id: "E5 $now", args: `{"x":"{% $now() %}"}`, code: fault.DisallowedExpressionFunction},
		{id: "E5 $millis", args: `{"x":"{% $millis() %}"}`, code: fault.DisallowedExpressionFunction},
		{id: "E5 alias", args: `{"x":"{% ($e := $eval; $e('1')) %}"}`, code: fault.DisallowedExpressionFunction, note: "the reference evaluates an alias"},
		{id: "E5 text", args: `{"x":"{% '$now(' %}"}`, want: `{"x":"$now("}`, note: "the reference refuses the text"},
	} {
		t.Run(c.id, func(t *testing.T) {
			b := &browser{}
			text := flow(`{"id":"a","primitive":"page.info","args":`+c.args+`}`, "")
			w, problems := workflow.Parse(text, dict)
			if len(problems) > 0 {
				if len(problems) != 1 || problems[0].Code != c.code {
					t.Fatalf("problems %+v (%s)", problems, c.note)
				}
				return
			}
			result := w.Run(t.Context(), workflow.Run{Input: json.RawMessage(`{"count":3}`), Invoke: b.invoke, Dictionary: dict})
			if c.code != "" {
				if len(b.calls) != 0 || evidence(result.Err, "cause", "code") != string(c.code) {
					t.Fatalf("got %+v after %s (%s)", result.Err, b.names(), c.note)
				}
				return
			}
			if result.Err != nil || len(b.calls) != 1 {
				t.Fatalf("got %+v (%s)", result.Err, c.note)
			}
			sameJSON(t, string(b.calls[0].Arguments), c.want)
		})
	}
}

func TestValidationScenarios(t *testing.T) {
	// Ensure the scenarios V1 to V15: what is accepted, what is refused, and what the message names.
	step := func(more string) json.RawMessage { return flow(info+more+`}`, "") }
	after := func(primitive string) json.RawMessage {
		return step(`,"retry_until":true,"max_attempts":2,"after_each":{"primitive":"` + primitive + `"}`)
	}
	full := info + `,"when":true,"retry_until":true,"max_attempts":3,"after_each":{"primitive":"viewport.scroll","args":{"delta_y":9}},
		"settle_after":{"delay_ms":9},"on_error":"continue"},{"id":"b","primitive":"pointer.click","for_each":[1],"max_items":2}`
	rows := []struct {
		id    string
		text  json.RawMessage
		names []string // what the message or its place names; nil: accepted
	}{
		{"V1", flow("", ""), nil},
		{"V2", json.RawMessage(`{"version":1,"expression_language":"jq","steps":[]}`), []string{"expression_language"}},
		{"V3", flow(info+`},`+info+`}`, ""), []string{"duplicate"}},
		{"V4", step(`,"for_each":[1]`), []string{"max_items"}},
		{"V5 locator", step(`,"settle_after":{"locator":{"selector":"#x"},"state":"visible","timeout_ms":900}`), nil},
		{"V5 delay", step(`,"settle_after":{"delay_ms":250}`), nil},
		{"V6 empty", step(`,"settle_after":{}`), []string{"settle_after"}},
		{"V6 both", step(`,"settle_after":{"locator":{"selector":"#x"},"delay_ms":1}`), []string{"settle_after"}},
		{"V6 zero", step(`,"settle_after":{"delay_ms":0}`), []string{"settle_after"}},
		{"V6 negative", step(`,"settle_after":{"delay_ms":-5}`), []string{"settle_after"}},
		{"V6 text", step(`,"settle_after":{"locator":"#x"}`), []string{"settle_after"}},
		{"V7", step(`,"finally":[]`), []string{"finally", "a"}},
		{"V8", flow("", `,"cleanup":[]`), []string{"cleanup"}},
		{"V9", flow("", `,"x_state_machine":{"states":[]}`), nil},
		{"V10", flow(full, ""), nil},
		{"V11", flow(`{"id":"a","primitive":"no.such"}`, ""), []string{"no.such", "a"}},
		{"V11 after_each", after("no.such"), []string{"no.such", "a"}},
		{"V13", flow(steps(26), ""), []string{"too many steps"}},
		{"V14 click", after("pointer.click"), []string{"after_each"}},
		{"V14 press", after("keyboard.press"), []string{"after_each"}},
	}
	for _, name := range []string{"locator.wait_for", "viewport.scroll", "dom.observe.visible", "overlay.menu.hide", "locator.element_info"} {
		rows = append(rows, struct {
			id    string
			text  json.RawMessage
			names []string
		}{"V15 " + name, after(name), nil})
	}
	for _, c := range rows {
		t.Run(c.id, func(t *testing.T) {
			_, problems := workflow.Parse(c.text, dict)
			if (c.names == nil) != (len(problems) == 0) {
				t.Fatalf("problems %+v", problems)
			}
			for _, name := range c.names {
				if text := fmt.Sprintf("%+v", problems); !strings.Contains(text, name) {
					t.Errorf("%s does not name %q", text, name)
				}
			}
		})
	}
	// V12: without a dictionary any name is accepted.
	if _, problems := workflow.Parse(flow(`{"id":"a","primitive":"no.such"}`, ""), nil); len(problems) > 0 {
		t.Errorf("V12: %+v", problems)
	}
}

// sameJSON compares two texts by their values.
func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatalf("%q: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%q: %v", want, err)
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("got %s, want %s", got, want)
	}
}
