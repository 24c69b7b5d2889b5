package inspect

import "time"

// defaultLimit is how many entries an answer has.
const defaultLimit = 50

// arguments are the common arguments of both primitives.
type arguments struct {
	Since *uint64 `json:"since"`
	Limit int     `json:"limit"`
	Clear bool    `json:"clear"`
	Stop  bool    `json:"stop"`
}

// output is the common output of both primitives.
type output[T any] struct {
	Entries        []T        `json:"entries"`
	NextCursor     uint64     `json:"next_cursor"`
	HasMore        bool       `json:"has_more"`
	Dropped        uint64     `json:"dropped"`
	Withheld       int        `json:"withheld,omitzero"` // of origins that the session may not see
	Recording      bool       `json:"recording"`
	RecordingSince *time.Time `json:"recording_since,omitzero"`
	Started        bool       `json:"started,omitzero"`
	Interrupted    string     `json:"interrupted,omitzero"`
	Trust          string     `json:"trust"`
}

// read returns the matching entries: the oldest after the cursor, without one the latest.
func (r *recording[T]) read(q arguments, may func(T) bool, matches func(T) bool, numbered func(T, uint64) T) output[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	limit := q.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	a := output[T]{Entries: []T{}, NextCursor: r.ring.Last(), Recording: !r.since.IsZero(), Interrupted: r.interrupted, Trust: "untrusted"}
	since := uint64(0)
	if q.Since != nil {
		// A cursor of an earlier host process is ignored.
		if *q.Since <= r.ring.Last() {
			since = *q.Since
		}
	}
	a.Dropped = r.ring.Dropped(since)
	for seq, entry := range r.ring.Since(since) {
		if !may(entry) {
			a.Withheld++
			continue
		}
		if !matches(entry) {
			continue
		}
		if len(a.Entries) == limit {
			a.HasMore = true
			if q.Since != nil {
				break
			}
			a.Entries = a.Entries[1:]
		}
		a.Entries = append(a.Entries, numbered(entry, seq))
		if q.Since != nil {
			a.NextCursor = seq
		}
	}
	if !a.HasMore {
		a.NextCursor = r.ring.Last()
	}
	if a.Recording {
		at := r.since.UTC().Truncate(time.Millisecond)
		a.RecordingSince = &at
	}
	r.interrupted = ""
	if q.Clear {
		r.ring.Clear()
	}
	return a
}
