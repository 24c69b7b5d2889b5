package snapshot

import "slices"

// maxEdits bounds the search and its memory: two trees that differ by more have little in
// common, and the new one itself is more useful.
const maxEdits = 1000

// findMatches returns the lines that two trees have in common, in order.
//
// It is the greedy search of Myers (An O(ND) Difference Algorithm and Its
// Variations, 1986): after d edits, reach[k] is how far it came in a on the
// diagonal k, which is the position in a less the one in b.
func findMatches(a, b Tree) (matches []match, ok bool) {
	reach := make([]int, 2*maxEdits+3)
	const zero = maxEdits + 1
	var trace [][]int
	for d := 0; d <= min(len(a)+len(b), maxEdits); d++ {
		trace = append(trace, append([]int(nil), reach[zero-d-1:zero+d+2]...))
		for k := -d; k <= d; k += 2 {
			x, _ := step(reach[zero+k-1], reach[zero+k+1], k, d)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[zero+k] = x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(trace, len(a), len(b)), true
			}
		}
	}
	return nil, false
}

// step continues from the neighbouring diagonal that came further: from the one above, a line
// of b is added; from the one below, a line of a is removed. It returns the new position in a,
// and that diagonal.
func step(below, above, k, d int) (x, from int) {
	if k == -d || (k != d && below < above) {
		return above, k + 1
	}
	return below + 1, k - 1
}

// match is a line that both trees have.
type match struct{ a, b int }

// walkBack goes the way of the search from its end: at each number of edits the
// lines that both have, then the edit before them.
func walkBack(trace [][]int, x, y int) []match {
	var back []match
	for d := len(trace) - 1; d >= 0; d-- {
		start := 0 // where in a the common lines of this round begin
		k, from := x-y, 0
		if d > 0 {
			start, from = step(trace[d][k+d], trace[d][k+d+2], k, d)
		}
		for x > start {
			x, y = x-1, y-1
			back = append(back, match{x, y})
		}
		if d > 0 {
			x = trace[d][from+d+1]
			y = x - from
		}
	}
	slices.Reverse(back)
	return back
}
