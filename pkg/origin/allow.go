package origin

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// CheckPattern tells what is wrong with a pattern of origins: scheme://host with
// a port where it is not the scheme's own, '*' standing for any run of
// characters, as in https://*.example.com or http://localhost:*.
func CheckPattern(pattern string) error {
	wrong := func(why string) error {
		return fault.New(fault.InvalidInput, "%q is no pattern of origins: %s", short(pattern), why).
			WithNextStep("Write it like https://example.com, https://*.example.com or http://localhost:*.").
			WithDispatched(fault.NotDispatched)
	}
	scheme, host, found := strings.Cut(pattern, "://")
	switch {
	case !found || scheme != "http" && scheme != "https":
		return wrong("it begins with http:// or https://")
	case host == "" || strings.ContainsAny(host, "/?#@ \\"):
		return wrong("it ends with the host or its port, without a path")
	case strings.Contains(host, "*"):
		return nil
	}
	if _, err := Parse(pattern); err != nil {
		return wrong(fault.From(err).Message)
	}
	return nil
}

// Allowed tells whether an origin, as Origin.String gives it, matches one of the
// patterns. An origin has no path in which a pattern could find what looks like
// a host.
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
