package journal

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// The buckets of this package within the profile's file.
var (
	bucketRecords = []byte("journal_records") // sequence number (8 bytes, big endian): hash, canonical bytes
	bucketOpen    = []byte("journal_open")    // call id: sequence number of its intent
	bucketMeta    = []byte("journal_meta")

	keyAnchor = []byte("anchor") // sequence number and hash of the last record that retention removed
)

// defaultLimit is how many records Read gives when the caller names no limit.
const defaultLimit = 1000

// Reader reads a log. Its methods are safe for concurrent use.
type Reader struct{ db *bbolt.DB }

// ReadFile opens the log at path for reading only, for the time when no host
// runs. The fault is database_locked when a host still holds the file after
// timeout (0 is 3 s), else storage_unavailable: the file is missing, is no log,
// or is broken. Nothing is moved or repaired.
func ReadFile(path string, timeout time.Duration) (*Reader, error) {
	if timeout == 0 {
		timeout = defaultLockTimeout
	}
	db, _, err := openChecked(path, timeout)
	if err != nil {
		var f *fault.Error
		switch {
		case errors.As(err, &f):
			return nil, f
		case errors.Is(err, fs.ErrNotExist):
			return nil, fault.Wrap(err, fault.StorageUnavailable, "there is no journal at %s", path)
		default:
			return nil, fault.Wrap(err, fault.StorageUnavailable, "the journal %s cannot be read: %v", path, err)
		}
	}
	r := &Reader{db: db}
	if _, err := r.Last(); err != nil {
		return nil, errors.Join(fault.Wrap(err, fault.StorageUnavailable, "the journal %s cannot be read: %v", path, err), db.Close())
	}
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.db.Close() }

// Read gives at most limit records (1,000 when it is below 1), in order,
// beginning with sequence number from or the first one still kept. Nothing left
// is an empty result and no error.
func (r *Reader) Read(from uint64, limit int) ([]Record, error) {
	if limit < 1 {
		limit = defaultLimit
	}
	var records []Record
	err := r.view(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketRecords).Cursor()
		if key, _ := c.Seek(seqKey(from)); key == nil {
			return nil
		}
		_, prev, err := anchor(tx)
		if err != nil {
			return err
		}
		// The hash before the first record comes from its neighbour, which is
		// none of those asked for, or from the anchor.
		if _, before := c.Prev(); len(before) >= len(prev) {
			prev = digest(before[:len(prev)])
		}
		key, value := c.Seek(seqKey(from))
		for ; key != nil && len(records) < limit; key, value = c.Next() {
			records = append(records, decode(key, value, prev))
			if len(value) >= len(prev) {
				prev = digest(value[:len(prev)])
			}
		}
		return nil
	})
	return records, err
}

// Last gives the last sequence number on disk, 0 for an empty log.
func (r *Reader) Last() (last uint64, err error) {
	err = r.view(func(tx *bbolt.Tx) error {
		last, _, err = head(tx)
		return err
	})
	return last, err
}

// OpenIntents gives the intents that have no outcome yet, in order.
func (r *Reader) OpenIntents() ([]Record, error) {
	var open []Record
	err := r.view(func(tx *bbolt.Tx) error {
		seqs, err := openSeqs(tx)
		if err != nil {
			return err
		}
		for _, seq := range seqs {
			key := seqKey(seq)
			open = append(open, decode(key, tx.Bucket(bucketRecords).Get(key), digest{}))
		}
		return nil
	})
	return open, err
}

// view runs f in a short read transaction: a long one would keep the file from
// growing.
func (r *Reader) view(f func(*bbolt.Tx) error) error {
	err := guard(func() error {
		return r.db.View(func(tx *bbolt.Tx) error {
			if tx.Bucket(bucketRecords) == nil || tx.Bucket(bucketOpen) == nil || tx.Bucket(bucketMeta) == nil {
				return errNoBuckets
			}
			return f(tx)
		})
	})
	if err == nil {
		return nil
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	return fault.Wrap(err, fault.JournalUnavailable, "the journal cannot be read: %v", err)
}

// head gives sequence number and hash that the next record follows.
func head(tx *bbolt.Tx) (uint64, digest, error) {
	key, value := tx.Bucket(bucketRecords).Cursor().Last()
	if key == nil {
		return anchor(tx)
	}
	if len(key) != 8 || len(value) < len(digest{}) {
		return 0, digest{}, errors.New("the last record is cut off")
	}
	return binary.BigEndian.Uint64(key), digest(value[:len(digest{})]), nil
}

// anchor gives sequence number and hash of the last record that retention
// removed; both are zero before that.
func anchor(tx *bbolt.Tx) (seq uint64, hash digest, err error) {
	value := tx.Bucket(bucketMeta).Get(keyAnchor)
	switch len(value) {
	case 0:
		return 0, hash, nil
	case 8 + len(hash):
		return binary.BigEndian.Uint64(value), digest(value[8:]), nil
	default:
		return 0, hash, errors.New("the anchor of the chain is cut off")
	}
}
