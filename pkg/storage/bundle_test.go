package storage_test

import (
	"encoding/json"
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

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// entry is an entry of a bundle; at is its time in milliseconds.
func entry(path, content string, at int64) string {
	return fmt.Sprintf(`{"path":%s,"content":%s,"modified_at_ms":%d}`, quote(path), quote(content), at)
}

func bundle(entries ...string) []byte {
	return fmt.Appendf(nil, `{"protocol":"actions.json.storage.bundle","version":1,"synced_at_ms":5,"entries":[%s]}`, strings.Join(entries, ","))
}

// tree returns all files below a folder with their texts.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(name string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		switch {
		case e.IsDir():
			files[below+"/"] = ""
		case e.Type().IsRegular():
			text, err := os.ReadFile(name)
			files[below] = string(text)
			return err
		default:
			files[below] = "not a regular file"
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}

func TestExport(t *testing.T) {
	// Ensure a bundle holds every text file by its canonical path, sorted, and
	// tells what it leaves out.
	user := home(t)
	root := filepath.Join(user, "storage")
	write(t, root, "storage.json", workspace(`"public":{"path":`+quote(filepath.Join(user, "maps"))+`}`))
	write(t, user, "maps/sites/b.com/x/actions.json", mapText("", "b"))
	write(t, root, "scopes/private/sites/a.com/x/notes.md", "# äöü")
	write(t, root, "scopes/private/sites/a.com/x/page.html", "")
	write(t, root, "scopes/private/scope.json", "{}")
	write(t, root, "sites/c.com/x/actions.json", mapText("", "c"))
	write(t, root, "packages/p/actions.json", mapText("", "p"))
	write(t, root, "README.md", "read me")
	for _, name := range []string{".git/config", "node_modules/m/i.js", "dist/o.js", "scopes/private/.hidden/x", "scopes/private/.env"} {
		write(t, root, name, "not exported")
	}
	write(t, root, "scopes/private/picture.png", "\x89PNG\xff\x00")
	write(t, root, "scopes/other/x.md", "of no scope")
	write(t, root, "scopes/private/big.txt", strings.Repeat("x", 4<<20+1))
	b, skipped, err := open(t, root).Export()
	if err != nil {
		t.Fatal(err)
	}
	var got, left []string
	for _, e := range b.Entries {
		got = append(got, e.Path+" "+e.ContentType)
		if e.Bytes != len(e.Content) || e.ModifiedAtMS == 0 {
			t.Errorf("%s has %d bytes and the time %d", e.Path, e.Bytes, e.ModifiedAtMS)
		}
	}
	for _, s := range skipped {
		left = append(left, s.Path)
	}
	want := []string{
		"README.md text/markdown", "packages/p/actions.json application/json", "scopes/private/scope.json application/json",
		"scopes/private/sites/a.com/x/notes.md text/markdown", "scopes/private/sites/a.com/x/page.html text/html",
		"scopes/private/sites/c.com/x/actions.json application/json", "scopes/public/sites/b.com/x/actions.json application/json",
		"storage.json application/json",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"scopes/other", "scopes/private/big.txt", "scopes/private/picture.png"}, left, cmp.Transformer("sorted", sorted)); diff != "" {
		t.Error(diff)
	}
	if b.Protocol != storage.BundleProtocol || b.Version != 1 || b.SyncedAtMS == 0 {
		t.Errorf("the bundle is %q %d", b.Protocol, b.Version)
	}
}

