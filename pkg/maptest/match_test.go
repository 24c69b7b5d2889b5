package maptest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/maptest"
)

// one returns the only case of a file with these further members.
func one(t testing.TB, members string) *maptest.Case {
	t.Helper()
	f, problems := maptest.Parse([]byte(`{"version":1,"cases":[{"name":"n","page":"/","action":"a"` + members + `}]}`))
	if len(problems) > 0 {
		t.Fatalf("%s: %+v", members, problems)
	}
	return &f.Cases[0]
}

func TestOutput(t *testing.T) {
	// Ensure that an output fits what a case expects by value, pattern, not, least count and some, and by nothing else; and that an empty answer fails unless the case says so.
	for _, row := range []struct {
		expect, output string // expect "-": the case has none
		want           string // part of the only difference; "" where it passes
	}{
		{`-`, `{"a":1}`, ""},
		{`-`, `{"teas":[],"count":0}`, "is empty"},
		{`-`, `null`, "is empty"},
		{`-`, `""`, "is empty"},
		{`-`, `"  "`, "is empty"},
		{`-`, `[]`, "is empty"},
		{`-`, `[{"a":""},[null]]`, "is empty"},
		{`-`, `0`, ""}, // an answer that is a number says something
		{`-`, `false`, ""},
		{`-`, `{"open":true}`, ""},

		{`"x"`, `"x"`, ""},
		{`"x"`, `"X"`, `is "X", not "x"`},
		{`"1"`, `1`, `is 1, not "1"`},
		{`1`, `1.0`, ""},
		{`1e2`, `100`, ""},
		{`0.1`, `0.10`, ""},
		{`9007199254740992`, `9007199254740993`, "not 9007199254740992"},
		{`1e200`, `1e999`, "is 1e999"},
		{`0`, `1e-999999999`, "is 1e-999999999"},
		{`0`, `-0.00e5`, ""},
		{`true`, `false`, "is false, not true"},
		{`null`, `null`, ""},
		{`null`, `0`, "is 0, not null"},

		{`{"a":1}`, `{"a":1,"b":2}`, ""},
		{`{"a":1}`, `{"b":2}`, "output/a: is missing"},
		{`{"a":1}`, `[1]`, "is [1], not"},
		{`{"a/b":1}`, `{"a/b":2}`, "output/a~1b: is 2"},
		{`{"a":{"b":[1,2]}}`, `{"a":{"b":[1,3]}}`, "output/a/b/1: is 3, not 2"},
		{`[1,2]`, `[1,2,3]`, "has 3 elements, not 2"},
		{`[1,2]`, `{"0":1}`, "not [1,2]"},

		{`[]`, `[]`, ""},
		{`{}`, `{}`, ""},
		{`{}`, `{"a":1}`, "not {}"},
		{`{"teas":[],"count":0}`, `{"teas":[],"count":0}`, ""},
		{`{"teas":[]}`, `{"teas":[],"count":0}`, ""},
		{`{"$empty":true}`, `{"teas":[],"count":0}`, ""},
		{`{"$empty":true}`, `{"teas":["x"]}`, "not empty"},
		{`{"$empty":false}`, `[]`, "is empty"},
		{`{"$empty":false}`, `["x"]`, ""},
		{`{"teas":{"$empty":true}}`, `{"teas":[]}`, ""},
		{`{"teas":{"$empty":true}}`, `{}`, ""}, // what is absent is empty
		{`{"teas":{"$min_count":0}}`, `{"teas":[]}`, "is empty"},
		{`{"$not":"x"}`, `""`, "is empty"},
		{`{"$pattern":""}`, `""`, "is empty"},

		{`{"$pattern":"^T-[0-9]+$"}`, `"T-12"`, ""},
		{`{"$pattern":"^T-[0-9]+$"}`, `"T-"`, "does not match"},
		{`{"$pattern":"1"}`, `1`, "does not match"},
		{`{"$not":1}`, `2`, ""},
		{`{"$not":1}`, `1.0`, "must not be"},
		{`{"a":{"$not":"x"},"b":1}`, `{"b":1}`, ""},                                 // what is absent is not x
		{`{"a":{"$not":{"$empty":true}},"b":1}`, `{"b":1}`, "output/a: is missing"}, // what is absent is empty
		{`{"a":{"$not":{"$empty":false}},"b":1}`, `{"b":1}`, ""},
		{`{"a":{"$not":{"$not":"x"}},"b":1}`, `{"b":1}`, "output/a: is missing"},
		{`{"$some":{"a":{"$not":{"$empty":true}}}}`, `[{"b":1}]`, "no element"},
		{`{"$not":{"$pattern":"error"}}`, `"an error"`, "must not be"},
		{`{"$not":{"$not":1}}`, `1`, ""},
		{`{"$min_count":2}`, `["a","b"]`, ""},
		{`{"$min_count":2}`, `["a"]`, "has 1 elements, not at least 2"},
		{`{"$min_count":1}`, `"a"`, "not a list"},
		{`{"$min_count":1}`, `[""]`, "is empty"},
		{`{"$some":{"name":"x"}}`, `[{"name":"y"},{"name":"x","more":1}]`, ""},
		{`{"$some":{"name":"x"}}`, `[{"name":"y"}]`, "no element"},
		{`{"$some":1}`, `1`, "no element"},
		{`{"$min_count":2,"$some":"x"}`, `["x"]`, "at least 2"},
		{`{"$min_count":1,"$not":{"$some":"x"}}`, `["x"]`, "must not be"},
	} {
		members := `,"output":` + row.expect
		if row.expect == "-" {
			members = ""
		}
		got := one(t, members).Judge(maptest.Answer{Output: []byte(row.output)})
		if row.want == "" && len(got) > 0 || row.want != "" && (len(got) != 1 || !strings.Contains(got[0], row.want)) {
			t.Errorf("%s for %s: %q, want %q", row.output, row.expect, got, row.want)
		}
	}
}

