package kv

import (
	"bytes"
	"errors"
	"iter"
	"slices"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// DB runs transactions for those who keep more than one bucket, or buckets in buckets.
type DB struct {
	Bolt *bbolt.DB
	What string // in messages: "the claims"
}

// Update runs a transaction that writes.
func (d DB) Update(work func(*bbolt.Tx) error) error {
	return d.unavailable(d.Bolt.Update(work), "stored")
}

// errUnchanged ends a transaction that has nothing to write.
var errUnchanged = errors.New("nothing to write")

// Change is Update for work that reports whether it changed something: without a change
// nothing is written, and the disk is not waited for.
func (d DB) Change(work func(*bbolt.Tx) (changed bool, err error)) error {
	err := d.Bolt.Update(func(tx *bbolt.Tx) error {
		changed, err := work(tx)
		if err == nil && !changed {
			return errUnchanged
		}
		return err
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return d.unavailable(err, "stored")
}

// CreateBuckets creates those of the named buckets that are not there.
func (d DB) CreateBuckets(names ...[]byte) error {
	return d.Change(func(tx *bbolt.Tx) (created bool, err error) {
		for _, name := range names {
			if tx.Bucket(name) != nil {
				continue
			}
			if _, err := tx.CreateBucket(name); err != nil {
				return false, err
			}
			created = true
		}
		return created, nil
	})
}

// View runs a transaction that only reads.
func (d DB) View(work func(*bbolt.Tx) error) error { return d.unavailable(d.Bolt.View(work), "read") }

func (d DB) unavailable(err error, verb string) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fault.Wrap(err, fault.StorageUnavailable, "%s cannot be %s: %v", d.What, verb, err)
}

// DropBuckets deletes those of the named buckets in a bucket that there are. Where
// there are none it writes nothing.
func (d DB) DropBuckets(in []byte, names ...string) error {
	err := d.View(func(tx *bbolt.Tx) error {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return tx.Bucket(in).Bucket([]byte(name)) == nil })
		return nil
	})
	if err != nil || len(names) == 0 {
		return err
	}
	return d.Update(func(tx *bbolt.Tx) error {
		for _, name := range names {
			if err := tx.Bucket(in).DeleteBucket([]byte(name)); err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
				return err
			}
		}
		return nil
	})
}

// Entries lists the keys with a prefix and their values. The bucket may be changed
// meanwhile.
func Entries(b *bbolt.Bucket, prefix []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		var keys [][]byte
		c := b.Cursor()
		for key, value := c.Seek(prefix); key != nil && bytes.HasPrefix(key, prefix); key, value = c.Next() {
			if value != nil { // else it is a bucket
				keys = append(keys, bytes.Clone(key))
			}
		}
		for _, key := range keys {
			if value := b.Get(key); value != nil && !yield(key, value) {
				return
			}
		}
	}
}

// Buckets lists the names of the buckets in a bucket, which may be changed meanwhile.
func Buckets(b *bbolt.Bucket) (names [][]byte) {
	_ = b.ForEachBucket(func(name []byte) error { // fails only with this function
		names = append(names, bytes.Clone(name))
		return nil
	})
	return names
}
