package workflow_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

func TestAssert(t *testing.T) {
	// Ensure an assertion that holds costs no call and lets the run go on, and that one that does
	// not ends it with a code of its own and the map's words, before or after something was done.
	click := `{"id":"press","primitive":"pointer.click"},`
	for _, c := range []struct {
		name, steps, input string
		code               fault.Code
		message, state     string
		calls              string
	}{
		{name: "holds", steps: `{"id":"some","assert":"{% input.n > 0 %}","message":"none"},` + last, input: `{"n":1}`, calls: "info"},
		{name: "does not hold", steps: `{"id":"some","assert":"{% input.n > 0 %}","message":"There are none."},` + last, input: `{"n":0}`,
			code: fault.WorkflowAssertionFailed, message: `step "some" (assert) failed: There are none.`, state: "precondition"},
		{name: "a message that is made", steps: `{"id":"some","assert":"{% input.n > 2 %}","message":"{% 'only ' & input.n %}"}`, input: `{"n":2}`,
			code: fault.WorkflowAssertionFailed, message: `step "some" (assert) failed: only 2`, state: "precondition"},
		{name: "without a message", steps: `{"id":"some","assert":"{% input.gone %}"}`,
			code: fault.WorkflowAssertionFailed, message: `step "some" (assert) failed: the condition does not hold`, state: "precondition"},
		{name: "a message that is no text", steps: `{"id":"some","assert":"{% input.gone %}","message":"{% input.gone %}"}`,
			code: fault.WorkflowAssertionFailed, message: `step "some" (assert) failed: the condition does not hold`, state: "precondition"},
		{name: "after an action", steps: click + `{"id":"done","assert":"{% steps.press.output.ok %}"}`, calls: "click",
			code: fault.WorkflowAssertionFailed, message: `step "done" (assert) failed: the condition does not hold`, state: "postcondition"},
		{name: "of each item", steps: `{"id":"all","for_each":"{% [3, 1, 5] %}","max_items":5,"assert":"{% item > 2 %}","message":"{% item & ' is too few' %}"}`,
			code: fault.WorkflowAssertionFailed, message: `step "all" (assert) failed at item 2 of 3: 1 is too few`, state: "precondition"},
		{name: "skipped", steps: `{"id":"some","when":"{% false %}","assert":"{% false %}"}`},
		{name: "an expression that fails", steps: `{"id":"some","assert":"{% $number('x') > 1 %}"}`, code: fault.WorkflowStepFailed,
			message: `step "some" (assert) failed: `, state: "precondition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &browser{}
			result := run(t, b, c.steps, `"{% true %}"`, c.input)
			if b.names() != c.calls {
				t.Errorf("calls are %q", b.names())
			}
			if c.code == "" {
				check(t, result, "true", "")
				return
			}
			check(t, result, "", c.code)
			if !strings.HasPrefix(result.Err.Message, c.message) || evidence(result.Err, "failed_state") != c.state || result.Err.Retryable {
				t.Errorf("got %q, %+v", result.Err.Message, result.Err)
			}
			if s := result.Steps[len(result.Steps)-1]; s.OK || s.Primitive != "" || s.Code == "" {
				t.Errorf("the summary is %+v", s)
			}
		})
	}
}

func TestMinItems(t *testing.T) {
	// Ensure a loop over fewer items than it needs runs none of them and says how many there were, and that one over none is told from one that ran.
	for list, want := range map[string]string{`[1,2,3]`: "", `[1,2]`: "", `[1]`: "for_each has 1 items, at least 2 are needed", `"{% input.none %}"`: "for_each has 0 items, at least 2 are needed"} {
		b := &browser{}
		result := run(t, b, `{"id":"l","primitive":"pointer.click","for_each":`+list+`,"min_items":2,"max_items":2}`, `"{% steps.l.total ? steps.l.total : 0 %}"`, "")
		if want == "" {
			check(t, result, map[string]string{`[1,2,3]`: "3", `[1,2]`: "0"}[list], "")
			continue
		}
		check(t, result, "", fault.WorkflowTooFewItems)
		if len(b.calls) != 0 || !strings.HasSuffix(result.Err.Message, want) || result.Err.Dispatched != fault.NotDispatched {
			t.Errorf("%s: %d calls, %+v", list, len(b.calls), result.Err)
		}
	}
	for list, empty := range map[string]bool{`[]`: true, `"{% input.none %}"`: true, `[1]`: false} {
		if steps := run(t, &browser{}, `{"id":"l","primitive":"pointer.click","for_each":`+list+`,"max_items":2}`, "", "").Steps; len(steps) != 1 || steps[0].Empty != empty {
			t.Errorf("%s: %+v", list, steps)
		}
	}
	tolerated := run(t, &browser{}, `{"id":"l","primitive":"pointer.click","for_each":[],"min_items":1,"max_items":2,"on_error":"continue"}`, `"{% steps.l.error.code %}"`, "")
	check(t, tolerated, `"workflow_too_few_items"`, "")
}

