package actionmap_test

import (
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestMergeArguments(t *testing.T) {
	// Ensure objects merge at any depth, the caller wins, everything else is
	// replaced whole, and numbers keep their digits.
	for _, c := range []struct{ binding, caller, want string }{
		{``, ``, `{}`},
		{`null`, `{"a":1}`, `{"a":1}`},
		{`{"a":1,"b":{"c":1,"d":[1,2]}}`, `{"b":{"d":[3],"e":{}}}`, `{"a":1,"b":{"c":1,"d":[3],"e":{}}}`},
		{`{"a":{"b":1}}`, `{"a":null}`, `{"a":null}`},
		{`{"a":{"b":1}}`, `{"a":"text"}`, `{"a":"text"}`},
		{`{"a":"text"}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
		{`{"n":12345678901234567890.10}`, `{"s":"a > b & <c>"}`, `{"n":12345678901234567890.10,"s":"a > b & <c>"}`},
		{`{"locator":{"selector":"x"}}`, `{"locator":{"nth":2}}`, `{"locator":{"nth":2,"selector":"x"}}`},
	} {
		got, err := actionmap.MergeArguments(json.RawMessage(c.binding), json.RawMessage(c.caller))
		if err != nil || string(got) != c.want {
			t.Errorf("%s and %s give %s, %v", c.binding, c.caller, got, err)
		}
	}
	for _, bad := range []string{`[]`, `"x"`, `{"a":1,"a":2}`, `{`} {
		if _, err := actionmap.MergeArguments(json.RawMessage(bad), nil); !fault.Is(err, fault.InvalidMap) {
			t.Errorf("the binding %s gives %v", bad, err)
		}
		if _, err := actionmap.MergeArguments(nil, json.RawMessage(bad)); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("the caller's %s gives %v", bad, err)
		}
	}
}

func FuzzMergeArguments(f *testing.F) {
	// Ensure merging gives an object or a fault, changes nothing when it is
	// repeated, and keeps every member of the caller.
	f.Add([]byte(`{"a":{"b":[1]}}`), []byte(`{"a":{"c":null},"d":1e400}`))
	f.Add([]byte(`{"a":"\u2028<"}`), []byte(``))
	f.Fuzz(func(t *testing.T, binding, caller []byte) {
		once, err := actionmap.MergeArguments(binding, caller)
		if err != nil {
			return
		}
		twice, err := actionmap.MergeArguments(once, caller)
		if err != nil || string(twice) != string(once) {
			t.Fatalf("%s, then %s, %v", once, twice, err)
		}
		var merged, given map[string]json.RawMessage
		if err := json.Unmarshal(once, &merged); err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(caller, &given) == nil {
			for key := range given {
				if _, ok := merged[key]; !ok {
					t.Fatalf("%q is lost in %s", key, once)
				}
			}
		}
	})
}
