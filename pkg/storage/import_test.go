package storage_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/storage"
)

const long = 1_700_000_000_000 // a time long ago, in milliseconds

func TestImportMerges(t *testing.T) {
	// Ensure the newer text wins path by path, that an unknown time replaces
	// nothing, and that nothing is deleted.
	root := t.TempDir()
	for _, name := range []string{"older", "newer", "equal", "unknown", "alone"} {
		file := write(t, root, "scopes/private/sites/example.com/"+name+"/n.md", "here")
		if err := os.Chtimes(file, time.Time{}, time.UnixMilli(long)); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name, scope string, time int64) string {
		return entry(scope+"sites/example.com/"+name+"/n.md", "there", time)
	}
	result, err := open(t, root).Import(bundle(
		at("older", "", long-1), at("newer", "scopes/private/", long+1), at("equal", "private/", long),
		`{"path":"sites/example.com/unknown/n.md","text":"there"}`, at("new", "actions.json.storage.private/", 0),
		at("new", "scopes/shared/team/", 0), at("new", `scopes\public\`, 0), entry("notes/me.md", "there", 0),
		entry("packages/p/actions.json", mapText("", "p"), 0), entry("storage.json", "{", 9), entry("README.md", "there", 9), entry("a/.gitignore", "x", 9),
	))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(result.EntryCount, result.UpdatedCount, result.PreservedCount, result.Merged, result.SyncedAtMS, result.Ignored)
	if want := "12 6 3 true 5 [storage.json README.md a/.gitignore]"; got != want {
		t.Fatalf("the result is %s, want %s", got, want)
	}
	want := map[string]string{"packages/p/actions.json": mapText("", "p"), "scopes/private/notes/me.md": "there"}
	for name, text := range map[string]string{
		"older": "here", "newer": "there", "equal": "here", "unknown": "here", "alone": "here", "new": "there",
	} {
		want["scopes/private/sites/example.com/"+name+"/n.md"] = text
	}
	want["scopes/shared/team/sites/example.com/new/n.md"], want["scopes/public/sites/example.com/new/n.md"] = "there", "there"
	files := tree(t, root)
	for name := range files {
		if strings.HasSuffix(name, "/") {
			delete(files, name)
		}
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Fatal(diff)
	}
}

func TestImportOfCopies(t *testing.T) {
	// Ensure that what a storage keeps as a copy outside of its scopes is no map after an export and
	// an import, replaces none, and that such an export can be imported again; and that a folder
	// around the scopes of a bundle is no such copy.
	from, root := t.TempDir(), t.TempDir()
	const site = "scopes/private/sites/gone.com/m/actions.json"
	write(t, from, "archive/"+site, mapText("", "old"))
	write(t, from, "notes.txt", "mine")
	transfer := func() storage.ImportResult {
		t.Helper()
		b, _, err := open(t, from).Export()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		result, err := open(t, root).Import(text)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	match := func() []string { return tools(open(t, root).Match("https://gone.com/")) }
	transfer()
	if got := match(); len(got) != 0 {
		t.Errorf("the copy is a map: %v", got)
	}
	write(t, from, site, mapText("", "now"))
	write(t, from, "backup/"+site, mapText("", "old"))
	write(t, from, "backup/scopes/private/sites/gone.com/n/actions.json", mapText("", "older"))
	transfer()
	if got := match(); !slices.Equal(got, []string{"now"}) {
		t.Errorf("with the map itself: %v", got)
	}
	from = root
	transfer()
	write(t, root, "notes.txt", "mine")
	write(t, root, "archive/"+site, mapText("", "old"))
	if r := transfer(); !slices.Equal(r.Ignored, []string{"archive/" + site, "notes.txt"}) {
		t.Errorf("ignored: %v", r.Ignored)
	}
	root = t.TempDir()
	if _, err := open(t, root).Import(bundle(entry("a/b/"+site, mapText("", "now"), 1), entry("a/b/notes.txt", "mine", 1))); err != nil || len(match()) != 1 {
		t.Errorf("in a folder: %v, %v", match(), err)
	}
	root = t.TempDir()
	if _, err := open(t, root).Import(bundle(entry("actions.json.storage.private/archive/sites/gone.com/m/actions.json", mapText("", "old"), 1))); err != nil || len(match()) != 0 {
		t.Errorf("in a repository: %v, %v", match(), err)
	}
}

func TestImportIntoSpelledFolder(t *testing.T) {
	// Ensure that a map goes to the folder of its host that is there, however that is spelled: below
	// a second one it would only be the shadowed one. The overview knows the surface there, too.
	for _, spelled := range []string{"Example.com", "example.com"} {
		root := t.TempDir()
		file := write(t, root, "scopes/private/sites/"+spelled+"/m/actions.json", mapText("", "old"))
		if err := os.Chtimes(file, time.Time{}, time.UnixMilli(long)); err != nil {
			t.Fatal(err)
		}
		s := open(t, root)
		result, err := s.Import(bundle(entry("sites/example.com/m/actions.json", mapText("", "new"), long+1), entry("sites/EXAMPLE.com/n/actions.json", mapText("", "more"), 1)))
		if got := tools(s.Match("https://example.com/")); err != nil || !result.Merged || !slices.Equal(got, []string{"new", "more"}) {
			t.Errorf("%s: %v, %+v, %v", spelled, got, result, err)
		}
		if maps, _ := s.Overview(); len(maps) != 2 || maps[0].Surface != "m" || maps[1].Surface != "n" {
			t.Errorf("%s: %+v", spelled, maps)
		}
	}
}

func TestImportKeepsModes(t *testing.T) {
	// Ensure that a file that is replaced may be read by whom it was, also where the import fails.
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of Unix")
	}
	root := t.TempDir()
	file := write(t, root, "scopes/private/a.md", "old")
	if err := errors.Join(os.Chmod(file, 0o664), os.Chtimes(file, time.Time{}, time.UnixMilli(long))); err != nil {
		t.Fatal(err)
	}
	s := open(t, root)
	for _, failing := range []bool{true, false} {
		storage.AfterPlan(s, func() {
			if failing {
				write(t, root, "scopes/private/b.md/in/the/way", "x")
			}
		})
		_, err := s.Import(bundle(entry("a.md", "new", long+1), entry("b.md", "new", 1)))
		if err2 := os.RemoveAll(filepath.Join(root, "scopes/private/b.md")); failing == (err == nil) || err2 != nil {
			t.Fatal(err, err2)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o664 {
			t.Errorf("failing %v: %v, %v", failing, info.Mode(), err)
		}
	}
}

func TestImportForms(t *testing.T) {
	// Ensure the forms in which others write texts and times are read, and that
	// a time to come is no advantage.
	root := t.TempDir()
	s := open(t, root)
	file := filepath.Join(root, "scopes/private/n.md")
	for _, c := range []struct{ members, text string }{
		{`"text":"one"`, "one"},
		{`"content_json":{"b":[1,2.50],"a":"<ü>"}`, "{\n  \"b\": [\n    1,\n    2.50\n  ],\n  \"a\": \"<ü>\"\n}\n"},
		{`"content":"three","contentType":"text/plain","x":1`, "three"},
	} {
		for _, at := range []string{
			`"modified_at_ms":1700000000000`, `"last_modified_ms":1700000000000.4`, `"mtime_ms":"2023-11-14T22:13:20Z"`, `"updated_at_ms":"2023-11-14 22:13:20"`,
		} {
			if err := os.RemoveAll(filepath.Join(root, "scopes")); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Import(bundle(`{"path":"n.md",` + c.members + "," + at + `}`)); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			info, statErr := os.Stat(file)
			if err != nil || statErr != nil || string(text) != c.text || info.ModTime().UnixMilli() != long {
				t.Errorf("%s %s: %q, %v, %v", c.members, at, text, err, info.ModTime())
			}
		}
	}
	if _, err := s.Import(bundle(entry("n.md", "future", time.Now().Add(1000*time.Hour).UnixMilli()))); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.ModTime().After(time.Now().Add(time.Second)) {
		t.Fatalf("the file is of %v, %v", info.ModTime(), err)
	}
}

func TestImportRefusesPaths(t *testing.T) {
	// Ensure one unsafe path refuses the whole bundle before anything is
	// written, also where the folder does not exist yet.
	for _, path := range append([]string{"scopes/x", "scopes/private", "scopes/other/x.md", "packages/x", "scopes/shared/x", "a/..hidden/x"}, hostilePaths...) {
		for _, root := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
			before := tree(t, filepath.Dir(root))
			result, err := open(t, root).Import(bundle(entry("good.md", "x", 1), entry(strings.ToValidUTF8(path, "�"), "x", 1), entry("z.md", "x", 1)))
			if !fault.Is(err, fault.StorageFilePathUnauthorized) {
				t.Errorf("%q gave %+v, %v", path, result, err)
			}
			if diff := cmp.Diff(before, tree(t, filepath.Dir(root))); diff != "" {
				t.Errorf("%q wrote: %s", path, diff)
			}
		}
	}
}

func TestImportRefusesBundles(t *testing.T) {
	// Ensure a broken bundle changes nothing and says what is wrong.
	huge := strings.Repeat("x", 4<<20+1)
	for _, c := range []struct {
		text string
		want fault.Code
	}{
		{"", fault.InvalidInput}, {"{", fault.InvalidInput}, {"[]", fault.InvalidInput}, {"null", fault.InvalidInput}, {"{}", fault.InvalidInput},
		{`{"protocol":"actions.json.storage.bundle","version":1}`, fault.InvalidInput},
		{`{"protocol":"actions.json.storage.bundle","version":1,"entries":null}`, fault.InvalidInput},
		{`{"protocol":"actions.json.storage.bundle","version":1,"entries":{}}`, fault.InvalidInput},
		{`{"protocol":"actions.json.storage.bundle","version":1,"entries":[7]}`, fault.InvalidInput},
		{`{"protocol":"actions.json.storage.bundle","version":2,"entries":[]}`, fault.InvalidInput},
		{`{"protocol":"actions.json.storage.bundle","version":"1","entries":[]}`, fault.InvalidInput},
		{`{"protocol":"actions.json.storage","version":1,"entries":[]}`, fault.InvalidInput},
		{`{"protocol":"actions.json.storage.browser-bundle","version":1,"entries":[]}`, fault.InvalidInput},
		{`{"PROTOCOL":"actions.json.storage.bundle","version":1,"entries":[]}`, fault.InvalidInput},
		{string(bundle(`{"path":"a.md"}`)), fault.InvalidInput},
		{string(bundle(`{"path":"a.md","content":7}`)), fault.InvalidInput},
		{string(bundle(`{"path":"a.md","content":null}`)), fault.InvalidInput},
		{string(bundle(`{"path":"a.md","content":"x","text":"y"}`)), fault.InvalidInput},
		{string(bundle(`{"path":7,"content":"x"}`)), fault.InvalidInput},
		{string(bundle(`{"path":"a.md","content":"x","content":"y"}`)), fault.InvalidInput},
		{string(bundle(`{"path":"a.md","content":"\ud800"}`)), fault.InvalidInput},
		{string(bundle(entry("good.md", "x", 1)))[:80], fault.InvalidInput},
		{string(bundle(entry("a.md", "x", 1), entry("a.md", "y", 1))), fault.InvalidInput},
		{string(bundle(entry("sites/a.com/n.md", "x", 1), entry("private/sites/a.com/N.md", "y", 1))), fault.InvalidInput},
		{string(bundle(entry("a", "x", 1), entry("a/b", "y", 1))), fault.InvalidInput},
		{string(bundle(entry("kept.md/x", "y", 1))), fault.StorageFilePathUnauthorized},
		{string(bundle(entry("folder", "y", 1))), fault.StorageFilePathUnauthorized},
		{string(bundle(entry("link.md", "y", 1))), fault.StorageFilePathUnauthorized},
		{string(bundle(entry("away/x.md", "y", 1))), fault.StorageFilePathUnauthorized},
		{string(bundle(entry("good.md", "x", 1), entry("sites/a.com/x/actions.json", "{}", 1))), fault.InvalidMap},
		{string(bundle(entry("big.md", huge, 1))), fault.PayloadTooLarge},
		{string(bundle(make([]string, 10_001)...)), fault.InvalidInput},
		{string(bundle(strings.Split(strings.Repeat(`{"path":"a","text":""} `, 10_001), " ")[:10_001]...)), fault.PayloadTooLarge},
		{strings.Repeat(" ", 64<<20+1), fault.PayloadTooLarge},
	} {
		root, outside := t.TempDir(), t.TempDir()
		write(t, root, "scopes/private/kept.md", "kept")
		write(t, root, "scopes/private/folder/x", "kept")
		for name, target := range map[string]string{"link.md": filepath.Join(root, "scopes/private/kept.md"), "away": outside} {
			if err := os.Symlink(target, filepath.Join(root, "scopes/private", name)); err != nil {
				t.Skip("this system makes no links:", err)
			}
		}
		before := tree(t, root)
		result, err := open(t, root).Import([]byte(c.text))
		if !fault.Is(err, c.want) || err.Error() == "" {
			t.Errorf("%.120q gave %+v, %v; want %s", c.text, result, err, c.want)
		}
		if diff := cmp.Diff(before, tree(t, root)); diff != "" || len(tree(t, outside)) != 1 {
			t.Errorf("%.120q changed: %s", c.text, diff)
		}
	}
}

func TestImportIsAllOrNothing(t *testing.T) {
	// Ensure a write that fails in the middle takes back what was written before
	// it, in all scopes, and the folders that were made for it.
	if os.Getuid() == 0 {
		t.Log("root may write anywhere: the failure is made by a folder in the way")
	}
	user := home(t)
	root, mounted := filepath.Join(user, "storage"), filepath.Join(user, "maps")
	write(t, root, "storage.json", workspace(`"public":{"path":`+quote(mounted)+`}`))
	write(t, root, "scopes/private/a.md", "old")
	write(t, mounted, "b.md", "old")
	before := []map[string]string{tree(t, root), tree(t, mounted)}
	s := open(t, root)
	// The check of the plan does not see what happens after it.
	storage.AfterPlan(s, func() { write(t, mounted, "c.md/in/the/way", "x") })
	now := time.Now().Add(time.Hour).UnixMilli()
	_, err := s.Import(bundle(entry("a.md", "new", now), entry("n/n/n.md", "new", now), entry("scopes/public/b.md", "new", now), entry("scopes/public/c.md", "new", now)))
	if !fault.Is(err, fault.StorageUnavailable) {
		t.Fatalf("the import gave %v", err)
	}
	if err := os.RemoveAll(filepath.Join(mounted, "c.md")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, []map[string]string{tree(t, root), tree(t, mounted)}); diff != "" {
		t.Fatal(diff)
	}
	if _, err := os.Lstat(filepath.Join(root, "scopes/private/n")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder was left: %v", err)
	}
	storage.AfterPlan(s, func() { write(t, mounted, "d", "x") })
	if _, err := s.Import(bundle(entry("n/n.md", "new", now), entry("scopes/public/d/e.md", "new", now))); !fault.Is(err, fault.StorageUnavailable) {
		t.Errorf("a file in place of a folder gave %v", err)
	}
	if _, err := os.Lstat(filepath.Join(root, "scopes/private/n")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder was left: %v", err)
	}
	storage.AfterPlan(s, nil)
	if _, err := s.Import(bundle(entry("a.md", "new", now), entry("scopes/public/b.md", "new", now))); err == nil && tree(t, mounted)["b.md"] != "new" {
		t.Fatal("the mount was not written")
	} else if err != nil {
		t.Fatal(err)
	}
}

func TestImportFile(t *testing.T) {
	// Ensure a bundle is read from a file and that anything else is refused.
	root := t.TempDir()
	s := open(t, root)
	if r, err := s.ImportFile(write(t, t.TempDir(), "b.json", string(bundle(entry("a.md", "x", 1))))); err != nil || r.UpdatedCount != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, name := range []string{filepath.Join(root, "none"), root, write(t, t.TempDir(), "b.json", "no bundle")} {
		if _, err := s.ImportFile(name); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%s gave %v", name, err)
		}
	}
	if _, err := s.ImportFile(root); !strings.Contains(fault.From(err).Message, "is a folder") {
		t.Errorf("a folder gave %v", err)
	}
}

func FuzzImport(f *testing.F) {
	// Ensure whatever a bundle says, nothing outside of the folder is written,
	// nothing that was there is lost, and a refused bundle changes nothing.
	f.Add(bundle(entry("a.md", "x", 1)))
	f.Add(bundle(entry("scopes/public/sites/a.com/x/actions.json", mapText("", "x"), 1), entry("../x", "x", 1)))
	f.Add(bundle(entry(`..\x`, "x", 1)))
	f.Add(bundle(entry("kept.md", "x", 1), entry("kept.md/y", "x", 1)))
	f.Add(bundle(`{"path":"scopes/private/.git/hooks/x","content_json":[1]}`))
	f.Add([]byte(`{"protocol":"actions.json.storage.bundle","version":1,"entries":[{"path":"a","text":"","mtime_ms":"2024-01-01"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		parent := t.TempDir()
		root := filepath.Join(parent, "root")
		write(t, root, "scopes/private/kept.md", "kept")
		write(t, parent, "outside.md", "outside")
		before := tree(t, parent)
		result, err := open(t, root).Import(text)
		after := tree(t, parent)
		if err != nil {
			if diff := cmp.Diff(before, after); diff != "" {
				t.Fatalf("refused by %v, but %s", err, diff)
			}
			return
		}
		if result.EntryCount != result.UpdatedCount+result.PreservedCount+len(result.Ignored) {
			t.Fatalf("%+v", result)
		}
		for name := range after {
			if _, was := before[name]; !was && !strings.HasPrefix(name, "root/scopes/") && !strings.HasPrefix(name, "root/packages/") {
				t.Fatalf("%s was written", name)
			}
		}
		for name := range before {
			if _, is := after[name]; !is {
				t.Fatalf("%s was lost", name)
			}
		}
	})
}
