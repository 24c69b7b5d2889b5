package compile

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

// add takes one step of the run into the action.
func (w *writer) add(i int) error {
	s := &w.run.Steps[i]
	if s.OpenedTab {
		w.note("%s %d opened another tab; the action stays in its own.", w.unit(), s.Number)
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(s.Args, &args); len(s.Args) > 0 && err != nil {
		return invalid("call %d (%s): its arguments are not whole in the log", s.Number, s.Primitive)
	}
	switch kindOf(s.Primitive) {
	case kindAct, kindKeep:
		return w.addAct(s, s.Primitive, args)
	case kindPoint:
		return w.addPoint(s, args)
	case kindKey:
		return w.addKey(s, args)
	case kindDrag:
		return w.addDrag(s, args)
	case kindNavigate:
		return w.addNavigation(s, i, args)
	case kindRead:
		return w.addRead(s, i, args)
	case kindWait:
		if w.run.Source == SourceRecording { // a check of the user's, of what a server may have to answer first
			if err := w.addAct(s, s.Primitive, args); err != nil {
				return err
			}
			check := w.steps[len(w.steps)-1]
			check.args = append(check.args, member{"timeout_ms", checkTimeoutMS})
			return nil
		}
		return w.addWait(s, args)
	case kindUnsupported:
		return invalid("call %d: %s cannot be repeated by a stored action", s.Number, s.Primitive).
			WithNextStep("Do it by primitives that name their target, or save the calls around it with --calls.")
	}
	return nil
}

// checkTimeoutMS is how long an action waits for what has to be there afterwards.
const checkTimeoutMS = 5000

// addAct adds a step with its target and its inputs.
func (w *writer) addAct(s *Step, name string, args map[string]json.RawMessage) error {
	out := &step{of: s, name: name}
	at := targetMember(name)
	if at != "" && (args[at] != nil || s.Target != nil) {
		locator, pick, err := w.locate(s, args[at], s.Target)
		if err != nil {
			return err
		}
		out.args = append(out.args, member{at, locator})
		if pick != nil {
			out.inputs = append(out.inputs, pick)
		}
	}
	return w.complete(out, args, at)
}

// complete adds the other arguments and the step.
func (w *writer) complete(out *step, args map[string]json.RawMessage, done ...string) error {
	record, ok := w.Catalogue.Public(out.name)
	if !ok {
		return invalid("call %d: this host knows no %s", out.of.Number, out.name)
	}
	for _, p := range primitive.Properties(record.InputSchema) {
		raw, given := args[p.Name]
		if !given || slices.Contains(done, p.Name) || slices.Contains(ownArguments, p.Name) {
			continue
		}
		switch {
		case p.Name == "key" && !isMeasured(raw):
			out.args = append(out.args, member{p.Name, raw})
		case slices.Contains(record.Security.InjectableArguments, p.Name):
			value, in := w.typedValue(out.of, p.Name, raw)
			if in != nil {
				out.inputs = append(out.inputs, in)
			}
			out.args = append(out.args, member{p.Name, value})
		case p.Name == "path" || p.Name == "paths":
			in := w.newInput(out.of, p.Name, raw, out.of.Target)
			out.inputs = append(out.inputs, in)
			out.args = append(out.args, member{p.Name, slot(in.expr())})
		default:
			value, _ := w.inArgument(raw)
			out.args = append(out.args, member{p.Name, value})
		}
	}
	w.append(out)
	w.expect(out, args["expect"])
	return nil
}

func (w *writer) append(out *step) {
	words := sentenceOf(w, out)
	out.sentence = words.text
	out.id = w.id(words.verb, words.object)
	w.steps = append(w.steps, out)
}

// inArgument writes the texts of any other argument.
func (w *writer) inArgument(raw json.RawMessage) (any, bool) {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return raw, true
	}
	return w.inLocator(value)
}

// isMeasured reports whether the record withholds the value.
func isMeasured(raw json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) }

func (w *writer) addPoint(s *Step, args map[string]json.RawMessage) error {
	name := map[string]string{"pointer.click": "locator.click", "pointer.double_click": "locator.double_click", "pointer.move": "locator.hover"}[s.Primitive]
	if s.Target == nil {
		if s.Primitive == "pointer.move" {
			return nil
		}
		return invalid("call %d (%s): the log does not say what was at the point", s.Number, s.Primitive).
			WithNextStep("Do it by a locator, or save the other calls with --calls.")
	}
	delete(args, "x")
	delete(args, "y")
	return w.addAct(s, name, args)
}

