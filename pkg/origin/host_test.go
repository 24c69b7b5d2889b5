package origin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/origin"
)

func TestMatchHost(t *testing.T) {
	// Ensure that a page belongs to its host and its parents and to nothing that
	// only looks like them.
	tests := []struct {
		page, folder string
		want         bool
	}{
		{"example.com", "example.com", true},
		{"www.example.com", "example.com", true},
		{"www.example.com", "www.example.com", true},
		{"app.example.com", "example.com", true},
		{"a.b.c.example.com", "example.com", true},
		{"EXAMPLE.com", "example.COM", true},
		{"example.com:8443", "example.com", true},
		{"example.com", "example.com:443", true},
		{"example.com.", "example.com.", true},
		{"a.example.com.", "example.com.", true},
		{"bücher.de", "xn--bcher-kva.de", true},
		{"shop.xn--bcher-kva.de", "bücher.de", true},

		{"example.com", "www.example.com", false},
		{"example.com", "app.example.com", false},
		{"example.com.", "example.com", false},
		{"a.example.com.", "example.com", false},
		{"example.com", "example.com.", false},
		{"app.example.com", "www.example.com", false},
		{"evil-example.com", "example.com", false},
		{"evilexample.com", "example.com", false},
		{"example.com.evil.com", "example.com", false},
		{"example.co", "example.com", false},
		{"example.com", "", false},
		{"", "example.com", false},
		{"", "", false},
		{"example.com", ".", false},
		{"example.com", ".com", false},
		{"example.com", "*", false},
		{"example.com", "*.com", false},
		{"user@example.com", "example.com", false},
		{"example.com/x", "example.com", false},
		{"еxample.com", "example.com", false},

		{"localhost", "localhost", true},
		{"localhost:3000", "localhost", true},
		{"app.localhost", "localhost", false},
		{"app.localhost.", "localhost.", false},
		{"www.localhost", "localhost", false},
		{"intranet", "intranet", true},
		{"wiki.intranet", "intranet", true},

		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.1.", "127.0.0.1", true}, // browsers take the dot away
		{"127.0.0.1:8080", "127.0.0.1", true},
		{"127.0.0.1", "0.0.1", false},
		{"127.0.0.1", "1", false},
		{"www.127.0.0.1", "127.0.0.1", false},
		{"127.0.0.1", "127.1", false},
		{"[::1]", "::1", true},
		{"[::1]:8080", "[::1]", true},
		{"::1", "0:0:0:0:0:0:0:1", true},
		{"[::1]", "[::2]", false},
		{"[::1]", "1", false},
	}
	for _, test := range tests {
		if got := origin.MatchHost(test.page, test.folder); got != test.want {
			t.Errorf("page %q, folder %q: got %v", test.page, test.folder, got)
		}
	}
}

func TestIsPublicSuffix(t *testing.T) {
	// Ensure that exactly the hosts below which strangers live are suffixes.
	for host, want := range map[string]bool{
		"com": true, "COM": true, "com.": true, "co.uk": true, "github.io": true,
		"рф": true, "xn--p1ai": true, "blogspot.com": true, "s3.amazonaws.com": true,
		"ck": true, "anything.ck": true, // the list says *.ck
		"kawasaki.jp": true, "city.kawasaki.jp": false, // and excepts some names
		"www.ck": false, "example.com": false, "me.github.io": false, "bbc.co.uk": false,
		"localhost": false, "intranet": false, "local": false, "corp": false,
		"127.0.0.1": false, "[::1]": false, "::1": false, "": false, "*.com": false, "a b": false,
	} {
		if got := origin.IsPublicSuffix(host); got != want {
			t.Errorf("%q: got %v", host, got)
		}
	}
}

func TestEnclosing(t *testing.T) {
	// Ensure that the hosts whose folders a page belongs to are those of MatchHost, for each pair of hosts of every
	// kind, also such as are none.
	hosts := []string{
		"example.com", "EXAMPLE.com", "www.example.com", "a.b.example.com", "ample.com", "com", "com.", "example.com.", "a.example.com.",
		"localhost", "a.localhost", "localhost.", "a.localhost.", "b.a.localhost", "bücher.example", "xn--bcher-kva.example", "x.Bücher.example", "faß.de", "fass.de",
		"127.0.0.1", "1", "1.127.0.0.1", "0.0.1", "[::1]", "::1", "0:0::1", "example.com:8080", "a.example.com:1", "intranet", "x.intranet", "_a.example.com",
		"", ".", "..", "a..b", ".example.com", "exa mple.com", "*.example.com", "a/b", strings.Repeat("a.", 130) + "com", "co.uk", "x.co.uk", "x.ck",
	}
	for _, page := range hosts {
		enclosing := origin.Enclosing(page)
		for _, folder := range hosts {
			name, ok := origin.Canonical(folder)
			if got, want := ok && slices.Contains(enclosing, name), origin.MatchHost(page, folder); got != want {
				t.Errorf("%q in the folder %q: %v, and MatchHost says %v", page, folder, got, want)
			}
		}
	}
}
