package workflow_test

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// ladder is a step of reads with a scroll between two of them.
func ladder(attempts, more string) string {
	return find + `,"retry_until":"{% steps.find.output.visible %}","max_attempts":` + attempts + `,
		"after_each":{"primitive":"viewport.scroll","args":{"delta_y":"{% input.delta = 0 ? 900 : input.delta %}"}}` + more + `}`
}

// labels is a flow as real maps have it: look, act only where nothing is there
// yet, look again.
const labels = `{"id":"look","primitive":"locator.element_info"},
	{"id":"open","when":"{% $not(steps.look.output.present) %}","primitive":"pointer.click","args":{"x":1,"y":1}},
	{"id":"row","when":"{% $not(steps.look.output.present) %}","primitive":"pointer.click","args":{"x":2,"y":2}},
	{"id":"close","when":"{% $not(steps.look.output.present) %}","primitive":"keyboard.press","args":{"key":"Escape"}}`

func TestExecutionScenarios(t *testing.T) {
	// Ensure the scenarios X1 to X22: what is called and with what, what the run gives, how a failure is told. A row with a note differs from the reference on purpose.
	hidden, visible := `{"visible":false}`, `{"visible":true}`
	missing := fail(fault.TargetNotFound)
	settle := `,"settle_after":{"locator":{"selector":"#done"}}`
	labelled := `"{% {'status': steps.look.output.present ? 'already_present' : 'applied', 'verified': true} %}"`
	for _, c := range []struct {
		id, steps, output, input string
		answers                  map[string][]answer
		calls                    string
		args                     []string // of the calls in order, as far as they are listed
		want                     string   // the value, "" when it fails
		code                     fault.Code
		evidence                 map[string]string // by path with dots
		retryable                bool
		summaries                int
		note                     string
	}{
		{id: "X1", steps: find + `},` + click + `,"args":{"x":"{% steps.find.output.candidates[0].center.x %}","y":"{% steps.find.output.candidates[0].center.y %}"}}`,
			answers: map[string][]answer{"locator.element_info": ok(`{"candidates":[{"center":{"x":5,"y":7}}]}`)}, output: `"{% {'clicked': true} %}"`,
			calls: "element_info click", args: []string{`{"locator":{"selector":"#go"}}`, `{"x":5,"y":7}`}, want: `{"clicked":true}`, summaries: 2},
		{id: "X2", steps: last, answers: map[string][]answer{"page.info": ok(`{"ok":true,"primitive":"page.info","value":3}`)}, output: `"{% steps.last.output.value %}"`,
			calls: "info", want: `3`, summaries: 1, note: "the reference unwraps value; an output stays whole here"},
		{id: "X3", steps: find + `},{"id":"to","primitive":"locator.element_info"},{"id":"drag","primitive":"pointer.drag","args":{"from":"{% steps.find.output.at %}","to":"{% steps.to.output.at %}"}}`,
			answers: map[string][]answer{"locator.element_info": ok(`{"at":{"x":1,"y":2}}`, `{"at":{"x":3,"y":4.5}}`)}, output: `1`,
			calls: "element_info element_info drag", args: []string{`{"locator":{"selector":"#go"}}`, `{}`, `{"from":{"x":1,"y":2},"to":{"x":3,"y":4.5}}`}, want: `1`, summaries: 3},
		{id: "X4", steps: find + `,"when":false},{"id":"cards","primitive":"page.info","for_each":[1,2,3],"max_items":2}`, output: `"{% {'n': $count(steps.cards.items), 'cut': steps.cards.truncated, 'of': steps.cards.total} %}"`,
			calls: "info info", want: `{"n":2,"cut":true,"of":3}`, summaries: 2, note: "the reference drops the third item in silence"},
		{id: "X5", steps: ladder("3", ""), answers: map[string][]answer{"locator.element_info": ok(hidden, visible)}, output: `1`, input: `{"delta":5}`,
			calls: "element_info scroll element_info", want: `1`, summaries: 1},
		{id: "X6", steps: ladder("3", ""), answers: map[string][]answer{"locator.element_info": ok(hidden, visible)}, output: `1`, input: `{"delta":0}`,
			calls: "element_info scroll element_info", args: []string{`{"locator":{"selector":"#go"}}`, `{"delta_y":900}`}, want: `1`, summaries: 1},
		{id: "X7", steps: ladder("3", `,"on_error":"continue"`), answers: map[string][]answer{"locator.element_info": ok(hidden)},
			calls: "element_info scroll element_info scroll element_info", code: fault.WorkflowRetryExhausted, evidence: map[string]string{"step_id": "find"}, retryable: true, summaries: 1},
		{id: "X8", steps: ladder("2", ""), answers: map[string][]answer{"locator.element_info": ok(hidden)}, calls: "element_info scroll element_info", code: fault.WorkflowRetryExhausted,
			evidence: map[string]string{"failure_class": "control_not_ready", "failed_state": "readiness"}, retryable: true, summaries: 1},
		{id: "X9", steps: click + `}`, answers: map[string][]answer{"pointer.click": fail(fault.OverlayInterference)}, calls: "click", code: fault.WorkflowStepFailed,
			evidence: map[string]string{"failure_class": "overlay_interference", "failed_state": "mutation"}, retryable: true, summaries: 1},
		{id: "X10", steps: `{"id":"verifyPostcondition","primitive":"page.info"}`, answers: map[string][]answer{"page.info": fail(fault.StatePostconditionFailed)}, calls: "info", code: fault.WorkflowStepFailed,
			evidence: map[string]string{"failure_class": "postcondition_failed"}, summaries: 1, note: "by the code alone: the reference goes by the step's id too"},
		{id: "X11", steps: find + `},` + click + `}`, answers: map[string][]answer{"locator.element_info": missing}, calls: "element_info", code: fault.WorkflowStepFailed,
			evidence: map[string]string{"step_id": "find"}, summaries: 1},
		{id: "X12", steps: click + settle + `},` + last, output: `1`, calls: "click wait_for info", want: `1`, summaries: 2},
		{id: "X13", steps: click + `,"settle_after":{"delay_ms":5}},` + last, output: `1`, calls: "click info", want: `1`, summaries: 2},
		{id: "X14", steps: click + settle + `},` + last, answers: map[string][]answer{"locator.wait_for": fail(fault.Timeout)}, calls: "click wait_for", code: fault.WorkflowStepFailed,
			evidence: map[string]string{"cause.code": "workflow_settle_timeout"}, summaries: 1},
		{id: "X15", steps: click + settle + `,"on_error":"continue"},` + last, answers: map[string][]answer{"locator.wait_for": fail(fault.Timeout)}, output: `1`,
			calls: "click wait_for info", want: `1`, summaries: 2},
		{id: "X16", steps: click + settle + `},` + last, answers: map[string][]answer{"pointer.click": missing}, calls: "click", code: fault.WorkflowStepFailed, summaries: 1},
		{id: "X17 stop", steps: ladder("4", `,"on_error":"stop"`), answers: map[string][]answer{"locator.element_info": missing}, calls: "element_info", code: fault.WorkflowStepFailed, summaries: 1},
		{id: "X17 absent", steps: ladder("2", ""), answers: map[string][]answer{"locator.element_info": missing}, calls: "element_info scroll element_info", code: fault.WorkflowRetryExhausted,
			retryable: true, summaries: 1, note: "a ladder absorbs the failure of an attempt; only stop disarms it"},
		{id: "X18", steps: ladder("4", `,"on_error":"continue"`), answers: map[string][]answer{"locator.element_info": missing},
			calls: strings.Repeat("element_info scroll ", 3) + "element_info", code: fault.WorkflowRetryExhausted, retryable: true, summaries: 1},
		{id: "X19", steps: ladder("4", ""), answers: map[string][]answer{"locator.element_info": ok(hidden, hidden, visible)}, output: `1`,
			calls: "element_info scroll element_info scroll element_info", want: `1`, summaries: 1},
		{id: "X20", steps: `{"id":"t","primitive":"text.type","args":{"text":"tea","trusted":true}}`, output: `1`, calls: "type", args: []string{`{"text":"tea","trusted":true}`}, want: `1`, summaries: 1},
		{id: "X21", steps: labels, answers: map[string][]answer{"locator.element_info": ok(`{"present":true}`)}, output: labelled,
			calls: "element_info", want: `{"status":"already_present","verified":true}`, summaries: 4},
		{id: "X22", steps: labels, answers: map[string][]answer{"locator.element_info": ok(`{"present":false}`)}, output: labelled,
			calls: "element_info click click press", args: []string{`{}`, `{"x":1,"y":1}`, `{"x":2,"y":2}`, `{"key":"Escape"}`}, want: `{"status":"applied","verified":true}`, summaries: 4},
	} {
		t.Run(c.id, func(t *testing.T) {
			b := &browser{answers: c.answers}
			result := run(t, b, c.steps, c.output, c.input)
			if b.names() != c.calls || len(result.Steps) != c.summaries {
				t.Fatalf("calls %q, wanted %q, summaries %+v (%s)", b.names(), c.calls, result.Steps, c.note)
			}
			for i, args := range c.args {
				sameJSON(t, string(b.calls[i].Arguments), args)
			}
			if c.code == "" {
				if result.Err != nil {
					t.Fatalf("%+v (%s)", result.Err, c.note)
				}
				sameJSON(t, string(result.Output), c.want)
			} else if result.Err == nil || result.Err.Code != c.code || result.Err.Retryable != c.retryable {
				t.Fatalf("%+v (%s)", result.Err, c.note)
			}
			for path, want := range c.evidence {
				if got := evidence(result.Err, strings.Split(path, ".")...); got != want {
					t.Errorf("%s is %q, wanted %q (%s)", path, got, want, c.note)
				}
			}
			if settled := result.Steps[0].Settle; strings.Contains(c.steps, "settle_after") && c.id != "X16" {
				failed := len(c.answers) > 0
				if settled == nil || settled.OK == failed || settled.Mode != map[bool]string{true: "delay", false: "locator"}[c.id == "X13"] {
					t.Errorf("the settling is told as %+v", settled)
				}
			}
		})
	}
}
