package journal

import (
	"context"
	"encoding/binary"

	"go.etcd.io/bbolt"
)

// bucketTallies holds what [Options.Tally] made of each full run of blockSize records:
// number of the run (8 bytes, big endian): checksum, tally. A run without one, or with a
// broken one, is read.
var bucketTallies = []byte("journal_tallies")

// writeTally stores the tally of a run that is complete now.
func writeTally(tx *bbolt.Tx, number uint64, tally func([]Record) []byte) error {
	if tally == nil {
		return nil
	}
	var run []Record
	c := tx.Bucket(bucketRecords).Cursor()
	for key, value := c.Seek(seqKey(number << blockBits)); len(key) == 8 && blockOf(binary.BigEndian.Uint64(key)) == number; key, value = c.Next() {
		run = append(run, decode(key, value, digest{}))
	}
	raw := tally(run)
	if raw == nil {
		return nil
	}
	tallies, err := tx.CreateBucketIfNotExists(bucketTallies)
	if err != nil {
		return err
	}
	tallies.FillPercent = fillPercent
	return tallies.Put(seqKey(number), withChecksum(raw))
}

// tallyAt returns the tally of a run that begins with the record; nil where there is no valid one.
func tallyAt(tx *bbolt.Tx, seq uint64) []byte {
	tallies := tx.Bucket(bucketTallies)
	// Record 1 is the first of all, and begins a run without record 0. A run whose start was
	// removed is another one than that of its tally.
	if tallies == nil || seq != 1 && seq%blockSize != 0 {
		return nil
	}
	return cutChecksum(tallies.Get(seqKey(blockOf(seq))))
}

// Tallied goes through the log in order: it calls tally with the tally of each run that has one, and
// record with each record of the others. A tally that is not accepted is replaced by its records.
// Neither may keep a tally's bytes.
func (r *Reader) Tallied(ctx context.Context, tally func(raw []byte) (accepted bool), record func(Record)) error {
	for from := uint64(1); from != 0; {
		err := r.viewInTurn(ctx, func(tx *bbolt.Tx, p *progress) error {
			c := tx.Bucket(bucketRecords).Cursor()
			key, value := c.Seek(seqKey(from))
			for from = 0; len(key) == 8; {
				seq := binary.BigEndian.Uint64(key)
				if p.visited >= scanRecords {
					from = seq
					return nil
				}
				if err := p.visit(); err != nil {
					return err
				}
				if raw := tallyAt(tx, seq); raw != nil && tally(raw) {
					key, value = c.Seek(seqKey(lastOfBlock(blockOf(seq)) + 1))
					continue
				}
				record(decode(key, value, digest{}))
				key, value = c.Next()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Open returns the intents of the calls and steps that have not ended, in no order.
func (r *Reader) Open(ctx context.Context) (open []Record, err error) {
	err = r.viewInTurn(ctx, func(tx *bbolt.Tx, _ *progress) error {
		return tx.Bucket(bucketOpen).ForEach(func(_, value []byte) error {
			if len(value) != 8 {
				return nil // Verify reports it
			}
			if intent := tx.Bucket(bucketRecords).Get(value); intent != nil {
				open = append(open, decode(value, intent, digest{}))
			}
			return nil
		})
	})
	return open, err
}
