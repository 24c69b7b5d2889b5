package journal

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

const (
	// scanBytes and scanRecords bound the answer and the work of one turn, which
	// is one read transaction.
	scanBytes   = 4 << 20
	scanRecords = 4096
)

// Page is the result of one Scan.
type Page struct {
	Records []Record
	Next    uint64 // where to continue; 0: the end was reached
	Last    uint64 // the last sequence number on disk at that time
}

// Scan returns the records that a filter selects, in order, beginning with sequence
// number from: at most limit (1,000 when it is below 1), fewer where they are
// large or far apart. Failed calls come in the order of their ends, each whole,
// also where that is more than limit. Runs of records that cannot hold any are passed over.
func (r *Reader) Scan(ctx context.Context, f Filter, from uint64, limit int) (page Page, err error) {
	page.Next, page.Last, err = r.scan(ctx, f, from, limit, func(tx *bbolt.Tx, p *progress, key, value []byte, prev digest) (count, size int, err error) {
		if !f.Failed {
			r := decode(key, value, prev)
			page.Records = append(page.Records, r)
			return 1, len(r.Data), nil
		}
		records, err := failedCall(tx, p, key, value)
		page.Records = append(page.Records, records...)
		for _, r := range records {
			size += len(r.Data)
		}
		return len(records), size, err
	})
	return page, err
}

// scan calls add with the stored records that a filter selects, with Failed the ends of the
// calls. Add returns how many records it took for one, and their bytes. It returns where to
// continue and the last sequence number on disk.
func (r *Reader) scan(ctx context.Context, f Filter, from uint64, limit int, add func(tx *bbolt.Tx, p *progress, key, value []byte, prev digest) (count, size int, err error)) (next, last uint64, err error) {
	m, err := newMatcher(f)
	if err != nil {
		return 0, 0, err
	}
	if limit < 1 {
		limit = defaultLimit
	}
	err = r.viewInTurn(ctx, func(tx *bbolt.Tx, p *progress) error {
		if last, _, err = head(tx); err != nil {
			return err
		}
		c := tx.Bucket(bucketRecords).Cursor()
		room := scanBytes
		var before []byte // the record before, where that was read
		for key, value := c.Seek(seqKey(from)); len(key) == 8; {
			seq := binary.BigEndian.Uint64(key)
			if p.visited >= scanRecords || limit <= 0 || room <= 0 {
				next = seq
				return nil
			}
			first := p.visited == 0
			if err := p.visit(); err != nil {
				return err
			}
			if first || seq%blockSize == 0 {
				if b := blockAt(tx, blockOf(seq)); b != nil && !b.mayMatch(m) {
					key, value = c.Seek(seqKey(lastOfBlock(blockOf(seq)) + 1))
					before = nil
					continue
				}
			}
			if m.matches(tx, key, value) {
				prev, err := hashBefore(tx, seq, before)
				if err != nil {
					return err
				}
				count, size, err := add(tx, p, key, value, prev)
				if err != nil {
					return err
				}
				limit, room = limit-count, room-size
			}
			before = value
			if key, value = c.Next(); len(key) == 8 && binary.BigEndian.Uint64(key) != seq+1 {
				before = nil
			}
		}
		return nil
	})
	return next, last, err
}

// hashBefore returns the hash that a record follows: that of the record before, of which the
// bytes are given where they are known, or the anchor's; zero where the record before is missing.
func hashBefore(tx *bbolt.Tx, seq uint64, before []byte) (hash digest, err error) {
	if before == nil {
		before = tx.Bucket(bucketRecords).Get(seqKey(seq - 1))
	}
	if len(before) >= len(hash) {
		return digest(before[:len(hash)]), nil
	}
	removed, hash, err := anchor(tx)
	if removed != seq-1 {
		hash = digest{}
	}
	return hash, err
}

// stored returns a stored record with the hash that it follows.
func stored(tx *bbolt.Tx, key, value []byte) (Record, error) {
	if len(key) != 8 {
		return decode(key, value, digest{}), nil
	}
	prev, err := hashBefore(tx, binary.BigEndian.Uint64(key), nil)
	return decode(key, value, prev), err
}

// Start returns the sequence number from which on a filter selects count records,
// the newest; where it selects fewer, that of the first one kept. It is 0 for none.
func (r *Reader) Start(ctx context.Context, f Filter, count int) (from uint64, err error) {
	err = r.scanBackwards(ctx, f, newestFirst, func(key, _ []byte) bool {
		from = binary.BigEndian.Uint64(key)
		count--
		return count > 0
	})
	return from, err
}

// newestFirst is above every sequence number.
const newestFirst = ^uint64(0)

// scanBackwards calls visit with the stored records below a sequence number that a filter
// selects, the newest first, until it returns false. Visit runs in a transaction.
func (r *Reader) scanBackwards(ctx context.Context, f Filter, below uint64, visit func(key, value []byte) (more bool)) error {
	m, err := newMatcher(f)
	if err != nil {
		return err
	}
	for more := true; more; {
		more = false
		err := r.viewInTurn(ctx, func(tx *bbolt.Tx, p *progress) error {
			c := tx.Bucket(bucketRecords).Cursor()
			key, value := seekBefore(c, below)
			for len(key) == 8 {
				seq := binary.BigEndian.Uint64(key)
				if p.visited >= scanRecords {
					below, more = seq+1, true
					return nil
				}
				first := p.visited == 0
				if err := p.visit(); err != nil {
					return err
				}
				if first || seq%blockSize == blockSize-1 {
					if b := blockAt(tx, blockOf(seq)); b != nil && !b.mayMatch(m) {
						key, value = seekBefore(c, blockOf(seq)<<blockBits)
						continue
					}
				}
				if m.matches(tx, key, value) && !visit(key, value) {
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
// Most of it is in the summaries.
func (r *Reader) SessionIDs(ctx context.Context) ([]string, error) {
	known := map[string]bool{}
	err := error(nil)
	for from := uint64(0); ; {
		if from, err = r.sessionIDs(ctx, from, known); from == 0 || err != nil {
			break
		}
	}
	ids := slices.Collect(maps.Keys(known))
	slices.Sort(ids)
	return append([]string{}, ids...), err
}

// sessionIDs adds the sessions of the next records to known and returns where to
// continue, 0 at the end.
func (r *Reader) sessionIDs(ctx context.Context, from uint64, known map[string]bool) (next uint64, err error) {
	err = r.viewInTurn(ctx, func(tx *bbolt.Tx, p *progress) error {
		c := tx.Bucket(bucketRecords).Cursor()
		for key, value := c.Seek(seqKey(from)); len(key) == 8; {
			seq := binary.BigEndian.Uint64(key)
			if p.visited >= scanRecords {
				next = seq
				return nil
			}
			if err := p.visit(); err != nil {
				return err
			}
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
	return next, err
}
