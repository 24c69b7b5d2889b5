package wholefile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestReplace(t *testing.T) {
	// Ensure that a file gets its text and its mode, that another one takes its place whole, and that nothing is left beside it, whether it worked or not.
	folder := t.TempDir()
	path := filepath.Join(folder, "f.json")
	for _, text := range []string{"one", "a longer one", ""} {
		if err := Replace(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want(t, path, text)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if err := os.Mkdir(filepath.Join(folder, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(filepath.Join(folder, "folder"), nil, 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	if err := Replace(filepath.Join(folder, "absent", "f.json"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	alone(t, folder, 2)
}

func TestCreate(t *testing.T) {
	// Ensure that of ten that create a file at once one does, that the others are told, and that its text stays.
	folder := t.TempDir()
	path := filepath.Join(folder, "f.json")
	var mu sync.Mutex
	var wait sync.WaitGroup
	var made []byte
	for i := range 10 {
		wait.Go(func() {
			text := bytes.Repeat([]byte{byte('a' + i)}, 1000)
			err := Create(path, text, 0o644)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && made == nil:
				made = text
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	wait.Wait()
	want(t, path, string(made))
	alone(t, folder, 1)
}

func want(t *testing.T, path, text string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("%q, %v", got, err)
	}
}

func alone(t *testing.T, folder string, files int) {
	t.Helper()
	if all, err := os.ReadDir(folder); err != nil || len(all) != files {
		t.Error(all, err)
	}
}
