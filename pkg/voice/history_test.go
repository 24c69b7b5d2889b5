package voice

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTaskOutlastsItsResults(t *testing.T) {
	// Ensure that the user's newest message stays in front of the newest results of long work, for a new connection, and that a connection which has it does not get it again.
	for name, results := range map[string]int{"large": 10, "many": 2 * historyItems} {
		t.Run(name, func(t *testing.T) {
			var h history
			h.add(Item{Message: &Message{"user", "earlier"}})
			h.add(Item{Message: &Message{"user", "sell tea"}})
			for i := range results {
				h.add(Item{Message: &Message{"system", fmt.Sprint(i, " ", strings.Repeat("x", 40_000/results))}})
			}
			all := h.since(0)
			last := all[len(all)-1].Message.Text
			if all[0].Message.Text != "sell tea" || all[1].Message.Role != "system" || !strings.HasPrefix(last, fmt.Sprint(results-1, " ")) {
				t.Errorf("%d items, from %.20q to %.20q", len(all), all[0].Message.Text, last)
			}
			for n, want := range map[int]int{1: len(all), 2: len(all) - 1, h.added - 1: 1, h.added: 0} {
				if got := len(h.since(n)); got != want {
					t.Errorf("%d items since %d, want %d", got, n, want)
				}
			}
		})
	}
}

func TestPlacesOfTurns(t *testing.T) {
	// Ensure that a turn stands where it began, whenever its text comes, that a later message of the user stays the newest, and that a turn without words, or one that has slipped out, leaves nothing in between.
	var h history
	message := func(role, text string) { h.add(Item{Message: &Message{role, text}}) }
	h.hold("speech")
	h.hold("answer")
	message("user", "typed")
	h.hold("noise")
	h.fill("answer", Message{"assistant", "It is noon."})
	h.fill("noise", Message{"user", ""})
	texts := func() (all []string) {
		for _, item := range h.since(0) {
			all = append(all, item.Message.Text)
		}
		return all
	}
	if got := texts(); !slices.Equal(got, []string{"It is noon.", "typed"}) {
		t.Errorf("before the speech is known: %q", got)
	}
	h.fill("speech", Message{"user", "What time is it?"})
	if got := texts(); !slices.Equal(got, []string{"What time is it?", "It is noon.", "typed"}) || len(h.items) != 3 || h.task.Message.Text != "typed" {
		t.Errorf("%q, in %d items, the task is %q", got, len(h.items), h.task.Message.Text)
	}
	h.hold("slipped")
	for range historyItems {
		message("system", "result")
	}
	h.fill("slipped", Message{"user", "Sell tea"})
	if got := texts(); len(got) != historyItems || got[historyItems-1] != "Sell tea" {
		t.Errorf("%d messages: %q", len(got), got)
	}
}
