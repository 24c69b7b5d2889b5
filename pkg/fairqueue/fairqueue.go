// Package fairqueue shares a few places among many who want them, so that who asks for
// much waits for itself.
//
// Rules of this package:
//   - A free place is taken at once; nobody is passed over for one that is free.
//   - Those who wait stand in groups. A place that gets free goes to the next group in
//     turn, within a group to who came first: with one place, whoever is alone in its
//     group waits for the holder and for one of each other group.
//   - Who stops waiting is forgotten at once.
package fairqueue

import (
	"context"
	"slices"
	"sync"
)

// Queue has a fixed number of places. It is safe for concurrent use.
type Queue[K comparable] struct {
	mu      sync.Mutex
	free    int
	turns   []K // groups that wait, the next one first
	waiting map[K][]*waiter
}

// waiter is closed when it got a place.
type waiter struct{ entered chan struct{} }

// New returns a queue for a number of places.
func New[K comparable](places int) *Queue[K] {
	return &Queue[K]{free: places, waiting: map[K][]*waiter{}}
}

// Acquire waits for a place as one of a group. The returned function, which must be called
// once, gives the place back. The error is that of the context.
func (q *Queue[K]) Acquire(ctx context.Context, group K) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return q.release, nil
	}
	w := &waiter{make(chan struct{})}
	if len(q.waiting[group]) == 0 {
		q.turns = append(q.turns, group)
	}
	q.waiting[group] = append(q.waiting[group], w)
	q.mu.Unlock()
	select {
	case <-w.entered:
		return q.release, nil
	case <-ctx.Done():
	}
	if !q.forget(group, w) {
		q.release() // the place came at the same moment
	}
	return nil, ctx.Err()
}

// release returns a place: it goes to the next group in turn, which moves to the end.
func (q *Queue[K]) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.turns) == 0 {
		q.free++
		return
	}
	group := q.turns[0]
	q.turns = q.turns[1:]
	first := q.waiting[group][0]
	if q.waiting[group] = q.waiting[group][1:]; len(q.waiting[group]) > 0 {
		q.turns = append(q.turns, group)
	} else {
		delete(q.waiting, group)
	}
	close(first.entered)
}

// forget removes one who waits and reports whether it was there: it may have a place by now.
func (q *Queue[K]) forget(group K, w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.waiting[group], w)
	if at < 0 {
		return false
	}
	if q.waiting[group] = slices.Delete(q.waiting[group], at, at+1); len(q.waiting[group]) == 0 {
		delete(q.waiting, group)
		turn := slices.Index(q.turns, group)
		q.turns = slices.Delete(q.turns, turn, turn+1)
	}
	return true
}
