package workflow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/workflow"
)

// previewed returns a line for each step of a preview, and what was called.
func previewed(t *testing.T, b *browser, input, steps string) (lines []string, called []string) {
	t.Helper()
	w, problems := workflow.Parse([]byte(`{"version":1,"expression_language":"jsonata","steps":[`+steps+`]}`), dict)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	planned, fault := w.Preview(t.Context(), workflow.Run{Input: []byte(input), Invoke: b.invoke, Dictionary: dict}, func(name string) bool { return dict[name] == "read" })
	if fault != nil {
		t.Fatal(fault)
	}
	for _, p := range planned {
		line := p.ID
		switch {
		case p.Ran:
			line += " ran"
		case p.Skipped:
			line += " skipped"
		}
		if len(p.Needs) > 0 {
			line += " needs " + strings.Join(p.Needs, "+")
		}
		for _, c := range p.Calls {
			line += " " + string(c.Arguments)
		}
		if p.Items > 0 {
			line += fmt.Sprintf(" of %d", p.Items)
		}
		if p.Err != nil {
			line += " " + string(p.Err.Code)
		}
		lines = append(lines, line)
	}
	for _, c := range b.calls {
		called = append(called, c.Primitive)
	}
	return lines, called
}

func TestPreview(t *testing.T) {
	// Ensure that a preview runs the reading steps before the first that acts and no other, that it evaluates what it can, and that it names what the rest depends on.
	const (
		read  = `{"id":"field","primitive":"locator.element_info","args":{"locator":{"selector":"#q"}}}`
		click = `{"id":"press","primitive":"pointer.click","args":{"x":"{% steps.field.output.x %}"}}`
		again = `{"id":"again","primitive":"locator.element_info","args":{"locator":{"selector":"{% '#' & input.id %}"}}}`
	)
	for _, c := range []struct {
		name, steps string
		want        []string
		called      int
	}{
		{"reads first", read + "," + click, []string{`field ran {"locator":{"selector":"#q"}}`, `press {"x":7}`}, 1},
		{"does not read after an act", click + "," + again, []string{`press {}`, `again {"locator":{"selector":"#tea"}}`}, 0},
		{"needs an act", click + `,{"id":"type","primitive":"text.type","args":{"text":"{% steps.press.output.word %}"}}`, []string{`press {}`, `type needs press`}, 0},
		{"needs a read behind an act", click + "," + again + `,{"id":"b","primitive":"pointer.click","args":{"x":"{% $$.steps.again.output.x + steps.press.output.x %}"}}`,
			[]string{`press {}`, `again {"locator":{"selector":"#tea"}}`, `b needs again+press`}, 0},
		{"does not take a wildcard for known", click + `,{"id":"b","primitive":"pointer.click","args":{"x":"{% $count(steps.*) %}"}},{"id":"c","primitive":"pointer.click","args":{"x":"{% $lookup($$, 'st' & 'eps') %}"}},{"id":"d","primitive":"pointer.click","args":{"x":"{% $count(**.x) %}"}}`,
			[]string{`press {}`, `b needs press`, `c needs b+press`, `d needs b+c+press`}, 0},
		{"knows products and the input by its root", click + `,{"id":"b","primitive":"pointer.click","args":{"x":"{% $$.input.n * 2 %}"}}`, []string{`press {}`, `b {"x":6}`}, 0},
		{"leaves out what is not due", click + `,{"id":"b","primitive":"pointer.click","when":"{% $exists(input.note) %}"},{"id":"c","primitive":"pointer.click","when":"{% steps.b.skipped %}","args":{"x":1}},{"id":"d","primitive":"pointer.click","when":"{% steps.press.ok %}"}`,
			[]string{`press {}`, `b skipped`, `c {"x":1}`, `d needs press`}, 0},
		{"lists the first items", `{"id":"each","primitive":"text.type","for_each":"{% input.list %}","max_items":2,"args":{"text":"{% item %}"}}`, []string{`each {"text":"a"} {"text":"b"} of 3`}, 0},
		{"ends at a read that fails", `{"id":"gone","primitive":"page.info"},` + click, []string{`gone ran {} target_not_found`}, 1},
		{"goes on where that is tolerated", `{"id":"gone","primitive":"page.info","on_error":"continue"},{"id":"b","primitive":"pointer.click","args":{"x":"{% steps.gone.ok %}"}}`, []string{`gone ran {}`, `b {"x":false}`}, 1},
		{"does not scroll for a read", `{"id":"a","primitive":"page.info","retry_until":"{% true %}","max_attempts":3,"after_each":{"primitive":"viewport.scroll"}}`, []string{`a {}`}, 0},
		{"plans the steps of a group for its items", `{"id":"each","for_each":"{% input.list %}","max_items":2,"steps":[{"id":"in","primitive":"text.type","args":{"text":"{% item %}"}},{"id":"sure","assert":"{% item = 'a' %}"},{"id":"b","primitive":"pointer.click","args":{"x":"{% steps.in.output.x %}"}}]},{"id":"after","primitive":"pointer.click","args":{"x":"{% input.n %}"}}`,
			[]string{`each of 3`, `in {"text":"a"} {"text":"b"} of 3`, `sure of 3 workflow_assertion_failed`, `b needs in of 3`, `after {"x":3}`}, 0},
		{"runs a group that only reads", `{"id":"each","for_each":"{% input.list %}","max_items":5,"steps":[{"id":"in","primitive":"locator.element_info","args":{"locator":{"selector":"{% item %}"}}}]},{"id":"b","primitive":"pointer.click","args":{"x":"{% $count(steps.each.output) %}"}}`,
			[]string{`each ran of 3`, `in ran {"locator":{"selector":"a"}} {"locator":{"selector":"b"}} {"locator":{"selector":"c"}} of 3`, `b {"x":3}`}, 3},
		{"stops at an assertion that does not hold", `{"id":"sure","assert":"{% input.n = 4 %}","message":"four"},` + click, []string{`sure ran workflow_assertion_failed`}, 0},
		{"says where too few items are", click + `,{"id":"each","for_each":"{% input.list %}","min_items":9,"max_items":9,"steps":[{"id":"in","primitive":"text.type","args":{"text":"{% item %}"}}]}`, []string{`press {}`, `each of 3 workflow_too_few_items`, `in of 3`}, 0},
		{"reports an expression that fails", `{"id":"a","primitive":"pointer.click","args":{"x":"{% $error('no') %}"}}`, []string{`a expression_evaluation_failed`}, 0},
	} {
		b := &browser{answers: map[string][]answer{"locator.element_info": ok(`{"x":7}`), "page.info": fail("target_not_found")}}
		lines, called := previewed(t, b, `{"id":"tea","n":3,"list":["a","b","c"]}`, c.steps)
		if !slices.Equal(lines, c.want) || len(called) != c.called {
			t.Errorf("%s: called %q\n got %q\nwant %q", c.name, called, lines, c.want)
		}
	}
}
