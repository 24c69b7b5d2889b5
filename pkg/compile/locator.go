package compile

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// way is one way to find a target: as it was, and as the map holds it.
type way struct {
	rank      string
	was       map[string]any // with the texts of the run
	written   map[string]any // with expressions in their place
	pick      *input         // the choice that it makes, of an item or of an option
	by        string         // the member that says which
	picked    string         // what was chosen
	brittle   bool           // by its place alone
	clean     bool           // nothing typed is left in it
	follows   bool           // it is exactly what was typed
	ambiguous bool           // the page had others when it was met
}

// locate returns the locator of a target of the step, and the input that chooses it.
func (w *writer) locate(s *Step, given json.RawMessage, t *Met) (map[string]any, *input, error) {
	ways := w.ways(s, given, t)
	if len(ways) == 0 {
		return nil, nil, invalid("call %d (%s): the log does not say what its target was", s.Number, s.Primitive).
			WithNextStep("The log keeps that since this version, with an extension of it: do the job once more and save that.")
	}
	slices.SortStableFunc(ways, func(a, b way) int { return order(a) - order(b) })
	several := ""
	for pass := range 2 { // one that the page had several of only where it has one now
		for _, v := range ways {
			if v.ambiguous != (pass == 1) || !v.clean {
				continue
			}
			switch verdict := w.check(s, v, t); {
			case verdict == Several:
				several = v.rank
				continue
			case verdict == None && pass == 0 && len(ways) > 1 && w.found(s, ways, t):
				continue // another one finds it
			case verdict != One && v.ambiguous:
				continue
			case verdict != One:
				w.unchecked++
			}
			if v.brittle {
				w.note("%s %d: nothing but its place names %s; a change of the page's structure breaks it.", w.unit(), s.Number, w.title(t))
			}
			if v.pick != nil {
				v.pick.name = free(w.taken, v.pick.name, "item")
				w.inputs = append(w.inputs, v.pick)
				w.know(v.picked, v.pick.expr())
				v.written[v.by] = slot(v.pick.expr())
			}
			return v.written, v.pick, nil
		}
	}
	f := fault.New(fault.MultipleTargets, "call %d (%s): no locator finds %s alone", s.Number, s.Primitive, w.title(t))
	if several != "" {
		f = f.With("tried_last", several)
	}
	return nil, nil, f.WithNextStep("Save the other calls with --calls, or write this step by hand: its item has to be told from others by a text.")
}

// Durable returns the most durable locator that finds a target of the primitive alone on the page
// of the address, and how it does. One that rests on the place of the element is none.
func Durable(primitive, address string, t *Met, check func(string, json.RawMessage, *Met) Verdict) (json.RawMessage, string, error) {
	w := &writer{Options: Options{Check: check}, taken: map[string]bool{}}
	s := &Step{Primitive: primitive, URL: address}
	for _, v := range w.ways(s, nil, t) {
		if v.brittle || w.check(s, v, t) != One {
			continue
		}
		raw, err := json.Marshal(v.was)
		return raw, v.rank, err
	}
	return nil, "", fault.New(fault.MultipleTargets, "no durable locator finds %s alone", w.title(t)).
		WithNextStep("Give the element a test id or a name of its own, or write its locator by hand.")
}

// order sorts ways: what follows the typed text first, what is brittle last.
func order(v way) int {
	switch {
	case v.follows:
		return 0
	case v.brittle:
		return 3
	case !v.clean:
		return 2
	}
	return 1
}

// found reports whether one of the ways finds the target on the open page.
func (w *writer) found(s *Step, ways []way, t *Met) bool {
	return slices.ContainsFunc(ways, func(v way) bool { return v.clean && w.check(s, v, t) == One })
}

func (w *writer) check(s *Step, v way, t *Met) Verdict {
	if w.Check == nil {
		return Unchecked
	}
	raw, err := json.Marshal(v.was)
	if err != nil {
		return Unchecked // not reachable: it is made of strings
	}
	return w.Check(s.URL, raw, t)
}

