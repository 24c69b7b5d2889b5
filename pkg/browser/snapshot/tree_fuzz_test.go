package snapshot

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Ensure that pages of any tree are its lines, that another one put under a line of it loses and
// repeats none of them, and that a difference has exactly the lines that the two do not share.
func FuzzTree(f *testing.F) {
	f.Fuzz(func(t *testing.T, first, second string, limit, at int) {
		before, after := Tree(strings.Split(first, "\n")), Tree(strings.Split(second, "\n"))
		if len(before)+len(after) > maxEdits {
			return // else Diff may give up
		}
		wantPages(t, before, limit)
		line := int(uint(at) % uint(len(before)))
		wantInserted(t, before, after, line)
		above := before.Ancestors(line)
		for i, a := range above {
			if a >= line || indent(before[a]) >= indent(before[line]) || i > 0 && (a <= above[i-1] || indent(before[a]) <= indent(before[above[i-1]])) {
				t.Errorf("the line %d is under %v", line, above)
			}
		}
		wantDifference(t, before, after)
		if d, ok := Diff(before, before); !ok || d != (Difference{}) {
			t.Errorf("a tree differs from itself: %+v", d)
		}
		if ref := refOf(before[line]); ref != "" {
			if _, _, found := before.Find(ref); !found {
				t.Errorf("the ref %q of the line %d is not found", ref, line)
			}
		}
	})
}

func wantPages(t *testing.T, all Tree, limit int) {
	t.Helper()
	var read []string
	for from := 0; from < len(all); {
		text, after := all.Page(from, limit)
		if after <= from || after-from > 1 && utf8.RuneCountInString(text) > limit {
			t.Fatalf("from %d to %d with %d characters of %d", from, after, utf8.RuneCountInString(text), limit)
		}
		read, from = append(read, text), after
	}
	if strings.Join(read, "\n") != all.String() {
		t.Errorf("the pages are %q of %q", read, all)
	}
}

func wantInserted(t *testing.T, outer, inner Tree, line int) {
	t.Helper()
	got := outer.WithInserts(map[int]Insert{line: {Tree: inner, States: []string{"host=a.test"}}})
	if len(got) != len(outer)+len(inner) || !slices.Equal(got[:line], outer[:line]) || !slices.Equal(got[line+1+len(inner):], outer[line+1:]) {
		t.Fatalf("%q under the line %d of %q is %q", inner, line, outer, got)
	}
	for i, text := range got[line+1 : line+1+len(inner)] {
		if indent(text) <= indent(outer[line]) || strings.TrimLeft(text, " ") != strings.TrimLeft(inner[i], " ") {
			t.Errorf("%q under %q is %q", inner[i], outer[line], text)
		}
	}
}

func wantDifference(t *testing.T, before, after Tree) {
	t.Helper()
	d, ok := Diff(before, after)
	if !ok || len(after)-d.Added != len(before)-d.Removed {
		t.Fatalf("of %d and %d lines: %t, %+v", len(before), len(after), ok, d)
	}
	marks, left := map[string]int{}, slices.Clone(after)
	for line := range strings.SplitSeq(d.Text, "\n") {
		if d.Text == "" {
			break
		}
		mark, text := line[:2], line[2:]
		marks[mark]++
		from := &left
		if mark == "- " {
			from = &before
		}
		i := slices.Index(*from, text)
		if i < 0 {
			t.Fatalf("%q is no line", line)
		}
		if mark != "- " {
			left = slices.Delete(left, i, i+1) // each stands once
		}
	}
	if marks["+ "] != d.Added || marks["~ "] != d.Changed || marks["- "] > d.Removed || d.Removed > 0 && marks["- "] == 0 {
		t.Errorf("%v of %+v", marks, d)
	}
}