// order chooses and sends for each tea; a tea that is gone cannot be chosen.
func order(more string) string {
	return `{"id":"order","for_each":"{% input.teas %}","max_items":3,"steps":[
	{"id":"choose","primitive":"locator.element_info","args":{"tea":"{% item.name %}","at":"{% index %}"}},
	{"id":"there","assert":"{% steps.choose.output.price <= item.most %}","message":"{% item.name & ' costs too much' %}"},
	{"id":"send","primitive":"pointer.click","when":"{% $not($exists(item.dry)) %}","args":{"price":"{% steps.choose.output.price %}"}}
	]` + more + `}`
}

const teas = `{"teas":[{"name":"a","most":5},{"name":"b","most":5,"dry":true},{"name":"c","most":5},{"name":"d","most":5}]}`

func TestGroup(t *testing.T) {
	// Ensure the steps of a group run in turn for each item, see the item and what the steps
	// before gave for it, and leave nothing behind but the value of each item.
	b := &browser{answers: map[string][]answer{"locator.element_info": ok(`{"price":3}`, `{"price":4}`, `{"price":5}`)}}
	result := run(t, b, order(`,"output":"{% {'tea': item.name, 'price': steps.choose.output.price, 'sent': $not(steps.send.skipped = true)} %}"`)+
		`,{"id":"after","primitive":"page.info","args":{"left":"{% [$exists(steps.choose), $exists(item)] %}"}}`,
		`"{% [steps.order.output, {'total': steps.order.total, 'ok': steps.order.ok}] %}"`, teas)
	check(t, result, `[{"tea":"a","price":3,"sent":true},{"tea":"b","price":4,"sent":false},{"tea":"c","price":5,"sent":true},{"total":4,"ok":true}]`, "")
	var calls []string
	for _, c := range b.calls {
		calls = append(calls, fmt.Sprintf("%s %d %s", c.StepID, c.Item, c.Arguments))
	}
	want := []string{`choose 0 {"tea":"a","at":0}`, `send 0 {"price":3}`, `choose 1 {"tea":"b","at":1}`, `choose 2 {"tea":"c","at":2}`, `send 2 {"price":5}`,
		`after 0 {"left":[false,false]}`}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Error(diff)
	}
	s := result.Steps[0]
	if s.ID != "order" || !s.OK || s.Items != 3 || !s.Truncated || s.Total != 4 || len(s.Steps) != 3 {
		t.Fatalf("the summary is %+v", s)
	}
	if send := s.Steps[2]; send.ID != "send" || send.Items != 2 || send.Skipped || !send.OK || send.Primitive != "pointer.click" {
		t.Errorf("the summary of the last step is %+v", send)
	}
}

