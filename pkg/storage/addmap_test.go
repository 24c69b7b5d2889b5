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
	path, err := s.AddMap(MapPlace("shop.example.com", "a-b"), []byte(text), false)
	if err != nil || path != "scopes/private/sites/shop.example.com/a-b/actions.json" {
		t.Fatalf("%s, %v", path, err)
	}
	if _, _, found := s.Match("https://shop.example.com/x").Tool("a.b"); !found {
		t.Error("the map is not in use")
	}
	if _, err := s.AddMap(MapPlace("shop.example.com", "a-b"), []byte(`{}`), false); !fault.Is(err, fault.InstallConflict) {
		t.Errorf("a second one: %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path))); err != nil || string(got) != text {
		t.Errorf("%v: %s", err, got)
	}
	for _, bad := range [][2]string{{"../x", "a"}, {"shop.example.com", ".."}, {"shop.example.com", "a/../../../b"}, {"", "a"}} {
		if path, err := s.AddMap(MapPlace(bad[0], bad[1]), []byte(text), true); err == nil {
			t.Errorf("%v was written to %s", bad, path)
		}
	}
}

func TestReplaceMap(t *testing.T) {
	// Ensure that a map that is replaced stays beside the new one, as its last version alone, that one which does not load replaces nothing, and that the same text again changes nothing.
	root := t.TempDir()
	s, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	text := func(value string) string {
		return `{"protocol":"actions.json","version":1,"tools":[{"name":"a.b","description":"d","input_schema":{"type":"object"},"x_actions":{"static_output":` + value + `}}]}`
	}
	place := MapPlace("shop.example.com", "a-b")
	folder := filepath.Join(root, filepath.FromSlash("scopes/private/sites/shop.example.com/a-b"))
	for _, c := range []struct {
		text, now, last string
		code            fault.Code
	}{
		{text("1"), text("1"), "", ""},
		{text("2"), text("2"), text("1"), ""},
		{text("2"), text("2"), text("1"), ""},
		{text("3"), text("3"), text("2"), ""},
		{`{"no":"map"`, text("3"), text("2"), fault.InvalidMap},
	} {
		_, err := s.AddMap(place, []byte(c.text), true)
		if c.code != "" && !fault.Is(err, c.code) || c.code == "" && err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		now, _ := os.ReadFile(filepath.Join(folder, MapName))
		last, _ := os.ReadFile(filepath.Join(folder, LastMapName))
		if string(now) != c.now || string(last) != c.last {
			t.Errorf("after %s: %s, before %s", c.text, now, last)
		}
	}
	if _, entry, found := s.Match("https://shop.example.com/x").Tool("a.b"); !found || entry.Path != place.Path() || len(s.Match("https://shop.example.com/x").Maps) != 1 {
		t.Error("the last version is in use")
	}
}
