package webfetch

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// private are the networks that a page of the internet has no business in (IANA's registries of
// special-purpose addresses).
var private = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/128", "::1/128", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8")

// never are addresses at which clouds hand out credentials to whoever asks. No setting opens them.
var never = prefixes("169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fd00:ec2::254/128", "fd20:ce::254/128")

// Networks whose addresses have an IPv4 address in them, with its place.
var embedding = []struct {
	prefix netip.Prefix
	at     int
}{{netip.MustParsePrefix("64:ff9b::/96"), 12}, {netip.MustParsePrefix("2002::/16"), 2}, {netip.MustParsePrefix("::/96"), 12}}

func prefixes(all ...string) (parsed []netip.Prefix) {
	for _, one := range all {
		parsed = append(parsed, netip.MustParsePrefix(one))
	}
	return parsed
}

// judge returns an error if the address is private and not opened by policy.json.
func (c *Client) judge(host string, addr netip.Addr) error {
	addr = addr.Unmap().WithZone("")
	for _, e := range embedding {
		if b := addr.As16(); addr.Is6() && e.prefix.Contains(addr) && !addr.IsLoopback() && !addr.IsUnspecified() {
			return c.judge(host, netip.AddrFrom4([4]byte(b[e.at:e.at+4])))
		}
	}
	in := func(p netip.Prefix) bool { return p.Contains(addr) }
	f := fault.New(fault.PrivateAddress, "%s is at %s, which is no address of the internet", host, addr).
		With("address", addr.String()).WithDispatched(fault.NotDispatched)
	switch {
	case slices.ContainsFunc(never, in):
		return f.WithNextStep("Do without it: where clouds may hand out credentials nothing is asked, and no setting changes that.")
	case slices.ContainsFunc(private, in) && !slices.ContainsFunc(c.opened(), in):
		return f
	}
	return nil
}

func (c *Client) opened() []netip.Prefix {
	if c.Private == nil {
		return nil
	}
	return c.Private()
}

// Check reports why the address must not be asked: it is malformed, or one of the addresses of its host is
// private. A host that changes its addresses is judged again when it is connected to.
func (c *Client) Check(ctx context.Context, rawURL string) error {
	_, err := c.check(ctx, rawURL)
	return err
}

// originOf is [Client.Check], and returns the origin of the address as policy names it.
func (c *Client) originOf(ctx context.Context, rawURL string) (string, error) {
	u, err := c.check(ctx, rawURL)
	if err != nil {
		return "", err
	}
	asked, err := origin.Parse(rawURL)
	sent, sentErr := origin.Parse(u.String())
	if err != nil || sentErr != nil || asked != sent {
		return "", fault.New(fault.InvalidInput, "the address can be read in two ways").WithDispatched(fault.NotDispatched)
	}
	return asked.String(), nil
}

func (c *Client) check(ctx context.Context, rawURL string) (*url.URL, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil {
		return nil, fault.New(fault.InvalidInput, "%q is no http or https address without a password", rawURL).WithDispatched(fault.NotDispatched)
	}
	nameHost(u)
	addrs, err := c.resolve(ctx, u.Hostname())
	if err != nil {
		return nil, fault.Wrap(err, fault.FetchFailed, "%s has no address: %v", u.Hostname(), err).WithDispatched(fault.NotDispatched)
	}
	for _, addr := range addrs {
		if err := c.judge(u.Hostname(), addr); err != nil {
			return nil, err
		}
	}
	u.Fragment = ""
	return u, nil
}

// nameHost names a host with letters outside ASCII as the DNS does. Others stay as they are written.
func nameHost(u *url.URL) {
	if host, ok := origin.Canonical(u.Hostname()); ok && strings.ContainsFunc(u.Hostname(), func(r rune) bool { return r > unicode.MaxASCII }) {
		u.Host = strings.Replace(u.Host, u.Hostname(), host, 1)
	}
}

func (c *Client) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	if addr, ok := parseNumbers(host); ok {
		return []netip.Addr{addr}, nil
	}
	if c.resolver != nil {
		return c.resolver.LookupNetIP(ctx, "ip", host)
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// parseNumbers reads an IPv4 address as browsers and the C library do: one to four numbers, decimal, octal or
// hexadecimal, of which the last fills the rest.
func parseNumbers(host string) (addr netip.Addr, ok bool) {
	numbers := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(numbers) > 4 {
		return addr, false
	}
	var value uint64
	for i, number := range numbers {
		n, err := parseNumber(number)
		bits := 8
		if i == len(numbers)-1 {
			bits = 8 * (5 - len(numbers))
		}
		if err != nil || n >= 1<<bits {
			return addr, false
		}
		value = value<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

func parseNumber(number string) (uint64, error) {
	base := 10
	switch lower := strings.ToLower(number); {
	case lower == "0x":
		return 0, nil
	case strings.HasPrefix(lower, "0x"):
		base, number = 16, number[2:]
	case len(number) > 1 && number[0] == '0':
		base, number = 8, number[1:]
	}
	return strconv.ParseUint(number, base, 33)
}
