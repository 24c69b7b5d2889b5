package main

import (
	"testing"
	"time"
)

func TestSeenInvocationsAreLimited(t *testing.T) {
	// Ensure that a page which invokes its tools without end does not fill the log, and that what was left out is counted.
	var l seenLimit
	now := time.Unix(1000, 0)
	taken := 0
	for range 3 * seenMost {
		if _, ok := l.take(now); ok {
			taken++
		}
	}
	if dropped, ok := l.take(now.Add(seenEvery)); taken != seenMost || !ok || dropped != 2*seenMost {
		t.Errorf("%d were taken, then %v with %d dropped", taken, ok, dropped)
	}
	if dropped, _ := l.take(now.Add(seenEvery)); dropped != 0 {
		t.Errorf("%d are told twice", dropped)
	}
}
