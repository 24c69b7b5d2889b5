// Package snapshot holds snapshots of pages: trees with one line per node, indented by two
// spaces per level. It splits them into pages, compares them and stores the last ones.
//
// Rules of this package:
//   - A line is what the page code wrote; it is compared and counted, never
//     understood, but for its indentation, its ref, its role and its name.
//   - No node is lost or repeated: pages and differences are made of whole lines.
//   - What is remembered is bounded, and belongs to one session and one tab.
package snapshot

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Step is the indentation of one level.
const Step = "  "

// Tree is a snapshot's lines.
type Tree []string

// Chars counts the characters of the tree's text.
func (t Tree) Chars() int {
	total := max(len(t)-1, 0) // the line breaks
	for _, line := range t {
		total += utf8.RuneCountInString(line)
	}
	return total
}

// String is the tree's text.
func (t Tree) String() string { return strings.Join(t, "\n") }

// Page returns the lines from one on that fit into a number of characters, and
// the number of the line after them. It returns one line at least.
func (t Tree) Page(from, maxChars int) (text string, after int) {
	chars := 0
	for after = from; after < len(t); after++ {
		chars += utf8.RuneCountInString(t[after]) + 1
		if chars > maxChars && after > from {
			break
		}
	}
	return t[from:after].String(), after
}

// Ancestors returns the ancestors of the line, the outermost first.
func (t Tree) Ancestors(line int) []int {
	var above []int
	level := indent(t[line])
	for i := line - 1; i >= 0 && level > 0; i-- {
		if in := indent(t[i]); in < level {
			level = in
			above = append([]int{i}, above...)
		}
	}
	return above
}

// WithInserts returns the tree with others inserted under some of its lines, by line number.
// States and remarks are added to these lines themselves.
func (t Tree) WithInserts(under map[int]Insert) Tree {
	var out Tree
	for i, line := range t {
		insert, ok := under[i]
		if !ok {
			out = append(out, line)
			continue
		}
		head := strings.TrimSuffix(line, ":")
		for _, state := range insert.States {
			head = withState(head, state)
		}
		switch {
		case len(insert.Tree) > 0:
			out = append(out, head+":")
		case insert.Remark != "":
			out = append(out, head+": "+insert.Remark)
		default:
			out = append(out, head)
		}
		deeper := strings.Repeat(" ", indent(line)) + Step
		for _, inner := range insert.Tree {
			out = append(out, deeper+inner)
		}
	}
	return out
}

// Insert is what another document adds to the line of its frame.
type Insert struct {
	Tree   Tree
	States []string
	Remark string // instead of a tree; plain words
}

// A line whose key is quoted ends in the quote.
func withState(line, state string) string {
	if strings.HasSuffix(line, "'") && strings.HasPrefix(strings.TrimLeft(line, " "), "- '") {
		return strings.TrimSuffix(line, "'") + " [" + state + "]'"
	}
	return line + " [" + state + "]"
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

var (
	refState    = regexp.MustCompile(` \[ref=([a-z]{3}[0-9]+)\]`)
	linePattern = regexp.MustCompile(`^ *- '?([a-z]+)(?: ("(?:[^"\\]|\\.)*"))?`)
)

// refOf returns the ref of a line, "" if it has none. Only the role and the name precede it, so
// that no text of the page can pass for one.
func refOf(line string) string {
	at := linePattern.FindStringIndex(line)
	if at == nil {
		return ""
	}
	if m := refState.FindStringSubmatchIndex(line[at[1]:]); m != nil && m[0] == 0 {
		return line[at[1]+m[2] : at[1]+m[3]]
	}
	return ""
}

// roleAndName returns the role and the name of a line.
func roleAndName(line string) (role, name string) {
	m := linePattern.FindStringSubmatch(line)
	if m == nil {
		return "", ""
	}
	if m[2] == "" {
		return m[1], ""
	}
	quoted := m[2]
	if strings.HasPrefix(strings.TrimLeft(line, " "), "- '") {
		quoted = strings.ReplaceAll(quoted, "''", "'")
	}
	if err := json.Unmarshal([]byte(quoted), &name); err != nil {
		return m[1], "" // not a line of ours: without a name nothing is offered
	}
	return m[1], name
}

// Find returns the role and the name that the ref stands for.
func (t Tree) Find(ref string) (role, name string, found bool) {
	for _, line := range t {
		if refOf(line) == ref {
			role, name = roleAndName(line)
			return role, name, true
		}
	}
	return "", "", false
}
