package policy

import (
	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/kv"
)

const keyGrants = "grants"

// BoltStore keeps grants in a bucket of the profile's database.
type BoltStore struct{ DB *bbolt.DB }

func (s BoltStore) bucket() kv.Bucket[string, []Grant] {
	return kv.Bucket[string, []Grant]{DB: s.DB, Name: "policy", What: "the grants"}
}

// Load reads the grants; none were saved is not an error. The fault is
// storage_unavailable.
func (s BoltStore) Load() ([]Grant, error) {
	grants, _, err := s.bucket().Get(keyGrants)
	return grants, err
}

// Save replaces the grants and returns when they are on disk. The fault is
// storage_unavailable.
func (s BoltStore) Save(grants []Grant) error { return s.bucket().Put(keyGrants, grants) }
