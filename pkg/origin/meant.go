package origin

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// noPattern returns the error for a text that is no pattern of origins.
func noPattern(text, reason string) error {
	f := fault.New(fault.InvalidInput, "%q is no pattern of origins: %s", short(text), reason).WithDispatched(fault.NotDispatched)
	meant := meantPatterns(text)
	if len(meant) > 0 {
		f = f.With("meant", meant)
	}
	switch {
	case len(meant) == 1:
		return f.WithNextStep("Write it like " + meant[0] + ".")
	case len(meant) > 1:
		return f.WithNextStep("Write " + meant[0] + " for the hosts below it, or " + meant[1] + " for this host itself.")
	case everySite(text):
		return f.WithNextStep("Name the sites, each like https://example.com or https://*.example.com; without a pattern every site is meant.")
	}
	return f.WithNextStep("Write it like https://example.com, https://*.example.com or http://localhost:*.")
}

func everySite(text string) bool {
	_, host, _ := splitText(text)
	return strings.Trim(host, "*.") == "" && strings.Contains(host, "*")
}

// meantPatterns returns the patterns that a text which is none may mean, the wider one
// first. It returns none where the text names no host.
func meantPatterns(text string) []string {
	scheme, host, port := splitText(text)
	var hosts []string
	below, subdomains := strings.CutPrefix(host, "*.")
	switch name := withoutStars(host); {
	case isAddress(strings.Trim(below, "[]")):
		hosts = []string{below}
	case (isAddress(name) || name == "localhost") && name+"*" == host:
		hosts, port = []string{name}, ":*"
	case subdomains && IsPublicSuffix(below):
		hosts = []string{"*.example." + below}
	case !strings.Contains(below, "*"):
		hosts = []string{host}
	case name != "" && !IsPublicSuffix(name):
		hosts = []string{"*." + name, name}
	}
	var meant []string
	for _, host := range hosts {
		p := scheme + "://" + host + port
		if _, reason := parsePattern(p); reason == "" {
			meant = append(meant, p)
		}
	}
	return meant
}

// splitText returns the parts of what was written instead of a pattern. The host is empty beside a
// user, as that host is the one which was not meant to be seen.
func splitText(text string) (scheme, host, port string) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		scheme, rest = "", text
	}
	host = strings.TrimSpace(rest)
	if i := strings.IndexAny(host, `/?#\`); i >= 0 {
		host = host[:i]
	}
	if strings.Contains(host, "@") {
		host = ""
	}
	host, port = cutPort(host)
	switch {
	case strings.Contains(port, "*"):
		port = ":*"
	case port != "":
		port = ":" + port
	}
	switch scheme = lower(scheme); {
	case defaultPorts[scheme] != 0:
	case host == "localhost" || isAddress(host):
		scheme = "http"
	default:
		scheme = "https"
	}
	return scheme, host, port
}

// cutPort returns a host and what follows the colon after it.
func cutPort(host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i], host[i+1:]
	}
	return host, ""
}

// withoutStars returns the host that ends the text: the labels after the last star. A star at the
// beginning of a label or at the end of the text is taken off instead.
func withoutStars(host string) string {
	name := strings.TrimRight(host, "*")
	if name != host && strings.HasSuffix(name, ".") {
		return "" // the end of the host is unknown
	}
	labels := strings.Split(name, ".")
	from := 0
	for i, label := range labels {
		switch bare := strings.TrimLeft(label, "*"); {
		case bare == label && !strings.Contains(label, "*"):
		case bare != "" && !strings.Contains(bare, "*"):
			labels[i], from = bare, i
		default:
			from = i + 1
		}
	}
	return strings.Join(labels[from:], ".")
}
