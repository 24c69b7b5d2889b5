package snapshot

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func tree(text string) Tree { return strings.Split(strings.Trim(text, "\n"), "\n") }

func TestPagesAreWhole(t *testing.T) {
	// Ensure that the pages of any tree, one after the other, are its lines, each once, and that none but a single line is over its limit.
	rapid.Check(t, func(t *rapid.T) {
		all := Tree(rapid.SliceOfN(rapid.StringMatching(`( {0,4})- [a-zé]{0,30}`), 1, 60).Draw(t, "lines"))
		limit := rapid.IntRange(1, 100).Draw(t, "limit")
		var read Tree
		for from := 0; from < len(all); {
			text, after := all.Page(from, limit)
			if after <= from {
				t.Fatalf("no line from %d on", from)
			}
			lines := strings.Split(text, "\n")
			if len(lines) > 1 && len([]rune(text)) > limit {
				t.Fatalf("%d characters, limit %d", len([]rune(text)), limit)
			}
			read, from = append(read, lines...), after
		}
		if !slices.Equal(read, all) {
			t.Fatalf("read %q of %q", read, all)
		}
		if all.Chars() != len([]rune(all.String())) {
			t.Fatalf("%d characters counted, %d there", all.Chars(), len([]rune(all.String())))
		}
	})
}

func TestEditsAreALongestMatch(t *testing.T) {
	// Ensure that what is kept of two trees is common to both, in order, and as long as a table of all answers says.
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		a, b := Tree(lines.Draw(t, "a")), Tree(lines.Draw(t, "b"))
		got, ok := findMatches(a, b)
		if !ok || len(got) != longest(a, b) {
			t.Fatalf("%v, %v; want %d", got, ok, longest(a, b))
		}
		last := match{-1, -1}
		for _, m := range got {
			if m.a <= last.a || m.b <= last.b || a[m.a] != b[m.b] {
				t.Fatalf("%v is no match", got)
			}
			last = m
		}
	})
}

func longest(a, b Tree) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			if a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			}
		}
	}
	return table[len(a)][len(b)]
}

func TestDiff(t *testing.T) {
	// Ensure that each change stands once, with its mark, under what it stands under, and that a removed line speaks for all under it.
	before := tree(`
- heading "Shop"
- main:
  - list "Teas":
    - listitem: Green
    - listitem: Black
  - dialog "Cookies" [ref=abc9]:
    - text: We have cookies
    - button "Fine" [ref=abc1]
  - button "Buy" [ref=abc2]
- contentinfo: 2 teas`)
	after := tree(`
- heading "Shop"
- main:
  - list "Teas":
    - listitem: Green
    - listitem: White
    - listitem: Black
  - button "Buy" [ref=abc2] [disabled]
- contentinfo: 3 teas`)
	d, ok := Diff(before, after)
	want := `  - main:
    - list "Teas":
+     - listitem: White
-   - dialog "Cookies" [ref=abc9]:
~   - button "Buy" [ref=abc2] [disabled]
~ - contentinfo: 3 teas`
	if !ok || d.Text != want || d.Added != 1 || d.Removed != 3 || d.Changed != 2 {
		t.Errorf("%v %+v\n%s\nwant\n%s", ok, d, d.Text, want)
	}
	if d, ok := Diff(before, before); !ok || d.Text != "" {
		t.Errorf("of the same: %v %+v", ok, d)
	}
	if d, ok := Diff(nil, Tree{"- text: a"}); !ok || d.Text != "+ - text: a" {
		t.Errorf("of nothing: %v %+v", ok, d)
	}
	if d, ok := Diff(Tree{"- text: a"}, nil); !ok || d.Text != "- - text: a" {
		t.Errorf("to nothing: %v %+v", ok, d)
	}
}

func TestDiffGivesUp(t *testing.T) {
	// Ensure that two large trees with nothing in common are not compared.
	var a, b Tree
	for i := range 2 * maxEdits {
		a, b = append(a, fmt.Sprintf("- text: a%d", i)), append(b, fmt.Sprintf("- text: b%d", i))
	}
	if d, ok := Diff(a, b); ok {
		t.Errorf("%d, %d, %d", d.Added, d.Removed, d.Changed)
	}
}

