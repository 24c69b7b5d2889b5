package expr

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Ensure exactly the strings that are {% … %} as a whole are slots.
func TestSlot(t *testing.T) {
	for _, c := range []struct {
		text, source string
		isSlot       bool
		code         fault.Code
	}{
		{text: "{% input.a %}", source: "input.a", isSlot: true},
		{text: " \n{%\n a &\n b\n%}\t", source: "a &\n b", isSlot: true},
		{text: "{%%}", source: "", isSlot: true},
		{text: `{% "%}" %}`, source: `"%}"`, isSlot: true},
		{text: "plain { % } text"}, {text: ""},
		{text: "Hello {% input.a %}", code: fault.PartialExpressionUnsupported},
		{text: "{% a %} and {% b %}", code: fault.PartialExpressionUnsupported},
		{text: "{% a", code: fault.PartialExpressionUnsupported},
		{text: "a %}", code: fault.PartialExpressionUnsupported},
		{text: "{%}", code: fault.PartialExpressionUnsupported},
	} {
		source, isSlot, err := Slot(c.text)
		if source != c.source || isSlot != c.isSlot || (c.code == "") != (err == nil) || c.code != "" && !fault.Is(err, c.code) {
			t.Errorf("%q: got %q, %v, %v", c.text, source, isSlot, err)
		}
	}
}

// Ensure slots are evaluated at any depth and everything else keeps its bytes.
func TestEvalTree(t *testing.T) {
	input := decode(t, `{"input":{"count":3,"list":[1,2]}}`)
	for _, c := range []struct{ tree, want string }{
		{`{"a":"{% input.count + 2 %}"}`, `{"a":5}`},
		{`"{% {\"ok\": true} %}"`, `{"ok":true}`},
		{`"{% input.none %}"`, ``},
		{`{"z":"literal \u0041","a":["{% input.list %}",1.50,-0,1e5],"{% key %}":null}`,
			`{"z":"literal \u0041","a":[[1,2],1.50,-0,1e5],"{% key %}":null}`},
		{`{"gone":"{% input.none %}","kept":1,"also":"{% input.none %}"}`, `{"kept":1}`},
		{`{"a":1,"gone":"{% input.none %}"}`, `{"a":1}`},
		{`["{% input.none %}",{"x":["{% null %}"]}]`, `[null,{"x":[null]}]`},
		{`{"escaped":"\u007b% input.count %\u007d"}`, `{"escaped":3}`},
		{`{}`, `{}`}, {`[]`, `[]`}, {`12345678901234567890`, `12345678901234567890`}, {`null`, `null`},
	} {
		got, err := EvalTree(context.Background(), json.RawMessage(c.tree), input, Limits{})
		if string(got) != c.want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", c.tree, got, err, c.want)
		}
	}
}

// Ensure an error of a slot names its place, and all are found by CheckTree.
func TestTreeErrors(t *testing.T) {
	tree := json.RawMessage(`{"a":{"b.c":[1,"{% 1 + %}"]},"d":"x {% 1 %}","e":"{% $now() %}","f":[[{"g":"{% ) %}"}]]}`)
	_, err := EvalTree(context.Background(), tree, Undefined(), Limits{})
	if f := fault.From(err); f.Code != fault.InvalidExpression || f.Evidence["path"] != "a.b.c[1]" {
		t.Errorf("got %v at %v", err, f.Evidence["path"])
	}
	want := []struct {
		path string
		code fault.Code
	}{
		{"a.b.c[1]", fault.InvalidExpression}, {"d", fault.PartialExpressionUnsupported},
		{"f[0][0].g", fault.InvalidExpression},
	}
	errs := CheckTree(tree)
	if len(errs) != len(want) {
		t.Fatalf("got %v", errs)
	}
	for i, err := range errs {
		if f := fault.From(err); f.Code != want[i].code || f.Evidence["path"] != want[i].path {
			t.Errorf("got %v at %v, want %v", err, f.Evidence["path"], want[i])
		}
	}
	if errs := CheckTree(json.RawMessage(`{"a":"{% $now() %}"}`)); len(errs) != 0 {
		t.Errorf("nothing is to be run: %v", errs)
	}
	if errs := CheckTree(json.RawMessage(`{"a":`)); len(errs) != 1 || !fault.Is(errs[0], fault.InvalidInput) {
		t.Errorf("got %v", errs)
	}
}
