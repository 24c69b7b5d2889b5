package mcpserver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestHiddenFilesAreNoResources(t *testing.T) {
	// Ensure that a client reads the files of the storage folder, and neither a repository's own, which may hold its password, nor what is no file.
	dir := t.TempDir()
	for _, name := range []string{"scopes/private/notes.md", ".git/config", "scopes/.env", "scopes/private/.hidden/x.md"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	files, more, err := filesOf(root)
	if err != nil || more || !slices.Equal(files, []string{"scopes/private/notes.md"}) {
		t.Errorf("listed %q, %t, %v", files, more, err)
	}
	if text, err := readFile(root, "scopes/private/notes.md"); err != nil || string(text) != "text" {
		t.Errorf("read %q, %v", text, err)
	}
	for _, name := range []string{".git/config", "scopes/.env", "scopes/private/.hidden/x.md", "scopes", ".", "none", "../x"} {
		if text, err := readFile(root, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s gave %q, %v", name, text, err)
		}
	}
}
