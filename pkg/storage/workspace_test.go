package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/storage"
)

// workspace is a storage.json with the members of "mounts".
func workspace(mounts string) string {
	return `{"protocol":"actions.json.storage","version":"0.1.0","mounts":{` + mounts + `}}`
}

// tools lists the names that the page offers, in their order.
func tools(site storage.Site) []string {
	names := []string{}
	for _, o := range site.Offers() {
		names = append(names, o.Tool.Name)
	}
	return names
}

// complaints joins the messages, to look for words in them.
func complaints(errors []storage.MapError) string {
	var lines []string
	for _, e := range errors {
		lines = append(lines, e.Path+" "+e.Tool+" "+e.Import+": "+e.Message)
	}
	return strings.Join(lines, "\n")
}

func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	return dir
}

func TestMounts(t *testing.T) {
	// Ensure mounts place scopes inside of the root and below the home folder,
	// that their maps have canonical paths, and that precedence goes by name.
	user := home(t)
	root := filepath.Join(user, ".actions-json", "storage")
	write(t, root, "storage.json", workspace(`"public":{"path":"`+filepath.ToSlash(user)+`/git/maps","mount_type":"git_clone","visibility":"public"},
		"shared:team":{"path":"mounts/team","mount_type":"git_submodule"},"private":{"path":"./mine/"}`))
	write(t, user, "git/maps/sites/example.com/a/actions.json", mapText("", "open", "public.only"))
	write(t, root, "mounts/team/sites/example.com/a/actions.json", mapText("", "open", "team.only"))
	write(t, root, "mine/sites/example.com/a/actions.json", mapText("", "open"))
	write(t, root, "scopes/private/sites/example.com/b/actions.json", mapText("", "not.mounted"))
	site := open(t, root).Match(page)
	want := []string{
		"scopes/private/sites/example.com/a/actions.json", "scopes/shared/team/sites/example.com/a/actions.json",
		"scopes/public/sites/example.com/a/actions.json",
	}
	if diff := cmp.Diff(want, paths(site)); diff != "" || len(site.Errors) != 0 {
		t.Fatal(diff, site.Errors)
	}
	if diff := cmp.Diff([]string{"open", "team.only", "public.only"}, tools(site)); diff != "" {
		t.Fatal(diff)
	}
	if e := site.Maps[2]; e.Scope != "public" || e.File != filepath.Join(user, "git/maps/sites/example.com/a/actions.json") {
		t.Fatalf("the public map is %+v", e)
	}
}

func TestMountsStayWhereTheyAre(t *testing.T) {
	// Ensure a mount outside of root and home, and one that a link leads away,
	// are refused with a reason, and that a link out of a mount is not followed.
	user, elsewhere := home(t), t.TempDir()
	root := filepath.Join(user, "storage")
	write(t, elsewhere, "sites/example.com/a/actions.json", mapText("", "stolen"))
	write(t, root, "mine/sites/example.com/a/actions.json", mapText("", "kept"))
	write(t, root, "other/sites/example.com/a/actions.json", mapText("", "other"))
	link := func(target, name string) {
		if err := os.Symlink(target, name); err != nil {
			t.Skip("this system makes no links:", err)
		}
	}
	link(elsewhere, filepath.Join(user, "away"))
	link(elsewhere, filepath.Join(root, "away"))
	link(filepath.Join(root, "other/sites/example.com/a"), filepath.Join(root, "mine/sites/example.com/b"))
	for _, path := range []string{
		elsewhere, "/", "/etc", "//", user, user + "/", user + "/..", user + "/../" + filepath.Base(elsewhere), user + "/away",
		"away", "..", "../x", "mine/../..", "a/../../b", ".", "~/x", "C:/x", `mine\..\..`, "missing", "mine/./x", ".git", " ",
	} {
		write(t, root, "storage.json", workspace(`"private":{"path":`+quote(path)+`}`))
		site := open(t, root).Match(page)
		if len(site.Maps) != 0 || !strings.Contains(complaints(site.Errors), "the mount private is not used") {
			t.Errorf("%q: maps %v, errors %s", path, paths(site), complaints(site.Errors))
		}
	}
	write(t, root, "storage.json", workspace(`"private":{"path":"mine"}`))
	if diff := cmp.Diff([]string{"kept"}, tools(open(t, root).Match(page))); diff != "" {
		t.Fatal(diff)
	}
}

