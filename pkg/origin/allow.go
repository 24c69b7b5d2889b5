package origin

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// CheckPattern returns an error for an invalid pattern of origins. A pattern is
// scheme://host, with a port unless it is the scheme's default; '*' matches any run
// of characters, as in https://*.example.com or http://localhost:*.
func CheckPattern(pattern string) error {
	invalid := func(reason string) error {
		return fault.New(fault.InvalidInput, "%q is no pattern of origins: %s", short(pattern), reason).
			WithNextStep("Write it like https://example.com, https://*.example.com or http://localhost:*.").
			WithDispatched(fault.NotDispatched)
	}
	scheme, host, found := strings.Cut(pattern, "://")
	switch {
	case !found || scheme != "http" && scheme != "https":
		return invalid("it begins with http:// or https://")
	case host == "" || strings.ContainsAny(host, "/?#@ \\"):
		return invalid("it ends with the host or its port, without a path")
	case strings.Contains(host, "*"):
		return nil
	}
	if _, err := Parse(pattern); err != nil {
		return invalid(fault.From(err).Message)
	}
	return nil
}

// Allowed reports whether an origin, in the form of [Origin.String], matches one of
// the patterns. An origin has no path in which a pattern could match text that looks
// like a host.
func Allowed(patterns []string, origin string) bool {
	for _, pattern := range patterns {
		if o, err := Parse(pattern); err == nil {
			pattern = o.String() // the same form: lower case, punycode, no default port
		}
		if origin != "" && MatchURL(pattern, origin) {
			return true
		}
	}
	return false
}
