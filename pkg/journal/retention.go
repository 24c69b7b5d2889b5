package journal

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// Retention is what the log keeps. Whole prefixes are removed, and the
// sequence number and hash of the last removed record stay as an anchor, so that
// the chain can still be verified.
type Retention struct {
	MaxAge   time.Duration // 0: DefaultRetention's; negative: no limit
	MaxBytes int64         // of the records' pages in the file; 0: DefaultRetention's; negative: no limit
}

// DefaultRetention keeps a month, at most 64 MiB.
var DefaultRetention = Retention{MaxAge: 30 * 24 * time.Hour, MaxBytes: 64 << 20}

const (
	// retentionInterval and retentionBytes are the time, and the bytes written,
	// between two checks.
	retentionInterval = time.Hour
	retentionBytes    = 2 << 20
	// pruneChunk bounds one transaction of removals: commits wait for it.
	pruneChunk = 2048
	// keepNewest records stay whatever their age: a clock that jumps ahead must
	// not empty the log.
	keepNewest = 1000
)

func (r Retention) withDefaults() Retention {
	if r.MaxAge == 0 {
		r.MaxAge = DefaultRetention.MaxAge
	}
	if r.MaxBytes == 0 {
		r.MaxBytes = DefaultRetention.MaxBytes
	}
	return r
}

// checkBytes is how much may be written before the next check: little enough that
// the log does not grow far beyond MaxBytes.
func (r Retention) checkBytes() int64 {
	if r.MaxBytes > 0 {
		return min(retentionBytes, r.MaxBytes/8)
	}
	return retentionBytes
}

// prune removes one chunk of records that retention no longer keeps and reports
// whether more may be left.
func (j *Journal) prune() (more bool, err error) {
	var remove [][]byte
	err = guard(func() error {
		if err := j.db.View(func(tx *bbolt.Tx) (err error) {
			remove, err = j.expired(tx)
			return err
		}); err != nil || len(remove) == 0 {
			return err
		}
		return j.db.Update(func(tx *bbolt.Tx) error {
			records := tx.Bucket(bucketRecords)
			last := remove[len(remove)-1]
			value := records.Get(last)
			// In the same transaction: a chain without its anchor would look
			// broken.
			if err := tx.Bucket(bucketMeta).Put(keyAnchor, slices.Concat(last, value[:len(digest{})])); err != nil {
				return err
			}
			for _, key := range remove {
				if err := records.Delete(key); err != nil {
					return err
				}
			}
			return dropBlocks(tx, binary.BigEndian.Uint64(last))
		})
	})
	return err == nil && len(remove) == pruneChunk, err
}

// surplus returns how many bytes of records to remove so that their pages take no more than
// MaxBytes until the next check, with some room, so that not every check has to remove a little.
func (r Retention) surplus(stats bbolt.BucketStats) int64 {
	pages := int64(stats.LeafAlloc)
	over := pages + r.checkBytes() - r.MaxBytes
	if over <= 0 {
		return 0
	}
	return (over + r.MaxBytes/10) * int64(stats.LeafInuse) / pages
}

// expired lists the keys of the records to remove, oldest first and without a
// gap. The oldest open intent and everything after it stays: Open needs it.
func (j *Journal) expired(tx *bbolt.Tx) ([][]byte, error) {
	records := tx.Bucket(bucketRecords)
	last, _, err := head(tx)
	if err != nil {
		return nil, err
	}
	open, err := openSeqs(tx)
	if err != nil {
		return nil, err
	}
	end := last // the newest record stays: it is the head of the chain
	if len(open) > 0 {
		end = min(end, open[0])
	}
	surplus := int64(0)
	if j.opt.Retention.MaxBytes > 0 {
		surplus = j.opt.Retention.surplus(records.Stats())
	}
	oldest := j.opt.Now().Add(-j.opt.Retention.MaxAge)

	var remove [][]byte
	c := records.Cursor()
	for key, value := c.First(); len(key) == 8 && len(value) > len(digest{}) && len(remove) < pruneChunk; key, value = c.Next() {
		seq := binary.BigEndian.Uint64(key)
		if seq >= end {
			break
		}
		if surplus <= 0 && !(j.opt.Retention.MaxAge > 0 && last-seq >= keepNewest && at(value).Before(oldest)) {
			break
		}
		surplus -= int64(len(key) + len(value) + elementSize)
		remove = append(remove, slices.Clone(key))
	}
	return remove, nil
}

// at returns the time of a stored record. A record that cannot be decoded counts
// as new: retention does not remove evidence of damage by its age.
func at(value []byte) time.Time {
	var r struct {
		At time.Time `json:"at"`
	}
	if err := json.Unmarshal(value[len(digest{}):], &r); err != nil {
		return time.Unix(1<<40, 0)
	}
	return r.At
}
