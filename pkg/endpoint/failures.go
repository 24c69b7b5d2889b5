package endpoint

import (
	"sync"
	"time"
)

const (
	maxFailures    = 20
	failureTimeout = time.Minute // how long a failure counts
	lockTimeout    = time.Minute
	maxAddresses   = 1024
)

// failures counts the wrong tokens of each address. The zero value is ready.
type failures struct {
	mu sync.Mutex
	of map[string]*attempts
}

// attempts are the failures of one address.
type attempts struct {
	times  []time.Time // of those that count, the oldest first
	locked time.Time   // until then
}

// add counts a failure and reports whether it is one of those that are told so; the others are
// too many.
func (f *failures) add(address string, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.of[address]
	if a == nil {
		f.makeRoom(now)
		a = &attempts{}
		f.of[address] = a
	}
	if now.Before(a.locked) {
		return false
	}
	for len(a.times) > 0 && !now.Before(a.times[0].Add(failureTimeout)) {
		a.times = a.times[1:]
	}
	a.times = append(a.times, now)
	if len(a.times) >= maxFailures {
		a.times, a.locked = nil, now.Add(lockTimeout)
	}
	return true
}

// makeRoom keeps the table bounded: what no longer counts goes first, then what is the oldest.
func (f *failures) makeRoom(now time.Time) {
	if f.of == nil {
		f.of = map[string]*attempts{}
	}
	if len(f.of) < maxAddresses {
		return
	}
	oldest, at := "", time.Time{}
	for address, a := range f.of {
		last := a.last()
		if !now.Before(last.Add(failureTimeout)) {
			delete(f.of, address)
		}
		if oldest == "" || last.Before(at) {
			oldest, at = address, last
		}
	}
	if len(f.of) >= maxAddresses {
		delete(f.of, oldest)
	}
}

// last returns the time of the last failure that counted.
func (a *attempts) last() time.Time {
	if len(a.times) > 0 {
		return a.times[len(a.times)-1]
	}
	return a.locked.Add(-lockTimeout)
}
