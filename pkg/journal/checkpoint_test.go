package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestMissingEnd(t *testing.T) {
	// Ensure that a log whose last transaction may be missing, or is, says so where it is verified and at the next start, and no more once that has been said; and that without a checkpoint to compare nothing is claimed.
	type files struct{ log, older, checkpoint []byte }
	newest := func(text []byte) int { // where the newest meta page begins
		metas := metasOf(bytes.NewReader(text), int64(len(text)))
		return int(metas[0].txid%2) * os.Getpagesize()
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, path string, f files)
		verify string // in the report; empty: all is well
		bad    uint64 // 0: the chain is sound
	}{
		"as it was": {func(*testing.T, string, files) {}, "", 0},
		"torn meta page": {func(t *testing.T, path string, f files) {
			put(t, path, zero(newest(f.log)+32, 20)(f.log))
		}, "record 10 was written, and the log ends before it", 10},
		"torn meta page of another package": {func(t *testing.T, path string, f files) {
			j := openAt(t, path, Options{})
			if err := j.Bolt().Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("other")); return err }); err != nil {
				t.Fatal(err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			text := get(t, path)
			put(t, path, zero(newest(text)+32, 20)(text))
		}, "one of the two meta pages is invalid", 0},
		"older file": {func(t *testing.T, path string, f files) { put(t, path, f.older) }, "the records 6 to 10 were written, and the log ends before them", 6},
		"end cut by hand": {func(t *testing.T, path string, _ files) {
			db, err := bbolt.Open(path, 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketRecords).Delete(seqKey(10)) }); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}, "record 10 was written, and the log ends before it", 10},
		"older file, written on": {func(t *testing.T, path string, f files) {
			put(t, path, f.older)
			put(t, checkpointPath(path), nil)
			j := openAt(t, path, Options{})
			for range 8 {
				commit(t, j, Record{Type: TypeLifecycle, Name: "other"})
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			put(t, checkpointPath(path), f.checkpoint)
		}, "record 10 is another one than was written", 10},
		"meta pages apart": {func(t *testing.T, path string, f files) {
			at := (os.Getpagesize() - newest(f.log)) // the older one
			page := bytes.Clone(f.older[:2*os.Getpagesize()])[at : at+os.Getpagesize()]
			copy(f.log[at:], page)
			put(t, path, f.log)
		}, "what came between may be missing", 0},
		"older file without a checkpoint": {func(t *testing.T, path string, f files) {
			put(t, path, f.older)
			if err := os.Remove(checkpointPath(path)); err != nil {
				t.Fatal(err)
			}
		}, "", 0},
		"older file with half a checkpoint": {func(t *testing.T, path string, f files) {
			put(t, path, f.older)
			put(t, checkpointPath(path), f.checkpoint[:40])
		}, "the checkpoint beside the log is broken", 0},
		"checkpoint of another hash": {func(t *testing.T, path string, f files) {
			put(t, checkpointPath(path), edit(f.checkpoint, "0000010 ", "0000009 "))
		}, "the checkpoint beside the log is broken", 0},
		"no checkpoint": {func(t *testing.T, path string, f files) {
			if err := os.Remove(checkpointPath(path)); err != nil {
				t.Fatal(err)
			}
		}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.db")
			j := openAt(t, path, Options{})
			var f files
			for i := range 10 {
				if i == 5 {
					if err := j.Close(); err != nil {
						t.Fatal(err)
					}
					f.older = get(t, path)
					j = openAt(t, path, Options{})
				}
				commit(t, j, Record{Type: TypeLifecycle})
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			f.log, f.checkpoint = get(t, path), get(t, checkpointPath(path))
			c.change(t, path, f)
			r, err := ReadFile(path, 0)
			if err != nil {
				t.Fatal(err)
			}
			report, err := r.Verify(t.Context())
			if err != nil || report.Bad != c.bad || report.OK != (c.bad == 0) || !strings.Contains(report.Problem+report.Doubt, c.verify) || c.verify == "" && report.Problem+report.Doubt != "" {
				t.Errorf("verify: %+v, %v", report, err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				j := openAt(t, path, Options{})
				said := 0
				for _, r := range all(t, &j.Reader) {
					if r.Type == TypeRecovered && strings.Contains(string(r.Data), c.verify) {
						said++
					}
				}
				if c.verify == "" && said != 0 || c.verify != "" && said != 1 {
					t.Errorf("said %d times", said)
				}
				if report := verified(t, &j.Reader); report.Doubt != "" || len(report.Recovered) != said {
					t.Errorf("the host's own check: %+v", report)
				}
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Ensure that what is read as a checkpoint is exactly what writes it, that all else is
// the one typed error, and that a log beside it opens with every record.
func FuzzCheckpoint(f *testing.F) {
	folder := f.TempDir()
	path := filepath.Join(folder, "journal.db")
	j := openAt(f, path, Options{})
	commit(f, j, Record{Type: TypeLifecycle}, Record{Type: TypeLifecycle})
	want := all(f, &j.Reader)
	if err := j.Close(); err != nil {
		f.Fatal(err)
	}
	log, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := decodeCheckpoint(text)
		if err == nil && !bytes.Equal(h.line(), text) || err != nil && (!errors.Is(err, errBrokenCheckpoint) || h != chainHead{}) {
			t.Fatalf("%q: %+v, %v", text, h, err)
		}
		here := filepath.Join(t.TempDir(), "journal.db")
		put(t, here, log)
		put(t, checkpointPath(here), text)
		j, err := Open(here, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		if got := all(t, &j.Reader); len(got) < len(want) || !reflect.DeepEqual(got[:len(want)], want) {
			t.Fatalf("%d records of %d", len(got), len(want))
		}
		verified(t, &j.Reader)
	})
}

func TestMissingNumbersAreNotUsedAgain(t *testing.T) {
	// Ensure that a log whose end is gone, once or again, goes on after the numbers that it names as missing, and that the chain is whole but for them.
	path := filepath.Join(t.TempDir(), "journal.db")
	write := func(n int) (text []byte) {
		t.Helper()
		j := openAt(t, path, Options{})
		for range n {
			commit(t, j, Record{Type: TypeLifecycle})
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		return get(t, path)
	}
	first := write(5)
	second := write(5)
	third := write(3)
	for _, c := range []struct {
		file []byte
		next uint64 // the record that says what is missing
		gaps [][2]uint64
	}{
		{second, 14, [][2]uint64{{11, 13}}},
		{first, 15, [][2]uint64{{6, 14}}},
		{third[:len(third)/4], 16, [][2]uint64{{1, 15}}},
		{nil, 17, [][2]uint64{{1, 16}}},
	} {
		put(t, path, c.file)
		j := openAt(t, path, Options{})
		found := all(t, &j.Reader)
		if last := found[len(found)-1]; last.Seq != c.next || last.Type != TypeRecovered {
			t.Errorf("the last record is %d, %s, want %d", last.Seq, last.Type, c.next)
		}
		if report := verified(t, &j.Reader); !reflect.DeepEqual(report.Gaps, c.gaps) {
			t.Errorf("the gaps are %v, want %v", report.Gaps, c.gaps)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFiles(t *testing.T) {
	// Ensure that a log which is gone is listed by its checkpoint, in its place, and that reading it tells of the loss; where nothing was written there is no log.
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for i, name := range []string{"p-old.db", "p-gone.db", "p-new.db", "q.db", "p-empty.db"} {
		j := openAt(t, at(name), Options{})
		commit(t, j, Record{Type: TypeLifecycle})
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{at(name), checkpointPath(at(name))} {
			written := time.Date(2026, 11, 20, 12, i, 0, 0, time.UTC)
			if err := os.Chtimes(path, written, written); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(os.Remove(at("p-gone.db")), os.Remove(at("p-empty.db")), os.Truncate(checkpointPath(at("p-empty.db")), 0)); err != nil {
		t.Fatal(err)
	}
	names, err := Files(at("p-"))
	if want := []string{at("p-new.db"), at("p-gone.db"), at("p-old.db")}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, want %v; %v", names, want, err)
	}
	if names, err := Files(filepath.Join(folder, "none", "p-")); err != nil || len(names) != 0 {
		t.Errorf("in no folder %v, %v", names, err)
	}
	for name, want := range map[string]string{"p-gone.db": "is gone: its checkpoint names record 1 as written", "p-empty.db": "there is no journal at"} {
		if r, err := ReadFile(at(name), 0); !fault.Is(err, fault.StorageUnavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}
