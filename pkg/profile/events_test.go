package profile

import (
	"testing"
	"time"
)

func TestUnfit(t *testing.T) {
	// Ensure that events which do not fit make one record a minute, which tells how many there were.
	var u rejectedEvents
	now := time.Now()
	for i, want := range []int{1, 0, 0} {
		if n := u.add(now.Add(time.Duration(i) * time.Second)); n != want {
			t.Errorf("event %d: %d", i, n)
		}
	}
	if n := u.add(now.Add(rejectedEventsInterval)); n != 3 {
		t.Errorf("a minute later: %d", n)
	}
}
