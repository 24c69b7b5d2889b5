// Package ring keeps the latest entries of something that never ends, for
// readers who come by now and then and go on where they were.
//
// Rules of this package:
//   - A ring is bounded in entries and in bytes; the oldest go first, and every
//     reader is told how many went that it had not seen.
//   - Numbers rise by one and are never given twice; 0 is before the first.
//   - It knows no time, no lock and no meaning of what it keeps.
package ring

import "iter"

// Ring is a bounded list. The zero value keeps nothing; use New.
type Ring[T any] struct {
	maxCount, maxBytes int

	entries []entry[T]
	bytes   int
	last    uint64 // number of the newest entry ever
	evicted uint64 // number of the newest entry that had to go
	gone    uint64 // how many had to go
}

type entry[T any] struct {
	seq   uint64
	size  int
	value T
}

// New makes a ring for so many entries and bytes.
func New[T any](maxCount, maxBytes int) *Ring[T] {
	return &Ring[T]{maxCount: maxCount, maxBytes: maxBytes}
}

// Resume makes the next entry's number the one behind last, as where an earlier
// ring ended.
func (r *Ring[T]) Resume(last uint64) { r.last = max(r.last, last) }

// Add appends the value and gives its number. The newest entry stays however
// large it is.
func (r *Ring[T]) Add(value T, size int) uint64 {
	r.last++
	r.entries = append(r.entries, entry[T]{r.last, size, value})
	r.bytes += size
	for len(r.entries) > 1 && (len(r.entries) > r.maxCount || r.bytes > r.maxBytes) {
		r.bytes -= r.entries[0].size
		r.evicted = r.entries[0].seq
		r.gone++
		r.entries[0] = entry[T]{}
		r.entries = r.entries[1:]
	}
	return r.last
}

// Remove takes an entry out; it does not count as one that had to go.
func (r *Ring[T]) Remove(seq uint64) {
	for i, e := range r.entries {
		if e.seq == seq {
			r.bytes -= e.size
			r.entries = append(r.entries[:i:i], r.entries[i+1:]...)
			return
		}
	}
}

// Clear forgets all entries, and that some had to go before.
func (r *Ring[T]) Clear() {
	r.entries, r.bytes, r.evicted, r.gone = nil, 0, 0, 0
}

// Last is the number of the newest entry ever.
func (r *Ring[T]) Last() uint64 { return r.last }

// Since gives the entries behind the number, the oldest first.
func (r *Ring[T]) Since(seq uint64) iter.Seq2[uint64, T] {
	return func(yield func(uint64, T) bool) {
		for _, e := range r.entries {
			if e.seq > seq && !yield(e.seq, e.value) {
				return
			}
		}
	}
}

// Dropped tells how many entries behind the number had to go, at most: some of
// them may have been removed before.
func (r *Ring[T]) Dropped(seq uint64) uint64 {
	if seq >= r.evicted {
		return 0
	}
	return min(r.gone, r.evicted-seq)
}
