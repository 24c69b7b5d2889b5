//go:build unix

package storage_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestReadFilePipe(t *testing.T) {
	// Ensure a pipe in place of a declared file is refused and blocks nobody, and
	// that a list and a bundle leave it out.
	root := t.TempDir()
	write(t, root, folder+"actions.json", declaring("pipe", "pipe.md"))
	name := filepath.Join(root, filepath.FromSlash(folder), "pipe.md")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip("this system makes no pipes:", err)
	}
	s := open(t, root)
	if f, err := s.ReadFile(page, "pipe", "", 0); !fault.Is(err, fault.StorageFileNotText) {
		t.Errorf("the pipe gave %+v, %v", f, err)
	}
	if b, skipped, err := s.Export(); err != nil || len(b.Entries) != 1 || len(skipped) != 1 {
		t.Errorf("%d entries, left out %+v, %v", len(b.Entries), skipped, err)
	}
	if err := os.Rename(name, filepath.Join(root, filepath.FromSlash(folder), "actions.json")); err != nil {
		t.Fatal(err)
	}
	if site := s.Match(page); len(site.Errors) == 0 {
		t.Error("a pipe in place of a map is not reported")
	}
	if err := syscall.Mkfifo(filepath.Join(root, "storage.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if len(s.Errors()) != 1 {
		t.Errorf("a pipe in place of storage.json gave %+v", s.Errors())
	}
	if _, err := s.ImportFile(filepath.Join(root, "storage.json")); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("a pipe as bundle gave %v", err)
	}
}
