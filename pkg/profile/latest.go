package profile

import "sync"

// latest does work in the background, for each key one at a time: what is asked for while it is
// being done is done once more afterwards, however often it was asked for. So a page that changes
// its address all the time costs what one change costs.
type latest[K comparable] struct {
	mu    sync.Mutex
	again map[K]bool // the keys whose work is being done, and whether it is to be done again
}

// do has the work done, which must look at the state of its time.
func (l *latest[K]) do(key K, work func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, running := l.again[key]; running {
		l.again[key] = true
		return
	}
	if l.again == nil {
		l.again = map[K]bool{}
	}
	l.again[key] = false
	go func() {
		for {
			work()
			if !l.next(key) {
				return
			}
		}
	}()
}

// next reports whether the work is to be done again.
func (l *latest[K]) next(key K) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again[key] {
		l.again[key] = false
		return true
	}
	delete(l.again, key)
	return false
}
