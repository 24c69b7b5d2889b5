package expr

import (
	"strings"
)

// The character classes of JavaScript in RE2's notation. In RE2 itself \s is
// ASCII only and "." matches all line ends but \n.
const (
	spaces = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	// notSpaces is the complement of spaces; RE2 cannot negate inside a class.
	notSpaces = `\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}` +
		`\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
	lineEnds = `\n\r\x{2028}\x{2029}`
)

// translate turns a JavaScript regular expression into RE2's notation. It leaves
// unknown syntax alone, so RE2's own parser decides.
func translate(source string) string {
	var out strings.Builder
	inClass := false
	for i := 0; i < len(source); i++ {
		rest := source[i:]
		switch c := source[i]; {
		case c == '\\' && len(rest) > 1:
			translated, length := translateEscape(rest, inClass)
			out.WriteString(translated)
			i += length - 1
		case inClass && c == '[': // a plain character in JavaScript
			out.WriteString(`\[`)
		case inClass && c == ']':
			inClass = false
			out.WriteByte(c)
		case inClass:
			out.WriteByte(c)
		case strings.HasPrefix(rest, "[^]"):
			out.WriteString(`[\x{0}-\x{10ffff}]`)
			i += 2
		case strings.HasPrefix(rest, "[]"):
			out.WriteString(`[^\x{0}-\x{10ffff}]`)
			i++
		case c == '[':
			inClass = true
			out.WriteByte(c)
			if strings.HasPrefix(rest, "[^") {
				out.WriteByte('^')
				i++
			}
		case c == '.':
			out.WriteString("[^" + lineEnds + "]")
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// translateEscape translates the escape at the start of rest and returns its
// length in the source.
func translateEscape(rest string, inClass bool) (translated string, length int) {
	class := func(set, negated string) string {
		if inClass {
			return set
		}
		return "[" + negated + spaces + "]"
	}
	switch c := rest[1]; c {
	case 's':
		return class(spaces, ""), 2
	case 'S':
		return class(notSpaces, "^"), 2
	case 'u':
		if digits := hexDigits(rest[2:], 4); digits == 4 {
			return `\x{` + rest[2:6] + `}`, 6
		}
		return "u", 2
	case 'x':
		if digits := hexDigits(rest[2:], 2); digits == 2 {
			return `\x{` + rest[2:4] + `}`, 4
		}
		return "x", 2
	case 'b':
		if inClass { // a backspace
			return `\x{8}`, 2
		}
	case '0':
		return `\x{0}`, 2
	case 'c':
		if len(rest) > 2 && isLetter(rest[2]) {
			return `\x{` + string("0123456789abcdef"[rest[2]&0x1f>>4]) + string("0123456789abcdef"[rest[2]&0xf]) + `}`, 3
		}
	default:
		// RE2 knows \A, \Q, \C, \z and others that mean a plain letter here.
		if isLetter(c) && !strings.ContainsRune("dDwWtrnfvBkpP", rune(c)) {
			return string(c), 2
		}
	}
	return rest[:2], 2
}

func hexDigits(s string, limit int) int {
	n := 0
	for n < len(s) && n < limit && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
		n++
	}
	return n
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