// ways returns the ways to a target, the most durable first.
func (w *writer) ways(s *Step, given json.RawMessage, t *Met) (ways []way) {
	add := func(rank string, members ...member) *way {
		v := way{rank: rank, was: map[string]any{}, written: map[string]any{}, clean: true}
		for _, m := range members {
			v.was[m.name] = m.value
			written, clean := w.inLocator(m.value)
			v.written[m.name], v.clean = written, v.clean && clean
		}
		if t != nil && len(t.Frame) > 0 {
			v.was["frame"], v.written["frame"] = t.Frame, t.Frame
		}
		v.ambiguous = t != nil && slices.Contains(t.Several, rank)
		ways = append(ways, v)
		return &ways[len(ways)-1]
	}
	reads := kindOf(s.Primitive) == kindRead // by its text only what it says now would be found
	if t != nil {
		if t.TestID != "" {
			add("test_id", member{"test_id", t.TestID})
		}
		if passing, words := w.wordsToCheck(s, t); passing && t.Selector != "" {
			members := []member{{"selector", t.Selector}}
			if words != "" {
				members = append(members, member{"text_contains", words})
			} else {
				w.note("Step %d: the text of %s is of this run alone; that the element is there is checked.", s.Number, w.title(t))
			}
			add("words", members...).brittle = isBrittle(t.Selector)
			return ways
		}
		// An item of a list, or a link, whose text has words that were typed before: the user chose it, and
		// what is typed the next time finds others. A number that was typed names one item.
		item := t.Row.Text != "" && w.acts(s.Primitive) && w.echoes(t.Row.Text)
		link := t.Row.Text == "" && t.Role == "link" && w.acts(s.Primitive) && w.echoes(t.Name)
		if link {
			v := add("role", member{"role", t.Role}, member{"name", t.Name})
			v.pick, v.by, v.picked = pickOf(t, "item", "the name of the link, as the page shows it"), "name", t.Name
			v.follows, v.clean = true, true
		} else if t.Role != "" && t.Name != "" && !(reads && isShownIn(t.Name, s.Output)) && !(item && w.echoes(t.Name)) {
			w.pick(s, t, add("role", member{"role", t.Role}, member{"name", t.Name}), "name", t.Name)
		}
		if t.Label != "" {
			add("label", member{"label", t.Label})
		}
		if t.Text != "" && !reads && !(item && w.echoes(t.Text)) {
			w.pick(s, t, add("text", member{"text_equals", t.Text}), "text_equals", t.Text)
		}
		if r := t.Row; r.Text != "" {
			v := add("row", member{"selector", r.Selector}, member{"text_contains", r.Text}, member{"retarget", map[string]any{"selector": r.Inner}})
			if text, clean := w.value(r.Text, asIs); item || text == r.Text || !clean {
				v.pick, v.by, v.picked, v.clean = w.rowInput(t), "text_contains", r.Text, true
				v.follows = item // a button that is the only one now is one of many the next time
			} else {
				v.follows = true
			}
		}
	}
	var own map[string]any
	if json.Unmarshal(given, &own) == nil && len(own) > 0 && own["ref"] == nil {
		var members []member
		for _, name := range sorted(own) {
			members = append(members, member{name, own[name]})
		}
		v := add("own", members...)
		v.brittle = isBrittle(text(own["selector"])) || own["nth"] != nil
	}
	if t != nil && t.Selector != "" {
		add("structure", member{"selector", t.Selector}).brittle = isBrittle(t.Selector)
	}
	return ways
}

// echoes reports whether the text has words in it that were typed, and is more than them.
func (w *writer) echoes(text string) bool {
	return w.exprOf(text) == "" && slices.ContainsFunc(w.typed, func(t typed) bool {
		_, _, found := asIs(t)[0].cut("", text)
		isNumber := w.run.Source != SourceRecording && strings.ContainsFunc(t.text, unicode.IsDigit) // there it is a token
		return found && !isNumber
	})
}

// wordsToCheck reports whether the text of an element that the user wants to be there is partly of this run
// alone, and returns what of it will be there each time: the page's own words without numbers. They are empty
// where there are none.
func (w *writer) wordsToCheck(s *Step, t *Met) (passing bool, words string) {
	text := cmp.Or(t.Text, t.Name)
	if kindOf(s.Primitive) != kindWait || w.run.Source != SourceRecording || !strings.ContainsFunc(text, isPassing) {
		return false, ""
	}
	for _, p := range w.split(text, asIs) {
		if found := stable(p.text); p.expr == "" && utf8.RuneCountInString(found) > utf8.RuneCountInString(words) {
			words = found
		}
	}
	if utf8.RuneCountInString(words) < minTyped {
		words = ""
	}
	return true, words
}

// pick makes the way to one of several choices one by an input, unless what was typed says which.
func (w *writer) pick(s *Step, t *Met, v *way, by, text string) {
	v.follows = w.exprOf(text) != ""
	if v.follows || !isChoice(s, t) {
		return
	}
	v.pick, v.by, v.picked = w.choiceInput(s, t), by, text
	v.follows, v.clean = true, true
}

// isChoice reports whether the target is one of several that somebody chose among: an option, a
// radio button, a cell of a calendar, or what was dragged.
func isChoice(s *Step, t *Met) bool {
	if kindOf(s.Primitive) == kindRead || kindOf(s.Primitive) == kindWait {
		return false
	}
	return slices.Contains([]string{"option", "radio", "menuitemradio", "gridcell"}, t.Role) || kindOf(s.Primitive) == kindDrag && t == s.Target
}

// isShownIn reports whether the output of a read has the text.
func isShownIn(text string, output json.RawMessage) bool {
	var out struct{ Text string }
	return json.Unmarshal(output, &out) == nil && strings.Contains(out.Text, text)
}

// isBrittle reports whether a selector rests on the place of an element.
func isBrittle(selector string) bool { return strings.Contains(selector, ":nth-") }

// inLocator writes the texts of a locator's member.
func (w *writer) inLocator(value any) (any, bool) {
	switch v := value.(type) {
	case string:
		return w.value(v, asIs)
	case map[string]any:
		out, clean := map[string]any{}, true
		for name, inner := range v {
			written, ok := w.inLocator(inner)
			out[name], clean = written, clean && ok
		}
		return out, clean
	case []any:
		out, clean := make([]any, len(v)), true
		for i, inner := range v {
			written, ok := w.inLocator(inner)
			out[i], clean = written, clean && ok
		}
		return out, clean
	}
	return value, true
}

func text(value any) string { s, _ := value.(string); return s }

// title names a target for people, without what was typed.
func (w *writer) title(t *Met) string {
	if t == nil {
		return "the target"
	}
	if name := w.plain(titleOf(t)); name != "" {
		return "“" + name + "”"
	}
	return "the " + t.Tag
}

func titleOf(t *Met) string {
	for _, name := range []string{t.Label, t.Name, t.Text, t.TestID} {
		if name != "" {
			return name
		}
	}
	return ""
}
