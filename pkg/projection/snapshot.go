package projection

import (
	"bytes"
	"encoding/binary"
	"encoding/json"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	maxSnapshots     = 200     // stored; the oldest is dropped first
	maxSnapshotBytes = 1 << 20 // of one
)

// A snapshot's key is its tab (8 bytes, big endian), the map's path, a zero
// byte and the projection's name; its value is its number (8 bytes, big endian)
// and the state. The second bucket maps the number to the key, so that
// its first entry is the oldest.
var (
	bucketSnapshots = []byte("state_snapshots")
	bucketOrder     = []byte("state_snapshots_order")
)

// Snapshots stores the last state that was read of each tab and projection, so that
// a later reading can be compared with it, also after the host restarted.
type Snapshots struct{ db *bbolt.DB }

// SnapshotKey identifies a snapshot. It does not include the document: a difference
// may span a navigation.
type SnapshotKey struct {
	TabID      int
	Map        string // path of the map in storage
	Projection string
}

func (k SnapshotKey) bytes() []byte {
	return append(append(append(tabPrefix(k.TabID), k.Map...), 0), k.Projection...)
}

func tabPrefix(tabID int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(tabID)) }

// OpenSnapshots opens the snapshots of a database, whose owner closes it.
func OpenSnapshots(db *bbolt.DB) (*Snapshots, error) {
	s := &Snapshots{db: db}
	return s, s.update(func(snapshots, order *bbolt.Bucket) error { return nil })
}

// Get returns the last state, and false if there is none.
func (s *Snapshots) Get(key SnapshotKey) (state json.RawMessage, found bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		if value := tx.Bucket(bucketSnapshots).Get(key.bytes()); len(value) > 8 {
			state, found = bytes.Clone(value[8:]), true
		}
		return nil
	})
	if err != nil {
		return nil, false, fault.Wrap(err, fault.StorageUnavailable, "the snapshots cannot be read: %v", err)
	}
	return state, found, nil
}

// Put replaces the last state. A state above 1 MiB is state_payload_too_large and
// deletes the last one, which would be stale.
func (s *Snapshots) Put(key SnapshotKey, state json.RawMessage) error {
	if old, found, err := s.Get(key); err != nil || found && bytes.Equal(old, state) {
		return err // an unchanged page costs no write
	}
	id := key.bytes()
	err := s.update(func(snapshots, order *bbolt.Bucket) error {
		if err := remove(snapshots, order, id); err != nil || len(state) > maxSnapshotBytes {
			return err
		}
		number, err := order.NextSequence()
		if err != nil {
			return err
		}
		at := binary.BigEndian.AppendUint64(nil, number)
		if err := order.Put(at, id); err != nil {
			return err
		}
		if err := snapshots.Put(id, append(at, state...)); err != nil {
			return err
		}
		return dropOldest(snapshots, order)
	})
	if err == nil && len(state) > maxSnapshotBytes {
		return fault.New(fault.StatePayloadTooLarge, "a state of %d bytes is not kept, the limit is %d", len(state), maxSnapshotBytes)
	}
	return err
}

// DropTab deletes the snapshots of a tab: it was closed or released, or its id
// belongs to another tab now.
func (s *Snapshots) DropTab(tabID int) error {
	return s.update(func(snapshots, order *bbolt.Bucket) error {
		prefix := tabPrefix(tabID)
		var keys [][]byte // a bucket must not change while it is walked
		cursor := snapshots.Cursor()
		for key, _ := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
			keys = append(keys, bytes.Clone(key))
		}
		for _, key := range keys {
			if err := remove(snapshots, order, key); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropOldest deletes snapshots above the limit.
func dropOldest(snapshots, order *bbolt.Bucket) error {
	var ids [][]byte // a bucket must not change while it is walked
	err := order.ForEach(func(_, id []byte) error {
		ids = append(ids, bytes.Clone(id))
		return nil
	})
	for ; err == nil && len(ids) > maxSnapshots; ids = ids[1:] {
		err = remove(snapshots, order, ids[0])
	}
	return err
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
	err := s.db.Update(func(tx *bbolt.Tx) error {
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
	if err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the snapshots cannot be written: %v", err)
	}
	return nil
}
