package draft

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// candidates lists the selectors of forms, buttons and live places.
func (w *writer) candidates() (list []string) {
	for i, f := range w.page.Forms {
		if i == maxForms {
			break
		}
		list = append(list, f.selectors()...)
	}
	for _, c := range slices.Concat(w.page.Buttons, w.page.Live) {
		list = append(list, c.selectors("")...)
	}
	return list
}

// addButtons writes an action for each of the first buttons that stand alone
// and can be told apart by what they are called.
func (w *writer) addButtons(ctx context.Context, find *finder) error {
	written := 0
	var left []string
	repeated := w.repeatedButtons()
	for _, c := range w.page.Buttons {
		label := w.page.label(c)
		if c.Form != nil || !c.shown() || label == "" || repeated[withoutNumbers(label)] > 0 {
			continue
		}
		name, free := w.freeName(slug(label))
		if slug(label) == "" || !free || written == maxButtons {
			left = append(left, label)
			continue
		}
		at, ok, err := find.pick(ctx, c.selectors(""), "button", label)
		if err != nil {
			return err
		}
		if !ok {
			left = append(left, label)
			continue
		}
		written++
		steps, output := w.readBack(w.liveIn(form{}, find))
		steps = append([]step{
			{ID: "find_button", Primitive: "locator.element_info", Args: map[string]any{"locator": at}},
			{ID: "press", Primitive: "pointer.click", Args: centre("find_button"), SettleAfter: map[string]any{"delay_ms": 300}},
		}, steps...)
		w.targets = append(w.targets, named{slug(label) + "_button", at})
		w.add(tool{
			Name: name, Description: "Press “" + label + "” and give what the page says then.", InputSchema: emptyInput(), Target: &at,
			Workflow: &workflow{Version: 1, Language: "jsonata", Steps: steps, Output: output},
		})
	}
	for _, label := range slices.Sorted(maps.Keys(repeated)) {
		w.note(fmt.Sprintf("%d buttons “%s” differ by a number alone, as in the rows of a list: one action that takes it as an argument serves them all.", repeated[label], label))
	}
	if len(left) > 0 {
		left = slices.Compact(slices.Sorted(slices.Values(left)))
		w.note("These buttons have no action, being too many or without a name of their own: " + strings.Join(left[:min(len(left), 10)], ", ") + ".")
	}
	return nil
}

// minRepeated is from how many buttons on a number makes no name: it names a row.
const minRepeated = 3

// repeatedButtons counts the buttons that numbers alone tell apart.
func (w *writer) repeatedButtons() map[string]int {
	counts := map[string]int{}
	for _, c := range w.page.Buttons {
		label := w.page.label(c)
		if short := withoutNumbers(label); c.Form == nil && c.shown() && short != label {
			counts[short]++
		}
	}
	maps.DeleteFunc(counts, func(_ string, count int) bool { return count < minRepeated })
	return counts
}

// withoutNumbers puts … for each word that holds a digit.
func withoutNumbers(label string) string {
	words := strings.Fields(label)
	for i, word := range words {
		if strings.ContainsAny(word, "0123456789") {
			words[i] = "…"
		}
	}
	return strings.Join(words, " ")
}

// liveIn picks the place in which the page tells what happened: the only one in
// the form, else the only one outside of all forms. The zero form is no form.
func (w *writer) liveIn(f form, find *finder) *target {
	var inside, outside []target
	for _, c := range w.page.Live {
		i := slices.IndexFunc(c.selectors(""), func(s string) bool { return find.counts[s] == 1 })
		switch {
		case i < 0:
		case c.Form == nil:
			outside = append(outside, target{Selector: c.selectors("")[i]})
		case *c.Form == f.Box:
			inside = append(inside, target{Selector: c.selectors("")[i]})
		}
	}
	switch {
	case len(inside) == 1:
		return &inside[0]
	case len(inside) == 0 && len(outside) == 1:
		return &outside[0]
	}
	return nil
}

// readBack tells what the page says after an action. The click may have led to
// another document, so the first read is tried until there is one; the others
// may find nothing, which is no failure of what was done.
func (w *writer) readBack(live *target) (steps []step, output string) {
	steps = append(steps, step{
		ID: "page", Primitive: "page.info", RetryUntil: "{% $exists(steps.page.output.url) %}", MaxAttempts: 5,
		AfterEach: &after{Primitive: "locator.wait_for", Args: map[string]any{"locator": target{Selector: "body"}, "timeout_ms": 1000}},
	})
	output = "{% {'url': steps.page.output.url, 'title': steps.page.output.title"
	if live != nil {
		steps = append(steps, step{ID: "message", Primitive: "locator.text_content", Args: map[string]any{"locator": live}, OnError: "continue"})
		output += ", 'message': steps.message.output.text"
	}
	steps = append(steps, step{
		ID: "text", Primitive: "dom.snapshot_text", Args: map[string]any{"selector": w.page.main, "max_chars": 2000}, OnError: "continue",
	})
	return steps, output + ", 'text': steps.text.output.text} %}"
}
