package compile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/workflow"
)

// minRepeats is how often the same steps come one after the other before they are a loop.
const minRepeats = 2

// loop is a run over a list: the step, or the first of several, has it.
type loop struct {
	list  *input
	steps []*step // of one round
}

// loop makes one step of those that repeat over a list: the same steps, of which each round has
// inputs of its own.
func (w *writer) loop() {
	for size := 1; size <= len(w.steps)/minRepeats; size++ {
		for at := 0; at+minRepeats*size <= len(w.steps); at++ {
			rounds := w.rounds(at, size)
			if rounds < minRepeats {
				continue
			}
			if !w.usedOutside(at, size*rounds) {
				w.fold(at, size, rounds)
			}
		}
	}
}

// rounds counts how often the steps from there on repeat with inputs of their own.
func (w *writer) rounds(at, size int) int {
	first := w.steps[at : at+size]
	if !slices.ContainsFunc(first, func(s *step) bool { return len(s.inputs) > 0 }) || slices.Contains(first, w.result) || !slices.ContainsFunc(first, w.addsUp) ||
		slices.ContainsFunc(first, func(s *step) bool { return s.loop != nil }) {
		return 0
	}
	want, n := w.shape(first), 1
	for next := at + size; next+size <= len(w.steps); next += size {
		round := w.steps[next : next+size]
		if slices.Contains(round, w.result) || w.shape(round) != want {
			break
		}
		n++
	}
	return n
}

// addsUp reports whether doing the step once more does more: to fill the same field again, or to choose
// another one of several, takes the place of the time before.
func (w *writer) addsUp(s *step) bool {
	t := s.of.Target
	if t != nil && slices.Contains([]string{"radio", "menuitemradio"}, t.Role) {
		return false
	}
	switch s.name {
	case "locator.fill", selectTool, "locator.set_checked":
		raw, _ := json.Marshal(object(s.args)["locator"]) // of strings and JSON
		return strings.Contains(string(raw), "{%")        // another one each time
	}
	return w.acts(s.name)
}

// shape is what is the same in each round: all but which inputs are used.
func (w *writer) shape(round []*step) string {
	var b strings.Builder
	own := ownInputs(round)
	for _, s := range round {
		raw, _ := json.Marshal([]any{s.name, object(s.args), object(s.settle)}) // of strings and JSON
		b.Write(raw)
	}
	text := b.String()
	for i, in := range own {
		text = renamed(text, in.expr(), fmt.Sprintf("input.\x00%d", i))
		schema, _ := json.Marshal(in.schema)
		text += string(schema)
	}
	return text
}

// ownInputs are the inputs that the round brings, in their order.
func ownInputs(round []*step) (own []*input) {
	for _, s := range round {
		own = append(own, s.inputs...)
	}
	return own
}

// renamed replaces an expression where it is not the start of a longer name.
func renamed(text, from, to string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, from)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if after != "" && (after[0] == '_' || after[0] >= '0' && after[0] <= '9' || after[0] >= 'a' && after[0] <= 'z') {
			b.WriteString(from)
		} else {
			b.WriteString(to)
		}
		text = after
	}
}

// usedOutside reports whether another step uses an input of the rounds, which is none after them.
func (w *writer) usedOutside(at, n int) bool {
	gone := ownInputs(w.steps[at : at+n])
	for i, s := range w.steps {
		if i >= at && i < at+n {
			continue
		}
		raw, _ := json.Marshal([]any{object(s.args), object(s.settle)}) // of strings and JSON
		if slices.ContainsFunc(gone, func(in *input) bool { return renamed(string(raw), in.expr(), "") != string(raw) }) {
			return true
		}
	}
	return false
}

// fold puts one round in the place of all.
func (w *writer) fold(at, size, rounds int) {
	round := slices.Clone(w.steps[at : at+size])
	own := ownInputs(round)
	items := own[0].schema
	if len(own) > 1 {
		properties, required := map[string]any{}, []string{}
		for _, in := range own {
			properties[in.name], required = in.schema, append(required, in.name)
		}
		items = map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	}
	list := &input{name: free(w.taken, own[0].name+"_list", "items"), schema: map[string]any{
		"type": "array", "items": items, "minItems": 1, "maxItems": workflow.MaxLoop, "description": fmt.Sprintf("one for each round; the run had %d", rounds),
	}}
	gone := ownInputs(w.steps[at : at+size*rounds])
	place := slices.Index(w.inputs, own[0])
	w.inputs[place] = list
	w.inputs = slices.DeleteFunc(w.inputs, func(in *input) bool { return slices.Contains(gone, in) })
	// What came after may have found the texts of a round again: it stands for that of the first no more.
	for _, s := range round {
		for i := range s.args {
			s.args[i].value = w.inItem(s.args[i].value, own)
		}
		for i := range s.settle {
			s.settle[i].value = w.inItem(s.settle[i].value, own)
		}
		s.inputs = nil
	}
	round[0].inputs = []*input{list}
	round[0].sentence = "for each of *" + list.name + "*: " + sentences(round)
	round[0].loop = &loop{list: list, steps: round}
	w.steps = slices.Concat(w.steps[:at], round[:1], w.steps[at+size*rounds:])
	w.typed = slices.DeleteFunc(w.typed, func(t typed) bool {
		return slices.ContainsFunc(gone, func(in *input) bool { return in.expr() == t.expr })
	})
}

func sentences(round []*step) string {
	var all []string
	for _, s := range round {
		all = append(all, s.sentence)
	}
	return strings.Join(all, ", ")
}

// inItem writes the inputs of a round as members of its item.
func (w *writer) inItem(value any, own []*input) any {
	switch v := value.(type) {
	case string:
		for _, in := range own {
			to := "item"
			if len(own) > 1 {
				to += "." + in.name
			}
			v = renamed(v, in.expr(), to)
		}
		return v
	case map[string]any:
		out := map[string]any{}
		for name, inner := range v {
			out[name] = w.inItem(inner, own)
		}
		return out
	}
	return value
}

// count is the number of steps, those of loops included.
func (w *writer) count() (n int) {
	for _, s := range w.steps {
		n++
		if s.loop != nil {
			n += len(s.loop.steps) - 1
		}
	}
	return n
}
