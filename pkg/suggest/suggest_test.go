package suggest

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	// Ensure that a slip of the finger, another case and a wrong prefix find the name that was meant, the closest first, and that what is far finds none.
	known := []string{"teahouse.search", "teahouse.order", "teahouse.orders", "locator.click", "pointer.click", "locator.fill", "page.info"}
	for given, want := range map[string][]string{
		"teahouse.serch":         {"teahouse.search"},
		"Teahouse.Search":        {"teahouse.search"},
		"teahouse.ordre":         {"teahouse.order", "teahouse.orders"},
		"shop.search":            {"teahouse.search"},
		"click":                  {"locator.click", "pointer.click"},
		"locator.filll":          {"locator.fill"},
		"banking.transfer":       nil,
		"":                       nil,
		strings.Repeat("x", 5e6): nil,
	} {
		if got := Names(given, known); !slices.Equal(got, want) {
			t.Errorf("%.40q: %q, want %q", given, got, want)
		}
	}
	if got := Names("a.b", []string{"c.b", "d.b", "e.b", "f.b", "a.c"}); len(got) != maxNames {
		t.Errorf("%q", got)
	}
}

func TestDistance(t *testing.T) {
	// Ensure that the distance is one: none only to itself, the same both ways, and never longer by a detour.
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab.]{0,8}`)
		a, b, c := text.Draw(t, "a"), text.Draw(t, "b"), text.Draw(t, "c")
		if d := distance(a, b); (d == 0) != (a == b) || d != distance(b, a) || d > distance(a, c)+distance(c, b) {
			t.Fatalf("%q %q %q: %d", a, b, c, d)
		}
	})
}
