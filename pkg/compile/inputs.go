package compile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// input is an input of the action.
type input struct {
	name   string
	schema map[string]any
}

func (in *input) expr() string { return "input." + in.name }

const kindText = "text"

// scalar returns the schema of one value of a kind of field, with an example that is made up.
func scalar(kind string) map[string]any {
	text := func(example string, more ...member) map[string]any {
		s := map[string]any{"type": "string", "examples": []any{example}}
		for _, m := range more {
			s[m.name] = m.value
		}
		return s
	}
	switch kind {
	case "date":
		return text("2030-01-31", member{"format", "date"})
	case "datetime-local":
		return text("2030-01-31T09:30")
	case "month":
		return text("2030-01")
	case "week":
		return text("2030-W05")
	case "time":
		return text("09:30")
	case "email":
		return text("ada@example.org")
	case "tel":
		return text("+49 30 000000")
	case "url":
		return text("https://example.org/")
	case "number", "range":
		return text("3", member{"pattern", `^-?[0-9]+([.,][0-9]+)?$`})
	case "color":
		return text("#336699")
	}
	return text("an example")
}

// addInput adds an input.
func (w *writer) addInput(name, description string, schema map[string]any) *input {
	in := &input{name: free(w.taken, slug(name), "text"), schema: schema}
	if description != "" {
		schema["description"] = description
	}
	w.inputs = append(w.inputs, in)
	return in
}

// typedValue returns what the map has in place of a value that was typed or chosen: an
// expression, and the input that it needs anew.
func (w *writer) typedValue(s *Step, name string, raw json.RawMessage) (any, *input) {
	var text string
	known := json.Unmarshal(raw, &text) == nil
	secret := s.Target != nil && s.Target.Secret
	if known && !secret {
		if s.Constant {
			w.constants = append(w.constants, text)
		}
		if text == "" || s.Constant {
			return constant(text), nil // a field that is cleared, or the user's own word
		}
		if expr := w.exprOf(text); expr != "" {
			return slot(expr), nil
		}
	}
	in := w.newInput(s, name, raw, s.Target)
	if known {
		w.know(text, in.expr())
	}
	return slot(in.expr()), in
}

