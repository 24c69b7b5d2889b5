// Package suggest finds the known names closest to a misspelt one.
//
// Rules of this package:
//   - It suggests and never decides: nothing runs under a name that was not given.
//   - A name that is far from all known ones gets no suggestion.
package suggest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxNames is the number of suggestions; a caller who needs more should read the list.
const maxNames = 3

// maxName is the number of bytes up to which a name is compared; no real one is as long.
const maxName = 200

// Names returns the known names closest to the given one, the closest first:
// those that differ by few letters, or only in the prefix before the last dot.
func Names(given string, known []string) []string {
	if len(given) > maxName {
		return nil
	}
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, name := range known {
		if d := distance(strings.ToLower(given), strings.ToLower(name)); d <= max(2, len(given)/5) {
			near = append(near, candidate{name, d})
		} else if lastSegment(given) == lastSegment(name) {
			near = append(near, candidate{name, len(given) + d}) // behind all that are close as a whole
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range near[:min(maxNames, len(near))] {
		names = append(names, c.name)
	}
	return names
}

// AddTo returns the error about an unknown name with the closest known names added.
func AddTo(f *fault.Error, given string, known []string) *fault.Error {
	near := Names(given, known)
	if len(near) == 0 {
		return f
	}
	f = f.With("similar", near) // a copy
	f.Message += "; did you mean " + strings.Join(near, ", ") + "?"
	return f
}

func lastSegment(name string) string {
	return strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
}

// distance returns the number of bytes to insert, delete or replace to get from one
// text to the other (Levenshtein).
func distance(a, b string) int {
	if len(b) > maxName {
		return len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
