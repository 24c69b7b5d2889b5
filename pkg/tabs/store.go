package tabs

import (
	"encoding/binary"
	"encoding/json"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// bucketClaims maps a tab id (8 bytes, big endian) to the run of the browser
// that it belongs to. URL and title are not stored: the next handshake brings
// them, and they may hold secrets.
var bucketClaims = []byte("tabs_claims")

type store struct{ db *bbolt.DB }

func (s store) create() error {
	return s.update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucketClaims)
		return err
	})
}

func (s store) put(tabID int, of stored) error {
	text, err := json.Marshal(of)
	if err != nil {
		return fault.From(err)
	}
	return s.update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketClaims).Put(tabKey(tabID), text) })
}

func (s store) delete(tabID int) error {
	return s.update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketClaims).Delete(tabKey(tabID)) })
}

// retain deletes the claims that keep refuses, and those that cannot be read,
// and returns the ids of the others, sorted.
func (s store) retain(keep func(tabID int, of stored) bool) (kept []int, err error) {
	err = s.update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(bucketClaims)
		var drop [][]byte
		err := bucket.ForEach(func(key, value []byte) error {
			var of stored
			if len(key) == 8 && strictjson.Decode(value, &of, strictjson.Limits{}) == nil {
				if tabID := int(binary.BigEndian.Uint64(key)); keep(tabID, of) {
					kept = append(kept, tabID)
					return nil
				}
			}
			drop = append(drop, slices.Clone(key))
			return nil
		})
		for _, key := range drop {
			if err != nil {
				break
			}
			err = bucket.Delete(key)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return kept, nil
}

func (s store) update(change func(*bbolt.Tx) error) error {
	if err := s.db.Update(change); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the claims cannot be stored: %v", err)
	}
	return nil
}

func tabKey(tabID int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(tabID)) }
