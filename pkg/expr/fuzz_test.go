package expr

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Ensure no source and no input makes Compile, Eval or a look at the names and lists panic, hang or
// fail without a code, and that a result is JSON.
func FuzzEval(f *testing.F) {
	for _, h := range hostile {
		if len(h.source) < 500 {
			f.Add(h.source, `{"a":[{"k":1},null],"s":"aa"}`)
		}
	}
	for _, source := range []string{`a.k[0] / 2`, `a ~> |$|{"x":1},"k"|`, `a#$i@$v.{"i":$i}`, `a^(>k).%.s`, "`a`{k:k}", `{"l":a.k[],"m":{"n":a[k=1].k}} `, `b ? $map(a, $string) : (1; a.k^(k))`, `$f := function($x)<n:n>{$x}`, `a ?? b ? c : d /* e */`} {
		f.Add(source, `{"a":[{"k":1},{"k":2}]}`)
	}
	f.Fuzz(func(t *testing.T, source, input string) {
		defer waitForAbandoned(t)
		v, err := Decode(json.RawMessage(input))
		if err != nil {
			t.Skip()
		}
		e, err := Compile(source)
		if err != nil {
			if !fault.Is(err, fault.InvalidExpression) {
				t.Fatal(err)
			}
			return
		}
		for _, look := range []func(string) error{
			func(s string) error { _, err := References(s); return err },
			func(s string) error { _, err := Unbound(s); return err },
			func(s string) error { _, err := Collapses(s); return err },
		} {
			if err := look(source); err != nil {
				t.Fatalf("what compiles cannot be looked at: %v", err)
			}
		}
		result, err := e.Eval(context.Background(), v, Limits{Timeout: 20 * time.Millisecond})
		if err != nil {
			if fault.From(err).Code == fault.InternalError {
				t.Fatal(err)
			}
			return
		}
		if text := result.JSON(); text != nil && !json.Valid(text) {
			t.Fatalf("the result is not JSON: %s", text)
		}
	})
}

// Ensure every JSON tree evaluates to JSON or an error with a code, and what has no
// slots is not changed.
func FuzzEvalTree(f *testing.F) {
	for _, tree := range []string{`{"a":"{% input %}","b":["{% 1 %}",null]}`, `"{% $ %}"`, `[{"x":"{%"}]`, `{"a":1e2,"b":"\u00e9"}`} {
		f.Add(tree)
	}
	input := Object(Member{"input", Number(1)})
	f.Fuzz(func(t *testing.T, tree string) {
		defer waitForAbandoned(t)
		got, err := EvalTree(context.Background(), json.RawMessage(tree), input, Limits{Timeout: 20 * time.Millisecond})
		if err == nil && got != nil && json.Valid([]byte(tree)) && !json.Valid(got) {
			t.Fatalf("%q became %q", tree, got)
		}
		if err != nil && fault.From(err).Code == fault.InternalError {
			t.Fatal(err)
		}
		for _, err := range CheckTree(json.RawMessage(tree)) {
			if fault.From(err).Code == fault.InternalError {
				t.Fatal(err)
			}
		}
	})
}
