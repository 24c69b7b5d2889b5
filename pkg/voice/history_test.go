package voice

import (
	"fmt"
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
