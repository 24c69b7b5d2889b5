package expr

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestTimeIsTheProcessors(t *testing.T) {
	// Ensure that an evaluation which gets no processor is waited for beyond its timeout, and that one which uses it, or never ends, is not.
	const timeout = 100 * time.Millisecond
	late := make(chan outcome, 1)
	time.AfterFunc(3*timeout, func() { late <- outcome{} })
	if _, ended := await(t.Context(), late, timeout); !ended {
		t.Error("an evaluation that did not get its time is ended")
	}
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() { // as an expression without end does
		}
	}()
	if _, ended := await(t.Context(), make(chan outcome), timeout); ended {
		t.Error("an evaluation that uses the processor all the time has an outcome")
	}
	if _, ended := await(t.Context(), make(chan outcome), time.Microsecond); ended {
		t.Error("an evaluation that never ends has an outcome")
	}
}
