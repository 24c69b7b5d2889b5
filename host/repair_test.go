package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/repair"
)

func TestUndoWhereverTheMapIs(t *testing.T) {
	// Ensure that a repair is undone where the storage folder is a link, and where the map is in a folder that storage.json mounts.
	home := t.TempDir()
	t.Setenv("HOME", home)
	root, mounted := filepath.Join(home, "linked"), filepath.Join(home, "git", "maps")
	t.Setenv(paths.EnvStorage, root)
	write := func(name, text string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	storage := filepath.Join(home, "storage")
	write(filepath.Join(storage, "storage.json"), `{"protocol":"actions.json.storage","version":"0.1.0","mounts":{"public":{"path":"`+filepath.ToSlash(mounted)+`"}}}`)
	if err := os.Symlink(storage, root); err != nil {
		t.Skip("this system makes no links:", err)
	}
	for name, file := range map[string]string{
		"linked":  filepath.Join(storage, "scopes", "private", "sites", "tea.example", "a", "actions.json"),
		"mounted": filepath.Join(mounted, "sites", "tea.example", "a", "actions.json"),
	} {
		before, after := "{}\n", "{ }\n"
		if _, _, err := repair.Write(write(file, before), []byte(before), []byte(after), repair.Record{Action: name + ".order", Map: name}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		a := &app{stdout: &out}
		if err := a.undoRepair(name + ".order"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != before {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if err := a.undoRepair(name + ".order"); !fault.Is(err, fault.UnknownAction) {
			t.Errorf("%s undone twice: %v", name, err)
		}
	}
}
