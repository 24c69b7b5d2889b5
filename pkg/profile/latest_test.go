package profile

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestLatest(t *testing.T) {
	// Ensure that work that is asked for while it is being done is done once more for its key, with the state of that time, and that other keys do not wait for it.
	synctest.Test(t, func(t *testing.T) {
		var l latest[int]
		state, other := 0, false
		var seen []int
		work := func() {
			seen = append(seen, state)
			time.Sleep(time.Second)
		}
		for range 100 {
			l.do(1, work)
			synctest.Wait()
			state++
		}
		l.do(2, func() { other = true })
		synctest.Wait()
		if !other {
			t.Error("another key waits")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(seen) != 2 || seen[0] != 0 || seen[1] != 100 {
			t.Errorf("the work saw %v, not 0 and 100", seen)
		}
		l.do(1, work)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(seen) != 3 || len(l.again) != 0 {
			t.Errorf("later work saw %v; %d keys are kept", seen, len(l.again))
		}
	})
}