func TestGroupFails(t *testing.T) {
	// Ensure a step that fails ends the run and is named with its item and group, and that a group
	// that tolerates it goes on with the next item.
	prices := func() []answer { return ok(`{"price":3}`, `{"price":9}`, `{"price":5}`) }
	b := &browser{answers: map[string][]answer{"locator.element_info": prices()}}
	result := run(t, b, order(""), "", teas)
	check(t, result, "", fault.WorkflowAssertionFailed)
	if want := `step "there" (assert) failed at item 2 of 3: b costs too much`; result.Err.Message != want ||
		evidence(result.Err, "step_id") != "there" || evidence(result.Err, "group_id") != "order" || evidence(result.Err, "acted_steps") != `["send"]` {
		t.Errorf("got %q, %s", result.Err.Message, evidence(result.Err))
	}
	if s := result.Steps[0]; s.OK || s.Items != 2 || s.Code != fault.WorkflowAssertionFailed || s.Steps[1].OK || s.Steps[1].Items != 2 || s.Steps[2].Items != 1 {
		t.Errorf("the summary is %+v", s)
	}

	b = &browser{answers: map[string][]answer{"locator.element_info": prices()}}
	result = run(t, b, order(`,"on_error":"continue","output":"{% item.name %}"`),
		`"{% [steps.order.ok, $string(steps.order.output), steps.order.items[1].error.message] %}"`, `{"teas":[{"name":"a","most":5},{"name":"b","most":5},{"name":"c","most":5}]}`)
	check(t, result, `[false,"[\"a\",null,\"c\"]","b costs too much"]`, "")
	if names := b.names(); names != "element_info click element_info element_info click" {
		t.Errorf("calls are %s", names)
	}
}

func TestGroupValues(t *testing.T) {
	// Ensure an item without an output has the results of its steps, that a retry inside keeps the
	// item and counts its attempts, and that the page settles after each item.
	b := &browser{answers: map[string][]answer{"page.info": ok(`{"n":1}`, `{"n":2}`)}}
	result := run(t, b, `{"id":"each","for_each":["x","y"],"max_items":2,"settle_after":{"locator":{"selector":"{% item %}"}},"steps":[
		{"id":"read","primitive":"page.info","args":{"v":"{% item & index %}"},"retry_until":"{% steps.read.output.n = 2 and $exists(item) %}","max_attempts":3}]}`,
		`"{% steps.each.output.steps.read.output.n %}"`, "")
	check(t, result, `[2,2]`, "")
	var calls []string
	for _, c := range b.calls {
		calls = append(calls, fmt.Sprintf("%s %s %d %d %s", c.StepID, c.Phase, c.Item, c.Attempt, c.Arguments))
	}
	settled := `{"locator":{"selector":"%s"},"state":"visible","timeout_ms":8000}`
	want := []string{`read step 0 1 {"v":"x1"}`, `read step 0 2 {"v":"x2"}`, "each settle 0 0 " + fmt.Sprintf(settled, "x"),
		`read step 1 1 {"v":"y1"}`, "each settle 1 0 " + fmt.Sprintf(settled, "y")}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Error(diff)
	}
	if s := result.Steps[0]; s.Steps[0].Attempts != 2 || s.Settle == nil || !s.Settle.OK {
		t.Errorf("the summary is %+v", s)
	}
}

