package announcements

import (
	"encoding/binary"
	"encoding/json"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// bucketTabs maps a tab id (8 bytes, big endian) to what is kept of it.
var bucketTabs = []byte("announcements")

type store struct{ db *bbolt.DB }

// stored is the form on disk.
type stored struct {
	Last    uint64  `json:"last"`
	Lost    uint64  `json:"lost"`
	At      uint64  `json:"at"`
	Entries []entry `json:"entries"`
}

// load returns all tabs; one that cannot be read begins anew.
func (s store) load() (map[int]*tab, error) {
	all := map[int]*tab{}
	err := s.update(func(b *bbolt.Bucket) error {
		return b.ForEach(func(key, value []byte) error {
			if len(key) != 8 {
				return nil
			}
			t := newTab()
			var from stored
			if strictjson.Decode(value, &from, strictjson.Limits{}) == nil {
				for _, e := range from.Entries {
					if e.Seq > t.ring.Last() {
						t.ring.Resume(e.Seq - 1)
						t.ring.Add(e, len(e.Text)+len(e.Region)+200)
					}
				}
				t.ring.Resume(from.Last)
				t.lost, t.lostAt = from.Lost, from.At
			}
			all[int(binary.BigEndian.Uint64(key))] = t
			return nil
		})
	})
	return all, err
}

func (s store) put(tabID int, t *tab) error {
	form := stored{Last: t.ring.Last(), Lost: t.lost, At: t.lostAt, Entries: []entry{}}
	for seq, e := range t.ring.Since(0) {
		e.Seq = seq
		form.Entries = append(form.Entries, e)
	}
	raw, err := json.Marshal(form)
	if err != nil {
		return fault.From(err)
	}
	return s.update(func(b *bbolt.Bucket) error { return b.Put(tabKey(tabID), raw) })
}

func (s store) remove(tabID int) error {
	return s.update(func(b *bbolt.Bucket) error { return b.Delete(tabKey(tabID)) })
}

func (s store) update(change func(*bbolt.Bucket) error) error {
	err := s.db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucketTabs)
		if err != nil {
			return err
		}
		return change(b)
	})
	if err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the announcements cannot be stored: %v", err)
	}
	return nil
}

func tabKey(tabID int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(tabID)) }
