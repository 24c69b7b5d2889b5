// Package database gives a test a real bbolt database of its own.
package database

import (
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
)

// New opens an empty database, which goes with the test. It is not synced to the
// disk: no test of this process can tell.
func New(t testing.TB) *bbolt.DB {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "test.db"), 0o600, &bbolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
