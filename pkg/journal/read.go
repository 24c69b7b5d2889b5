package journal

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
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
	keyBroken = []byte("broken") // what is wrong with the chain, found while a host used the file
)

// defaultLimit is how many records Read returns when the caller names no limit.
const defaultLimit = 1000

// Reader reads a log. Its methods are safe for concurrent use.
type Reader struct {
	db    *bbolt.DB
	turns *Turns // of all readers
	path  string

	damage *Damage      // what was found broken; nil for a sound file
	remove func() error // drops the copy that is read in place of a broken file
}

// ReadFile opens the log at path for reading only, for the time when no host
// runs. Of a broken file it reads what can be read, from a copy; Damage describes
// it. The fault is database_locked when a host still holds the file after timeout
// (0 is 3 s), else storage_unavailable: the file is missing, or nothing of a log
// can be read in it. Nothing is moved or repaired.
func ReadFile(path string, timeout time.Duration) (*Reader, error) {
	if timeout == 0 {
		timeout = defaultLockTimeout
	}
	db, warning, err := openChecked(path, timeout)
	if err == nil {
		r := &Reader{db: db, turns: NewTurns(), path: path}
		if warning != "" {
			r.damage = &Damage{Problem: warning}
		}
		if _, err = r.Last(); err == nil {
			return r, nil
		}
		err = errors.Join(err, db.Close())
	} else if f := openFault(path, err); f != nil {
		return nil, f
	}
	r, copyErr := readCopy(path, timeout, err)
	if r == nil {
		return nil, fault.Wrap(errors.Join(err, copyErr), fault.StorageUnavailable, "the journal %s cannot be read: %v", path, err)
	}
	return r, nil
}

// readCopy reads what can be read of a broken file; nil where there is nothing.
func readCopy(path string, timeout time.Duration, problem error) (*Reader, error) {
	folder, err := os.MkdirTemp("", "actions-host-log-") // for its user alone
	if err != nil {
		return nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	copied := filepath.Join(folder, "log.db")
	damage, _, err := salvageTo(path, copied, problem.Error())
	if err != nil || damage.Kept == 0 {
		return nil, errors.Join(err, remove())
	}
	db, err := openBolt(copied, timeout, true)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	return &Reader{db: db, turns: NewTurns(), path: path, damage: damage, remove: remove}, nil
}

// Close closes the file.
func (r *Reader) Close() error {
	err := r.db.Close()
	if r.remove != nil {
		err = errors.Join(err, r.remove())
	}
	return err
}

// Read returns at most limit records (1,000 when it is below 1), in order,
// beginning with sequence number from or the first one still kept. Nothing left
// is an empty result and no error.
func (r *Reader) Read(from uint64, limit int) ([]Record, error) {
	if limit < 1 {
		limit = defaultLimit
	}
	var records []Record
	err := r.view(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucketRecords).Cursor()
		for key, value := c.Seek(seqKey(from)); key != nil && len(records) < limit; key, value = c.Next() {
			record, err := stored(tx, key, value)
			if err != nil {
				return err
			}
			records = append(records, record)
		}
		return nil
	})
	return records, err
}

// Last returns the last sequence number on disk, 0 for an empty log.
func (r *Reader) Last() (last uint64, err error) {
	err = r.view(func(tx *bbolt.Tx) error {
		last, _, err = head(tx)
		return err
	})
	return last, err
}

// OpenIntents returns the intents that have no outcome yet, in order.
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

// viewInTurn is view for reading many records: it waits for its turn.
func (r *Reader) viewInTurn(ctx context.Context, f func(*bbolt.Tx, *progress) error) error {
	release, err := r.Turn(ctx)
	if err != nil {
		return err
	}
	defer release()
	return r.view(func(tx *bbolt.Tx) error { return f(tx, &progress{ctx: ctx}) })
}

// head returns sequence number and hash that the next record follows.
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

// anchor returns sequence number and hash of the last record that retention
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
