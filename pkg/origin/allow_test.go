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
		{"https://*.example.com", "https://a.b.example.com", true},
		{"https://*.Bücher.de", "https://www.xn--bcher-kva.de", true},
		{"HTTPS://*.EXAMPLE.com:443", "https://www.example.com", true},
		{"https://*.example.com:*", "https://www.example.com:8443", true},
		{"https://*.example.com", "https://www.example.com:8443", false},
		{"https://*.example.com", "https://evil.test?.example.com", false},
		{"https://*.example.com", "https://www.example.com/", false}, // no origin: it has a path
		{"https://*.example.com", "", false},
		{"https://example.com", "https://example.com.", false},
		{"https://*.example.com", "https://www.example.com.", false},
		{"https://example.com.", "https://example.com.", true},
		{"https://example.com.", "https://example.com", false},
		{"http://[::1]:*", "http://[::1]:8080", true},
		{"http://127.0.0.1.:*", "http://127.0.0.1:8080", true},
		// What is no pattern matches nothing.
		{"https://*", "https://anything.test", false},
		{"https://example.com*", "https://example.com", false},
		{"https://*.com", "https://example.com", false},
		{"*", "https://example.com", false},
		{"", "https://example.com", false},
	} {
		if got := origin.Allowed([]string{"https://other.test", row.pattern}, row.origin); got != row.want {
			t.Errorf("%s for %q: %t", row.pattern, row.origin, got)
		}
	}
}

func TestCheckPattern(t *testing.T) {
	// Ensure that what would match strangers' hosts, or nothing, is refused with the patterns that were meant, which are patterns themselves.
	for _, pattern := range []string{
		"https://example.com", "http://localhost:*", "https://*.example.com", "http://127.0.0.1:8080", "https://*.localhost:*", "HTTPS://Example.com",
		"https://*.intranet", "https://me.github.io", "https://*.me.github.io", "https://com", "https://example.com.", "http://[::1]:*", "https://*.bücher.de",
	} {
		if err := origin.CheckPattern(pattern); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	const example = "Write it like https://example.com, https://*.example.com or http://localhost:*."
	both := func(host string) string {
		return "Write https://*." + host + " for the hosts below it, or https://" + host + " for this host itself."
	}
	every := "Name the sites, each like https://example.com or https://*.example.com; without a pattern every site is meant."
	for pattern, next := range map[string]string{
		"https://bank.example*":         both("bank.example"),
		"https://*bank.example":         both("bank.example"),
		"https://www.*.bank.example":    both("bank.example"),
		"https://*.*.bank.example":      both("bank.example"),
		"https://shop-*.bank.example":   both("bank.example"),
		"https://*.www*.bank.example/a": both("bank.example"),
		"https://*.bank.example*":       both("bank.example"),
		"https://bank.example.*":        example,
		"https://b*nk.com":              example,
		"https://**":                    every,
		"https://*":                     every,
		"https://*.*":                   every,
		"https://*:*":                   every,
		"*":                             every,
		"https://*.com":                 "Write it like https://*.example.com.",
		"https://*.github.io:*":         "Write it like https://*.example.github.io:*.",
		"bank.example":                  "Write it like https://bank.example.",
		"*.bank.example":                "Write it like https://*.bank.example.",
		"ftp://bank.example":            "Write it like https://bank.example.",
		"*://bank.example":              "Write it like https://bank.example.",
		"https://bank.example/":         "Write it like https://bank.example.",
		"https://*.bank.example/*":      "Write it like https://*.bank.example.",
		"https://bank.example:80*":      "Write it like https://bank.example:*.",
		"https://bank.example:443:*":    example,
		"https://bank.example:":         "Write it like https://bank.example.",
		"https://bank.example:*:*":      example,
		"localhost:3000":                "Write it like http://localhost:3000.",
		"http://localhost*":             "Write it like http://localhost:*.",
		"http://127.0.0.*":              example,
		"http://127.0.0.1*":             "Write it like http://127.0.0.1:*.",
		"http://*.127.0.0.1":            "Write it like http://127.0.0.1.",
		"http://*.[::1]:80":             "Write it like http://[::1]:80.",
		"https://me@bank.example":       example,
		"https://bank.example@evil.com": example,
		"https://exa mple.com":          example,
		"https://":                      example,
		"":                              example,
		"blob:https://bank.example/1":   "Write it like https://bank.example.",
		"data:text/html,*":              example,
	} {
		err := origin.CheckPattern(pattern)
		if f := fault.From(err); !fault.Is(err, fault.InvalidInput) || f.NextStep != next {
			t.Errorf("%s: %v\n got  %s\n want %s", pattern, err, f.NextStep, next)
		}
	}
}
