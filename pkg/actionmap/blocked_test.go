package actionmap_test

import (
	"slices"
	"testing"
)

func TestBlockedPrimitives(t *testing.T) {
	// Ensure that what a map forbids counts in both places where maps say it, and in both together: a block that is overlooked is a page left open.
	for name, row := range map[string]struct {
		members string
		want    []string
	}{
		"under requires": {`"requires":{"primitive_dictionary":{"blocked_primitives":["a.b","c.d"]}}`, []string{"a.b", "c.d"}},
		"at the root":    {`"blocked_primitives":["a.b",{"name":"c.d","why":"x"},7]`, []string{"a.b", "c.d"}},
		"in both":        {`"blocked_primitives":["c.d"],"requires":{"primitive_dictionary":{"blocked_primitives":["a.b"]}}`, []string{"a.b", "c.d"}},
		"the same twice": {`"blocked_primitives":["a.b"],"requires":{"primitive_dictionary":{"blocked_primitives":["a.b"]}}`, []string{"a.b"}},
		"one is broken":  {`"blocked_primitives":["a.b"],"requires":"prose"`, []string{"a.b"}},
		"nowhere":        {`"requires":{}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := load(t, `{"protocol":"actions.json","version":1,`+row.members+`,"tools":[]}`)
			got := slices.Compact(slices.Sorted(slices.Values(m.BlockedPrimitives)))
			if !slices.Equal(got, row.want) {
				t.Errorf("blocked %v, want %v", got, row.want)
			}
		})
	}
}
