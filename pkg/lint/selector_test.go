package lint

import (
	"strings"
	"testing"
)

func TestSelectors(t *testing.T) {
	// Ensure lists and combinators are cut outside of brackets and quotes only.
	for selector, want := range map[string]string{
		"a, b":                   "a | b",
		"a:not(b, c) > d ~ e+f":  "a:not(b, c) d e f",
		`[x="a, b"] [y='c > d']`: `[x="a, b"] [y='c > d']`,
		`a\,b , c\ d`:            `a\,b | c\ d`,
		"[":                      "[", ")))": ")))", "": "",
	} {
		var parts []string
		for _, part := range split(selector, ',') {
			parts = append(parts, strings.Join(compounds(part), " "))
		}
		if got := strings.Join(parts, " | "); got != want {
			t.Errorf("%q gives %q, not %q", selector, got, want)
		}
	}
}
