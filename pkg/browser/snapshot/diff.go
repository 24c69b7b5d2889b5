package snapshot

import "strings"

// Difference is the difference between two trees.
type Difference struct {
	// Text has a line for each change, marked by + added, - removed or ~ changed (as it is
	// now), under its ancestors.
	Text                    string
	Added, Removed, Changed int
}

// Diff compares a tree with a later one. It returns false where they differ too
// much for a comparison to be worth reading.
func Diff(before, after Tree) (Difference, bool) {
	head := 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	endBefore, endAfter := len(before)-tail, len(after)-tail
	matches, ok := findMatches(before[head:endBefore], after[head:endAfter])
	if !ok {
		return Difference{}, false
	}
	w := writer{before: before, after: after, written: map[int]bool{}, removedLevel: -1}
	i, j := head, head
	for _, m := range append(matches, match{endBefore - head, endAfter - head}) {
		w.hunk(i, head+m.a, j, head+m.b)
		i, j = head+m.a+1, head+m.b+1
	}
	w.Text = strings.Join(w.lines, "\n")
	return w.Difference, true
}

// writer writes the changes in order, and their ancestors once.
type writer struct {
	Difference
	before, after Tree
	lines         []string
	written       map[int]bool // lines of after that are in the text
	removedLevel  int          // level of the removed line written last, -1 for none
	removedEnd    int          // the line after the removed ones
}

// hunk writes the replacement of the lines i to iEnd of before by the lines j to jEnd of after.
func (w *writer) hunk(i, iEnd, j, jEnd int) {
	for i < iEnd || j < jEnd {
		switch {
		case i < iEnd && j < jEnd && sameElement(w.before[i], w.after[j]):
			w.Changed++
			w.writeLine("~ ", j)
			i, j = i+1, j+1
		case i < iEnd && !w.comesLater(i, j, jEnd):
			w.Removed++
			w.writeRemoved(i, j)
			i++
		default:
			w.Added++
			w.writeLine("+ ", j)
			j++
		}
	}
}

// comesLater reports whether the line of before comes, changed, later in after.
func (w *writer) comesLater(i, j, jEnd int) bool {
	for ; j < jEnd; j++ {
		if sameElement(w.before[i], w.after[j]) {
			return true
		}
	}
	return false
}

// sameElement reports whether two lines are of one element: of one ref, or without refs
// of one role in one depth.
func sameElement(a, b string) bool {
	if ref := refOf(a); ref != "" || refOf(b) != "" {
		return ref == refOf(b)
	}
	roleA, nameA := roleAndName(a)
	roleB, nameB := roleAndName(b)
	return indent(a) == indent(b) && roleA == roleB && nameA == nameB
}

func (w *writer) writeLine(mark string, line int) {
	w.context(line, indent(w.after[line]))
	w.written[line] = true
	w.lines = append(w.lines, mark+w.after[line])
}

// writeRemoved writes a line that was removed before the line j of after. Its descendants are
// not written.
func (w *writer) writeRemoved(line, j int) {
	if level := indent(w.before[line]); w.removedLevel < 0 || level <= w.removedLevel || line != w.removedEnd {
		if j < len(w.after) {
			w.context(j, level)
		}
		w.lines = append(w.lines, "- "+w.before[line])
		w.removedLevel = level
	}
	w.removedEnd = line + 1
}

// context writes the ancestors of a line of after that are less deep than level.
func (w *writer) context(line, level int) {
	for _, above := range w.after.Ancestors(line) {
		if !w.written[above] && indent(w.after[above]) < level {
			w.written[above] = true
			w.lines = append(w.lines, "  "+w.after[above])
		}
	}
}
