package snapshot

import "strings"

// Difference is what a tree has that an earlier one had not, and the reverse.
type Difference struct {
	// Text has a line for each change, marked by + added, - removed or ~ changed
	// (as it is now), under the lines that it stands under.
	Text                    string
	Added, Removed, Changed int
}

// Diff compares a tree with a later one. It gives false where they differ too
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
	matches, ok := edits(before[head:endBefore], after[head:endAfter])
	if !ok {
		return Difference{}, false
	}
	w := writer{before: before, after: after, told: map[int]bool{}, gone: -1}
	i, j := head, head
	for _, m := range append(matches, match{endBefore - head, endAfter - head}) {
		w.hunk(i, head+m.a, j, head+m.b)
		i, j = head+m.a+1, head+m.b+1
	}
	w.Text = strings.Join(w.lines, "\n")
	return w.Difference, true
}

// writer puts the changes in order and tells once what they stand under.
type writer struct {
	Difference
	before, after Tree
	lines         []string
	told          map[int]bool // lines of after that stand in the text
	gone          int          // level of the removed line told last, -1 for none
	goneTo        int          // the line after the removed ones
}

// hunk tells of the lines i to iEnd of before, in whose place the lines j to
// jEnd of after stand now.
func (w *writer) hunk(i, iEnd, j, jEnd int) {
	for i < iEnd || j < jEnd {
		switch {
		case i < iEnd && j < jEnd && same(w.before[i], w.after[j]):
			w.Changed++
			w.tell("~ ", j)
			i, j = i+1, j+1
		case i < iEnd && !w.comes(i, j, jEnd):
			w.Removed++
			w.tellRemoved(i, j)
			i++
		default:
			w.Added++
			w.tell("+ ", j)
			j++
		}
	}
}

// comes tells whether the line of before stands, changed, further on in after.
func (w *writer) comes(i, j, jEnd int) bool {
	for ; j < jEnd; j++ {
		if same(w.before[i], w.after[j]) {
			return true
		}
	}
	return false
}

// same tells whether two lines are of one element: of one ref, or without refs
// of one role in one depth.
func same(a, b string) bool {
	if ref := refOf(a); ref != "" || refOf(b) != "" {
		return ref == refOf(b)
	}
	roleA, nameA := named(a)
	roleB, nameB := named(b)
	return indent(a) == indent(b) && roleA == roleB && nameA == nameB
}

func (w *writer) tell(mark string, line int) {
	w.context(line, indent(w.after[line]))
	w.told[line] = true
	w.lines = append(w.lines, mark+w.after[line])
}

// tellRemoved tells of a line that is gone from before the line j of after. What
// stood under it is gone with it.
func (w *writer) tellRemoved(line, j int) {
	if level := indent(w.before[line]); w.gone < 0 || level <= w.gone || line != w.goneTo {
		if j < len(w.after) {
			w.context(j, level)
		}
		w.lines = append(w.lines, "- "+w.before[line])
		w.gone = level
	}
	w.goneTo = line + 1
}

// context tells the lines above a line of after that are less deep than level.
func (w *writer) context(line, level int) {
	for _, above := range w.after.Above(line) {
		if !w.told[above] && indent(w.after[above]) < level {
			w.told[above] = true
			w.lines = append(w.lines, "  "+w.after[above])
		}
	}
}
