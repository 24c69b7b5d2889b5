package draft

import (
	"context"
	"slices"
	"strings"
)

// addLoose writes an action for each of the first fields outside of forms, of which applications
// often consist: it sets the field, and presses Enter in it where the caller asks for that.
func (w *writer) addLoose(ctx context.Context, find *finder) error {
	written := 0
	var skipped []string
	for _, c := range w.page.Loose.fields() {
		label := w.page.label(c)
		if c.secret() && c.shown() {
			w.note("The field " + label + " asks for a secret, so it has no action.")
			continue
		}
		if !c.canBeSet() {
			continue
		}
		name, free := w.freeName(slug(label), "set")
		if slug(label) == "" || !free || written == maxLoose {
			skipped = append(skipped, label)
			continue
		}
		at, ok, err := find.pick(ctx, c.selectors(""), c.role(), label)
		if err != nil {
			return err
		}
		if !ok {
			skipped = append(skipped, label)
			continue
		}
		written++
		w.targets = append(w.targets, named{slug(label) + "_field", at})
		w.add(w.loose(name, label, c, at, find))
	}
	if skipped = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(skipped))), func(s string) bool { return s == "" }); len(skipped) > 0 {
		w.note("These fields have no action, being too many or without a name of their own: " + strings.Join(skipped[:min(len(skipped), 10)], ", ") + ".")
	}
	return nil
}

// loose returns the action of a field.
func (w *writer) loose(name, label string, c control, at target, find *finder) tool {
	set, value := c.setting("value", label, at)
	set.SettleAfter = map[string]any{"delay_ms": 300}
	schema := inputSchema{Type: "object", Required: []string{"value"}, Properties: map[string]property{"value": value}}
	steps := []step{set}
	if set.Primitive == "locator.fill" {
		schema.Properties["enter"] = property{Type: "boolean", Description: "press Enter in the field afterwards"}
		steps = append(steps, step{
			ID: "enter", When: "{% input.enter = true %}", Primitive: "locator.press",
			Args: map[string]any{"locator": at, "key": "Enter"}, SettleAfter: set.SettleAfter,
		})
	}
	read, output := w.readBack(w.liveIn(form{}, find))
	return tool{
		Name: name, Description: "Set “" + label + "” and give what the page says then.", InputSchema: schema, Target: &at,
		Workflow: &workflow{Version: 1, Language: "jsonata", Steps: append(steps, read...), Output: output},
	}
}
