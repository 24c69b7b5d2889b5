package journal

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

func TestCheckWhileOpen(t *testing.T) {
	// Ensure that a break which a start does not see is found while the host works, that the log goes on in the file, and that the next start sets it aside and loses no record but the broken one, also where retention's anchor or an index is what is broken.
	const count, removed = 1500, 200
	for name, c := range map[string]struct {
		change  func(t *testing.T, tx *bbolt.Tx) error
		missing [][2]uint64
	}{
		"text": {func(_ *testing.T, tx *bbolt.Tx) error {
			value := bytes.Clone(tx.Bucket(bucketRecords).Get(seqKey(400)))
			value[len(value)-5] ^= 1
			return tx.Bucket(bucketRecords).Put(seqKey(400), value)
		}, [][2]uint64{{400, 400}}},
		"removed": {func(_ *testing.T, tx *bbolt.Tx) error { return tx.Bucket(bucketRecords).Delete(seqKey(500)) }, [][2]uint64{{500, 500}}},
		"anchor's number": {func(_ *testing.T, tx *bbolt.Tx) error {
			value := bytes.Clone(tx.Bucket(bucketMeta).Get(keyAnchor))
			binary.BigEndian.PutUint64(value, 1000)
			return tx.Bucket(bucketMeta).Put(keyAnchor, value)
		}, nil},
		"anchor's hash": {func(_ *testing.T, tx *bbolt.Tx) error {
			value := bytes.Clone(tx.Bucket(bucketMeta).Get(keyAnchor))
			value[20] ^= 1
			return tx.Bucket(bucketMeta).Put(keyAnchor, value)
		}, nil},
		"index of open intents": {func(_ *testing.T, tx *bbolt.Tx) error { return tx.Bucket(bucketOpen).Put([]byte("x"), seqKey(300)) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			clock := &fakeClock{}
			clock.set(time.Now().Add(-45 * 24 * time.Hour))
			opt := Options{Now: clock.now, checkDelay: time.Hour} // not before the file is changed
			path := filepath.Join(t.TempDir(), "journal.db")
			j := openAt(t, path, opt)
			for i := range count {
				if i == removed {
					clock.set(time.Now())
				}
				if err := j.Append(t.Context(), Record{Type: TypeLifecycle, Data: sampleData}); err != nil {
					t.Fatal(err)
				}
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			j = openAt(t, path, opt)
			commit(t, j, Record{Type: TypeLifecycle}) // retention looks at the log after the first one
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			j = openAt(t, path, opt)
			if r := verified(t, &j.Reader); r.Removed != removed {
				t.Fatalf("retention removed %d", r.Removed)
			}
			before := all(t, &j.Reader)
			if err := j.Bolt().Update(func(tx *bbolt.Tx) error { return c.change(t, tx) }); err != nil {
				t.Fatal(err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}

			told := make(chan *Damage, 1)
			opt.OnDamage, opt.checkDelay = func(d *Damage) { told <- d }, time.Nanosecond
			j = openAt(t, path, opt)
			found := <-told
			if found.Problem == "" || !found.Broken() || found.MovedTo != "" || j.Damage() != found {
				t.Fatalf("told %+v", found)
			}
			commit(t, j, Record{Type: TypeLifecycle, Name: "on"})
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			j = openAt(t, path, opt)
			found = <-told
			if found.MovedTo == "" {
				t.Errorf("the next start found %s", found)
			}
			kept := map[string]bool{}
			for _, r := range all(t, &j.Reader) {
				kept[r.Hash] = true
			}
			// A page that is free holds what it held until it is used again: the record may be found there.
			var lost [][2]uint64
			for _, r := range before {
				if !kept[r.Hash] {
					lost = append(lost, [2]uint64{r.Seq, r.Seq})
				}
			}
			if lost != nil && !slices.Equal(lost, c.missing) || c.missing != nil && !slices.Equal(found.Missing, lost) {
				t.Errorf("the next start lost %v and says %v", lost, found.Missing)
			}
			verified(t, &j.Reader)
			if _, err := os.Stat(path + ".next"); err == nil {
				t.Error("a part of the new file is left over")
			}
		})
	}
}
