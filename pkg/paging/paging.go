// Package paging lists many rows for a reader who has only so much room.
//
// Rules of this package:
//   - A page has at least one row if there is one left: paging makes progress.
//   - A query is words; a row matches if it has all of them, in any case.
package paging

import "strings"

// Fill returns the rows from the offset on whose sizes together are within the
// budget. show returns a row as it is listed, and its size; it is called only
// for the rows of the page and the one after it.
func Fill[T, R any](rows []T, offset, budget int, show func(T) (R, int)) (page []R) {
	for _, row := range rows[min(offset, len(rows)):] {
		shown, size := show(row)
		if budget -= size; budget < 0 && len(page) > 0 {
			break
		}
		page = append(page, shown)
	}
	return page
}

// Matches reports whether the texts have all words of the query.
func Matches(query string, texts ...string) bool {
	text := strings.ToLower(strings.Join(texts, " "))
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