func TestBrokenWorkspace(t *testing.T) {
	// Ensure a storage.json that cannot be followed is reported while the usual
	// folders are used, also when it breaks during a run, and is seen again when
	// it is good.
	root := t.TempDir()
	write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText("", "usual"))
	write(t, root, "mine/sites/example.com/a/actions.json", mapText("", "mounted"))
	good := workspace(`"private":{"path":"mine"}`)
	s := open(t, root)
	for _, broken := range []string{
		"", "{", "[]", "null", "7", `"x"`, `{"protocol":"actions.json"}`, `{}`, good + good, "\xff" + good,
		`{"protocol":"actions.json.storage","mounts":[]}`, `{"protocol":"actions.json.storage","mounts":{"private":"mine"}}`,
		`{"protocol":"actions.json.storage","mounts":{"private":{"path":7}}}`, `{"protocol":"actions.json.storage","default_mount":{}}`,
		`{"protocol":"actions.json.storage","packages":["a"]}`, `{"protocol":"actions.json.storage","mounts":{},"mounts":{"private":{"path":"mine"}}}`,
		strings.Repeat("[", 100_000), strings.Repeat(" ", 2<<20) + good,
	} {
		write(t, root, "storage.json", broken)
		site := s.Match(page)
		if diff := cmp.Diff([]string{"usual"}, tools(site)); diff != "" || len(site.Errors) != 1 || site.Errors[0].Path != "storage.json" {
			t.Errorf("%.60q: %s, errors %+v", broken, diff, site.Errors)
		}
		if len(s.Errors()) != 1 {
			t.Errorf("%.60q: the store has the errors %+v", broken, s.Errors())
		}
		write(t, root, "storage.json", good)
		if diff := cmp.Diff([]string{"mounted"}, tools(s.Match(page))); diff != "" || len(s.Errors()) != 0 {
			t.Fatalf("a good storage.json after %.60q: %s %v", broken, diff, s.Errors())
		}
	}
}

func TestWorkspaceFindings(t *testing.T) {
	// Ensure each mistake is named and takes nothing else away.
	root := t.TempDir()
	write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText("", "usual"))
	for text, want := range map[string]string{
		workspace(`"team":{"path":"a"}`):                                       `mount "team" is not used`,
		workspace(`"shared:":{"path":"a"}`):                                    `mount "shared:" is not used`,
		workspace(`"shared:../x":{"path":"a"}`):                                `mount "shared:../x" is not used`,
		workspace(`"shared:proof":{"path":"a"}`):                               `mount "shared:proof" is not used`,
		workspace(`"Private":{"path":"a"}`):                                    `mount "Private" is not used`,
		workspace(`"public":{}`):                                               "it has no path",
		workspace(`"private":{"path":"scopes/private","visibility":"public"}`): "its name decides",
		workspace(`"private":{"path":"scopes/private","mount_type":"ftp"}`):    "unknown type",
		workspace(`"private":{"path":"scopes/private","default":true},"public":{"path":"scopes/public","default":true}`): "several mounts are the default",
		`{"protocol":"actions.json.storage","version":"9"}`:                                                              "its version is",
		`{"protocol":"actions.json.storage","default_mount":"none"}`:                                                     "default mount",
		`{"protocol":"actions.json.storage","packages":{"a/b":{"path":"x"}}}`:                                            "package",
		`{"protocol":"actions.json.storage","packages":{"a":{"path":"../x.json"}}}`:                                      "the package a is not loaded",
		`{"protocol":"actions.json.storage","packages":{"a":{"path":"/etc/x.json"}}}`:                                    "below your home",
	} {
		write(t, root, "storage.json", text)
		site := open(t, root).Match(page)
		if diff := cmp.Diff([]string{"usual"}, tools(site)); diff != "" || !strings.Contains(complaints(site.Errors), want) {
			t.Errorf("%s: %s\n%s", text, diff, complaints(site.Errors))
		}
	}
}

