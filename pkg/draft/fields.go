package draft

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxSteps is the maximum number of steps of a workflow.
const maxSteps = 25

// closingSteps is the maximum number of steps for sending and reading back.
const closingSteps = 5

// formWorkflow fills a form in, sends it and reads back.
type formWorkflow struct {
	w       *writer
	find    *finder
	within  target // the form itself
	schema  inputSchema
	steps   []step
	last    *target  // the last field that is typed into
	skipped []string // labels of what it does not fill in
}

// fill writes the steps of one field; a field without a locator is left to the user.
func (b *formWorkflow) fill(ctx context.Context, c control) error {
	label := b.w.page.label(c)
	kind := strings.ToLower(text(c.Type))
	id := b.property(cmp.Or(slug(text(c.Name)), slug(label), slug(text(c.ID)), "field"))
	if !c.canBeSet() || len(b.steps)+1+closingSteps > maxSteps {
		b.skipped = append(b.skipped, cmp.Or(label, id))
		return nil
	}
	at, ok, err := b.find.pick(ctx, c.selectors(b.within.Selector), c.role(), label)
	if err != nil || !ok {
		b.skipped = append(b.skipped, cmp.Or(label, id))
		return err
	}
	set, p := c.setting(id, label, at)
	b.schema.Properties[id] = p
	switch {
	case c.Required != nil && p.Type == "string":
		b.schema.Required = append(b.schema.Required, id)
	default:
		set.When = "{% $exists(input." + id + ") %}"
	}
	b.steps = append(b.steps, set)
	if p.Type == "string" && kind != choice {
		b.last = &at
	}
	return nil
}

// canBeSet reports whether a user could set the control now.
func (c control) canBeSet() bool {
	return c.shown() && c.Disabled == nil && c.ReadOnly == nil && slices.Contains(fillable, strings.ToLower(text(c.Type)))
}

// role returns the role that the control has without another one written.
func (c control) role() string {
	roles := map[string]string{"checkbox": "checkbox", "search": "searchbox", "number": "spinbutton", choice: "combobox"}
	return cmp.Or(roles[strings.ToLower(text(c.Type))], "textbox")
}

// setting returns the step that brings the control to the input's value, and the property of that input.
func (c control) setting(id, label string, at target) (step, property) {
	value := "{% input." + id + " %}"
	switch strings.ToLower(text(c.Type)) {
	case "checkbox":
		return step{ID: "set_" + id, Primitive: "locator.set_checked", Args: map[string]any{"locator": at, "checked": value}},
			property{Type: "boolean", Description: label}
	case choice:
		return step{ID: "choose_" + id, Primitive: "locator.select_option", Args: map[string]any{"locator": at, "label": value}},
			property{Type: "string", Description: label + ": one of its options, as the page shows it"}
	}
	p := property{Type: "string", Description: label}
	if n, err := strconv.Atoi(text(c.MaxLength)); err == nil && n > 0 {
		p.MaxLength = n
	}
	return step{ID: "type_" + id, Primitive: "locator.fill", Args: map[string]any{"locator": at, "text": value}}, p
}

// property returns a name that the form has not used yet.
func (b *formWorkflow) property(name string) string {
	free := func(n string) bool { _, taken := b.schema.Properties[n]; return !taken }
	for n := 2; !free(name); n++ {
		if next := fmt.Sprintf("%s_%d", strings.TrimRight(name, "_0123456789"), n); free(next) {
			return next
		}
	}
	return name
}

// requireOnly makes a single field required: an empty search is a mistake.
func (b *formWorkflow) requireOnly() {
	if len(b.schema.Properties) != 1 || len(b.schema.Required) > 0 || b.steps[0].Primitive != "locator.fill" {
		return
	}
	b.schema.Required = []string{b.firstField()}
	b.steps[0].When = ""
}

// candidates returns the selectors that may be picked inside the form.
func (b *formWorkflow) candidates(f form) []string {
	button, _ := f.submit()
	list := b.byKind(button)
	for _, c := range slices.Concat(f.fields(), f.Buttons) {
		list = append(list, c.selectors(b.within.Selector)...)
	}
	return list
}

// firstField returns a selector of the form's first input.
func (b *formWorkflow) firstField() string {
	for _, s := range b.steps {
		if _, id, ok := strings.Cut(s.ID, "_"); ok {
			return id
		}
	}
	return "form"
}

func (b *formWorkflow) describe(label string) string {
	d := fmt.Sprintf("Fill in the form “%s”, send it, and give what the page says then.", label)
	if len(b.skipped) > 0 {
		d += " It leaves as they are: " + strings.Join(b.skipped, ", ") + "."
		b.w.note("The form " + label + ": these are not filled in: " + strings.Join(b.skipped, ", ") + ".")
	}
	return d
}

// send clicks the form's button, or presses Enter in its last field if it has
// none; it reports false if the button has no locator.
func (b *formWorkflow) send(ctx context.Context, button control, hasButton bool) (bool, error) {
	settle := map[string]any{"delay_ms": 300}
	if !hasButton {
		if b.last == nil {
			return false, nil
		}
		b.steps = append(b.steps, step{ID: "send", Primitive: "locator.press", Args: map[string]any{"locator": *b.last, "key": "Enter"}, SettleAfter: settle})
		return true, nil
	}
	at, ok, err := b.find.pick(ctx, button.selectors(b.within.Selector), "button", b.w.page.label(button))
	if err == nil && !ok {
		at, ok, err = b.find.pick(ctx, b.byKind(button), "", "")
	}
	if err != nil || !ok {
		return false, err
	}
	b.steps = append(b.steps, step{ID: "send", Primitive: "locator.click", Args: map[string]any{"locator": at}, SettleAfter: settle})
	return true, nil
}

// byKind returns a selector of the form's button by its kind alone. It fits that button whatever else
// it fits, so that it finds no other one where it finds one. There is none without a selector of the form:
// in a whole page a kind is no lasting name.
func (b *formWorkflow) byKind(button control) []string {
	kind := strings.ToLower(text(button.Type))
	switch {
	case b.within.Selector == "":
		return nil
	case kind == "":
		return []string{b.within.Selector + " button"}
	}
	return []string{b.within.Selector + " [type=" + kind + "]"}
}

func emptyInput() inputSchema { return inputSchema{Type: "object", Properties: map[string]property{}} }
