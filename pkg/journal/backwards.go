package journal

import "context"

// Backwards calls visit with the records, the newest first, until it returns false.
// Their Prev is not set.
func (r *Reader) Backwards(ctx context.Context, visit func(Record) (more bool)) error {
	return r.scanBackwards(ctx, Filter{}, func(key, value []byte) bool {
		record := decode(key, value, digest{})
		record.Prev = ""
		return visit(record)
	})
}
