package harness

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// SmallDisk mounts a file system of its own for the home's state, of a size as mount has it.
// It skips the test where none can be mounted.
func (h *Home) SmallDisk(t testing.TB, size string) {
	t.Helper()
	state := filepath.Join(h.Dir, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", state, "tmpfs", 0, "mode=700,size="+size); err != nil {
		t.Skipf("no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(state, syscall.MNT_DETACH) })
}

// FillDisk leaves no space on the file system of the home's state, until the file that it
// returns is removed.
func (h *Home) FillDisk(t testing.TB) (ballast string) {
	t.Helper()
	ballast = filepath.Join(h.Dir, "state", "ballast")
	f, err := os.Create(ballast)
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
	return ballast
}
