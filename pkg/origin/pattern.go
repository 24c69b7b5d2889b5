package origin

import "strings"

// MatchURL tells whether the whole URL matches the pattern, in which '*' stands
// for any run of characters, also none and also slashes. ASCII letters match in
// either case. A blank pattern matches every URL.
//
// It compares text and knows no hosts: "https://*.example.com/*" also matches a
// URL that has ".example.com/" in its query. A pattern narrows what a host
// comparison has let through; it never decides on its own.
//
// The time is linear in the length of both.
func MatchURL(pattern, rawURL string) bool {
	if strings.TrimSpace(pattern) == "" {
		return true
	}
	rest := lower(rawURL)
	pieces := strings.Split(lower(pattern), "*")
	rest, ok := strings.CutPrefix(rest, pieces[0])
	if !ok {
		return false
	}
	if len(pieces) == 1 {
		return rest == ""
	}
	last := len(pieces) - 1
	// The earliest place for each piece leaves the most room for the next, so
	// there is nothing to go back for.
	for _, piece := range pieces[1:last] {
		_, rest, ok = strings.Cut(rest, piece)
		if !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, pieces[last])
}

// lower lowers ASCII letters only: Unicode has letters whose lower case is an
// ASCII letter, and they are not the same in a URL. It goes by bytes, so bytes
// that are no UTF-8 stay what they are.
func lower(s string) string {
	lowered := []byte(s)
	for i, c := range lowered {
		if 'A' <= c && c <= 'Z' {
			lowered[i] = c + ('a' - 'A')
		}
	}
	return string(lowered)
}
