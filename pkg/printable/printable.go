// Package printable shows characters that cannot be seen, or are not what is seen.
//
// Rules of this package:
//   - Titles, labels, addresses, file names and maps come from strangers. A control character
//     in them can command a terminal, a direction mark turns the text around, and signs without
//     width and tag characters say to a model what no person sees. Each is written as \uXXXX,
//     the high ones as a surrogate pair: inside JSON that is the same text.
//   - So a program that decodes JSON gets every character as it was, and can type it back; who
//     reads the text itself, a person or a model, sees the escape.
//   - Signs that a script needs stay where the script has them: a joiner between letters
//     other than Latin ones or between emoji, one variation selector after a sign that has
//     several forms, a soft hyphen within a word.
package printable

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const softHyphen = 0x00ad

// firstJoined is the first character that joiners make sense beside: below are Latin letters.
const firstJoined = 0x0250

// Hidden reports whether the character commands, turns the reading direction or has no
// width, wherever it stands. Those that depend on their neighbours do not count: see [Escape].
func Hidden(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case 0xae <= r && r < 0x034f, 0x0350 <= r && r < 0x0600, 0x3165 <= r && r < 0xfe00, 0x1f000 <= r && r < 0xe0000:
		return false // the common ones: the tables are slow
	case joins(r), selects(r), unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false // the last are seen, although they are format characters
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// joins reports whether the character says how its neighbours are written, and is none itself.
func joins(r rune) bool { return r == softHyphen || r == 0x200c || r == 0x200d }

// selects reports whether the character chooses the form of the one before it.
func selects(r rune) bool {
	return 0xfe00 <= r && r <= 0xfe0f || 0xe0100 <= r && r <= 0xe01ef || 0x180b <= r && r <= 0x180f && r != 0x180e
}

// Escape returns the text with an escape for each character that cannot be seen, line feeds and
// tabs included. What is no UTF-8 becomes the replacement character.
func Escape(text string) string { return escape(text, "") }

// EscapeLines is Escape for a text of several lines, which it stays.
func EscapeLines(text string) string { return escape(text, "\n\t") }

func escape(text, kept string) string {
	if isPlain(text, kept) {
		return text
	}
	out := make([]byte, 0, len(text)+16)
	var before rune // the character before, 0 where it is not seen
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		after, _ := utf8.DecodeRuneInString(text)
		if strings.ContainsRune(kept, r) || !Hidden(r) && isUsed(before, r, after) {
			out, before = utf8.AppendRune(out, r), r
			continue
		}
		out, before = AppendEscape(out, r), 0
	}
	return string(out)
}

// isPlain reports whether the text has nothing but characters that stay, of the usual ones.
func isPlain(text, kept string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c >= 0x7f) && !strings.Contains(kept, string(rune(c))) {
			return false
		}
	}
	return true
}

// isUsed reports whether a sign that depends on its neighbours does there what it is for.
func isUsed(before, r, after rune) bool {
	switch {
	case r == softHyphen:
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case joins(r):
		return isJoined(before) && isJoined(after)
	case selects(r):
		return hasForm(before, r)
	}
	return true
}

// hasForm reports whether a character may have the form that a selector chooses.
func hasForm(r, selector rune) bool {
	switch {
	case selector >= 0xe0100:
		return unicode.Is(unicode.Han, r)
	case selector >= 0xfe0e: // as text or as an emoji
		return strings.ContainsRune("0123456789#*©®", r) || r >= firstJoined && unicode.IsSymbol(r) || r == '‼' || r == '⁉'
	case selector >= 0xfe00:
		return r >= firstJoined && (unicode.IsLetter(r) || unicode.Is(unicode.Sm, r))
	}
	return unicode.Is(unicode.Mongolian, r)
}

func isJoined(r rune) bool {
	return r >= firstJoined && r != utf8.RuneError && !unicode.IsSpace(r) && !joins(r) && !selects(r) && !Hidden(r)
}

// MaxPerByte is how many characters stand for one byte of a text at most.
const MaxPerByte = 6

// Length returns how many characters the text has at most once it is escaped.
func Length(text []byte) int {
	length := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		length += Width(r)
		text = text[size:]
	}
	return length
}

// Width returns how many characters stand for the character at most.
func Width(r rune) int {
	switch {
	case ' ' <= r && r < 0x7f:
		return 1
	case !Hidden(r) && !joins(r) && !selects(r):
		return 1
	case r > 0xffff:
		return len(`\udb40\udc41`)
	}
	return len(`\u200b`)
}

// AppendEscape appends the escape of a character, which inside JSON is the character.
func AppendEscape(text []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		return appendUnit(appendUnit(text, high), low)
	}
	return appendUnit(text, r)
}

func appendUnit(text []byte, unit rune) []byte {
	const digits = "0123456789abcdef"
	return append(text, '\\', 'u', digits[unit>>12&15], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
}
