package origin

import "strings"

// MatchURL reports whether the whole URL matches the pattern, in which '*' matches
// any run of characters, including none and including slashes. ASCII letters match in
// either case. A blank pattern matches every URL.
//
// It compares text, not hosts: "https://*.example.com/*" also matches a
// URL that has ".example.com/" in its query. A pattern narrows the result of a
// host comparison; it never decides on its own.
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
	// The earliest match of each piece leaves the most text for the next, so
	// backtracking is not needed.
	for _, piece := range pieces[1:last] {
		_, rest, ok = strings.Cut(rest, piece)
		if !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, pieces[last])
}

// lower returns the text with ASCII letters in lower case: Unicode has letters whose lower case is an
// ASCII letter, and they are not the same in a URL. It works on bytes, so
// invalid UTF-8 is unchanged.
func lower(s string) string {
	lowered := []byte(s)
	for i, c := range lowered {
		if 'A' <= c && c <= 'Z' {
			lowered[i] = c + ('a' - 'A')
		}
	}
	return string(lowered)
}
