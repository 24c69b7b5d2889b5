package journal

import (
	"context"
	"slices"
)

// Newest returns the last records of a session, at most limit, oldest first, and
// reports whether there are older ones. Their Prev is not set.
func (r *Reader) Newest(ctx context.Context, session string, limit int) (records []Record, more bool, err error) {
	err = r.scanBackwards(ctx, Filter{Session: session}, newestFirst, func(key, value []byte) bool {
		if more = len(records) == limit; more {
			return false
		}
		record := decode(key, value, digest{})
		record.Prev = ""
		records = append(records, record)
		return true
	})
	slices.Reverse(records)
	return records, more, err
}
