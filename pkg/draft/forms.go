package draft

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/pagemodel"
)

var (
	// fillable are the kinds that are filled in; "" is a text field as well.
	fillable = []string{"", choice, "checkbox", "text", "search", "email", "url", "tel", "number", "date", "time", "datetime-local", "month", "week"}
	// silent are inputs that users do not fill in.
	silent = []string{"hidden", "submit", "image", "button", "reset"}

	secret = regexp.MustCompile(`(?i)(^|\s)(current-password|new-password|one-time-code|cc-)`)
)

// choice is the type of a select.
const choice = "choice"

// fields returns the controls that users fill in, in the order of the document.
func (f form) fields() []control {
	var list []control
	for _, c := range f.Fields {
		switch {
		case slices.Contains(f.Textareas, boxed{c.Box}):
			c.Type = nil // an attribute of that name means nothing there
		case slices.Contains(f.Selects, boxed{c.Box}):
			kind := choice
			c.Type, c.Wrap = &kind, nil // the options stand in the label's text
		case slices.Contains(silent, strings.ToLower(text(c.Type))):
			continue
		}
		c.Text, c.Value = nil, nil // what stands in a field is the user's
		list = append(list, c)
	}
	return list
}

func (f form) secret() bool {
	return slices.ContainsFunc(f.Fields, control.secret)
}

func (c control) secret() bool {
	return strings.EqualFold(text(c.Type), "password") || secret.MatchString(text(c.Autocomplete))
}

// submit returns the form's default button.
func (f form) submit() (control, bool) {
	i := slices.IndexFunc(f.Buttons, func(c control) bool {
		kind := strings.ToLower(text(c.Type))
		return kind == "" || kind == "submit" || kind == "image"
	})
	if i < 0 {
		return control{}, false
	}
	return f.Buttons[i], true
}

// label returns the visible name of the control.
func (p *page) label(c control) string {
	return line(cmp.Or(p.labels[text(c.ID)], text(c.Wrap), text(c.Label), text(c.Text), text(c.Placeholder), text(c.Value), text(c.Name)))
}

// addForm writes the action of a form, or a note with the reason for none.
func (w *writer) addForm(ctx context.Context, find *finder, f form) error {
	button, hasButton := f.submit()
	label := line(cmp.Or(text(f.Label), map[bool]string{true: "search"}[text(f.Role) == "search"], text(f.ID), text(f.Name), w.page.label(button), "form"))
	if f.secret() {
		w.note("The form " + label + " asks for a secret, so it has no action: signing in and paying stay with the user.")
		return nil
	}
	if !f.shown() {
		w.note("The form " + label + " has no action: it is hidden. Open it in the page and run actions-host new again.")
		return nil
	}
	role := cmp.Or(text(f.Role), "form")
	within, ok, err := find.pick(ctx, f.selectors(), role, text(f.Label))
	if err != nil || !ok {
		w.note("The form " + label + " has no action: nothing lasting tells it from others.")
		return err
	}
	b := &formWorkflow{w: w, find: find, within: within, schema: emptyInput()}
	if err := find.try(ctx, b.candidates(f)); err != nil {
		return err
	}
	for _, c := range f.fields() {
		if err := b.fill(ctx, c); err != nil {
			return err
		}
	}
	if len(b.schema.Properties) == 0 {
		w.note("The form " + label + " has no action: none of its fields can be filled in by a lasting name.")
		return nil
	}
	b.requireOnly()
	last, err := b.send(ctx, button, hasButton)
	if err != nil || !last {
		w.note("The form " + label + " has no action: nothing lasting tells its button.")
		return err
	}
	name, free := w.freeName(cmp.Or(slug(label), "form"), "submit")
	if !free {
		if name, free = w.freeName(cmp.Or(slug(label), "form"), "submit_"+b.firstField()); !free {
			w.note("The form " + label + " has no action: another one has its name.")
			return nil
		}
	}
	steps, output := w.readBack(w.liveIn(f, find))
	b.steps = append(b.steps, steps...)
	if text(f.Label) != "" {
		within.Role, within.Name = role, text(f.Label)
	}
	w.targets = append(w.targets, named{cmp.Or(slug(label), "first") + "_form", within})
	w.add(tool{
		Name: name, Description: b.describe(label), InputSchema: b.schema, Target: &within,
		Workflow: &workflow{Version: 1, Language: "jsonata", Steps: b.steps, Output: output},
	})
	return nil
}

// controls writes the actions of forms and buttons.
func (w *writer) controls(ctx context.Context, read pagemodel.Read) error {
	find := &finder{read: read, counts: map[string]int{}}
	if err := find.try(ctx, w.candidates()); err != nil {
		return err
	}
	for i, f := range w.page.Forms {
		if i == maxForms {
			w.note(fmt.Sprintf("%d more forms have no action.", len(w.page.Forms)-i))
			break
		}
		if err := w.addForm(ctx, find, f); err != nil {
			return err
		}
	}
	if err := w.addLoose(ctx, find); err != nil {
		return err
	}
	return w.addButtons(ctx, find)
}
