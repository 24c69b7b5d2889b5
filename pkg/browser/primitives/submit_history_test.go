package primitives

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSubmitsAreForgotten(t *testing.T) {
	// Ensure that a submit is remembered for its tab only, for its time only, and until something else is done.
	synctest.Test(t, func(t *testing.T) {
		var s submitHistory
		s.record(1, "click", "a")
		s.record(1, "hover", "")
		s.record(2, "click", "b")
		time.Sleep(submitTTL)
		s.record(1, "press", "c")
		if got := s.recent(1); len(got) != 2 {
			t.Errorf("after 30 s: %v", got)
		}
		time.Sleep(time.Second)
		if got := s.recent(1); len(got) != 1 || got[0] != "c" {
			t.Errorf("after 31 s: %v", got)
		}
		s.record(1, "fill", "")
		if got := s.recent(1); len(got) != 0 {
			t.Errorf("after something else was done: %v", got)
		}
		if got := s.recent(3); got == nil || len(got) != 0 {
			t.Errorf("another tab: %v", got)
		}
	})
}
