// Package ring is a bounded buffer of the latest entries of a stream, for readers
// that poll and continue at a cursor.
//
// Rules of this package:
//   - A ring is bounded in entries and in bytes; the oldest are evicted
//     first, and every reader learns how many it has missed.
//   - Numbers rise by one and are never reused; 0 is before the first.
//   - It has no clock and no lock, and does not interpret its entries.
package ring

import "iter"

// Ring is a bounded list. The zero value holds nothing; use [New].
type Ring[T any] struct {
	maxCount, maxBytes int

	entries []entry[T]
	bytes   int
	last    uint64 // number of the newest entry ever
	evicted uint64 // number of the newest entry that was evicted or skipped
	dropped uint64 // how many were evicted or skipped
}

type entry[T any] struct {
	seq   uint64
	size  int
	value T
}

// New returns a ring for at most maxCount entries and maxBytes bytes.
func New[T any](maxCount, maxBytes int) *Ring[T] {
	return &Ring[T]{maxCount: maxCount, maxBytes: maxBytes}
}

// Resume makes the next entry's number the one after last, to continue an earlier
// ring.
func (r *Ring[T]) Resume(last uint64) { r.last = max(r.last, last) }

// Add appends the value and returns its number. The newest entry stays however
// large it is.
func (r *Ring[T]) Add(value T, size int) uint64 {
	r.last++
	r.entries = append(r.entries, entry[T]{r.last, size, value})
	r.bytes += size
	for len(r.entries) > 1 && (len(r.entries) > r.maxCount || r.bytes > r.maxBytes) {
		r.bytes -= r.entries[0].size
		r.evicted = max(r.evicted, r.entries[0].seq)
		r.dropped++
		r.entries[0] = entry[T]{}
		r.entries = r.entries[1:]
	}
	return r.last
}

// Skip counts n entries after the newest that were dropped before they were added.
func (r *Ring[T]) Skip(n uint64) {
	if n == 0 {
		return
	}
	r.last += n
	r.evicted = r.last
	r.dropped += n
}

// Remove deletes an entry; it does not count as dropped.
func (r *Ring[T]) Remove(seq uint64) {
	for i, e := range r.entries {
		if e.seq == seq {
			r.bytes -= e.size
			r.entries = append(r.entries[:i:i], r.entries[i+1:]...)
			return
		}
	}
}

// Clear deletes all entries and resets the count of dropped ones.
func (r *Ring[T]) Clear() {
	r.entries, r.bytes, r.evicted, r.dropped = nil, 0, 0, 0
}

// Last returns the number of the newest entry ever.
func (r *Ring[T]) Last() uint64 { return r.last }

// Since returns the entries after the number, the oldest first.
func (r *Ring[T]) Since(seq uint64) iter.Seq2[uint64, T] {
	return func(yield func(uint64, T) bool) {
		for _, e := range r.entries {
			if e.seq > seq && !yield(e.seq, e.value) {
				return
			}
		}
	}
}

// Dropped returns how many entries after the number were dropped, at most: some of
// them may have been removed before.
func (r *Ring[T]) Dropped(seq uint64) uint64 {
	if seq >= r.evicted {
		return 0
	}
	missing := r.evicted - seq
	for _, e := range r.entries {
		if e.seq > seq && e.seq <= r.evicted { // some were skipped after it
			missing--
		}
	}
	return min(r.dropped, missing)
}