func TestExportImport(t *testing.T) {
	// Ensure an exported storage comes back whole in an empty folder, with the
	// times of its files, and that importing it again changes nothing.
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "new")
	old := time.UnixMilli(1_700_000_000_000)
	for _, path := range []string{
		"scopes/private/sites/Example.com/x/actions.json", "scopes/shared/team/sites/b.com/x/y/actions.json",
		"scopes/public/sites/c.com/x/proof/p/actions.json", "scopes/private/agents/me.md", "packages/p/actions.json",
		// Copies whose paths end as those of maps are none, here and there.
		"scopes/private/archive/scopes/private/sites/b.com/x/actions.json", "packages/p/scopes/public/sites/c.com/x/actions.json",
		"scopes/private/archive/scopes/private/sites/Example.com/x/actions.json",
	} {
		name := write(t, from, path, mapText("", "tool"))
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	write(t, from, "scopes/private/sites/d.com/x/actions.json", "{}") // a broken one goes no further
	source := open(t, from)
	export := func(s *storage.Store) []byte {
		b, _, err := s.Export()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if _, err := open(t, to).Import(export(source)); !fault.Is(err, fault.InvalidMap) || len(tree(t, to)) != 0 {
		t.Fatalf("a broken map gave %v and %v", err, tree(t, to))
	}
	if err := os.RemoveAll(filepath.Join(from, "scopes/private/sites/d.com")); err != nil {
		t.Fatal(err)
	}
	target := open(t, to)
	result, err := target.Import(export(source))
	if err != nil || result.EntryCount != 8 || result.UpdatedCount != 8 || result.Merged {
		t.Fatalf("%+v, %v", result, err)
	}
	// A new folder has the host in lower case.
	want := tree(t, from)
	for name, text := range want {
		delete(want, name)
		if strings.HasPrefix(name, "scopes/private/sites/") {
			name = strings.Replace(name, "Example", "example", 1)
		}
		want[name] = text
	}
	if diff := cmp.Diff(want, tree(t, to)); diff != "" {
		t.Fatal(diff)
	}
	info, err := os.Stat(filepath.Join(to, "packages/p/actions.json"))
	if err != nil || !info.ModTime().Equal(old) {
		t.Fatalf("the time is %v, %v", info.ModTime(), err)
	}
	for _, s := range []*storage.Store{target, source} {
		before := tree(t, s.Root())
		result, err = s.Import(export(source))
		if err != nil || result.UpdatedCount != 0 || result.PreservedCount != 8 || !result.Merged {
			t.Fatalf("again: %+v, %v", result, err)
		}
		if diff := cmp.Diff(before, tree(t, s.Root())); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestList(t *testing.T) {
	// Ensure files are listed with their places and that evidence is no map.
	root := t.TempDir()
	write(t, root, "scopes/private/sites/example.com/x/actions.json", mapText("", "a"))
	write(t, root, "scopes/private/sites/example.com/x/proof/p/actions.json", mapText("", "a"))
	write(t, root, "scopes/shared/team/sites/example.com/archive/actions.json", mapText("", "a"))
	write(t, root, "scopes/private/actions.json", mapText("", "a"))
	write(t, root, "scopes/private/backup/scopes/private/sites/example.com/x/actions.json", mapText("", "a"))
	if err := os.Symlink(t.TempDir(), filepath.Join(root, "scopes/private/out")); err != nil {
		t.Skip("this system makes no links:", err)
	}
	if err := os.Symlink(root, filepath.Join(root, "scopes/private/loop")); err != nil {
		t.Fatal(err)
	}
	items, skipped := open(t, root).List()
	var got []string
	for _, i := range items {
		got = append(got, fmt.Sprint(i.Path, " ", i.Scope, " ", i.Host, " ", i.Map))
	}
	want := []string{
		"scopes/private/actions.json private  false",
		"scopes/private/backup/scopes/private/sites/example.com/x/actions.json private  false",
		"scopes/private/sites/example.com/x/actions.json private example.com true",
		"scopes/private/sites/example.com/x/proof/p/actions.json private example.com false",
		"scopes/shared/team/sites/example.com/archive/actions.json shared:team example.com false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(skipped) != 1 || skipped[0].Path != "scopes/private/out" {
		t.Errorf("left out %+v", skipped)
	}
	if items, skipped := open(t, filepath.Join(root, "none")).List(); len(items) != 0 || len(skipped) != 1 {
		t.Errorf("a missing root has %v, %v", items, skipped)
	}
}
