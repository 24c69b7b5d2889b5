package skill

import (
	"net/url"
	"strings"
)

// Matches reports whether a domain pattern matches an address: its host without "www." and
// its path, in any case. * stands for anything within a segment, ** for anything. A pattern
// without a path matches every page of its host.
func Matches(pattern, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return false
	}
	host := trimWWW(strings.ToLower(u.Hostname()))
	path := strings.TrimSuffix(strings.ToLower(u.EscapedPath()), "/")
	pattern = trimWWW(strings.TrimSuffix(strings.ToLower(pattern), "/"))
	if !strings.Contains(pattern, "/") {
		return glob(pattern, host)
	}
	return glob(pattern, host+path)
}

func trimWWW(s string) string { return strings.TrimPrefix(s, "www.") }

// glob reports whether the pattern matches the whole text. Each star remembers where it
// began, so that the time grows with the product of both lengths and no faster.
func glob(pattern, text string) bool {
	reached := make([]bool, len(text)+1) // with what came of the pattern, by how much of the text
	reached[0] = true
	for i := 0; i < len(pattern); {
		switch {
		case strings.HasPrefix(pattern[i:], "**"):
			spread(reached, text, func(byte) bool { return true })
			i += 2
		case pattern[i] == '*':
			spread(reached, text, func(c byte) bool { return c != '/' })
			i++
		default:
			for at := len(text); at > 0; at-- {
				reached[at] = reached[at-1] && text[at-1] == pattern[i]
			}
			reached[0] = false
			i++
		}
	}
	return reached[len(text)]
}

// spread goes on over as many characters as pass.
func spread(reached []bool, text string, pass func(byte) bool) {
	for at := range len(text) { // bytes
		if reached[at] && pass(text[at]) {
			reached[at+1] = true
		}
	}
}
