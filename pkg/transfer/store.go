package transfer

import (
	"bytes"
	"encoding/json"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/kv"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// bucketItems holds a bucket for each session; in it, for each label,
// the item without its value under "i" and the label, and the value under "v"
// and the label: listing the items does not read large values.
var bucketItems = []byte("transfer")

const (
	prefixItem  = 'i'
	prefixValue = 'v'
)

// Ref names an item: the id is looked for first, then the label.
type Ref struct{ ID, Label string }

// Read returns an item with its value. The faults are transfer_label_required,
// transfer_label_not_found and transfer_expired, which removes it.
func (b *Buffer) Read(session string, ref Ref) (item Item, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		items, label, err := find(tx, session, ref)
		if err != nil {
			return err
		}
		item, _ = read(items, label)
		return nil
	})
	if err != nil || b.now().Before(item.ExpiresAt) {
		return item, err
	}
	err = b.db.Update(func(tx *bbolt.Tx) error {
		_, err := dropExpired(tx.Bucket(bucketItems), b.now())
		return err
	})
	if err != nil {
		return Item{}, err
	}
	return Item{}, fault.New(fault.TransferExpired, "the value %q expired at %s", item.Label, item.ExpiresAt.Format(time.RFC3339)).
		WithDispatched(fault.NotDispatched)
}

// Clear removes an item. The faults are those of Read without
// transfer_expired.
func (b *Buffer) Clear(session string, ref Ref) error {
	return b.db.Update(func(tx *bbolt.Tx) error {
		items, label, err := find(tx, session, ref)
		if err != nil {
			return err
		}
		return remove(items, label)
	})
}

// EndSession removes all items of a session and reports how many there were.
func (b *Buffer) EndSession(session string) (removed int, err error) {
	err = b.db.Update(func(tx *bbolt.Tx) error {
		root := tx.Bucket(bucketItems)
		items := root.Bucket([]byte(session))
		if items == nil {
			return nil
		}
		removed = len(list(items))
		return root.DeleteBucket([]byte(session))
	})
	return removed, err
}

// EndSessions removes all items of many sessions in one transaction. Sessions
// without an item cost none.
func (b *Buffer) EndSessions(sessions ...string) error {
	return b.db.DropBuckets(bucketItems, sessions...)
}

// find returns the bucket and the label of an item.
func find(tx *bbolt.Tx, session string, ref Ref) (*bbolt.Bucket, string, error) {
	if ref == (Ref{}) {
		return nil, "", fault.New(fault.TransferLabelRequired, "the call names no item").WithDispatched(fault.NotDispatched)
	}
	items := tx.Bucket(bucketItems).Bucket([]byte(session))
	labels := []string{}
	if items != nil {
		known := items.Get(key(prefixItem, ref.Label)) != nil
		if known && ref.ID == "" {
			return items, ref.Label, nil
		}
		for _, item := range list(items) {
			if ref.ID != "" && item.ID == ref.ID {
				return items, item.Label, nil
			}
			labels = append(labels, item.Label)
		}
		if known {
			return items, ref.Label, nil
		}
	}
	name := ref.Label
	if name == "" {
		name = ref.ID
	}
	return nil, "", fault.New(fault.TransferLabelNotFound, "nothing is stored as %q", name).
		With("labels", labels).WithDispatched(fault.NotDispatched)
}

// usage is the number and the size of the stored items.
type usage struct{ count, bytes int }

// fits checks an item against the limits of the buffer, which holds the others.
func (others usage) fits(item Item) error {
	if item.SizeBytes > MaxItem {
		return tooLarge(item.SizeBytes)
	}
	if others.count+1 > MaxItems || others.bytes+item.SizeBytes > MaxTotal {
		return fault.New(fault.TransferLimitReached, "the buffer holds %d values with %d bytes; %d values and %d bytes are allowed",
			others.count, others.bytes, MaxItems, MaxTotal).
			With("count", others.count).With("bytes", others.bytes).WithDispatched(fault.NotDispatched)
	}
	return nil
}

// dropExpired removes what is over in all sessions, and sessions without items,
// and reports how much is left.
func dropExpired(root *bbolt.Bucket, now time.Time) (left usage, err error) {
	for _, session := range kv.Buckets(root) {
		items := root.Bucket(session)
		before := left.count
		for _, item := range list(items) {
			if now.Before(item.ExpiresAt) {
				left.count++
				left.bytes += item.SizeBytes
			} else if err := remove(items, item.Label); err != nil {
				return left, err
			}
		}
		if left.count == before {
			if err := root.DeleteBucket(session); err != nil {
				return left, err
			}
		}
	}
	return left, nil
}

// list returns the items of a session that can be read, without their values.
func list(items *bbolt.Bucket) []Item {
	var all []Item
	for key, text := range kv.Entries(items, []byte{prefixItem}) {
		if item, ok := decode(key, text); ok {
			all = append(all, item)
		}
	}
	return all
}

// read returns an item with its value, and false if there is none that can be
// read.
func read(items *bbolt.Bucket, label string) (Item, bool) {
	at := key(prefixItem, label)
	item, ok := decode(at, items.Get(at))
	if !ok {
		return Item{}, false
	}
	item.Value = bytes.Clone(items.Get(key(prefixValue, label)))
	return item, json.Valid(item.Value)
}

// decode reads a stored item; its label is the one in the key.
func decode(key, text []byte) (Item, bool) {
	var item Item
	if len(key) < 2 || strictjson.Decode(text, &item, strictjson.Limits{}) != nil || item.SizeBytes < 0 {
		return Item{}, false
	}
	item.Label = string(key[1:])
	if item.Metadata == nil {
		item.Metadata = map[string]json.RawMessage{}
	}
	return item, true
}

func put(items *bbolt.Bucket, item Item) error {
	value := item.Value
	item.Value = nil
	text, err := json.Marshal(item)
	if err != nil {
		return err
	}
	if err := items.Put(key(prefixItem, item.Label), text); err != nil {
		return err
	}
	return items.Put(key(prefixValue, item.Label), value)
}

func remove(items *bbolt.Bucket, label string) error {
	if err := items.Delete(key(prefixItem, label)); err != nil {
		return err
	}
	return items.Delete(key(prefixValue, label))
}

func key(prefix byte, label string) []byte { return append([]byte{prefix}, label...) }