func TestNamesOfSlots(t *testing.T) {
	// Ensure each slot sees exactly the names that the engine says: lint and the format page go by them.
	type kind struct{ loops, retries, grouped bool }
	const keys = `{% $error('<' & $join($sort($keys($$)), ' ') & '>') %}`
	for _, slot := range workflow.StepSlots {
		for _, k := range []kind{{}, {loops: true}, {retries: true}, {grouped: true}, {retries: true, grouped: true}} {
			value := fmt.Sprintf("%q", keys)
			fields := map[string]string{"id": `"s"`, "primitive": `"page.info"`}
			if k.loops {
				fields["for_each"], fields["max_items"] = `[1]`, `1`
			}
			if k.retries {
				fields["retry_until"], fields["max_attempts"] = `false`, `2`
			}
			switch slot.Member {
			case "args", "settle_after":
				value = map[string]string{"args": `{"v":` + value + `}`, "settle_after": `{"delay_ms":` + value + `}`}[slot.Member]
				if k.retries && slot.Member == "settle_after" {
					fields["retry_until"] = `true`
				}
			case "assert", "message":
				delete(fields, "primitive")
				fields["assert"] = `"{% false %}"`
				if k.retries {
					continue // an assertion does not retry
				}
			case "output":
				if !k.loops {
					continue // only a group has one
				}
				delete(fields, "primitive")
				fields["steps"] = `[{"id":"inner","primitive":"page.info"}]`
			case "after_each":
				if !k.retries {
					continue
				}
				value = `{"primitive":"viewport.scroll","args":{"v":` + value + `}}`
				fields["on_error"] = `"stop"`
			case "retry_until":
				if !k.retries {
					continue
				}
			case "for_each":
				if k.grouped || k.retries {
					continue
				}
				fields["max_items"] = `1`
			}
			if slot.Member == "args" && k.retries {
				fields["on_error"] = `"stop"`
			}
			fields[slot.Member] = value
			var members []string
			for name, v := range fields {
				members = append(members, fmt.Sprintf("%q:%s", name, v))
			}
			steps := "{" + strings.Join(members, ",") + "}"
			if k.grouped {
				steps = `{"id":"g","for_each":[1],"max_items":1,"steps":[` + steps + `]}`
			}
			result := run(t, &browser{}, steps, "", "")
			names := slot.Names(k.loops, k.retries, k.grouped)
			if index := slices.Index(names, "input"); slices.Contains(names, "index") && !slices.Contains(names, "item") {
				names = slices.Insert(names, index+1, "item") // null in a retry, as good as nothing
			}
			if want := "<" + strings.Join(names, " ") + ">"; result.Err == nil || !strings.Contains(result.Err.Message, want) {
				t.Errorf("%s %+v: %v, wanted %q", slot.Member, k, result.Err, want)
			}
		}
	}
	w := parse(t, flow("", fmt.Sprintf(`,"output":%q`, keys)))
	result := w.Run(t.Context(), workflow.Run{Limits: patient})
	if want := "<" + strings.Join(workflow.OutputNames, " ") + ">"; result.Err == nil || !strings.Contains(result.Err.Message, want) {
		t.Errorf("output: %v", result.Err)
	}
}

func TestParseGroups(t *testing.T) {
	// Ensure each broken rule of assertions, groups and min_items is found at its place.
	inner := func(steps string) string { return `{"id":"g","for_each":[1],"max_items":2,"steps":[` + steps + `]}` }
	for _, c := range []struct{ text, pointer, message string }{
		{`{"id":"a","primitive":"page.info","assert":"{% true %}"}`, "/steps/0/assert", "beside primitive"},
		{`{"id":"a","assert":"{% true %}","for_each":[1],"max_items":1,"steps":[` + last + `]}`, "/steps/0/steps", "beside assert"},
		{`{"id":"a","assert":"steps.x.ok"}`, "/steps/0/assert", "must be an expression"},
		{`{"id":"a","assert":true}`, "/steps/0/assert", "must be an expression"},
		{`{"id":"a","assert":"{% ( %}"}`, "/steps/0/assert", "cannot be parsed"},
		{`{"id":"a","assert":"{% true %}","on_error":"continue"}`, "/steps/0/on_error", "not for a step with assert"},
		{`{"id":"a","assert":"{% true %}","settle_after":{"delay_ms":5}}`, "/steps/0/settle_after", "not for a step with assert"},
		{`{"id":"a","assert":"{% true %}","args":{}}`, "/steps/0/args", "not for a step with assert"},
		{`{"id":"a","primitive":"page.info","message":"x"}`, "/steps/0/message", "not for a step with primitive"},
		{`{"id":"a","primitive":"page.info","output":"x"}`, "/steps/0/output", "not for a step with primitive"},
		{info + `,"min_items":1}`, "/steps/0/min_items", "only beside for_each"},
		{info + `,"for_each":[1],"min_items":3,"max_items":2}`, "/steps/0/min_items", "greater than max_items"},
		{info + `,"for_each":[1],"min_items":0,"max_items":2}`, "/steps/0/min_items", "integer from 1"},
		{`{"id":"g","steps":[` + last + `]}`, "/steps/0/for_each", "requires for_each"},
		{`{"id":"g","for_each":[1],"max_items":2,"steps":[]}`, "/steps/0/steps", "at least one"},
		{`{"id":"g","for_each":[1],"max_items":2,"steps":{}}`, "/steps/0/steps", "array"},
		{`{"id":"g","for_each":[1],"steps":[` + last + `]}`, "/steps/0/max_items", "requires max_items"},
		{`{"id":"g","for_each":[1],"max_items":2,"args":{},"steps":[` + last + `]}`, "/steps/0/args", "not for a step with steps"},
		{`{"id":"g","for_each":[1],"max_items":2,"retry_until":true,"max_attempts":2,"steps":[` + last + `]}`, "/steps/0/retry_until", "not for a step with steps"},
		{inner(`{"id":"x","primitive":"no.such"}`), "/steps/0/steps/0/primitive", `step "x", primitive: unknown primitive`},
		{inner(last + `,{"id":"g","primitive":"page.info"}`), "/steps/0/steps/1/id", "duplicate"},
		{inner(`{"id":"x","primitive":"page.info","for_each":[1],"max_items":1}`), "/steps/0/steps/0/for_each", `inside of the for_each of "g"`},
		{inner(`{"id":"x","steps":[` + last + `]}`), "/steps/0/steps/0/steps", `inside of the for_each of "g"`},
		{inner(inner(last)), "/steps/0/steps/0/id", "duplicate"},
		{inner(`{"id":"x","primitive":"page.info","args":{"v":"{% ( %}"}}`), "/steps/0/steps/0/args", "cannot be parsed"},
		{`{"id":"g","for_each":[1],"max_items":2,"output":"{% ( %}","steps":[` + last + `]}`, "/steps/0/output", "cannot be parsed"},
		{steps(20) + "," + inner(strings.ReplaceAll(steps(5), `"s`, `"t`)), "/steps/20/steps", "too many steps: 26, at most 25"},
	} {
		w, problems := workflow.Parse(flow(c.text, ""), dict)
		if w != nil || len(problems) == 0 || problems[0].Pointer != c.pointer || !strings.Contains(problems[0].Message, c.message) {
			t.Errorf("%s gives %+v, wanted %q at %s", c.text, problems, c.message, c.pointer)
		}
	}
	full := inner(strings.ReplaceAll(steps(4), `"s`, `"t`))
	w := parse(t, flow(steps(20)+","+full+"", `,"output":"{% steps.g %}"`))
	if got := w.Primitives(); len(got) != 1 || got[0] != "page.info" {
		t.Errorf("%v", got)
	}
}

