// Package shorten cuts texts that may be longer than a reader, a record or a
// model should get.
//
// Rules of this package:
//   - A cut never falls inside a character.
//   - What was cut says so by an ellipsis, but for Prefix.
package shorten

import "unicode/utf8"

const ellipsis = "…"

// Characters gives at most so many characters, the ellipsis among them.
func Characters(text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:max(0, most-1)]) + ellipsis
}

// Bytes gives at most so many bytes of the text, and the ellipsis behind them.
func Bytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Prefix(text, most) + ellipsis
}

// Prefix gives at most so many bytes of the text.
func Prefix(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
