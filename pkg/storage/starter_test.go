package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
)

func TestInit(t *testing.T) {
	// Ensure a new storage is complete and works: its example passes the strict
	// rules and its files are there.
	root := filepath.Join(t.TempDir(), "a", "storage")
	created, err := storage.Init(root)
	if err != nil || len(created) != 6 {
		t.Fatalf("%v, %v", created, err)
	}
	s := open(t, root)
	site := s.Match("https://example.com/")
	if len(site.Maps) != 1 || len(site.Errors) != 0 || len(s.Errors()) != 0 {
		t.Fatalf("maps %v, errors %+v", paths(site), site.Errors)
	}
	if findings := actionmap.Validate(site.Maps[0].Map.Raw, primitive.Load()); len(findings) != 0 {
		t.Errorf("the example has the findings %+v", findings)
	}
	f, err := s.ReadFile("https://example.com/", "", site.Maps[0].Map.Guidance.Skill.Path, 0)
	if err != nil || f.FrontMatter["title"] != "Example page" {
		t.Errorf("the skill is %+v, %v", f, err)
	}
	info, err := os.Stat(root)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the folder is open to others: %v", info.Mode())
	}
	if again, err := storage.Init(root); err != nil || len(again) != 0 {
		t.Errorf("a second time made %v, %v", again, err)
	}
}

func TestInitOverwritesNothing(t *testing.T) {
	// Ensure what somebody has is left alone, and gets no example beside it.
	root := t.TempDir()
	write(t, root, "README.md", "mine")
	write(t, root, "storage.json", "broken {")
	write(t, root, "scopes/private/sites/a.com/x/actions.json", mapText("", "x"))
	before := tree(t, root)
	if created, err := storage.Init(root); err != nil || len(created) != 0 {
		t.Fatalf("%v, %v", created, err)
	}
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Fatal(diff)
	}
	if _, err := storage.Init(filepath.Join(root, "README.md")); err == nil || !strings.Contains(err.Error(), "README.md") {
		t.Fatalf("a file as root gave %v", err)
	}
}

func TestFirstRun(t *testing.T) {
	// Ensure the folder appears once, complete, also when several start together,
	// and that one that is there is never touched.
	parent := t.TempDir()
	root := filepath.Join(parent, "home", "storage")
	made := make(chan bool)
	for range 8 {
		go func() {
			ok, err := storage.FirstRun(root)
			if err != nil {
				t.Error(err)
			}
			made <- ok
		}()
	}
	count := 0
	for range 8 {
		if <-made {
			count++
		}
	}
	entries, err := os.ReadDir(filepath.Dir(root))
	if err != nil || len(entries) != 1 || count != 1 {
		t.Fatalf("%d made it, %v, %v", count, entries, err)
	}
	if _, err := os.Stat(filepath.Join(root, "storage.json")); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(parent, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	if ok, err := storage.FirstRun(empty); ok || err != nil || len(tree(t, empty)) != 1 {
		t.Fatalf("an empty folder was filled: %t, %v", ok, err)
	}
	if ok, err := storage.FirstRun(filepath.Join(write(t, parent, "file", ""), "storage")); ok || err == nil {
		t.Fatalf("below a file: %t, %v", ok, err)
	}
}
