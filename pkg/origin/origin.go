// Package origin parses URLs, hosts and URL patterns.
//
// Rules of this package:
//   - Only http and https pages have an origin here; a page of any
//     other scheme may not be operated.
//   - A URL is split here and not by net/url, because the browser's parsing counts
//     and the two differ. A URL that could be parsed in two ways is rejected.
//   - Hosts are compared in one form: lower case, punycode, no port. A name with a
//     final dot is another host than that without, as it is in browsers.
//   - Patterns of origins are compared by scheme, host and port, never as text.
//   - Errors never quote a whole URL: its path and query may hold secrets.
package origin

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Origin is the scheme, host and port of a web page. Two pages share an origin
// when their Origins are equal with ==.
type Origin struct {
	Scheme string // http or https
	Host   string // lower case and punycode; an IPv6 address has no brackets
	Port   int    // 1 to 65535, the scheme's default filled in
}

var defaultPorts = map[string]int{"http": 80, "https": 443}

// Parse returns the origin of an absolute http or https URL. For any other URL,
// and one that a browser might parse differently, it returns a *fault.Error with the
// code restricted_page.
func Parse(rawURL string) (Origin, error) {
	if err := checkCharacters(rawURL); err != nil {
		return Origin{}, err
	}
	scheme, rest, found := strings.Cut(rawURL, ":")
	scheme = lower(scheme)
	if !found || !isScheme(scheme) {
		return Origin{}, restricted("this is not an absolute URL")
	}
	if defaultPorts[scheme] == 0 {
		return Origin{}, restricted("a page of the scheme %q cannot be operated; only http and https can", short(scheme)).
			With("scheme", short(scheme))
	}
	// Browsers accept one slash or none; then the host is ambiguous.
	rest, found = strings.CutPrefix(rest, "//")
	if !found {
		return Origin{}, restricted("the URL has no host after %q", scheme+"://")
	}
	authority := rest[:endOfAuthority(rest)]
	// Of two @ browsers use the last and others the first. Here the second remains
	// in the host, where none is allowed.
	if _, host, hasUser := strings.Cut(authority, "@"); hasUser {
		authority = host
	}
	host, port, err := splitPort(authority)
	if err != nil {
		return Origin{}, err
	}
	if port == 0 {
		port = defaultPorts[scheme]
	}
	host, err = normalizeHost(host)
	if err != nil {
		return Origin{}, err
	}
	return Origin{Scheme: scheme, Host: host, Port: port}, nil
}

// String returns scheme://host, followed by the port unless it is the scheme's
// default. It is the form that browsers show, and [Parse] accepts it.
func (o Origin) String() string {
	host := o.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.Port == defaultPorts[o.Scheme] {
		return o.Scheme + "://" + host
	}
	return o.Scheme + "://" + host + ":" + strconv.Itoa(o.Port)
}

// Operable reports whether [Parse] accepts the URL.
func Operable(rawURL string) bool {
	_, err := Parse(rawURL)
	return err == nil
}

// checkCharacters rejects what browsers drop or replace before they parse a URL:
// control characters, outer spaces, invalid UTF-8, and backslashes, which are
// slashes to a browser until the query begins.
func checkCharacters(rawURL string) error {
	if !utf8.ValidString(rawURL) {
		return restricted("the URL is not valid UTF-8")
	}
	if strings.Trim(rawURL, " ") != rawURL {
		return restricted("the URL begins or ends with a space")
	}
	for _, c := range []byte(rawURL) {
		if c < ' ' || c == 0x7f {
			return restricted("the URL holds the control character %U", rune(c))
		}
	}
	beforeQuery := rawURL
	if i := strings.IndexAny(rawURL, "?#"); i >= 0 {
		beforeQuery = rawURL[:i]
	}
	if strings.Contains(beforeQuery, `\`) {
		return restricted("the URL holds a backslash, which browsers read as a slash")
	}
	return nil
}

func endOfAuthority(rest string) int {
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return i
	}
	return len(rest)
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return false
		}
	}
	return s != ""
}

// splitPort returns a host and its port. Without one, and for a colon with nothing
// after it, the port is 0.
func splitPort(authority string) (host string, port int, err error) {
	host, digits := authority, ""
	// The colons of an IPv6 address are before its closing bracket.
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, digits = authority[:i], authority[i+1:]
	}
	if digits == "" {
		return host, 0, nil
	}
	port, err = strconv.Atoi(digits)
	// The round trip rejects signs and leading zeros.
	if err != nil || port < 1 || port > 65535 || strconv.Itoa(port) != digits {
		return "", 0, restricted("the URL's port %q is not a number from 1 to 65535", short(digits))
	}
	return host, port, nil
}

func restricted(format string, args ...any) *fault.Error {
	return fault.New(fault.RestrictedPage, format, args...)
}

// short truncates a piece of a URL for a message.
func short(s string) string {
	const longest = 80
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "") + "…"
}
