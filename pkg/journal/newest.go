package journal

import "slices"

// Newest gives the last records of a session, at most limit, oldest first, and
// tells whether there are older ones. Their Prev is not set.
func (r *Reader) Newest(session string, limit int) (records []Record, more bool, err error) {
	err = r.back(Filter{Session: session}, func(key, value []byte) bool {
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
