package harness

import (
	"fmt"
	"sync"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
)

// Ledger is what clients and pages remember, to be compared with the log. It is safe
// for concurrent use.
type Ledger struct {
	mu    sync.Mutex
	done  map[string]bool // call ids whose good answer a client got
	sent  map[string]bool // call ids of answers that say that the call was sent
	seen  map[string]int  // call ids that a page saw, and how often
	marks map[string]int  // actions that a page or its server saw, by what only one call has
}

// NewLedger returns an empty one.
func NewLedger() *Ledger {
	return &Ledger{done: map[string]bool{}, sent: map[string]bool{}, seen: map[string]int{}, marks: map[string]int{}}
}

// Answered notes what a client got.
func (l *Ledger) Answered(e dispatch.Envelope) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case e.OK:
		l.done[e.CallID] = true
	case e.CallID != "" && e.Error != nil && e.Error.Dispatched == fault.WasDispatched:
		l.sent[e.CallID] = true
	}
}

// Saw notes a call that a page saw.
func (l *Ledger) Saw(callID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[callID]++
}

// SawMark notes an action by what only one call has, such as its place.
func (l *Ledger) SawMark(mark string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.marks[mark]++
}

// Good returns how many good answers clients got.
func (l *Ledger) Good() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.done)
}

// Seen returns how many calls pages saw.
func (l *Ledger) Seen() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen) + len(l.marks)
}

// Compare returns what the log lacks of what was answered or seen, and what was seen
// more than once or has ended twice; a sentence each.
func (l *Ledger) Compare(all []journal.Record) (lost, doubled []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	intents, ends := map[string]int{}, map[string]string{}
	for _, r := range all {
		switch r.Type {
		case journal.TypeIntent:
			intents[r.CallID]++
		case journal.TypeOutcome, journal.TypeInterrupted:
			if before := ends[r.CallID]; before != "" {
				doubled = append(doubled, fmt.Sprintf("%s ended twice: %s, then %s", r.CallID, before, r.Type))
			}
			ends[r.CallID] = r.Type
		}
	}
	for id := range l.done {
		if intents[id] != 1 || ends[id] != journal.TypeOutcome {
			lost = append(lost, fmt.Sprintf("the answered call %s has %d intents and the end %q", id, intents[id], ends[id]))
		}
	}
	for id := range l.sent {
		if intents[id] != 1 {
			lost = append(lost, fmt.Sprintf("the call %s, answered as sent, has %d intents", id, intents[id]))
		}
	}
	for id, times := range l.seen {
		if intents[id] != 1 {
			lost = append(lost, fmt.Sprintf("the page saw %s, the log has %d intents", id, intents[id]))
		}
		if times != 1 {
			doubled = append(doubled, fmt.Sprintf("the page saw %s %d times", id, times))
		}
	}
	for mark, times := range l.marks {
		if times != 1 {
			doubled = append(doubled, fmt.Sprintf("the action %s was seen %d times", mark, times))
		}
	}
	return lost, doubled
}
