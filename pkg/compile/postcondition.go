package compile

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// postcondition returns what the page showed after the last act and not before, or the address to
// which it went; nil where nothing telling was seen.
func (w *writer) postcondition(action string) *projection {
	if w.last < 0 {
		return nil
	}
	p := &projection{Name: action + "_state", Description: "What the page shows after it.", Snapshot: snapshot{Version: 1, Source: "dom", Extract: []extractor{}}}
	var state, verify []string
	for i, seen := range w.changed() {
		id := fmt.Sprintf("shown_%d", i+1)
		p.Snapshot.Extract = append(p.Snapshot.Extract, extractor{ID: id, Selector: seen.Selector, Fields: map[string]any{"text": map[string]any{"trim": true}}})
		state = append(state, "'"+id+"': $string(records."+id+".text)")
		verify = append(verify, seen.verify("state."+id))
	}
	if path := w.arrived(); path != "" {
		value, clean := w.value(path, inAddress)
		if expr, ok := value.(string); ok && clean {
			state = append(state, "'url': url")
			if inner, isSlot := strings.CutPrefix(expr, "{% "); isSlot {
				verify = append(verify, "$contains(state.url, "+strings.TrimSuffix(inner, " %}")+")")
			} else {
				verify = append(verify, "$contains(state.url, "+quote(path)+")")
			}
		}
	}
	if len(verify) == 0 {
		return nil
	}
	if len(p.Snapshot.Extract) == 0 { // an extraction reads something
		p.Snapshot.Extract = append(p.Snapshot.Extract, extractor{ID: "page", Selector: "body", Fields: map[string]any{"tag": map[string]any{"attribute": "id"}}})
	}
	p.Snapshot.Projection = expression{"jsonata", "{% {" + strings.Join(state, ", ") + "} %}"}
	p.Postconditions = map[string]postcondition{action: {
		Verify:         expression{"jsonata", slot(strings.Join(verify, " and "))},
		FailureMessage: "The page does not show what it showed when this was recorded.",
	}}
	return p
}

// change is an element whose text is another one since the last act.
type change struct {
	Seen
	exprs []string // of the inputs that it shows
	words string   // what of its text did not come from inputs, before the first of them
}

// verify returns the condition on the text: it shows the inputs, or begins as it did.
func (c change) verify(text string) string {
	if len(c.exprs) == 0 {
		return "$contains(" + text + ", " + quote(c.words) + ")"
	}
	var all []string
	for _, expr := range c.exprs {
		all = append(all, "$contains("+text+", "+expr+")")
	}
	return strings.Join(all, " and ")
}

// maxChanges bounds the elements of a postcondition.
const maxChanges = 3

// changed returns the elements that showed something else after the last act than before it.
func (w *writer) changed() (all []change) {
	before, after := map[string]string{}, []Seen{}
	known, wanted := map[string]bool{}, map[string]bool{}
	for i, s := range w.run.Steps {
		if seen, ok := w.checked(&s); ok && i > w.last {
			after, wanted[seen.Selector] = append(after, seen), true
		}
		for _, seen := range s.Before {
			if i <= w.last {
				before[seen.Selector], known[seen.Selector] = seen.Text, true
			}
		}
		for _, seen := range s.After {
			if i < w.last {
				before[seen.Selector], known[seen.Selector] = seen.Text, true
			} else {
				after = append(after, seen)
			}
		}
	}
	slices.Reverse(after) // the last look counts
	done := map[string]bool{}
	for _, seen := range after {
		if done[seen.Selector] || len(all) == maxChanges || strings.TrimSpace(seen.Text) == "" {
			continue
		}
		done[seen.Selector] = true
		if slices.ContainsFunc(all, func(c change) bool { return c.Text == seen.Text }) {
			continue // the same element by another name
		}
		if selector, clean := w.value(seen.Selector, asIs); !clean || selector != seen.Selector {
			continue
		}
		c := change{Seen: seen}
		for _, p := range w.split(seen.Text, asIs) {
			switch {
			case strings.HasPrefix(p.expr, "input.") && !slices.Contains(c.exprs, p.expr):
				c.exprs = append(c.exprs, p.expr)
			case p.expr == "" && c.words == "":
				c.words = stable(p.text)
			}
		}
		fresh := wanted[seen.Selector] || known[seen.Selector] && before[seen.Selector] != seen.Text
		if len(c.exprs) == 0 && (!fresh || len([]rune(c.words)) < minTyped || w.mentions(c.words) || strings.Contains(before[seen.Selector], c.words)) {
			continue // it says nothing of this run
		}
		all = append(all, c)
	}
	return all
}

// checked returns what the user pointed at as what has to be there afterwards; false for other steps, and
// where only its place, or a frame, names it.
func (w *writer) checked(s *Step) (Seen, bool) {
	t := s.Target
	if kindOf(s.Primitive) != kindWait || w.run.Source != SourceRecording || t == nil || t.Selector == "" || isBrittle(t.Selector) || len(t.Frame) > 0 {
		return Seen{}, false
	}
	return Seen{Selector: t.Selector, Text: cmp.Or(t.Text, t.Name)}, true
}

// isPassing reports whether the character is of what differs from run to run: a number, or what the extension
// puts in place of a word that was typed.
func isPassing(r rune) bool { return unicode.IsDigit(r) || r == '…' }

// stable returns the longest stretch of a text whose words are there in each run. The word after a number is
// left out: it is another one with one item and with two.
func stable(text string) string {
	var longest, run []string
	size := func(words []string) int { return utf8.RuneCountInString(strings.Join(words, " ")) }
	after := false
	for _, word := range append(strings.Fields(text), "…") {
		passing := strings.ContainsFunc(word, isPassing)
		if !passing && !after {
			run = append(run, word)
			continue
		}
		after = passing
		if size(run) > size(longest) {
			longest = run
		}
		run = nil
	}
	found := []rune(strings.Join(longest, " "))
	return strings.TrimSpace(string(found[:min(len(found), 80)]))
}

// arrived returns the path of another page to which the acts led, up to what may be a number of
// this run; empty where they stayed.
func (w *writer) arrived() string {
	end := ""
	for i, s := range w.run.Steps {
		if s.Navigated != "" {
			end = s.Navigated
		}
		if i == w.last && s.Navigated == "" && w.run.Source != SourceRecording && !slices.ContainsFunc(w.run.Steps[i+1:], func(s Step) bool { return s.URL != "" }) {
			return "" // the log ends with this act: it does not say whether that led on
		}
	}
	from, err := url.Parse(w.start())
	to, err2 := url.Parse(end)
	if end == "" || err != nil || err2 != nil || to.Path == from.Path {
		return ""
	}
	var kept []string
	for _, segment := range strings.Split(strings.Trim(to.EscapedPath(), "/"), "/") {
		if strings.ContainsAny(segment, "0123456789") {
			kept = append(kept, "")
			break
		}
		kept = append(kept, segment)
	}
	if path := "/" + strings.Join(kept, "/"); path != "/" {
		return path
	}
	return ""
}
