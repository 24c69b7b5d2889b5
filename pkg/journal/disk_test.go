//go:build linux

package journal

import (
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
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(folder, syscall.MNT_DETACH) })
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
