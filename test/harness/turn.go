package harness

import (
	"runtime"
	"strings"
	"sync"
	"testing"
)

// turns are the slots that the tests of this process hold, by the names of the
// tests at the top: a test has one, however many browsers it and its subtests
// drive, and so none waits for another while it holds one.
var turns = struct {
	mu   sync.Mutex
	held map[string]*turn
}{held: map[string]*turn{}}

const slowFactor = 2

// atOnce is how many tests drive a browser at once: two a core, as a turn keeps a core busy for
// two fifths of its time and waits for timeouts, pages and answers in the rest. On a machine that
// is slow at what browsers do it is busy for longer.
func atOnce() int {
	if factor >= slowFactor {
		return runtime.NumCPU() + 1
	}
	return 2 * runtime.NumCPU()
}

type turn struct {
	users int
	ready sync.WaitGroup // until the slot is there
	give  func()
	err   error
}

// TakeTurn waits until the test may drive a browser: so many do at once,
// those of other packages included. The turn ends with the test.
func TakeTurn(t testing.TB) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	turns.mu.Lock()
	one := turns.held[name]
	first := one == nil
	if first {
		one = &turn{}
		one.ready.Add(1)
		turns.held[name] = one
	}
	one.users++
	turns.mu.Unlock()
	t.Cleanup(func() {
		turns.mu.Lock()
		defer turns.mu.Unlock()
		if one.users--; one.users > 0 {
			return
		}
		delete(turns.held, name)
		if one.give != nil {
			one.give()
		}
	})
	if first {
		one.give, one.err = takeSlot()
		one.ready.Done()
	}
	one.ready.Wait()
	if one.err != nil {
		t.Fatal(one.err)
	}
}
