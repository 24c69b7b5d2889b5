package origin

import (
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Maximum lengths in the DNS. A letter outside of ASCII takes up to four
// bytes before it is mapped; mapping longer texts takes quadratic time.
const (
	maxNameBytes  = 253
	maxLabelBytes = 63
	maxHostBytes  = 4 * maxNameBytes
)

// browserNames maps names to punycode as browsers do. Their rules allow
// underscores and hyphens anywhere; normalizeHost rejects other odd characters.
var browserNames = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
	idna.BidiRule(),
)

// MatchHost reports whether a page's host belongs to the folder of a host: the
// page's host, or that without a leading "www.", equals it or is a subdomain of
// it. Ports are ignored. An IP address and localhost have no subdomains. A host
// with a final dot is another one than that without.
//
// A folder that is a public suffix would match unrelated sites: code that accepts
// folders rejects it by [IsPublicSuffix].
func MatchHost(pageHost, folderHost string) bool {
	page, pageOK := comparableHost(pageHost)
	folder, folderOK := comparableHost(folderHost)
	switch {
	case !pageOK || !folderOK:
		return false
	case page == folder:
		return true
	case isAddress(page) || isAddress(folder) || strings.TrimSuffix(folder, ".") == "localhost":
		return false
	default:
		// This includes the page's host without "www.", which is a subdomain
		// of whatever it belongs to.
		return strings.HasSuffix(page, "."+folder)
	}
}

// Canonical returns a host in the form in which hosts are compared, and false for what is none.
func Canonical(host string) (string, bool) { return comparableHost(host) }

// Enclosing returns the canonical hosts whose folders a page's host belongs to, the longest first:
// [MatchHost] is true for exactly the folders of these names. It serves those who look up many
// folders, as mapping each pair to punycode costs too much.
func Enclosing(pageHost string) []string {
	page, ok := comparableHost(pageHost)
	if !ok {
		return nil
	}
	hosts := []string{page}
	if isAddress(page) {
		return hosts
	}
	for rest := page; ; {
		if _, rest, ok = strings.Cut(rest, "."); !ok || rest == "" {
			return hosts
		}
		if strings.TrimSuffix(rest, ".") != "localhost" {
			hosts = append(hosts, rest)
		}
	}
}

// IsPublicSuffix reports whether names directly below the host belong to
// different owners, as in com, co.uk and github.io. It is true only for
// entries of the Public Suffix List, so not for localhost, the single-label names
// of an intranet, or an address.
func IsPublicSuffix(host string) bool {
	name, ok := comparableHost(host)
	name = strings.TrimSuffix(name, ".")
	if !ok || isAddress(name) {
		return false
	}
	// An entry such as *.ck lists every name below ck and not ck itself, whose
	// folder would match all of them.
	return isListed(name) || isListed("any."+name)
}

func isListed(name string) bool {
	suffix, icann := publicsuffix.PublicSuffix(name)
	// Without a matching rule the last label is returned, unmanaged; a privately
	// managed suffix always has a dot.
	return suffix == name && (icann || strings.Contains(suffix, "."))
}

// comparableHost returns a host in the form for comparison. It also accepts a port and an IPv6 address without brackets.
func comparableHost(host string) (string, bool) {
	if address, err := netip.ParseAddr(host); err == nil && address.Is6() {
		host = "[" + host + "]"
	}
	host, _, err := splitPort(host)
	if err != nil {
		return "", false
	}
	host, err = normalizeHost(host)
	return host, err == nil
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// normalizeHost returns a host in lower case and punycode, or an address in its
// shortest form without brackets. A name keeps its final dot, with which browsers
// take it for another host; an address loses it, as in browsers.
func normalizeHost(host string) (string, error) {
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		inner, closed := strings.CutSuffix(inner, "]")
		address, err := netip.ParseAddr(inner)
		if !closed || err != nil || !address.Is6() || address.Zone() != "" {
			return "", restricted("the host %q is not an IPv6 address", short(host))
		}
		return address.String(), nil
	}
	if len(host) > maxHostBytes {
		return "", restricted("the host has %d bytes, more than any name", len(host))
	}
	name, err := browserNames.ToASCII(host)
	if err != nil {
		return "", restricted("the host %q is not a valid name", short(host))
	}
	rooted := name
	name = strings.TrimSuffix(name, ".")
	if !isName(name) {
		return "", restricted("the host %q is not a valid name", short(host))
	}
	// Browsers read 127.1, 0x7f000001 and 010.0.0.1 as addresses, others as
	// names: a name that ends in a number must be a plain IPv4 address.
	if endsInNumber(name) {
		if _, err := netip.ParseAddr(name); err != nil {
			return "", restricted("the host %q is neither a name nor a plain IPv4 address", short(host))
		}
		return name, nil
	}
	return rooted, nil
}

// isName checks the lengths and the characters of a mapped host name.
func isName(name string) bool {
	if len(name) > maxNameBytes {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabelBytes {
			return false
		}
		for _, c := range []byte(label) {
			if !isNameByte(c) {
				return false
			}
		}
	}
	return true
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// endsInNumber reports whether the last label is decimal, or hexadecimal with 0x.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if digits, hex := strings.CutPrefix(last, "0x"); hex {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}
