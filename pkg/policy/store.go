package policy

import (
	"encoding/json"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

var (
	bucketPolicy = []byte("policy")
	keyGrants    = []byte("grants") // JSON array
)

// BoltStore keeps grants in a bucket of the profile's database.
type BoltStore struct{ DB *bbolt.DB }

// Load reads the grants; none were saved is not an error. The fault is
// storage_unavailable.
func (s BoltStore) Load() ([]Grant, error) {
	var grants []Grant
	err := s.DB.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(bucketPolicy)
		if bucket == nil || bucket.Get(keyGrants) == nil {
			return nil
		}
		return strictjson.Decode(bucket.Get(keyGrants), &grants, strictjson.Limits{})
	})
	if err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the stored grants cannot be read: %v", err)
	}
	return grants, nil
}

// Save replaces the grants and returns when they are on disk. The fault is
// storage_unavailable.
func (s BoltStore) Save(grants []Grant) error {
	text, err := json.Marshal(grants)
	if err == nil {
		err = s.DB.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists(bucketPolicy)
			if err != nil {
				return err
			}
			return bucket.Put(keyGrants, text)
		})
	}
	if err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the grants cannot be stored: %v", err)
	}
	return nil
}