// addKey presses a key on what it was for, where the log says that.
func (w *writer) addKey(s *Step, args map[string]json.RawMessage) error {
	times := string(args["repeat"])
	if s.Target == nil || slices.Contains([]string{"body", "html"}, s.Target.Tag) || times != "" && times != "1" {
		return w.complete(&step{of: s, name: s.Primitive}, args)
	}
	delete(args, "trusted")
	delete(args, "repeat")
	return w.addAct(s, "locator.press", args)
}

func (w *writer) addDrag(s *Step, args map[string]json.RawMessage) error {
	if s.Target == nil || s.Destination == nil {
		return invalid("call %d (%s): the log does not say what was dragged, and where to", s.Number, s.Primitive)
	}
	from, pick, err := w.locate(s, args["locator"], s.Target)
	if err != nil {
		return err
	}
	to, onto, err := w.locate(s, args["to"], s.Destination)
	if err != nil {
		return err
	}
	for _, name := range []string{"from", "path", "duration_ms"} {
		delete(args, name)
	}
	out := &step{of: s, name: "locator.drag_to", to: onto, args: []member{{"locator", from}, {"to", to}}}
	for _, in := range []*input{pick, onto} {
		if in != nil {
			out.inputs = append(out.inputs, in)
		}
	}
	return w.complete(out, args, "locator", "to")
}

// searchWords are parameters of addresses in which somebody wrote what to look for.
var searchWords = []string{"q", "query", "search", "s", "term", "keyword", "keywords", "text"}

// addNavigation loads an address. The one that only came to the first page is no part of the job.
func (w *writer) addNavigation(s *Step, i int, args map[string]json.RawMessage) error {
	var address string
	if json.Unmarshal(args["url"], &address) != nil {
		if isMeasured(args["url"]) {
			return invalid("call %d: the log withholds the address that was loaded", s.Number)
		}
		return w.complete(&step{of: s, name: s.Primitive}, args) // a reload
	}
	if len(w.steps) == 0 && !slices.ContainsFunc(w.run.Steps[:i], func(s Step) bool { return w.acts(s.Primitive) }) && !hasSearch(address) && i < w.last {
		w.note("%s %d, which loaded the first page, is left out: the action begins there.", w.unit(), s.Number)
		return nil
	}
	out := &step{of: s, name: s.Primitive}
	if u, err := url.Parse(address); err == nil {
		query := u.Query()
		for _, name := range sorted(query) {
			values := query[name]
			if slices.Contains(searchWords, strings.ToLower(name)) && len(values) == 1 && values[0] != "" && w.exprOf(values[0]) == "" && !slices.Contains(w.constants, values[0]) {
				in := w.addInput(name, "what the page is asked for", scalar(kindText))
				out.inputs = append(out.inputs, in)
				w.know(values[0], in.expr())
			}
		}
	}
	value, _ := w.value(address, inAddress)
	out.args = append(out.args, member{"url", value})
	return w.complete(out, args, "url")
}

func hasSearch(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.ContainsFunc(sorted(u.Query()), func(name string) bool { return slices.Contains(searchWords, strings.ToLower(name)) })
}

// addRead keeps a read whose text a later step typed, and the last one after all that acted:
// what it gives is what the action gives.
func (w *writer) addRead(s *Step, i int, args map[string]json.RawMessage) error {
	var out struct {
		Text  string `json:"text"`
		Value string `json:"value"`
	}
	_ = json.Unmarshal(s.Output, &out) // other reads have other members
	field, seen := "text", out.Text
	if out.Value != "" {
		field, seen = "value", out.Value
	}
	isLast := i > w.last && !slices.ContainsFunc(w.run.Steps[i+1:], func(s Step) bool { return kindOf(s.Primitive) == kindRead })
	used := seen != "" && w.exprOf(seen) == "" && w.typesLater(i, seen)
	if !isLast && !used {
		return nil
	}
	if w.last >= 0 && used && s.Target != nil && s.Target.Secret {
		return nil // it cannot be: a secret is not read
	}
	before := len(w.steps)
	if err := w.addReading(s, args); err != nil {
		if isLast && !used {
			w.note("Call %d, the last read, is left out: %v.", s.Number, err)
			w.steps = w.steps[:before]
			return nil
		}
		return err
	}
	read := w.steps[len(w.steps)-1]
	if used {
		w.know(seen, "steps."+read.id+".output."+field)
	}
	if isLast {
		w.result = read
	}
	return nil
}

func (w *writer) addReading(s *Step, args map[string]json.RawMessage) error {
	if args["locator"] == nil {
		return w.complete(&step{of: s, name: s.Primitive}, args)
	}
	return w.addAct(s, s.Primitive, args)
}

