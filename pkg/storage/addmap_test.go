package storage

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestAddMap(t *testing.T) {
	// Ensure that a new map is in use at once, that a second one of the folder is refused and the first left alone, and that no host or folder leads out of the storage.
	root := t.TempDir()
	s, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"protocol":"actions.json","version":1,"tools":[{"name":"a.b","description":"d","input_schema":{"type":"object"},"x_actions":{"static_output":1}}]}`
	path, err := s.AddMap("shop.example.com", "a-b", []byte(text))
	if err != nil || path != "scopes/private/sites/shop.example.com/a-b/actions.json" {
		t.Fatalf("%s, %v", path, err)
	}
	if _, _, found := s.Match("https://shop.example.com/x").Tool("a.b"); !found {
		t.Error("the map is not in use")
	}
	if _, err := s.AddMap("shop.example.com", "a-b", []byte(`{}`)); !fault.Is(err, fault.InstallConflict) {
		t.Errorf("a second one: %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path))); err != nil || string(got) != text {
		t.Errorf("%v: %s", err, got)
	}
	for _, bad := range [][2]string{{"../x", "a"}, {"shop.example.com", ".."}, {"shop.example.com", "a/../../../b"}, {"", "a"}} {
		if path, err := s.AddMap(bad[0], bad[1], []byte(text)); err == nil {
			t.Errorf("%v was written to %s", bad, path)
		}
	}
}
