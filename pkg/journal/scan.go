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
	m, err := newMatcher(f)
	if err != nil {
		return Page{}, err
	}
	if limit < 1 {
		limit = defaultLimit
	}
	err = r.viewInTurn(ctx, func(tx *bbolt.Tx, p *progress) error {
		if page.Last, _, err = head(tx); err != nil {
			return err
		}
		c := tx.Bucket(bucketRecords).Cursor()
		room := scanBytes
		for key, value := c.Seek(seqKey(from)); len(key) == 8; {
			seq := binary.BigEndian.Uint64(key)
			if p.visited >= scanRecords || len(page.Records) >= limit || room <= 0 {
				page.Next = seq
				return nil
			}
			first := p.visited == 0
			if err := p.visit(); err != nil {
				return err
			}
			if first || seq%blockSize == 0 {
				if b := blockAt(tx, blockOf(seq)); b != nil && !b.mayMatch(m) {
					key, value = c.Seek(seqKey(lastOfBlock(blockOf(seq)) + 1))
					continue
				}
			}
			if m.matches(tx, key, value) {
				records, err := m.records(tx, p, key, value)
				if err != nil {
					return err
				}
				page.Records = append(page.Records, records...)
				for _, r := range records {
					room -= len(r.Data)
				}
			}
			key, value = c.Next()
		}
		return nil
	})
	return page, err
}

// records returns a selected record itself, or with Failed the call that it ends.
func (m *matcher) records(tx *bbolt.Tx, p *progress, key, value []byte) ([]Record, error) {
	if m.Failed {
		return failedCall(tx, p, key, value)
	}
	record, err := stored(tx, key, value)
	return []Record{record}, err
}

// stored returns a stored record with the hash that it follows: that of the
// record before, or the anchor's; zero where the record before is missing.
func stored(tx *bbolt.Tx, key, value []byte) (Record, error) {
	if len(key) != 8 {
		return decode(key, value, digest{}), nil
	}
	before := binary.BigEndian.Uint64(key) - 1
	if neighbour := tx.Bucket(bucketRecords).Get(seqKey(before)); len(neighbour) >= len(digest{}) {
		return decode(key, value, digest(neighbour[:len(digest{})])), nil
	}
	removed, hash, err := anchor(tx)
	if removed != before {
		hash = digest{}
	}
	return decode(key, value, hash), err
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
