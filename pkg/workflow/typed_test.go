package workflow_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/workflow"
)

func TestTypedInputs(t *testing.T) {
	// Ensure that the members of the input which may become typed text are those that the expressions of typed arguments read, through the items of a loop too, and all of them where an expression may read more than it says.
	const all = "a b c d"
	for args, want := range map[string]string{
		`{"text":"{% input.a %}","selector":"{% input.b %}"}`:          "a",
		`{"text":"{% 'Dear ' & $trim(input.a) & input.b %}"}`:          "a b",
		"{\"text\":\"{% input.`a` %}\"}":                               "a",
		`{"text":"{% $$.input.c %}"}`:                                  "c",
		`{"text":"{% input . d %}"}`:                                   "d",
		`{"text":"plain","selector":"{% input %}"}`:                    "",
		`{"selector":"{% input.a %}"}`:                                 "",
		`{"text":"{% item.name & input.d %}"}`:                         "c d",
		`{"text":"{% $string(index) %}"}`:                              "",
		`{"text":"{% steps.x.output.text %}"}`:                         all,
		`{"text":"{% input.* %}"}`:                                     all,
		`{"text":"{% $lookup(input, 'a') %}"}`:                         all,
		`{"text":"{% $lookup($$, 'in' & 'put').a %}"}`:                 all,
		`{"text":"{% ($x := $; $x.a) %}"}`:                             all,
		`{"deep":[{"text":"{% input.a %}"},{"text":"{% input.b %}"}]}`: "a b",
		`{"deep":"{% input.c %}"}`:                                     "c",
		`{"deep":{"other":"{% input.c %}"}}`:                           "",
	} {
		w, problems := workflow.Parse(json.RawMessage(`{"version":1,"expression_language":"jsonata","steps":[
			{"id":"x","primitive":"type","args":`+args+`,"for_each":"{% input.c %}","max_items":3}]}`), nil)
		if len(problems) > 0 {
			t.Fatalf("%s: %+v", args, problems)
		}
		typed := w.Typed(func(string) []string { return []string{"text", "deep.text"} })
		got := slices.DeleteFunc(strings.Fields(all), func(name string) bool { return !typed.Has(name) })
		if strings.Join(got, " ") != want {
			t.Errorf("%s reads %q, want %q", args, got, want)
		}
	}
}