func TestOtherForms(t *testing.T) {
	// Ensure the other forms of keeping a storage are read, in the precedence of
	// their scopes, and that of two files with one place one is used and the
	// other reported.
	root := t.TempDir()
	for path, tool := range map[string]string{
		"actions.json.storage.private/sites/example.com/a/actions.json":     "repository.private",
		"private/sites/example.com/b/actions.json":                          "folder.private",
		"sites/example.com/c/actions.json":                                  "bare",
		"shared/team/sites/example.com/a/actions.json":                      "folder.shared",
		"actions.json.storage.shared.crew/sites/example.com/a/actions.json": "repository.shared",
		"actions.json.storage.public/sites/example.com/a/actions.json":      "repository.public",
		"public/sites/example.com/b/actions.json":                           "folder.public",
		"scopes/private/sites/example.com/d/actions.json":                   "usual",
		"scopes/private/sites/example.com/c/actions.json":                   "first",
		"actions.json.storage.other/sites/example.com/a/actions.json":       "no.scope",
		"actions.json.storage.shared/sites/example.com/a/actions.json":      "no.audience",
	} {
		write(t, root, path, mapText("", tool, "same"))
	}
	site := open(t, root).Match(page)
	want := []string{
		"repository.private", "same", "folder.private", "first", "usual", "repository.shared", "folder.shared",
		"repository.public", "folder.public",
	}
	if diff := cmp.Diff(want, tools(site)); diff != "" {
		t.Fatal(diff)
	}
	if len(site.Errors) != 1 || !strings.Contains(site.Errors[0].Message, "has the same place") {
		t.Fatalf("errors are %+v", site.Errors)
	}
	if site.Maps[0].Path != "scopes/private/sites/example.com/a/actions.json" {
		t.Fatalf("the first map is %s", site.Maps[0].Path)
	}
}

func TestDefaultMount(t *testing.T) {
	// Ensure the default mount takes what names no scope, on disk and in a bundle.
	root := t.TempDir()
	write(t, root, "storage.json", `{"protocol":"actions.json.storage","default_mount":"shared:team"}`)
	write(t, root, "sites/example.com/a/actions.json", mapText("", "bare"))
	s := open(t, root)
	site := s.Match(page)
	if len(site.Maps) != 1 || site.Maps[0].Scope != "shared:team" {
		t.Fatalf("maps are %v, errors %v", paths(site), site.Errors)
	}
	if _, err := s.Import(bundle(entry("sites/example.com/b/actions.json", mapText("", "new"), 1))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"bare", "new"}, tools(s.Match(page))); diff != "" {
		t.Fatal(diff)
	}
}

func FuzzWorkspace(f *testing.F) {
	// Ensure no storage.json makes Match panic or read outside of root and home.
	f.Add([]byte(workspace(`"private":{"path":"mine"},"public":{"path":"/etc"}`)))
	f.Add([]byte(`{"protocol":"actions.json.storage","default_mount":"public","packages":{"a":{"path":"b.json"}}}`))
	f.Add([]byte(`{"protocol":"actions.json.storage","mounts":{"shared:a":{"path":"../..","default":true}}}`))
	root, user := f.TempDir(), f.TempDir()
	f.Setenv("HOME", user)
	write(f, root, "scopes/private/sites/example.com/a/actions.json", mapText("", "usual"))
	outside := f.TempDir()
	write(f, outside, "sites/example.com/a/actions.json", mapText("", "outside"))
	f.Add([]byte(workspace(`"private":{"path":` + quote(outside) + `}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(root, "storage.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, root)
		for _, e := range s.Match(page).Maps {
			if !strings.HasPrefix(e.File, root) && !strings.HasPrefix(e.File, user) {
				t.Fatalf("a map was read from %s", e.File)
			}
		}
		s.List()
	})
}
