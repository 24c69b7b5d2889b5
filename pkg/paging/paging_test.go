package paging

import (
	"slices"
	"testing"
)

func TestFill(t *testing.T) {
	// Ensure that a page ends with the budget, has one row however large, and that pages one after the other have every row once.
	rows := []int{3, 3, 9, 1, 1}
	var pages [][]int
	for offset := 0; offset < len(rows); {
		page := Fill(rows, offset, 6, func(n int) (int, int) { return n, n })
		pages = append(pages, page)
		offset += len(page)
	}
	if want := [][]int{{3, 3}, {9}, {1, 1}}; !slices.EqualFunc(pages, want, slices.Equal) {
		t.Errorf("the pages are %v, not %v", pages, want)
	}
	if page := Fill(rows, 9, 6, func(n int) (int, int) { return n, n }); page != nil {
		t.Errorf("behind the last row is %v", page)
	}
}

func TestMatches(t *testing.T) {
	// Ensure that a row needs all words, wherever and however they are written, and that no words match every row.
	for query, want := range map[string]bool{"": true, " \t": true, "SAVE": true, "card save": true, "ave ard": true, "save list": false} {
		if got := Matches(query, "board.Save", "Saves the Card"); got != want {
			t.Errorf("%q: %v", query, got)
		}
	}
}
