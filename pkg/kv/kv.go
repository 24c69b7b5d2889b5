// Package kv stores JSON values in the profile's database.
//
// Rules of this package:
//   - A failed transaction is storage_unavailable and says what could not be stored or
//     read. A fault that the work in it returns stays as it is.
//   - Numbers as keys are 8 bytes, big endian, so that their order is that of the keys.
//   - What cannot be read is never an error for those who read a whole bucket.
//   - Names, keys and values on the disk outlive the program that wrote them.
package kv

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Bucket is a bucket of JSON values. It is created with its first value.
type Bucket[K int | string, V any] struct {
	DB   *bbolt.DB
	Name string
	What string // in messages: "the claims"
	Open bool   // another version may have stored values with members that V lacks
}

// ErrUnreadable is what the error of [Bucket.Get] wraps if there is a value that cannot be
// decoded.
var ErrUnreadable = errors.New("unreadable")

// Get returns a value, and false if there is none.
func (b Bucket[K, V]) Get(key K) (value V, found bool, err error) {
	var text []byte
	err = b.db().View(func(tx *bbolt.Tx) error {
		if bucket := tx.Bucket([]byte(b.Name)); bucket != nil {
			text = bytes.Clone(bucket.Get(keyBytes(key)))
		}
		return nil
	})
	if err != nil || text == nil {
		return value, false, err
	}
	if value, err = b.decode(text); err != nil {
		return value, false, fault.Wrap(errors.Join(ErrUnreadable, err), fault.StorageUnavailable, "%s cannot be read: %s", b.What, fault.From(err).Message)
	}
	return value, true, nil
}

// decode returns the value of a text; the zero value with an error.
func (b Bucket[K, V]) decode(text []byte) (value V, err error) {
	decode := strictjson.Decode
	if b.Open {
		decode = strictjson.DecodeOpen
	}
	if err := decode(text, &value, strictjson.Limits{}); err != nil {
		return *new(V), err
	}
	return value, nil
}

// Put stores a value; it is on disk when Put returns.
func (b Bucket[K, V]) Put(key K, value V) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "%s cannot be written: %v", b.What, err)
	}
	return b.update(func(bucket *bbolt.Bucket) error { return bucket.Put(keyBytes(key), text) })
}

// Delete deletes a value, if there is one.
func (b Bucket[K, V]) Delete(key K) error {
	return b.db().Change(func(tx *bbolt.Tx) (bool, error) {
		bucket := tx.Bucket([]byte(b.Name))
		if bucket == nil || bucket.Get(keyBytes(key)) == nil {
			return false, nil
		}
		return true, bucket.Delete(keyBytes(key))
	})
}

// Each visits all values in the order of their keys; one that cannot be read is the
// zero value.
func (b Bucket[K, V]) Each(visit func(K, V)) error {
	return b.db().View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket([]byte(b.Name))
		if bucket == nil {
			return nil
		}
		for name, text := range Entries(bucket, nil) {
			if key, ok := keyOf[K](name); ok {
				value, _ := b.decode(text)
				visit(key, value)
			}
		}
		return nil
	})
}

// Retain deletes the values that keep refuses, and those that cannot be read.
func (b Bucket[K, V]) Retain(keep func(K, V) bool) error {
	return b.db().Change(func(tx *bbolt.Tx) (deleted bool, err error) {
		bucket := tx.Bucket([]byte(b.Name))
		if bucket == nil {
			return false, nil
		}
		for name, text := range Entries(bucket, nil) {
			key, ok := keyOf[K](name)
			if value, err := b.decode(text); ok && err == nil && keep(key, value) {
				continue
			}
			if err := bucket.Delete(name); err != nil {
				return false, err
			}
			deleted = true
		}
		return deleted, nil
	})
}

func (b Bucket[K, V]) db() DB { return DB{b.DB, b.What} }

// Create creates the bucket if it is not there.
func (b Bucket[K, V]) Create() error { return b.db().CreateBuckets([]byte(b.Name)) }

func (b Bucket[K, V]) update(change func(*bbolt.Bucket) error) error {
	return b.db().Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists([]byte(b.Name))
		if err != nil {
			return err
		}
		return change(bucket)
	})
}

// Int returns a number as a key.
func Int[N int | uint64](n N) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// ParseInt returns the number of a key, and false for another key.
func ParseInt(key []byte) (n int, ok bool) {
	if len(key) != 8 {
		return 0, false
	}
	return int(binary.BigEndian.Uint64(key)), true
}

func keyBytes[K int | string](key K) []byte {
	if n, ok := any(key).(int); ok {
		return Int(n)
	}
	return []byte(any(key).(string))
}

func keyOf[K int | string](name []byte) (key K, ok bool) {
	switch k := any(&key).(type) {
	case *int:
		*k, ok = ParseInt(name)
	case *string:
		*k, ok = string(name), true
	}
	return key, ok
}
