package projection

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/kv"
)

const (
	maxSnapshots     = 200      // stored; the oldest is dropped first
	maxSnapshotBytes = 16 << 20 // of one
	maxStoredBytes   = 32 << 20 // of all, as they are stored; the last one is kept in any case
	// zippedBytes is the size from which on a state is stored zipped: the records of a page
	// are like each other.
	zippedBytes = 16 << 10
)

// A snapshot's key is its tab (8 bytes, big endian), the page's origin, the map's path and the
// projection's name, with a zero byte between two of them; its value is its number (8 bytes, big
// endian) and the state, as gzip where it is large. The second bucket maps the number to the key,
// so that its first entry is the oldest.
var (
	bucketSnapshots = []byte("state_snapshots")
	bucketOrder     = []byte("state_snapshots_order")
)

// Snapshots stores the last state that was read of each tab and projection, so that
// a later reading can be compared with it, also after the host restarted.
type Snapshots struct{ db kv.DB }

// SnapshotKey identifies a snapshot. It does not include the document: a difference
// may span a navigation.
type SnapshotKey struct {
	TabID      int
	Origin     string // a map may serve several, and who may see one may not see another
	Map        string // path of the map in storage
	Projection string
}

func (k SnapshotKey) bytes() []byte {
	return append(kv.Int(k.TabID), strings.Join([]string{k.Origin, k.Map, k.Projection}, "\x00")...)
}

// OpenSnapshots opens the snapshots of a database, whose owner closes it.
func OpenSnapshots(db *bbolt.DB) (*Snapshots, error) {
	s := &Snapshots{kv.DB{Bolt: db, What: "the snapshots"}}
	return s, s.db.CreateBuckets(bucketSnapshots, bucketOrder)
}

// Get returns the last state, and false if there is none.
func (s *Snapshots) Get(key SnapshotKey) (state json.RawMessage, found bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) (err error) {
		if value := tx.Bucket(bucketSnapshots).Get(key.bytes()); len(value) > 8 {
			state, err = unzipped(value[8:])
			found = err == nil
		}
		return err
	})
	return state, found, err
}

// zipped returns the state as it is stored.
func zipped(state json.RawMessage) ([]byte, error) {
	if len(state) < zippedBytes {
		return state, nil
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(state)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// unzipped returns a copy of a state that was stored; no JSON text begins as gzip does.
func unzipped(stored []byte) (json.RawMessage, error) {
	if stored[0] != 0x1f {
		return bytes.Clone(stored), nil
	}
	r, err := gzip.NewReader(bytes.NewReader(stored))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, maxSnapshotBytes))
}

// Replace replaces the last state and returns it; nil if there was none. A state above 16 MiB is
// state_payload_too_large and deletes the last one, which would be stale.
func (s *Snapshots) Replace(key SnapshotKey, state json.RawMessage) (last json.RawMessage, err error) {
	last, found, err := s.Get(key)
	if err != nil || found && bytes.Equal(last, state) {
		return last, err // an unchanged page costs no write
	}
	return last, s.put(key.bytes(), state)
}

func (s *Snapshots) put(id []byte, state json.RawMessage) error {
	tooLarge := len(state) > maxSnapshotBytes
	var stored []byte
	if !tooLarge {
		var err error
		if stored, err = zipped(state); err != nil {
			return err
		}
	}
	err := s.update(func(snapshots, order *bbolt.Bucket) error {
		if err := remove(snapshots, order, id); err != nil || tooLarge {
			return err
		}
		number, err := order.NextSequence()
		if err != nil {
			return err
		}
		at := kv.Int(number)
		if err := order.Put(at, id); err != nil {
			return err
		}
		if err := snapshots.Put(id, append(at, stored...)); err != nil {
			return err
		}
		return dropOldest(snapshots, order)
	})
	if err == nil && tooLarge {
		return fault.New(fault.StatePayloadTooLarge, "a state of %d bytes is not kept, the limit is %d", len(state), maxSnapshotBytes)
	}
	return err
}

// DropTab deletes the snapshots of a tab: it was closed or released, or its id
// belongs to another tab now.
func (s *Snapshots) DropTab(tabID int) error {
	return s.update(func(snapshots, order *bbolt.Bucket) error {
		for key := range kv.Entries(snapshots, kv.Int(tabID)) {
			if err := remove(snapshots, order, key); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropOldest deletes snapshots above the limits.
func dropOldest(snapshots, order *bbolt.Bucket) error {
	var ids [][]byte
	var sizes []int
	size := 0
	for _, id := range kv.Entries(order, nil) {
		ids, sizes = append(ids, bytes.Clone(id)), append(sizes, len(snapshots.Get(id)))
		size += sizes[len(sizes)-1]
	}
	for i := 0; len(ids)-i > maxSnapshots || size > maxStoredBytes && len(ids)-i > 1; i++ {
		if err := remove(snapshots, order, ids[i]); err != nil {
			return err
		}
		size -= sizes[i]
	}
	return nil
}

// remove deletes one snapshot and its entry in the order.
func remove(snapshots, order *bbolt.Bucket, id []byte) error {
	value := snapshots.Get(id)
	if len(value) < 8 {
		return nil
	}
	if err := order.Delete(bytes.Clone(value[:8])); err != nil {
		return err
	}
	return snapshots.Delete(id)
}

func (s *Snapshots) update(change func(snapshots, order *bbolt.Bucket) error) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		snapshots, err := tx.CreateBucketIfNotExists(bucketSnapshots)
		if err != nil {
			return err
		}
		order, err := tx.CreateBucketIfNotExists(bucketOrder)
		if err != nil {
			return err
		}
		return change(snapshots, order)
	})
}
