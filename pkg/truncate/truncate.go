// Package truncate cuts texts that may be longer than a reader, a record or a
// model should get.
//
// Rules of this package:
//   - A cut never falls inside a character.
//   - An ellipsis marks a cut, except with [Prefix].
package truncate

import "unicode/utf8"

const ellipsis = "…"

// Characters returns at most limit characters of the text, the ellipsis included.
func Characters(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:max(0, limit-1)]) + ellipsis
}

// Bytes returns at most limit bytes of the text, followed by the ellipsis if it was cut.
func Bytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return Prefix(text, limit) + ellipsis
}

// Prefix returns at most limit bytes of the text.
func Prefix(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
