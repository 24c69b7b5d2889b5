package draft

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// candidates returns the selectors of forms, buttons and live regions.
func (w *writer) candidates() (list []string) {
	for i, f := range w.page.Forms {
		if i == maxForms {
			break
		}
		list = append(list, f.selectors()...)
	}
	for _, c := range slices.Concat(w.page.Loose.fields(), w.page.Buttons, w.page.Live) {
		list = append(list, c.selectors("")...)
	}
	return list
}

// addButtons writes an action for each of the first buttons outside of forms that have
// distinct names.
func (w *writer) addButtons(ctx context.Context, find *finder) error {
	written := 0
	var skipped []string
	repeated := w.repeatedButtons()
	for _, c := range w.page.Buttons {
		label := w.page.label(c)
		if c.Form != nil || !c.shown() || label == "" || repeated[withoutNumbers(label)] > 0 {
			continue
		}
		name, free := w.freeName(slug(label))
		if slug(label) == "" || !free || written == maxButtons {
			skipped = append(skipped, label)
			continue
		}
		at, ok, err := find.pick(ctx, c.selectors(""), "button", label)
		if err != nil {
			return err
		}
		if !ok {
			skipped = append(skipped, label)
			continue
		}
		written++
		steps, output := w.readBack(w.liveIn(form{}, find))
		steps = append([]step{
			{ID: "press", Primitive: "locator.click", Args: map[string]any{"locator": at}, SettleAfter: map[string]any{"delay_ms": 300}},
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
	if len(skipped) > 0 {
		skipped = slices.Compact(slices.Sorted(slices.Values(skipped)))
		w.note("These buttons have no action, being too many or without a name of their own: " + strings.Join(skipped[:min(len(skipped), 10)], ", ") + ".")
	}
	return nil
}

// minRepeated is the number of such buttons from which on the number identifies a row
// and is not a name.
const minRepeated = 3

// repeatedButtons counts the buttons whose labels differ only by numbers.
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

// withoutNumbers replaces each word that contains a digit by ….
func withoutNumbers(label string) string {
	words := strings.Fields(label)
	for i, word := range words {
		if strings.ContainsAny(word, "0123456789") {
			words[i] = "…"
		}
	}
	return strings.Join(words, " ")
}

// liveIn returns the live region for results: the only one in the form, else the only
// one outside of all forms. The zero form means none.
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

// readBack returns the steps that read the page after an action. The click may have
// led to another document, so the first read is retried; the others may find nothing,
// which is not a failure of the action.
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