func TestTypedInGroups(t *testing.T) {
	// Ensure the inputs that a step of a group types count as typed, also by way of the item.
	w := parse(t, flow(`{"id":"g","for_each":"{% input.names %}","max_items":2,"steps":[
		{"id":"t","primitive":"text.type","args":{"text":"{% item & input.suffix %}"}},{"id":"a","assert":"{% input.other %}"}]}`, ""))
	typed := w.Typed(func(name string) []string { return map[string][]string{"text.type": {"text"}}[name] })
	for name, want := range map[string]bool{"names": true, "suffix": true, "other": false} {
		if typed.Has(name) != want {
			t.Errorf("%s is typed: %v", name, typed.Has(name))
		}
	}
}

func TestSummaryOfGroups(t *testing.T) {
	// Ensure the summaries stay as many as the steps, however many items there are.
	w := parse(t, flow(`{"id":"g","for_each":"{% [1..50] %}","max_items":50,"steps":[{"id":"a","primitive":"page.info"},{"id":"b","primitive":"page.info","when":"{% false %}"}]}`, `,"output":1`))
	b := &browser{}
	result := w.Run(t.Context(), workflow.Run{Invoke: b.invoke, Dictionary: dict, Limits: patient})
	if result.Err != nil || len(b.calls) != 50 {
		t.Fatalf("%v after %d calls", result.Err, len(b.calls))
	}
	inner := result.Steps[0].Steps
	for i := range inner {
		inner[i].DurationMS = 0
	}
	text, err := json.Marshal(inner)
	if want := `[{"id":"a","primitive":"page.info","ok":true,"skipped":false,"duration_ms":0,"items":50},{"id":"b","primitive":"page.info","ok":true,"skipped":true,"duration_ms":0}]`; err != nil || string(text) != want {
		t.Errorf("%s", text)
	}
}
