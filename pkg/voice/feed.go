package voice

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// feedLimit is how many events are kept for late readers.
const feedLimit = 1000

// FeedEvent is an event of the session for clients. Kind is transcript, tool, refusal,
// lifecycle or events_dropped.
type FeedEvent struct {
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"ts"`
	Kind    string          `json:"kind"`
	Payload json.RawMessage `json:"payload"`
}

// Feed keeps the latest events; reading changes nothing. Its zero value is ready
// for use.
type Feed struct {
	mu     sync.Mutex
	events []FeedEvent
	seq    int64
	wake   chan struct{} // closed with the next event
}

// Put adds an event.
func (f *Feed) Put(kind string, payload any) {
	raw, err := json.Marshal(payload)
	if err != nil {
		raw = json.RawMessage(`null`)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seq++
	f.events = append(f.events, FeedEvent{f.seq, time.Now().UTC(), kind, raw})
	if len(f.events) > feedLimit {
		f.events = f.events[len(f.events)-feedLimit:]
	}
	if f.wake != nil {
		close(f.wake)
		f.wake = nil
	}
}

// LastCursor returns the cursor of the last event.
func (f *Feed) LastCursor() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seq
}

// maxBatch is how many events one answer holds.
const maxBatch = 100

// Await returns the events after the cursor and the next cursor; -1 replays what is
// kept. It waits for an event until the context ends; then it returns none. Missed
// events are reported by one events_dropped in front.
func (f *Feed) Await(ctx context.Context, cursor int64) ([]FeedEvent, int64) {
	for {
		f.mu.Lock()
		events := f.after(cursor)
		if len(events) > 0 {
			f.mu.Unlock()
			return events, events[len(events)-1].Seq
		}
		if f.wake == nil {
			f.wake = make(chan struct{})
		}
		wake := f.wake
		f.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return []FeedEvent{}, max(cursor, 0)
		}
	}
}

func (f *Feed) after(cursor int64) []FeedEvent {
	// A cursor from beyond the end is an earlier host's: all that is kept is new.
	replay := cursor < 0 || cursor > f.seq
	if replay {
		cursor = 0
	}
	first := f.seq - int64(len(f.events)) // the seq before the oldest kept
	var out []FeedEvent
	if missed := first - cursor; missed > 0 && !replay {
		payload, _ := json.Marshal(map[string]int64{"count": missed}) // a number: it cannot fail
		out = append(out, FeedEvent{first, f.events[0].At, "events_dropped", payload})
	}
	kept := f.events[max(0, min(int64(len(f.events)), cursor-first)):]
	return append(out, kept[:min(len(kept), maxBatch)]...)
}
