package site_test

import (
	"encoding/binary"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/test/database"
)

func TestUnreadableLaunchersGoWithTheirTab(t *testing.T) {
	// Ensure that a tab's launchers are forgotten when it is released, also those that cannot be read.
	db := database.New(t)
	launchers, err := site.OpenLaunchers(db)
	if err != nil {
		t.Fatal(err)
	}
	key := append(binary.BigEndian.AppendUint64(nil, 7), "old"...)
	err = db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("launchers")).Put(key, []byte(`{"launchers":1`)) })
	if err != nil {
		t.Fatal(err)
	}
	if count, err := launchers.DropTab(7); err != nil || count != 0 {
		t.Fatalf("%d launchers, %v", count, err)
	}
	err = db.View(func(tx *bbolt.Tx) error {
		if tx.Bucket([]byte("launchers")).Get(key) != nil {
			t.Error("the registration is still there")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
