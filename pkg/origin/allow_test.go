package origin_test

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

func TestAllowed(t *testing.T) {
	// Ensure that a pattern lets through the origins it names, in whatever form they are written, and none that only looks like one.
	for _, row := range []struct {
		pattern, origin string
		want            bool
	}{
		{"https://example.com", "https://example.com", true},
		{"https://EXAMPLE.com:443", "https://example.com", true},
		{"https://bücher.de", "https://xn--bcher-kva.de", true},
		{"https://example.com", "http://example.com", false},
		{"https://example.com", "https://example.com:8443", false},
		{"https://example.com", "https://example.com.evil.test", false},
		{"https://example.com", "https://www.example.com", false},
		{"https://*.example.com", "https://www.example.com", true},
		{"https://*.example.com", "https://example.com", false},
		{"https://*.example.com", "https://evilexample.com", false},
		{"http://localhost:*", "http://localhost:8080", true},
		{"http://localhost:*", "http://localhost.evil.test:8080", false},
		{"https://*", "https://anything.test", true},
		{"https://*", "", false},
	} {
		if got := origin.Allowed([]string{"https://other.test", row.pattern}, row.origin); got != row.want {
			t.Errorf("%s for %q: %t", row.pattern, row.origin, got)
		}
	}
}

func TestCheckPattern(t *testing.T) {
	// Ensure that what can never match, or would match everything by mistake, is refused with an example.
	for _, pattern := range []string{"https://example.com", "http://localhost:*", "https://*.example.com", "http://127.0.0.1:8080", "https://*"} {
		if err := origin.CheckPattern(pattern); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	for _, pattern := range []string{"", "*", "example.com", "ftp://example.com", "*://example.com", "https://", "https://example.com/", "https://*.example.com/x", "https://a@b", "https://exa mple.com"} {
		if err := origin.CheckPattern(pattern); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
