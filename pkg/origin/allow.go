package origin

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Pattern is one host or all hosts below it, on one port or on all.
type Pattern struct {
	origin     Origin
	subdomains bool // the hosts below origin.Host, at any depth, and not itself
	anyPort    bool // else origin.Port
}

// CheckPattern returns an error for an invalid pattern of origins. A pattern is
// scheme://host, with a port unless it is the scheme's default. A '*' stands for the
// whole labels before a host or for the port, as in https://*.example.com and
// http://localhost:*, and for nothing else: within a label it would match hosts of
// other owners, as it would before a public suffix. The error names the patterns that
// were meant, as far as the text shows it.
func CheckPattern(pattern string) error {
	_, err := ParsePattern(pattern)
	return err
}

// ParsePattern returns the pattern, or the error of [CheckPattern].
func ParsePattern(text string) (Pattern, error) {
	p, reason := parsePattern(text)
	if reason != "" {
		return Pattern{}, noPattern(text, reason)
	}
	return p, nil
}

// parsePattern returns the pattern, or the reason why the text is none.
func parsePattern(text string) (p Pattern, reason string) {
	scheme, host, found := strings.Cut(text, "://")
	scheme = lower(scheme)
	switch {
	case !found || defaultPorts[scheme] == 0:
		return p, "it begins with http:// or https://"
	case strings.ContainsAny(host, `/?#@\ `):
		return p, "it ends with the host or its port, without a path or a user"
	}
	host, p.anyPort = strings.CutSuffix(host, ":*")
	host, p.subdomains = strings.CutPrefix(host, "*.")
	if strings.Contains(host, "*") {
		return p, "a * stands for the whole labels before a host, or for the port"
	}
	if name, port := cutPort(host); name != host && (p.anyPort || port == "") {
		return p, "it has a colon too many"
	}
	var err error
	p.origin, err = Parse(scheme + "://" + host)
	switch {
	case err != nil:
		return p, fault.From(err).Message
	case p.subdomains && isAddress(p.origin.Host):
		return p, "an address has no subdomains"
	case p.subdomains && IsPublicSuffix(p.origin.Host):
		return p, "the sites below " + p.origin.Host + " belong to different owners"
	}
	return p, ""
}

// Matches reports whether the pattern stands for the origin.
func (p Pattern) Matches(o Origin) bool {
	if o.Scheme != p.origin.Scheme || !p.anyPort && o.Port != p.origin.Port {
		return false
	}
	if p.subdomains {
		return p.isBelow(o.Host)
	}
	return o.Host == p.origin.Host
}

// isBelow reports whether the host is one below the pattern's. It is asked of each of
// many patterns, and allocates nothing.
func (p Pattern) isBelow(host string) bool {
	name, found := strings.CutSuffix(host, p.origin.Host)
	return found && strings.HasSuffix(name, ".")
}

// Covers reports whether the pattern stands for every origin that the other stands for.
func (p Pattern) Covers(other Pattern) bool {
	if other.origin.Scheme != p.origin.Scheme || !p.anyPort && (other.anyPort || other.origin.Port != p.origin.Port) {
		return false
	}
	if p.subdomains && p.isBelow(other.origin.Host) {
		return true
	}
	return p.subdomains == other.subdomains && p.origin.Host == other.origin.Host
}

// Allowed reports whether an origin, in the form of [Origin.String], matches one of
// the patterns. A pattern that [CheckPattern] refuses matches none.
func Allowed(patterns []string, origin string) bool {
	o, err := Parse(origin)
	if err != nil || o.String() != origin {
		return false
	}
	for _, text := range patterns {
		if p, reason := parsePattern(text); reason == "" && p.Matches(o) {
			return true
		}
	}
	return false
}
