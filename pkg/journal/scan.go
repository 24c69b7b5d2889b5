package journal

import (
	"encoding/binary"
	"slices"

	"go.etcd.io/bbolt"
)

const (
	// scanBytes and scanRecords bound the answer and the work of one Scan, which
	// is one read transaction.
	scanBytes   = 4 << 20
	scanRecords = 20_000
)

// Part is what one Scan gave.
type Part struct {
	Records []Record
	Next    uint64 // where to go on; 0: the end was reached
	Last    uint64 // the last sequence number on disk at that time
}

// Scan gives the records that a filter means, in order, beginning with sequence
// number from: at most limit (1,000 when it is below 1), fewer where they are
// large or far apart. Runs of records that cannot hold any are passed over.
func (r *Reader) Scan(f Filter, from uint64, limit int) (part Part, err error) {
	m, err := newMatcher(f)
	if err != nil {
		return Part{}, err
	}
	if limit < 1 {
		limit = defaultLimit
	}
	err = r.view(func(tx *bbolt.Tx) error {
		if part.Last, _, err = head(tx); err != nil {
			return err
		}
		c := tx.Bucket(bucketRecords).Cursor()
		room, looked := scanBytes, 0
		for key, value := c.Seek(seqKey(from)); len(key) == 8; {
			seq := binary.BigEndian.Uint64(key)
			if looked == scanRecords || len(part.Records) == limit || room <= 0 {
				part.Next = seq
				return nil
			}
			if looked == 0 || seq%blockSize == 0 {
				if b := blockAt(tx, blockOf(seq)); b != nil && !b.mayHold(f) {
					looked++
					key, value = c.Seek(seqKey(lastOfBlock(blockOf(seq)) + 1))
					continue
				}
			}
			looked++
			if m.match(key, value) {
				before, err := hashBefore(tx, seq)
				if err != nil {
					return err
				}
				part.Records = append(part.Records, decode(key, value, before))
				room -= len(value)
			}
			key, value = c.Next()
		}
		return nil
	})
	return part, err
}

// hashBefore gives the hash that a record follows: its neighbour's, or the
// anchor's.
func hashBefore(tx *bbolt.Tx, seq uint64) (digest, error) {
	if value := tx.Bucket(bucketRecords).Get(seqKey(seq - 1)); len(value) >= len(digest{}) {
		return digest(value[:len(digest{})]), nil
	}
	_, hash, err := anchor(tx)
	return hash, err
}

// Start gives the sequence number from which on a filter means count records,
// the newest; where it means fewer, that of the first one kept. It is 0 for none.
func (r *Reader) Start(f Filter, count int) (from uint64, err error) {
	err = r.back(f, func(key, _ []byte) bool {
		from = binary.BigEndian.Uint64(key)
		count--
		return count > 0
	})
	return from, err
}

// back gives the stored records that a filter means, the newest first, until
// see has seen enough.
func (r *Reader) back(f Filter, see func(key, value []byte) (more bool)) error {
	m, err := newMatcher(f)
	if err != nil {
		return err
	}
	below := ^uint64(0) // those before it are still to be looked at
	for more := true; more; {
		more = false
		err := r.view(func(tx *bbolt.Tx) error {
			c := tx.Bucket(bucketRecords).Cursor()
			key, value := seekBefore(c, below)
			for looked := 0; len(key) == 8; looked++ {
				seq := binary.BigEndian.Uint64(key)
				if looked == scanRecords {
					below, more = seq+1, true
					return nil
				}
				if looked == 0 || seq%blockSize == blockSize-1 {
					if b := blockAt(tx, blockOf(seq)); b != nil && !b.mayHold(f) {
						key, value = seekBefore(c, blockOf(seq)<<blockBits)
						continue
					}
				}
				if m.match(key, value) && !see(key, value) {
					return nil
				}
				key, value = c.Prev()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// seekBefore moves to the last record below a sequence number.
func seekBefore(c *bbolt.Cursor, seq uint64) (key, value []byte) {
	if key, _ := c.Seek(seqKey(seq)); key == nil {
		return c.Last()
	}
	return c.Prev()
}

// SessionIDs lists the sessions that the log names, in the order of their ids.
// Most of it stands in the summaries.
func (r *Reader) SessionIDs() ([]string, error) {
	known := map[string]bool{}
	err := r.view(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketRecords).Cursor()
		for key, value := c.First(); len(key) == 8; {
			seq := binary.BigEndian.Uint64(key)
			if b := blockAt(tx, blockOf(seq)); seq%blockSize == 0 && b != nil && !b.Many {
				for _, id := range b.Sessions {
					known[id] = true
				}
				key, value = c.Seek(seqKey(lastOfBlock(blockOf(seq)) + 1))
				continue
			}
			if h, ok := peek(value); ok && len(h.session) > 0 && !known[string(h.session)] {
				known[string(h.session)] = true
			}
			key, value = c.Next()
		}
		return nil
	})
	ids := make([]string, 0, len(known))
	for id := range known {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, err
}
