//go:build linux

package journal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Ensure a full disk refuses commits with a clear code, keeps what was appended,
// loses nothing that was acknowledged, and that the log works again once there
// is space. Needs the right to mount a small file system.
func TestFullDisk(t *testing.T) {
	folder := smallDisk(t)
	path, ballast := filepath.Join(folder, "journal.db"), filepath.Join(folder, "ballast")
	j := openAt(t, path, Options{})
	acknowledged := 0
	for round := range 50 {
		fill(t, ballast)
		appended := j.Append(context.Background(), Record{Type: TypeLifecycle, Name: "appended"})
		if appended != nil {
			t.Fatal(appended)
		}
		refused := false
		for !refused {
			err := j.Commit(context.Background(), Record{Type: TypeLifecycle, Name: "committed", Data: sampleData})
			switch {
			case err == nil:
				acknowledged++
			case fault.Is(err, fault.JournalUnavailable):
				refused = true
			default:
				t.Fatal(err)
			}
		}
		verified(t, &j.Reader)
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		if err := j.Commit(context.Background(), Record{Type: TypeLifecycle, Name: "committed"}); err != nil {
			t.Fatalf("round %d, with space again: %v", round, err)
		}
		acknowledged++
		if round == 20 { // in the middle: a restart finds a sound file
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			j = openAt(t, path, Options{})
		}
	}
	verified(t, &j.Reader)
	stored := map[string]int{}
	for _, r := range all(t, &j.Reader) {
		stored[r.Name]++
	}
	if stored["committed"] < acknowledged || stored["appended"] < 50 {
		t.Errorf("stored %v, acknowledged %d", stored, acknowledged)
	}
}

func TestOutcomeOnFullDisk(t *testing.T) {
	// Ensure that an outcome which a full disk refuses is in the log once there is room, once, and that no intent stays open.
	folder := smallDisk(t)
	ballast := filepath.Join(folder, "ballast")
	j := openAt(t, filepath.Join(folder, "journal.db"), Options{})
	commit(t, j, Record{Type: TypeIntent, CallID: "c"})
	fill(t, ballast)
	var err error
	for err == nil {
		err = j.Commit(t.Context(), Record{Type: TypeLifecycle, Data: sampleData})
	}
	if err := j.Commit(t.Context(), Record{Type: TypeOutcome, CallID: "c", Data: sampleData}); !fault.Is(err, fault.JournalUnavailable) {
		t.Fatalf("the outcome: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	commit(t, j, Record{Type: TypeLifecycle})
	endsOnce(t, j, "c")
}

// smallDisk returns the folder of a file system of its own.
func smallDisk(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(folder, syscall.MNT_DETACH) })
	return folder
}

func TestStartWithoutRoom(t *testing.T) {
	// Ensure that a start on a full disk reads the log, takes no action and closes the open intents once there is room; that one which cannot go on says so, moves nothing, and works once there is room; and that on a disk that is not to be written the log can still be read.
	const count = 60
	sound := func(text []byte) []byte { return text }
	for name, c := range map[string]struct {
		change func(b *broken) func([]byte) []byte // nil: there is no file
		opens  bool
		found  bool // is told, with room or without
	}{
		"sound": {func(*broken) func([]byte) []byte { return sound }, true, false},
		"broken record": {func(*broken) func([]byte) []byte {
			return func(text []byte) []byte { return edit(text, `"n60"`, `"N60"`) }
		}, true, true},
		"broken page": {func(b *broken) func([]byte) []byte { return zero(b.pageOf(t, 30), os.Getpagesize()) }, false, true},
		"no file":     {nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			folder := smallDisk(t)
			b := written(t, count)
			path, ballast := filepath.Join(folder, "journal.db"), filepath.Join(folder, "ballast")
			var text []byte
			if c.change != nil {
				text = c.change(b)(bytes.Clone(b.text))
				put(t, path, text)
			}
			fill(t, ballast)
			j, err := Open(path, Options{})
			if c.opens != (err == nil) || err != nil && !fault.Is(err, fault.StorageUnavailable) {
				t.Fatalf("on the full disk: %v", err)
			}
			if err == nil {
				if n := len(all(t, &j.Reader)); n != count {
					t.Errorf("%d records can be read", n)
				}
				if err := j.Commit(t.Context(), Record{Type: TypeIntent, CallID: "late"}); !fault.Is(err, fault.JournalUnavailable) {
					t.Errorf("an intent: %v", err)
				}
				if (j.Damage() != nil) != c.found {
					t.Errorf("the start found %v", j.Damage())
				}
				if err := j.Close(); err != nil && !fault.Is(err, fault.JournalUnavailable) {
					t.Error(err)
				}
			}
			if !c.opens && c.change != nil && !bytes.Equal(get(t, path), text) {
				t.Error("the broken file was changed or moved")
			}
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			j = openAt(t, path, Options{})
			if (j.Damage() != nil) != c.found {
				t.Errorf("with room the start found %v", j.Damage())
			}
			commit(t, j, Record{Type: TypeLifecycle})
			verified(t, &j.Reader)
			if open, err := j.OpenIntents(); err != nil || len(open) != 0 {
				t.Errorf("%d intents are open, %v", len(open), err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}

			if err := syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(path, Options{}); !fault.Is(err, fault.StorageUnavailable) {
				t.Errorf("not to be written: %v", err)
			}
			r, err := ReadFile(path, 0)
			if err != nil {
				t.Fatal(err)
			}
			verified(t, r)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// fill leaves no space on the file system.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