func TestPut(t *testing.T) {
	// Ensure that a frame's lines stand under its own, deeper, with its states inside the quotes of a quoted key.
	got := tree(`
- main:
  - iframe "Pay" [ref=abc1]
  - 'iframe "a: b" [ref=abc2]'
  - iframe [ref=abc3]`).WithInserts(map[int]Insert{
		1: {Tree: Tree{"- form:", "  - button \"Go\" [ref=xyz1]"}, States: []string{"host=pay.example"}},
		2: {Remark: "(not permitted, https://b.example)", States: []string{"host=b.example"}},
		3: {States: []string{"host=c.example"}},
	}).String()
	want := `- main:
  - iframe "Pay" [ref=abc1] [host=pay.example]:
    - form:
      - button "Go" [ref=xyz1]
  - 'iframe "a: b" [ref=abc2] [host=b.example]': (not permitted, https://b.example)
  - iframe [ref=abc3] [host=c.example]`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFind(t *testing.T) {
	// Ensure that a ref is found by its own line only: no text, name or state of the page can pass for one.
	all := tree(`
- text: "x [ref=abc1]"
- textbox "in [ref=abc2]" [ref=abc3] [placeholder="[ref=abc4]"]: say [ref=abc5]
- 'button "it''s: \"so\"" [ref=abc6]'`)
	for ref, want := range map[string]string{"abc1": "", "abc2": "", "abc3": "textbox in [ref=abc2]", "abc4": "", "abc5": "", "abc6": `button it's: "so"`} {
		got := ""
		if role, name, ok := all.Find(ref); ok {
			got = role + " " + name
		}
		if got != want {
			t.Errorf("%s is %q, want %q", ref, got, want)
		}
	}
}

func TestStore(t *testing.T) {
	// Ensure that a snapshot is given to its own session and tab only, by options for comparing and by cursor for reading on, until it is forgotten or too old.
	var s Store
	mine, other := new(int), new(int)
	first := s.Save(Saved{Key: Key{mine, 1, "d", "{}"}, Tree: Tree{"- text: a", "- button \"B\" [ref=abc1]"}})
	if _, ok := s.Last(Key{other, 1, "d", "{}"}); ok {
		t.Error("another session got it")
	}
	if _, ok := s.Last(Key{mine, 1, "d", `{"interactive":true}`}); ok {
		t.Error("other options got it")
	}
	if k, ok := s.Last(Key{mine, 1, "d", "{}"}); !ok || k.id != first.id {
		t.Error("it is not kept")
	}
	if k, line, err := s.At(mine, 1, first.Cursor(1)); err != nil || line != 1 || k.id != first.id {
		t.Errorf("at its cursor: %v", err)
	}
	if role, name, ok := s.Find(mine, 1, "abc1"); !ok || role != "button" || name != "B" {
		t.Errorf("the ref is %q %q", role, name)
	}
	for _, at := range []struct {
		session any
		tab     int
		cursor  string
	}{{other, 1, first.Cursor(1)}, {mine, 2, first.Cursor(1)}, {mine, 1, first.Cursor(2)}, {mine, 1, "1:-1"}, {mine, 1, "1"}, {mine, 1, "x:y"}, {mine, 1, "9:0"}} {
		if _, _, err := s.At(at.session, at.tab, at.cursor); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%+v: %v", at, err)
		}
	}
	for range maxSaved {
		s.Save(Saved{Key: Key{other, 2, "", ""}, Tree: Tree{"- text: b"}})
	}
	if _, ok := s.Last(Key{mine, 1, "d", "{}"}); ok {
		t.Error("the oldest is still kept")
	}
	s.Forget(2)
	if len(s.saved) != 0 {
		t.Errorf("%d kept of a forgotten tab", len(s.saved))
	}
}

// Ensure no line and no cursor makes the reader of lines panic, whatever the page wrote.
func FuzzFind(f *testing.F) {
	f.Add(`  - 'button "a: b" [ref=abc1]'`, "1:2")
	f.Add(`- text: "[ref=abc1]"`, "x")
	f.Add(`'- '`, ":")
	f.Fuzz(func(t *testing.T, line, cursor string) {
		all := Tree{"- main:", line, line + " "}
		all.Find("abc1")
		if _, ok := Diff(all, Tree{line}); !ok {
			t.Error("three lines were too many")
		}
		all.WithInserts(map[int]Insert{1: {Tree: Tree{"- a"}, States: []string{"host=h"}}})
		parseCursor(cursor)
	})
}
