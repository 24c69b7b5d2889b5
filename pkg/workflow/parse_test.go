package workflow_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

const info = `{"id":"a","primitive":"locator.element_info"`

func TestParseAccepts(t *testing.T) {
	// Ensure every form that the format allows is accepted.
	full := `{"id":"a","primitive":"locator.element_info","args":{"locator":{"selector":"{% input.s %}"}},
		"when":"{% $exists(input.s) %}","retry_until":"{% steps.a.ok %}","max_attempts":3,
		"after_each":{"primitive":"viewport.scroll","args":{"delta_y":900}},"settle_after":{"delay_ms":250},"on_error":"continue"},
		{"id":"b-2_x","primitive":"pointer.click","for_each":"{% input.list %}","max_items":50,"args":null,"on_error":""}`
	for name, text := range map[string]json.RawMessage{
		"no steps":                flow("", ""),
		"every field":             flow(full, `,"output":"{% steps.a.output %}"`),
		"a state machine":         flow("", `,"x_state_machine":{"anything":["{% not read"]}`),
		"null for absent":         flow(info+`,"when":null,"for_each":null,"retry_until":null,"after_each":null,"settle_after":null}`, `,"output":null`),
		"settle on a locator":     flow(info+`,"settle_after":{"locator":{"selector":"#x"},"state":"attached","timeout_ms":4000}}`, ""),
		"settle on a slot":        flow(info+`,"settle_after":{"locator":"{% input.l %}","state":"{% input.s %}","timeout_ms":"{% input.t %}"}}`, ""),
		"settle on a delay":       flow(info+`,"settle_after":{"delay_ms":250}}`, ""),
		"a delay of a slot":       flow(info+`,"settle_after":{"delay_ms":"{% input.ms %}"}}`, ""),
		"an integer with a point": flow(info+`,"for_each":[1],"max_items":3.0}`, ""),
		"25 steps":                flow(steps(25), ""),
	} {
		if _, problems := workflow.Parse(text, dict); len(problems) > 0 {
			t.Errorf("%s: %+v", name, problems)
		}
	}
	for _, p := range []string{"locator.wait_for", "viewport.scroll", "dom.observe.visible", "overlay.menu.hide", "locator.element_info"} {
		text := flow(fmt.Sprintf(`%s,"retry_until":true,"max_attempts":2,"after_each":{"primitive":%q}}`, info, p), "")
		if _, problems := workflow.Parse(text, dict); len(problems) > 0 {
			t.Errorf("after_each %s: %+v", p, problems)
		}
	}
	if _, problems := workflow.Parse(flow(`{"id":"a","primitive":"any.name"}`, ""), nil); len(problems) > 0 {
		t.Errorf("without a dictionary: %+v", problems)
	}
}

