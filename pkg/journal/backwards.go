package journal

import "go.etcd.io/bbolt"

// Backwards gives the records to see, the newest first, until it says that it
// has seen enough. Their Prev is not set.
func (r *Reader) Backwards(see func(Record) (more bool)) error {
	return r.view(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketRecords).Cursor()
		for key, value := c.Last(); key != nil; key, value = c.Prev() {
			record := decode(key, value, digest{})
			record.Prev = ""
			if !see(record) {
				return nil
			}
		}
		return nil
	})
}
