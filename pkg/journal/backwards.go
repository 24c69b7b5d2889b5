package journal

import "context"

// backwardsChunk is how many records are read at a time for a visitor.
const backwardsChunk = 64

// Backwards calls visit with the records that the filter selects, the newest first, until it returns false. Their
// Prev is not set. Visit may use the log and wait for others: it runs in no transaction.
func (r *Reader) Backwards(ctx context.Context, f Filter, visit func(Record) (more bool)) error {
	for below := newestFirst; ; {
		chunk := make([]Record, 0, backwardsChunk)
		err := r.scanBackwards(ctx, f, below, func(key, value []byte) bool {
			record := decode(key, value, digest{})
			record.Prev = ""
			chunk = append(chunk, record)
			return len(chunk) < backwardsChunk
		})
		if err != nil {
			return err
		}
		for _, record := range chunk {
			if !visit(record) {
				return nil
			}
		}
		if len(chunk) < backwardsChunk {
			return nil
		}
		below = chunk[len(chunk)-1].Seq
	}
}
