package projection

import (
	"encoding/json"
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	// Ensure no declaration makes Parse panic, each is used or refused with a fault, and what is used gives arguments in strict JSON.
	f.Add([]byte(boardProjection))
	f.Add([]byte(`{"name":"x","snapshot":{"version":1,"source":"dom","extract":[{"id":"a","fields":{"b":{"fields":{}}}}],"projection":{"language":"jsonata","expression":"records"}},"markers":"[]"}`))
	f.Add([]byte(`[[{"name":null}]]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, problems := Parse(text)
		if (p == nil) == (len(problems) == 0) {
			t.Fatalf("projection %v, problems %v", p, problems)
		}
		if p != nil && !json.Valid(p.Extract) {
			t.Fatalf("arguments %s", p.Extract)
		}
		for _, problem := range problems {
			if problem.Message == "" {
				t.Fatal("a fault without words")
			}
		}
	})
}

func FuzzDiff(f *testing.F) {
	// Ensure that whatever two states are, the patches lead from one to the other, or the texts are refused.
	f.Add([]byte(trello), []byte(strings.Replace(trello, `{"id":"a","title":"Tea"},`, ``, 1)))
	f.Add([]byte(`[1,[2,3],{"id":1}]`), []byte(`[[3,2],{"id":1},{"id":2}]`))
	f.Add([]byte(`{"a":[{"key":"x"}]}`), []byte(`{"a":[{"key":"y"},{"key":"x"}],"b":null}`))
	f.Fuzz(func(t *testing.T, previous, current []byte) {
		c, err := Diff(previous, current)
		if err != nil || c.PatchesOmittedBytes > 0 {
			return
		}
		if err := patched(previous, current, c.Patches); err != nil {
			t.Fatalf("%s to %s: %v", previous, current, err)
		}
	})
}
