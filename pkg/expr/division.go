package expr

import "strings"

// repairDivision works around a defect of the engine's parser, which takes the
// "/" in a[0] / 2 for the start of a regular expression. It returns the
// source with such a division written as a[0].$ / 2, which has the same value for
// every number; ok is false if there is none.
func repairDivision(source string) (repaired string, ok bool) {
	var out strings.Builder
	last := byte(0) // the last byte of code that is not white space
	for i := 0; i < len(source); {
		rest := source[i:]
		length := 1
		switch c := source[i]; {
		case strings.IndexByte(" \t\r\n\v", c) >= 0:
			out.WriteByte(c)
			i++
			continue
		case c == '"' || c == '\'' || c == '`':
			length = delimited(rest, c)
		case strings.HasPrefix(rest, "/*"):
			length = len(rest)
			if end := strings.Index(rest[2:], "*/"); end >= 0 {
				length = end + 4
			}
			out.WriteString(rest[:length])
			i += length
			continue
		case c == '/' && last == ']':
			out.WriteString(".$ ")
			ok = true
		case c == '/' && strings.IndexByte("(,=~>:?&[{;+-*<!", last) >= 0:
			length = delimited(rest, c)
		}
		out.WriteString(rest[:length])
		i += length
		last = source[i-1]
	}
	return out.String(), ok
}

// delimited returns the length of a string or a regular expression including its
// delimiters; a backslash escapes the next character.
func delimited(s string, delimiter byte) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && delimiter != '`':
			i++
		case s[i] == delimiter:
			return i + 1
		}
	}
	return len(s)
}
