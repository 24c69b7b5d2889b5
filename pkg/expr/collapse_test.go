package expr_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/expr"
)

func TestCollapses(t *testing.T) {
	// Ensure a place is found exactly where an expression over a list of one gives a single value, and named by its members.
	for source, want := range map[string]string{
		"l.a": ": l.a", "{'x': l.a}": "x: l.a", "{'x': {'y': l.a, 'z': [l.a]}}": "x.y: l.a",
		"[l.a]": "", "l.a[]": "", "l[].a": "", "$append([], l.a)": "", "l.[a]": "", "l.a^($)": ": l.a", "l[0].a": "", "l[-1].a": "", "l.a[0]": "",
		"$count(l.a)": "", "l.a = 1": "", "$join(l.s)": "", "($x := l; $x.a)": "", "$reverse([l.a])": "",
		"l[a = 1].a": ": l.a !", "l.{'b': a}": ": l !", "l.$string(a)": ": l !", "$$.l.a": ": l.a",
		"$map(l, function($v) { $v.a })": ":", "$map(l, function($v) { $v.a })[]": "", "{'k': $keys(o)}": "k:", "[$filter(l, function($v) { true })]": "",
		"$exists(l) ? l.a : []": ": l.a", "(1; l.a)": ": l.a",
		"": "",
	} {
		list, err := expr.Collapses(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		var got []string
		for _, c := range list {
			text := strings.Join(c.Member, ".") + ":"
			if c.Path != nil {
				text += " " + strings.Join(c.Path, ".")
			}
			if c.Selects {
				text += " !"
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s gives %q, wanted %q", source, got, want)
		}
		// The engine agrees: over lists of one element a place without a finding is a list or no matter of one.
		if compiled, err := expr.Compile(source); err == nil && !strings.Contains(source, "{'") && !strings.Contains(source, "[0]") && !strings.Contains(source, "[-1]") {
			data, err := expr.Decode(json.RawMessage(`{"l":[{"a":1,"s":"x"}],"o":{"k":1}}`))
			if err != nil {
				t.Fatal(err)
			}
			value, err := compiled.Eval(t.Context(), data, expr.Limits{})
			if err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			text := string(value.JSON())
			matters := !strings.HasPrefix(source, "$count") && !strings.HasPrefix(source, "$join") && !strings.Contains(source, "= 1") && !strings.HasPrefix(source, "($x")
			if _, isList := value.Items(); matters && isList != (want == "") {
				t.Errorf("%s gives %s, and the finding is %q", source, text, want)
			}
		}
	}
	if _, err := expr.Collapses("a["); err == nil {
		t.Error("what does not compile is analysed")
	}
}