func steps(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"id":"s%d","primitive":"page.info"}`, i))
	}
	return strings.Join(list, ",")
}

func TestParseRefuses(t *testing.T) {
	// Ensure each broken rule is found and that its message names the step, the
	// field and what is wrong.
	after := `,"retry_until":true,"max_attempts":2,"after_each":`
	for _, c := range []struct{ text, step, field, message string }{
		{`[]`, "", "", "object"},
		{`{"version":1,"version":1}`, "", "", "twice"},
		{`nonsense`, "", "", "JSON"},
		{`{"version":2,"expression_language":"jsonata","steps":[]}`, "", "version", "number 1"},
		{`{"version":"1","expression_language":"jsonata","steps":[]}`, "", "version", "number 1"},
		{`{"version":1,"expression_language":"jq","steps":[]}`, "", "expression_language", "jsonata"},
		{`{"version":1,"expression_language":"jsonata","steps":{}}`, "", "steps", "array"},
		{`{"version":1,"expression_language":"jsonata"}`, "", "steps", "array"},
		{string(flow("", `,"cleanup":[]`)), "", "cleanup", `"cleanup"`},
		{string(flow(steps(26), "")), "", "steps", "too many steps: 26"},
		{string(flow("3", "")), "0", "", "object"},
		{string(flow(`{"id":"1a","primitive":"page.info"}`, "")), "0", "id", "form"},
		{string(flow(info+`},`+info+`}`, "")), "a", "id", "duplicate"},
		{string(flow(info+`,"finally":[]}`, "")), "a", "finally", `"finally"`},
		{string(flow(info+`,"Args":{}}`, "")), "a", "Args", `"Args"`},
		{string(flow(`{"id":"a"}`, "")), "a", "primitive", "name"},
		{string(flow(`{"id":"a","primitive":"no.such"}`, "")), "a", "primitive", `unknown primitive "no.such"`},
		{string(flow(`{"id":"a","primitive":"actions.site"}`, "")), "a", "primitive", "cannot be a workflow step"},
		{string(flow(info+`,"args":[]}`, "")), "a", "args", "object"},
		{string(flow(info+`,"for_each":[1]}`, "")), "a", "max_items", "max_items"},
		{string(flow(info+`,"for_each":[1],"max_items":51}`, "")), "a", "max_items", "50"},
		{string(flow(info+`,"for_each":[1],"max_items":2.5}`, "")), "a", "max_items", "integer"},
		{string(flow(info+`,"for_each":[1],"max_items":"{% 3 %}"}`, "")), "a", "max_items", "integer"},
		{string(flow(info+`,"retry_until":true}`, "")), "a", "max_attempts", "max_attempts"},
		{string(flow(info+`,"retry_until":true,"max_attempts":0}`, "")), "a", "max_attempts", "integer"},
		{string(flow(info+`,"for_each":[1],"max_items":1,"retry_until":true,"max_attempts":1}`, "")), "a", "retry_until", "together"},
		{string(flow(info+after+`{"primitive":"pointer.click"}}`, "")), "a", "after_each", "after_each"},
		{string(flow(info+after+`{"primitive":"keyboard.press"}}`, "")), "a", "after_each", "not allowed"},
		{string(flow(info+after+`{"primitive":"no.such"}}`, "")), "a", "after_each", `"no.such"`},
		{string(flow(info+after+`{}}`, "")), "a", "after_each", "name"},
		{string(flow(info+after+`{"primitive":"viewport.scroll","args":3}}`, "")), "a", "after_each", "object"},
		{string(flow(info+after+`"viewport.scroll"}`, "")), "a", "after_each", "object"},
		{string(flow(info+`,"on_error":"ignore"}`, "")), "a", "on_error", "continue"},
		{string(flow(info+`,"settle_after":{}}`, "")), "a", "settle_after", "exactly one"},
		{string(flow(info+`,"settle_after":{"locator":{},"delay_ms":5}}`, "")), "a", "settle_after", "exactly one"},
		{string(flow(info+`,"settle_after":{"delay_ms":0}}`, "")), "a", "settle_after", "above 0"},
		{string(flow(info+`,"settle_after":{"delay_ms":-5}}`, "")), "a", "settle_after", "above 0"},
		{string(flow(info+`,"settle_after":{"locator":"#x"}}`, "")), "a", "settle_after", "object"},
		{string(flow(info+`,"settle_after":{"locator":{},"state":"gone"}}`, "")), "a", "settle_after", "state"},
		{string(flow(info+`,"settle_after":{"locator":{},"timeout_ms":"long"}}`, "")), "a", "settle_after", "timeout_ms"},
	} {
		w, problems := workflow.Parse(json.RawMessage(c.text), dict)
		if len(problems) == 0 || w != nil {
			t.Errorf("%s is accepted", c.text)
			continue
		}
		p := problems[0]
		if p.Step != c.step || p.Field != c.field || p.Code != fault.InvalidWorkflow || !strings.Contains(p.Message, c.message) {
			t.Errorf("%s gives %+v, wanted %q in it", c.text, p, c.message)
		}
	}
}

func TestParseChecksExpressions(t *testing.T) {
	// Ensure every slot is compiled when the workflow is parsed, wherever it
	// stands, and keeps the code of its fault.
	const partial, invalid = "hello {% input.x %}", "{% input. %}"
	for _, c := range []struct{ step, more, field string }{
		{info + `,"args":{"deep":[{"x":%q}]}}`, "", "args"},
		{info + `,"when":%q}`, "", "when"},
		{info + `,"for_each":%q,"max_items":1}`, "", "for_each"},
		{info + `,"retry_until":%q,"max_attempts":1}`, "", "retry_until"},
		{info + `,"retry_until":true,"max_attempts":1,"after_each":{"primitive":"viewport.scroll","args":{"delta_y":%q}}}`, "", "after_each"},
		{info + `,"settle_after":{"locator":{"selector":%q}}}`, "", "settle_after"},
		{"", `,"output":{"x":%q}`, "output"},
	} {
		for text, code := range map[string]fault.Code{partial: fault.PartialExpressionUnsupported, invalid: fault.InvalidExpression} {
			fill := func(s string) string {
				if s == "" {
					return ""
				}
				return fmt.Sprintf(s, text)
			}
			_, problems := workflow.Parse(flow(fill(c.step), fill(c.more)), dict)
			if len(problems) != 1 || problems[0].Field != c.field || problems[0].Code != code {
				t.Errorf("%s with %s gives %+v", c.field, text, problems)
				continue
			}
			err := problems[0].Fault()
			if err.Code != fault.InvalidWorkflow || evidence(err, "cause") != string(code) || err.Dispatched != fault.NotDispatched {
				t.Errorf("%s as a fault is %+v", c.field, err)
			}
		}
	}
}

func TestParseFindsAllProblemsInOrder(t *testing.T) {
	// Ensure all problems are reported with their places, in the order of the
	// rules, so that one validation shows everything.
	text := `{"version":3,"expression_language":"jq","zeta":1,"alpha":1,"steps":[
		{"id":"a","primitive":"no.such","on_error":"never","extra/x":1},{"id":"b","primitive":"page.info","args":{"x":"{% ( %}"}}],"output":"x {% y %}"}`
	_, problems := workflow.Parse(json.RawMessage(text), dict)
	var got []string
	for _, p := range problems {
		got = append(got, p.Pointer)
	}
	want := []string{"/alpha", "/zeta", "/version", "/expression_language",
		"/steps/0/extra~1x", "/steps/0/primitive", "/steps/0/on_error", "/steps/1/args", "/output"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestPrimitives(t *testing.T) {
	// Ensure the primitives of after_each and of a settling count, once each.
	w := parse(t, flow(`{"id":"a","primitive":"pointer.click","settle_after":{"locator":{}}},
		{"id":"b","primitive":"pointer.click","retry_until":true,"max_attempts":1,"after_each":{"primitive":"viewport.scroll"}}`, ""))
	if diff := cmp.Diff([]string{"locator.wait_for", "pointer.click", "viewport.scroll"}, w.Primitives()); diff != "" {
		t.Fatal(diff)
	}
}

func FuzzParse(f *testing.F) {
	// Ensure no text makes the parser panic, and that what it refuses has a reason.
	f.Add([]byte(flow(info+`,"settle_after":{"delay_ms":5},"when":"{% input.x %}"}`, `,"output":[1]`)))
	f.Add([]byte(`{"version":1,"steps":[{"id":1,"after_each":{"args":""}},null],"output":"{%"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, problems := workflow.Parse(text, dict)
		if (w == nil) != (len(problems) > 0) {
			t.Fatalf("%v and %v", w, problems)
		}
	})
}
