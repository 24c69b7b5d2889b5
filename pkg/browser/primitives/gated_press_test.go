package primitives

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestGatePolarity(t *testing.T) {
	// Ensure that each step of a path has its own polarity and that the last one given holds for the rest.
	g, err := parseGatedPress(primitive.Call{
		Record:    &primitive.Record{Name: "keyboard.press_gated"},
		Arguments: json.RawMessage(`{"key":"x","stop":"path","expect":["a","b","c"],"polarity":["match","no_match"]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	var holds []bool
	for _, step := range g.steps {
		holds = append(holds, step.isMet("abc"))
	}
	if want := []bool{true, false, false}; !slices.Equal(holds, want) {
		t.Errorf("%v, want %v", holds, want)
	}
}

func FuzzOneOrMany(f *testing.F) {
	// Ensure that a text and a list of texts are taken alike and that anything else is refused.
	for _, seed := range []string{`"a"`, `["a","b"]`, `[]`, `null`, `7`, `[1]`, `{"a":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var many oneOrMany
		if json.Unmarshal(raw, &many) != nil {
			return
		}
		var one string
		if json.Unmarshal(raw, &one) == nil && !slices.Equal(many, oneOrMany{one}) {
			t.Errorf("%s gave %q", raw, many)
		}
	})
}
