package origin_test

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/origin"
)

var patterns = []struct {
	pattern, url string
	want         bool
}{
	{"", "https://example.com/", true},
	{"  ", "https://example.com/", true},
	{"*", "", true},
	{"*", "https://example.com/", true},
	{"**", "x", true},
	{"https://example.com/", "https://example.com/", true},
	{"https://example.com/", "https://example.com/a", false},
	{"https://example.com/", "xhttps://example.com/", false},
	{"HTTPS://Example.com/A", "https://example.com/a", true},
	{"https://example.com/*", "https://example.com/", true},
	{"https://example.com/*", "https://example.com/a/b?c=d", true},
	{"https://example.com/*", "https://example.com.evil.com/", false},
	{"https://example.com/*", "https://example.com@evil.com/", false},
	{"https://*.example.com/*", "https://a.example.com/x", true},
	{"https://*.example.com/*", "https://example.com/x", false},
	{"*/cart", "https://example.com/shop/cart", true},
	{"*/cart", "https://example.com/cart/", false},
	{"*/cart*", "https://example.com/cart/", true},
	{"*a*b*c*", "xxaxxbxxcxx", true},
	{"*a*b*c*", "xxcxxbxxaxx", false},
	{"a*a", "a", false}, // one letter cannot be both ends
	{"a*a", "aa", true},
	{"ab*ba", "aba", false},
	{"*aab", "aaab", true},
	{"?", "x", false}, // only the star is special
	{".", "x", false},
	{"[a-z]", "b", false},
	{"a.c", "abc", false},
	{"*\n*", "a\nb", true},
	{"k", "\u212a", false}, // the Kelvin sign is not a k
	{"\xff", "\xfe", false},
	{"é*", "éa", true},
	{"É*", "éa", false}, // letters beyond ASCII are escaped in a URL anyway
}

func TestMatchURL(t *testing.T) {
	// Ensure that a star is any run of characters, that both ends are anchored,
	// and that nothing else is special.
	for _, test := range patterns {
		if got := origin.MatchURL(test.pattern, test.url); got != test.want {
			t.Errorf("%q on %q: got %v", test.pattern, test.url, got)
		}
		if got := slowMatch(test.pattern, test.url); got != test.want {
			t.Errorf("%q on %q: the second implementation got %v", test.pattern, test.url, got)
		}
	}
}

// slowMatch is MatchURL by its definition: reach[j] reports whether the pattern
// so far can match the first j bytes.
func slowMatch(pattern, url string) bool {
	if strings.TrimSpace(pattern) == "" {
		return true
	}
	reach := make([]bool, len(url)+1)
	reach[0] = true
	for i := range len(pattern) {
		next := make([]bool, len(url)+1)
		for j := range reach {
			if pattern[i] == '*' {
				next[j] = reach[j] || j > 0 && next[j-1]
			} else if j > 0 {
				next[j] = reach[j-1] && sameLetter(pattern[i], url[j-1])
			}
		}
		reach = next
	}
	return reach[len(url)]
}

func sameLetter(a, b byte) bool {
	letter := 'a' <= a|0x20 && a|0x20 <= 'z'
	return a == b || letter && a|0x20 == b|0x20
}

func FuzzMatchURL(f *testing.F) {
	for _, test := range patterns {
		f.Add(test.pattern, test.url)
	}
	// Ensure that the fast and the simple implementation never differ.
	f.Fuzz(func(t *testing.T, pattern, url string) {
		if len(pattern) > 200 || len(url) > 200 {
			t.Skip("the simple implementation takes quadratic time")
		}
		if got, want := origin.MatchURL(pattern, url), slowMatch(pattern, url); got != want {
			t.Fatalf("%q on %q: got %v, want %v", pattern, url, got, want)
		}
	})
}

// BenchmarkMatchURLHostile shows the time for what makes backtracking matchers
// exponential: it must grow with the length and no faster.
func BenchmarkMatchURLHostile(b *testing.B) {
	for name, n := range map[string]int{"100": 100, "10000": 10_000} {
		pattern := strings.Repeat("a*", n/10) + "b"
		url := strings.Repeat("a", n)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				if origin.MatchURL(pattern, url) {
					b.Fatal("matched")
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := origin.Parse("https://shop.example.com:8443/a/b?c=d#e"); err != nil {
			b.Fatal(err)
		}
	}
}
