package journal

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"go.etcd.io/bbolt"
)

// Newest gives the last records of a session, at most limit, oldest first, and
// tells whether there are older ones. Their Prev is not set.
func (r *Reader) Newest(session string, limit int) (records []Record, more bool, err error) {
	// Looking for the bytes first spares decoding the records of all others.
	quoted, _ := jsontext.AppendQuote(nil, session) // invalid UTF-8 is replaced, as when it was written
	member := append([]byte(`"session_id":`), quoted...)
	err = r.view(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketRecords).Cursor()
		for key, value := c.Last(); key != nil; key, value = c.Prev() {
			if !bytes.Contains(value, member) {
				continue
			}
			record := decode(key, value, digest{})
			if record.SessionID != session {
				continue
			}
			if more = len(records) == limit; more {
				return nil
			}
			record.Prev = ""
			records = append(records, record)
		}
		return nil
	})
	slices.Reverse(records)
	return records, more, err
}