// typesLater reports whether a later step typed the very text.
func (w *writer) typesLater(i int, seen string) bool {
	for _, s := range w.run.Steps[i+1:] {
		record, ok := w.Catalogue.Public(s.Primitive)
		var args map[string]json.RawMessage
		if !ok || json.Unmarshal(s.Args, &args) != nil {
			continue
		}
		for _, name := range record.Security.InjectableArguments {
			var typed string
			if json.Unmarshal(args[name], &typed) == nil && len(seen) >= minTyped && strings.TrimSpace(typed) == strings.TrimSpace(seen) {
				return true
			}
		}
	}
	return false
}

// addWait puts a wait for an element to the step before it; others are steps of their own.
func (w *writer) addWait(s *Step, args map[string]json.RawMessage) error {
	if len(w.steps) == 0 {
		return nil
	}
	before := w.steps[len(w.steps)-1]
	if raw := args["locator"]; raw != nil && before.settle == nil && args["url_contains"] == nil && args["text"] == nil {
		if locator, ok := w.waitLocator(s, raw, s.Target); ok {
			before.settle = []member{{"locator", locator}}
			if state := args["state"]; state != nil {
				before.settle = append(before.settle, member{"state", state})
			}
		}
		return nil
	}
	if s.Primitive != waitTool {
		return nil
	}
	var text string
	_ = json.Unmarshal(args["text"], &text) // the schema has checked it
	if _, ok := w.textToAwait(s, text); !ok {
		return nil
	}
	return w.complete(&step{of: s, name: waitTool}, args, "locator")
}

// waitLocator returns the locator of a wait; false where a ref alone named it.
func (w *writer) waitLocator(s *Step, raw json.RawMessage, t *Met) (any, bool) {
	var own map[string]any
	if json.Unmarshal(raw, &own) != nil || own["ref"] != nil {
		if t == nil {
			return nil, false
		}
		locator, _, err := w.locate(s, raw, t)
		return locator, err == nil
	}
	written, clean := w.inLocator(own)
	return written, clean
}

// textToAwait returns the text of a wait as the map holds it; false where it has what was typed in
// other letters, or inside of a word, which no input stands for.
func (w *writer) textToAwait(s *Step, text string) (any, bool) {
	value, clean := w.value(text, asIs)
	if !clean {
		w.note("%s %d: the wait for a text is left out, as it has what was typed in other letters or inside of a word.", w.unit(), s.Number)
	}
	return value, clean
}

// expect turns what the caller waited for into waits of the action.
func (w *writer) expect(out *step, raw json.RawMessage) {
	var e struct {
		Text    string          `json:"text"`
		Locator json.RawMessage `json:"locator"`
		URL     string          `json:"url"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &e) != nil {
		return
	}
	if e.Locator != nil {
		if locator, ok := w.waitLocator(out.of, e.Locator, nil); ok {
			out.settle = []member{{"locator", locator}}
		}
	}
	var args []member
	if e.Text != "" {
		if value, ok := w.textToAwait(out.of, e.Text); ok {
			args = append(args, member{"text", value})
		}
	}
	if e.URL != "" {
		value, _ := w.value(e.URL, inAddress)
		args = append(args, member{"url_contains", value})
	}
	if len(args) > 0 {
		w.append(&step{of: out.of, name: waitTool, args: args})
	}
}

// await waits for what the result is read from: the run saw it there.
func (w *writer) await() {
	if w.result == nil || len(w.steps) < 2 || w.result.name != textTool {
		return
	}
	before := w.steps[len(w.steps)-2]
	if before.loop != nil { // its first step stands for the round
		before = before.loop.steps[len(before.loop.steps)-1]
	}
	if before.settle != nil || !w.acts(before.name) {
		return
	}
	locator, ok := w.result.args[0].value.(map[string]any)
	if !ok {
		return
	}
	wanted := map[string]any{}
	for name, value := range locator {
		wanted[name] = value
	}
	if shown := w.shown(w.result); shown != "" && locator["text_contains"] == nil && locator["retarget"] == nil {
		wanted["text_contains"] = slot(shown)
	}
	before.settle = []member{{"locator", wanted}, {"timeout_ms", checkTimeoutMS}}
}

// shown returns the expression of an input that the text of the read has; empty for none.
func (w *writer) shown(read *step) string {
	var out struct{ Text string }
	if json.Unmarshal(read.of.Output, &out) != nil {
		return ""
	}
	for _, p := range w.split(out.Text, asIs) {
		if strings.HasPrefix(p.expr, "input.") {
			return p.expr
		}
	}
	return ""
}
