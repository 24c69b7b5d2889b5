package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Ensure intents without an outcome are closed as interrupted at the next start,
// once, and that those with an outcome are left alone.
func TestInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, path, Options{})
	commit(t, j,
		Record{Type: TypeIntent, CallID: "done", Name: "pointer.click"},
		Record{Type: TypeIntent, CallID: "open", SessionID: "s", ParentID: "p", Name: "text.insert"},
		Record{Type: TypeOutcome, CallID: "done"})
	if open, err := j.OpenIntents(); err != nil || len(open) != 1 || open[0].CallID != "open" {
		t.Fatalf("open %+v, %v", open, err)
	}
	for range 2 {
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		j = openAt(t, path, Options{})
	}
	records := all(t, &j.Reader)
	if len(records) != 4 {
		t.Fatalf("%d records", len(records))
	}
	got := records[3]
	if got.Type != TypeInterrupted || got.CallID != "open" || got.SessionID != "s" || got.ParentID != "p" || got.Name != "text.insert" ||
		string(got.Data) != `{"intent_seq":2,"outcome":"unknown"}` {
		t.Errorf("got %+v %s", got, got.Data)
	}
	if open, err := j.OpenIntents(); err != nil || len(open) != 0 {
		t.Errorf("open %+v, %v", open, err)
	}
	verified(t, &j.Reader)
}

// Ensure a broken file is kept under another name and the log goes on in a new
// file whose first record tells it.
func TestMovedAside(t *testing.T) {
	garbage := bytes.Repeat([]byte("not a database. "), 4096)
	for name, text := range map[string][]byte{"garbage": garbage, "short": []byte("x"), "zeros": make([]byte, 65536)} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sub", "journal.db")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			for i, want := range []string{"journal.db.broken-20260102T030405Z", "journal.db.broken-20260102T030405Z-2"} {
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := ReadFile(path, time.Second); !fault.Is(err, fault.StorageUnavailable) {
					t.Errorf("ReadFile: %v", err)
				}
				j := openAt(t, path, Options{Now: func() time.Time { return now }})
				records := all(t, &j.Reader)
				var found Damage
				if len(records) != 1 || records[0].Type != TypeRecovered || json.Unmarshal(records[0].Data, &found) != nil ||
					found.MovedTo != want || found.Problem == "" {
					t.Fatalf("attempt %d: %+v %+v", i, records, found)
				}
				kept, err := os.ReadFile(filepath.Join(filepath.Dir(path), want))
				if err != nil || !bytes.Equal(kept, text) {
					t.Errorf("the broken file was changed: %v", err)
				}
				commit(t, j, Record{Type: TypeLifecycle})
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Ensure a file that cannot be opened for another reason is not moved.
func TestNotMovedAside(t *testing.T) {
	path := t.TempDir() // a folder in the file's place
	if _, err := Open(path, Options{}); !fault.Is(err, fault.StorageUnavailable) {
		t.Errorf("got %v", err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		t.Errorf("the folder was moved: %v", err)
	}
	if _, err := ReadFile(filepath.Join(path, "none"), time.Second); !fault.Is(err, fault.StorageUnavailable) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// Ensure other packages' buckets in the same file do not disturb the log.
func TestSharedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("other"))
		for i := range 500 { // enough for pages of its own
			err = errors.Join(err, b.Put(seqKey(uint64(i)), make([]byte, 100)))
		}
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	j := openAt(t, path, Options{})
	commit(t, j, Record{Type: TypeLifecycle})
	if err := j.Bolt().Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("other")).Put([]byte("k"), []byte("v")) }); err != nil {
		t.Fatal(err)
	}
	commit(t, j, Record{Type: TypeLifecycle})
	if report := verified(t, &j.Reader); report.Last != 2 {
		t.Errorf("report %+v", report)
	}
}
