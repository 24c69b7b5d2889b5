package storage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/storage"
)

func TestReload(t *testing.T) {
	// Ensure a changed map is read again, a broken one stays as it last was and
	// is reported, and removed and new ones are noticed.
	root := t.TempDir()
	name := write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText("", "one"))
	s := open(t, root)
	has := func(tool string) bool { _, _, ok := s.Match(page).Tool(tool); return ok }
	if !has("one") {
		t.Fatal("the map was not loaded")
	}
	first := s.Match(page).Maps[0].Map
	write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText("", "one"))
	if s.Match(page).Maps[0].Map != first {
		t.Fatal("the same text made a new map")
	}
	write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText("", "two"))
	if has("one") || !has("two") {
		t.Fatal("the change was not noticed")
	}
	write(t, root, "scopes/private/sites/example.com/a/actions.json", `{"protocol":"actions.json","tools":[`)
	site := s.Match(page)
	if _, _, ok := site.Tool("two"); !ok || len(site.Errors) != 1 || !strings.Contains(site.Errors[0].Message, "last good") {
		t.Fatalf("a broken map gave %+v", site.Errors)
	}
	write(t, root, "scopes/private/sites/example.com/b/actions.json", mapText("", "three"))
	if !has("three") {
		t.Fatal("a new map was not noticed")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if site := s.Match(page); len(site.Maps) != 1 || len(site.Errors) != 0 {
		t.Fatalf("a removed map left %v, %v", paths(site), site.Errors)
	}
}

func TestReloadReadsOnlyWhatChanged(t *testing.T) {
	// Ensure an old file is not read again: one whose change left no trace in
	// size and time keeps its map.
	root := t.TempDir()
	name := write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText("", "one"))
	old := time.Now().Add(-time.Hour)
	touch := func() {
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	touch()
	s := open(t, root)
	s.Match(page)
	write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText("", "two"))
	touch()
	if _, _, ok := s.Match(page).Tool("one"); !ok {
		t.Fatal("an unchanged stamp was read again")
	}
}

func TestReloadTrustsOnlyOldStamps(t *testing.T) {
	// Ensure a second change within the file system's clock tick is seen: a
	// recent time says nothing about what came after it.
	root := t.TempDir()
	path, now := "scopes/private/sites/example.com/a/actions.json", time.Now()
	s := open(t, root)
	for _, tool := range []string{"one", "two"} {
		name := write(t, root, path, mapText("", tool))
		if err := os.Chtimes(name, now, now); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := s.Match(page).Tool(tool); !ok {
			t.Fatalf("%s was not read", tool)
		}
	}
}

func TestReloadForgetsRemovedMaps(t *testing.T) {
	// Ensure a map that was removed does not come back as a last good version.
	root := t.TempDir()
	path := "scopes/private/sites/example.com/a/actions.json"
	name := write(t, root, path, mapText("", "one"))
	s := open(t, root)
	s.Match(page)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	s.Match(page)
	write(t, root, path, "{")
	if site := s.Match(page); len(site.Maps) != 0 || len(site.Errors) != 1 {
		t.Fatalf("%v and %v", paths(site), site.Errors)
	}
}

func TestOpen(t *testing.T) {
	// Ensure a missing root is an empty store that fills later, and a file as
	// root is an error.
	root := filepath.Join(t.TempDir(), "later")
	s := open(t, root)
	if site := s.Match(page); len(site.Maps) != 0 || len(site.Errors) != 1 || len(s.Errors()) != 1 {
		t.Fatalf("a missing root gave %+v", site)
	}
	write(t, root, "scopes/public/sites/example.com/a/actions.json", mapText("", "x"))
	if site := s.Match(page); len(site.Maps) != 1 || len(s.Errors()) != 0 {
		t.Fatalf("the root that appeared gave %+v", site)
	}
	if _, err := storage.Open(write(t, t.TempDir(), "file", "")); !fault.Is(err, fault.StorageUnavailable) {
		t.Fatalf("a file as root gave %v", err)
	}
}

func TestBadMaps(t *testing.T) {
	// Ensure every unusable map is reported and takes no other with it.
	root := t.TempDir()
	base := "scopes/private/sites/example.com/"
	write(t, root, base+"good/actions.json", mapText("", "good"))
	write(t, root, base+"huge/actions.json", strings.Repeat(" ", 4<<20)+mapText("", "huge"))
	write(t, root, base+"text/actions.json", "hello")
	write(t, root, base+"twice/actions.json", `{"protocol":"actions.json","tools":[],"tools":[]}`)
	write(t, root, base+"other/actions.json", `{"protocol":"something","tools":[]}`)
	write(t, root, base+"folder/actions.json/x", "")
	write(t, root, base+"part/actions.json", `{"protocol":"actions.json","tools":[{"name":""},{"name":"works","workflow":{}}]}`)
	site := open(t, root).Match(page)
	if diff := cmp.Diff([]string{base + "good/actions.json", base + "part/actions.json"}, paths(site)); diff != "" {
		t.Fatal(diff)
	}
	if len(site.Errors) != 6 {
		t.Fatalf("errors are %+v", site.Errors)
	}
}

func TestMatchIsSafeForConcurrentUse(t *testing.T) {
	// Ensure concurrent matches during changes neither race nor lose the map.
	root := t.TempDir()
	write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText("", "keep"))
	s := open(t, root)
	done := make(chan bool)
	for range 4 {
		go func() {
			good := true
			for range 50 {
				_, _, ok := s.Match(page).Tool("keep")
				good = good && ok
			}
			done <- good
		}()
	}
	for i := range 20 {
		write(t, root, fmt.Sprintf("scopes/public/sites/example.com/n%d/actions.json", i), mapText("", "new"))
	}
	for range 4 {
		if !<-done {
			t.Error("a match lost the map")
		}
	}
}