// newInput makes the input for an argument of the step.
func (w *writer) newInput(s *Step, argument string, raw json.RawMessage, t *Met) *input {
	kind, title := kindText, ""
	if t != nil {
		kind, title = cmp.Or(t.Kind, kindText), w.plain(titleOf(t))
	}
	schema := scalar(kind)
	switch {
	case t != nil && t.Secret:
		schema = map[string]any{"type": "string", "writeOnly": true}
	case argument == "index":
		schema = map[string]any{"type": "integer", "minimum": 0, "examples": []any{1}}
	case s.Primitive == selectTool:
		schema["examples"] = []any{"an option"}
	case argument == "path" || argument == "paths":
		schema["examples"] = []any{"/home/ada/example.txt"}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && list != nil {
		schema = map[string]any{"type": "array", "items": schema}
	}
	return w.addInput(cmp.Or(title, argument), describe(s, argument, title, t), schema)
}

func describe(s *Step, argument, title string, t *Met) string {
	what := map[string]string{"index": "which option, from 0, in", "value": "value of the option in", "label": "option to choose in", "path": "file for", "paths": "files for"}[argument]
	if what == "" {
		what = "text for"
	}
	if t != nil && t.Secret {
		what = "secret for"
	}
	if title == "" {
		return what + " call " + fmt.Sprintf("%d", s.Number)
	}
	return what + " “" + title + "”"
}

// rowInput is the choice among the items of a list, by a text that one of them alone has.
func (w *writer) rowInput(t *Met) *input {
	name := "item"
	if title := titleOf(t); title != t.Row.Text {
		if words := slug(w.plain(title)); words != "" {
			name = "item_to_" + words
		}
	}
	return pickOf(t, name, "a text of the item in the list, which no other has")
}

// choiceInput is the choice of an option by its name. The field that was used before says what
// it is for.
func (w *writer) choiceInput(s *Step, t *Met) *input {
	if kindOf(s.Primitive) == kindDrag {
		if t == s.Destination {
			return pickOf(t, "destination", "the name of where it is dropped, as the page shows it")
		}
		return pickOf(t, "item_to_drag", "the text of what is dragged")
	}
	name := map[string]string{"gridcell": "cell", "menuitemradio": "choice", "radio": "choice"}[t.Role]
	name = cmp.Or(name, t.Role)
	if n := len(w.steps); n > 0 && t.Role != "radio" {
		before := w.steps[n-1].of.Target
		if before != nil && slices.Contains([]string{"combobox", "textbox", "searchbox"}, before.Role) {
			name = cmp.Or(slug(w.plain(titleOf(before)))+"_choice", name)
		}
	}
	return pickOf(t, name, "the name of the "+strings.TrimPrefix(t.Role, "menuitem")+" to choose, as the page shows it")
}

func pickOf(t *Met, name, description string) *input {
	in := &input{name: name, schema: scalar(kindText)}
	in.schema["description"] = description
	if t.Secret {
		in.schema["writeOnly"] = true
	}
	return in
}

func sorted[V any](members map[string]V) []string { return slices.Sorted(maps.Keys(members)) }

// schema returns the action's input schema.
func (w *writer) schema() map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, in := range w.inputs {
		properties[in.name] = in.schema
		required = append(required, in.name)
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// place returns the host and path of the address that a step loads, without a path that has what was typed;
// empty where it loads the page again.
func (w *writer) place(s *Step) string {
	var args struct{ URL string }
	if json.Unmarshal(s.Args, &args) != nil {
		return ""
	}
	u, err := url.Parse(args.URL)
	switch {
	case err != nil:
		return ""
	case w.mentions(u.Path):
		return u.Host
	}
	return u.Host + u.Path
}

// words are what a step does, for people.
type words struct{ text, verb, object string }

// sentenceOf returns what a step does: type *query* into *Search the teas*.
func sentenceOf(w *writer, out *step) words {
	object := ""
	if out.of.Target != nil && targetMember(out.name) != "" {
		object = w.plain(titleOf(out.of.Target))
		if kindOf(out.of.Primitive) == kindRead { // its text is what is read
			object = w.plain(cmp.Or(out.of.Target.Label, out.of.Target.TestID, out.of.Target.Selector))
		}
		if passing, words := w.wordsToCheck(out.of, out.of.Target); passing {
			object = words
		}
		if object == "" {
			object = "the " + out.of.Target.Tag
		}
	}
	var ins []string
	for _, in := range out.inputs {
		if in != out.to {
			ins = append(ins, "*"+in.name+"*")
		}
	}
	what := strings.Join(ins, " and ")
	value := func(name string) string {
		for _, m := range out.args {
			if m.name == name {
				switch v := m.value.(type) {
				case string:
					return strings.Trim(strings.TrimSuffix(strings.TrimPrefix(v, "{% "), " %}"), `"`)
				case json.RawMessage:
					return strings.Trim(string(v), `"`)
				case bool:
					if v {
						return "true"
					}
				}
			}
		}
		return ""
	}
	what = cmp.Or(what, value("text"), value("value"), value("label"))
	on := "*" + object + "*"
	if object == "" {
		on = "what has the focus"
	}
	if len(ins) > 0 && out.of.Target != nil && isChoice(out.of, out.of.Target) && kindOf(out.of.Primitive) != kindDrag {
		return words{"choose " + what, "choose", out.inputs[0].name}
	}
	switch out.name {
	case "locator.fill", "text.insert", "text.type":
		if what == "" {
			return words{"clear " + on, "clear", object}
		}
		return words{"type " + strings.ReplaceAll(what, "input.", "") + " into " + on, "type", object}
	case "clipboard.paste":
		return words{"paste " + what + " into " + on, "paste", object}
	case selectTool:
		return words{"choose " + what + " in " + on, "choose", object}
	case "locator.set_checked":
		if value("checked") == "true" {
			return words{"check " + on, "check", object}
		}
		return words{"uncheck " + on, "uncheck", object}
	case "locator.press", "keyboard.press":
		return words{"press " + value("key") + " in " + on, "press " + value("key"), object}
	case "locator.upload_file":
		return words{"upload " + what + " to " + on, "upload", object}
	case "locator.drag_to":
		if what != "" {
			on = what
		}
		to := w.plain(titleOf(out.of.Destination))
		if out.to != nil {
			to = out.to.name
		}
		return words{"drag " + on + " to *" + cmp.Or(to, "the "+out.of.Destination.Tag) + "*", "drag", object}
	case navigateTool:
		return words{"open " + cmp.Or(w.place(out.of), "the page again"), "open", "page"}
	case waitTool:
		return words{"wait for " + cmp.Or(value("text"), value("url_contains"), "the page"), "wait", ""}
	case textTool, "locator.value":
		return words{"read " + on, "read", object}
	case "locator.click":
		if len(ins) > 0 {
			return words{"click " + on + " of the item " + what, "click", object}
		}
		return words{"click " + on, "click", object}
	}
	_, verb, _ := strings.Cut(out.name, ".")
	verb = strings.ReplaceAll(verb, "_", " ")
	return words{verb + " " + on, verb, object}
}
