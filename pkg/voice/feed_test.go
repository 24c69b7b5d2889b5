package voice

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"
)

func TestFeed(t *testing.T) {
	// Ensure that a reader gets what came after his cursor, waits for what comes, is told what he missed, and that reading changes nothing.
	synctest.Test(t, func(t *testing.T) {
		var f Feed
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if events, cursor := f.Await(short, f.LastCursor()); len(events) != 0 || cursor != 0 {
			t.Errorf("from nothing: %v, %d", events, cursor)
		}
		go f.Put("transcript", map[string]string{"text": "hello"})
		events, cursor := f.Await(t.Context(), 0)
		if len(events) != 1 || cursor != 1 || string(events[0].Payload) != `{"text":"hello"}` {
			t.Errorf("waited for %v, %d", events, cursor)
		}
		for range feedLimit + 10 {
			f.Put("tool", 1)
		}
		events, _ = f.Await(t.Context(), 1)
		var missed struct{ Count int }
		if err := json.Unmarshal(events[0].Payload, &missed); err != nil || events[0].Kind != "events_dropped" || missed.Count != 10 || len(events) != maxBatch+1 {
			t.Errorf("%d events, first %+v", len(events), events[0])
		}
		again, _ := f.Await(t.Context(), -1)
		if again[0].Kind != "tool" || again[0].Seq != 12 {
			t.Errorf("replay begins with %+v", again[0])
		}
	})
}
