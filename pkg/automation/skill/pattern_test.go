package skill

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMatches(t *testing.T) {
	// Ensure that a pattern matches by host and path in any case, * within a segment and ** across, and nothing else of an address.
	for _, c := range []struct {
		pattern, address string
		want             bool
	}{
		{"github.com", "https://github.com/a/b?q#f", true},
		{"github.com", "https://www.GitHub.com", true},
		{"www.github.com", "http://github.com:8080/", true},
		{"github.com", "https://gist.github.com/", false},
		{"*.github.com", "https://gist.github.com/", true},
		{"*.github.com", "https://github.com/", false},
		{"github.com/*/issues", "https://github.com/owner/ISSUES/", true},
		{"github.com/*/issues", "https://github.com/owner/repo/issues", false},
		{"GitHub.com/**/issues", "https://github.com/owner/repo/issues?x", true},
		{"github.com/*/*/issues/**", "https://github.com/o/r/issues/12", true},
		{"github.com/*/*/issues/**", "https://github.com/o/r/issues", false},
		{"github.com/a", "https://github.com/ab", false},
		{"github.com", "https://github.com.evil.example/", false},
		{"github.com", "https://evil.example/github.com", false},
		{"github.com/a", "https://evil.example/?github.com/a", false},
		{"**", "https://anything.example/at/all", true},
		{"*", "chrome://settings", false},
		{"*", "about:blank", false},
		{"**", "javascript:alert(1)", false},
		{"*", "://", false},
		{"example.com/a*b", "https://example.com/a/b", false},
		{"example.com/***", "https://example.com/a/b", true},
	} {
		if got := Matches(c.pattern, c.address); got != c.want {
			t.Errorf("%s on %s: %v", c.pattern, c.address, got)
		}
	}
}

// oracleMatches decides a second time, by a regular expression.
func oracleMatches(pattern, address string) bool {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return false
	}
	plain := func(s string) string { return strings.TrimPrefix(strings.ToLower(s), "www.") }
	text := plain(u.Hostname())
	if p := plain(strings.TrimSuffix(pattern, "/")); strings.Contains(p, "/") {
		text += strings.TrimSuffix(strings.ToLower(u.EscapedPath()), "/")
	}
	quoted := regexp.QuoteMeta(plain(strings.TrimSuffix(pattern, "/")))
	quoted = strings.ReplaceAll(quoted, `\*\*`, "(?s:.*)")
	quoted = strings.ReplaceAll(quoted, `\*`, "[^/]*")
	return regexp.MustCompile("^(?:" + quoted + ")$").MatchString(text)
}

func TestMatchesAsTheOracle(t *testing.T) {
	// Ensure that patterns and addresses of a few letters, where every difference shows, match as a regular expression says.
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`(www\.)?[ab*.]{1,5}(/[abA*./]{0,8})?`).Draw(t, "pattern")
		host := rapid.StringMatching(`(www\.|WWW\.)?[abB]{1,3}(\.[ab]{1,3})?`).Draw(t, "host")
		path := rapid.StringMatching(`(/[abB.]{0,3}){0,4}`).Draw(t, "path")
		address := "https://" + host + path
		if got, want := Matches(pattern, address), oracleMatches(pattern, address); got != want {
			t.Fatalf("%q on %q: %v, and the oracle %v", pattern, address, got, want)
		}
	})
}

func FuzzMatches(f *testing.F) {
	f.Fuzz(func(t *testing.T, pattern, address string) {
		if !isASCII(pattern) || !isASCII(address) {
			Matches(pattern, address)
			return
		}
		if got, want := Matches(pattern, address), oracleMatches(pattern, address); got != want {
			t.Errorf("%q on %q: %v, and the oracle %v", pattern, address, got, want)
		}
	})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