func TestErrorsStateAndSteps(t *testing.T) {
	// Ensure that a failure passes only where it is expected, by code or by what it says; that the state is compared; and that a step that must not run is noticed, also in a for_each.
	failed := fault.New(fault.TargetNotFound, "nothing matches").With("candidates", []string{"a"})
	for _, row := range []struct {
		members string
		answer  maptest.Answer
		want    string
	}{
		{``, maptest.Answer{Error: failed}, "error: nothing matches (target_not_found)"},
		{`,"error":"target_not_found"`, maptest.Answer{Error: failed}, ""},
		{`,"error":"timeout"`, maptest.Answer{Error: failed}, `error/code: is "target_not_found"`},
		{`,"error":{"message":{"$pattern":"matches"},"evidence":{"candidates":{"$min_count":1}}}`, maptest.Answer{Error: failed}, ""},
		{`,"error":{"$not":{"code":"timeout"}}`, maptest.Answer{Error: failed}, ""},
		{`,"error":"target_not_found"`, maptest.Answer{Output: []byte(`1`)}, "it succeeded with 1"},
		{`,"state":{"expect":{"open":true}}`, maptest.Answer{Output: []byte(`1`), State: []byte(`{"open":true}`)}, ""},
		{`,"state":{"expect":{"open":true}}`, maptest.Answer{Output: []byte(`1`), State: []byte(`{"open":false}`)}, "state/open: is false"},
		{`,"state":{"expect":{"$min_count":0}}`, maptest.Answer{Output: []byte(`1`), State: []byte(`[]`)}, "state: is empty"},
		{`,"state":{"expect":1}`, maptest.Answer{Output: []byte(`1`), StateError: failed}, "state: nothing matches"},
		{`,"not_run":["send"]`, maptest.Answer{Output: []byte(`1`), Steps: []maptest.Step{{ID: "type"}, {ID: "send"}}}, "the step send ran"},
		{`,"not_run":["send"]`, maptest.Answer{Output: []byte(`1`), Steps: []maptest.Step{{ID: "send", Skipped: true}}}, ""},
		{`,"not_run":["send"]`, maptest.Answer{Output: []byte(`1`)}, ""},
		{`,"not_run":["send"]`, maptest.Answer{Output: []byte(`1`), Steps: []maptest.Step{{ID: "each", Steps: []maptest.Step{{ID: "send"}}}}}, "the step send ran"},
		{`,"not_run":["send"]`, maptest.Answer{Output: []byte(`1`), Steps: []maptest.Step{{ID: "each", Steps: []maptest.Step{{ID: "send", Skipped: true}}}}}, ""},
		{`,"not_run":["send","each"]`, maptest.Answer{Output: []byte(`1`), Steps: []maptest.Step{{ID: "each", Empty: true}}}, ""},
	} {
		got := one(t, row.members).Judge(row.answer)
		if row.want == "" && len(got) > 0 || row.want != "" && (len(got) != 1 || !strings.Contains(got[0], row.want)) {
			t.Errorf("%s: %q, want %q", row.members, got, row.want)
		}
	}
}

func TestManyDifferences(t *testing.T) {
	// Ensure that a long list that differs everywhere is told shortly, and a long value is cut.
	want, got := make([]string, 100), make([]string, 100)
	for i := range want {
		want[i], got[i] = fmt.Sprint(i), fmt.Sprintf(`"%s"`, strings.Repeat("x", 500))
	}
	found := one(t, `,"output":[`+strings.Join(want, ",")+`]`).Judge(maptest.Answer{Output: []byte("[" + strings.Join(got, ",") + "]")})
	if len(found) != 11 || !strings.Contains(found[10], "90 more") || len(found[0]) > 300 {
		t.Errorf("%d differences, the first %q", len(found), found[0])
	}
}
