package projection

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func openSnapshots(t *testing.T, path string) (*Snapshots, *bbolt.DB) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s, err := OpenSnapshots(db)
	if err != nil {
		t.Fatal(err)
	}
	return s, db
}

func put(t *testing.T, s *Snapshots, key SnapshotKey, state string) {
	t.Helper()
	if _, err := s.Replace(key, json.RawMessage(state)); err != nil {
		t.Fatal(err)
	}
}

func kept(t *testing.T, s *Snapshots, key SnapshotKey) string {
	t.Helper()
	state, found, err := s.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	if found != (state != nil) {
		t.Fatalf("found %v, state %q", found, state)
	}
	return string(state)
}

func TestSnapshots(t *testing.T) {
	// Ensure the last state of each tab, origin, map and projection is kept, over a restart too, and a dropped tab takes only its own along.
	path := filepath.Join(t.TempDir(), "state.db")
	s, db := openSnapshots(t, path)
	const a, b = "https://a.test", "https://b.test"
	board := SnapshotKey{1, a, "public/a.test/board", "board"}
	others := []SnapshotKey{{2, a, board.Map, "board"}, {257, a, board.Map, "board"}}
	same := []SnapshotKey{{1, a, "public/a.test/other", "board"}, {1, a, board.Map, "modal"}, {1, b, board.Map, "board"}}
	if got := kept(t, s, board); got != "" {
		t.Errorf("kept %q before anything was put", got)
	}
	for i, key := range append(append([]SnapshotKey{board}, others...), same...) {
		put(t, s, key, fmt.Sprintf(`{"n":%d}`, i))
	}
	put(t, s, board, `{"n":"new"}`)
	put(t, s, board, `{"n":"new"}`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, _ = openSnapshots(t, path)
	if got := kept(t, s, board); got != `{"n":"new"}` {
		t.Errorf("kept %q", got)
	}
	if err := s.DropTab(1); err != nil {
		t.Fatal(err)
	}
	for _, key := range append(same, board) {
		if got := kept(t, s, key); got != "" {
			t.Errorf("%v is still kept: %s", key, got)
		}
	}
	for i, key := range others {
		if got := kept(t, s, key); got != fmt.Sprintf(`{"n":%d}`, i+1) {
			t.Errorf("%v: kept %q", key, got)
		}
	}
}

func TestSnapshotLimits(t *testing.T) {
	// Ensure only the last ones are kept, and a state above 16 MiB is refused and leaves no stale one behind.
	s, db := openSnapshots(t, filepath.Join(t.TempDir(), "state.db"))
	key := func(n int) SnapshotKey { return SnapshotKey{n, "", "m", "p"} }
	for n := range maxSnapshots {
		put(t, s, key(n), `{}`)
	}
	put(t, s, key(0), `{"again":true}`) // now the newest
	put(t, s, key(maxSnapshots), `{}`)
	if kept(t, s, key(1)) != "" || kept(t, s, key(0)) == "" || kept(t, s, key(2)) == "" || kept(t, s, key(maxSnapshots)) == "" {
		t.Error("not the oldest snapshot went")
	}
	_, err := s.Replace(key(2), json.RawMessage(`"`+strings.Repeat("x", maxSnapshotBytes)+`"`))
	wantFault(t, err, fault.StatePayloadTooLarge)
	if got := kept(t, s, key(2)); got != "" {
		t.Errorf("kept %.40q", got)
	}
	if err := db.View(func(tx *bbolt.Tx) error {
		if a, b := tx.Bucket(bucketSnapshots).Stats().KeyN, tx.Bucket(bucketOrder).Stats().KeyN; a != maxSnapshots-1 || b != a {
			return fmt.Errorf("%d snapshots, %d numbers", a, b)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func TestLargeSnapshots(t *testing.T) {
	// Ensure large states come back as they were, take little room, and together stay within the limit, the last one always kept.
	if testing.Short() {
		t.Skip("too long under the race detector")
	}
	s, db := openSnapshots(t, filepath.Join(t.TempDir(), "state.db"))
	key := func(n int) SnapshotKey { return SnapshotKey{n, "", "m", "p"} }
	alike := `["` + strings.Repeat("a record like the others", 100_000) + `"]`
	put(t, s, key(0), alike)
	if got := kept(t, s, key(0)); got != alike {
		t.Errorf("%d bytes became %d", len(alike), len(got))
	}
	stored := func() (size int) {
		if err := db.View(func(tx *bbolt.Tx) error {
			return tx.Bucket(bucketSnapshots).ForEach(func(_, value []byte) error { size += len(value); return nil })
		}); err != nil {
			t.Fatal(err)
		}
		return size
	}
	if got := stored(); got > len(alike)/10 {
		t.Errorf("%d bytes are stored as %d", len(alike), got)
	}
	random := make([]byte, 7<<20)
	for n := 1; n <= 5; n++ {
		rand.NewChaCha8([32]byte{byte(n)}).Read(random)
		put(t, s, key(n), `"`+hex.EncodeToString(random)+`"`)
	}
	if got := stored(); got > maxStoredBytes || kept(t, s, key(0)) != "" || kept(t, s, key(1)) != "" || kept(t, s, key(5)) == "" {
		t.Errorf("%d bytes are stored", got)
	}
}

func TestSnapshotsWithoutDatabase(t *testing.T) {
	// Ensure a closed database is an error of every call and never a missing snapshot.
	s, db := openSnapshots(t, filepath.Join(t.TempDir(), "state.db"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, err := s.Get(SnapshotKey{1, "", "m", "p"})
	wantFault(t, err, fault.StorageUnavailable)
	_, err = s.Replace(SnapshotKey{1, "", "m", "p"}, json.RawMessage(`{}`))
	wantFault(t, err, fault.StorageUnavailable)
	wantFault(t, s.DropTab(1), fault.StorageUnavailable)
}
