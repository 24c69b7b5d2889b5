package testbrowser

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const readMap = `{"protocol":"actions.json","version":1,"tools":[{"name":"a.read","description":"d","input_schema":{"type":"object"},"x_actions":{"handler":"page.info"}}]}`

// folder writes files below a temporary folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestReadSuites(t *testing.T) {
	// Ensure that the cases of each named map, or of all below a folder, are found with addresses and hosts; and that mistakes of all files are returned together.
	const site = "scopes/private/sites/tea.example/shop/inner/"
	root := folder(t, map[string]string{
		site + "actions.json":      readMap,
		site + "actions.test.json": `{"version":1,"cases":[{"name":"1","page":"p/x.html","action":"a.read"},{"name":"2","page":"/y","action":"a.read"}]}`,
		site + "p/x.html":          "x",
		"free/actions.json":        readMap,
		"free/actions.test.json":   `{"version":1,"cases":[{"name":"1","page":"http://localhost:1/","action":"a.read"}]}`,
		"broken/actions.json":      readMap,
		"broken/actions.test.json": "{\"version\":1,\"cases\":[\n{\"name\":\"1\",\"page\":\"/y\",\"action\":\"a.raed\"}]}",
		"none/actions.json":        readMap,
		".git/x/actions.test.json": "{",
	})
	told := func(base string, names ...string) string {
		for i := range names {
			names[i] = filepath.Join(root, names[i])
		}
		suites, mistakes, err := ReadSuites(names, base)
		if err != nil {
			return "error " + err.Error()
		}
		var all []string
		for _, s := range suites {
			for _, c := range s.Cases {
				all = append(all, fmt.Sprint(s.Hosts, s.Name, " ", c.Address, " ", c.Saved))
			}
		}
		for _, m := range mistakes {
			all = append(all, fmt.Sprint(filepath.Base(filepath.Dir(m.File)), ":", m.Line, " ", m.Message))
		}
		return strings.Join(all, "\n")
	}
	for _, row := range []struct {
		base  string
		names []string
		want  []string
	}{
		{"", []string{"scopes"}, []string{"[tea.example]shop/inner https://tea.example/ p/x.html", "[tea.example]shop/inner https://tea.example/y "}},
		{"http://localhost:8080/", []string{site + "actions.json"}, []string{"[tea.example localhost]shop/inner http://localhost:8080/ p/x.html", "[tea.example localhost]shop/inner http://localhost:8080/y "}},
		{"", []string{"free/actions.test.json"}, []string{"[localhost]map http://localhost:1/ "}},
		{"", []string{"broken", "free"}, []string{"[localhost]map http://localhost:1/ ", "broken:2 the map has no action a.raed"}},
		{"", []string{"none"}, []string{"error no actions.test.json is in"}},
		{"", []string{"none/actions.json"}, []string{"has no cases"}},
		{"", []string{"nowhere"}, []string{"no such file"}},
		{"http://localhost/path", []string{"free"}, []string{"--base takes an origin"}},
	} {
		got := told(row.base, slices.Clone(row.names)...)
		if !slices.EqualFunc(strings.Split(got, "\n"), row.want, strings.Contains) {
			t.Errorf("%s %q: %s", row.base, row.names, got)
		}
	}
}

func TestOnlyTheMapIsCopied(t *testing.T) {
	// Ensure that the storage of a run has the map under its hosts with the files that it may declare, and no cases, hidden files, links or other maps.
	root := folder(t, map[string]string{
		"mine.json": readMap, "actions.json": "another", "SKILL.md": "s", "context/a.md": "c", "actions.test.json": "{}", ".secret": "x",
		"inner/actions.json": readMap, "inner/other.md": "o",
	})
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "link.md")); err != nil {
		t.Fatal(err)
	}
	r := &runner{home: t.TempDir()}
	for range 2 { // the next map replaces the last
		if err := r.install(Suite{Map: filepath.Join(root, "mine.json"), Hosts: []string{"a.example"}, Name: "shop/x"}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	below := filepath.Join(r.home, "storage", "scopes", "private", "sites")
	err := filepath.WalkDir(below, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(below, path)
			got = append(got, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a.example/shop/x/SKILL.md", "a.example/shop/x/actions.json", "a.example/shop/x/context/a.md", "a.example/shop/x/mine.json"}; !slices.Equal(got, want) {
		t.Errorf("the storage has %q", got)
	}
	text, err := os.ReadFile(filepath.Join(below, "a.example/shop/x/actions.json"))
	if err != nil || string(text) != readMap {
		t.Errorf("the map is %s, %v", text, err)
	}
}

func TestSavedFiles(t *testing.T) {
	// Ensure that a saved page stands at its address with the files beside it, and nothing else does.
	at, err := url.Parse("https://tea.example/shop/list?q=1")
	if err != nil {
		t.Fatal(err)
	}
	s := &savedSite{address: at, file: "pages/list.html"}
	for path, want := range map[string]string{
		"/shop/list": "pages/list.html", "/shop/a.css": "pages/a.css", "/shop/img/b.png": "pages/img/b.png",
		"/": "", "/shop/": "", "/other": "", "/shop/../x": "", "/shop/.git/config": "", "/shop//x": "pages/x",
	} {
		if got, ok := s.fileFor(path); ok != (want != "") || ok && got != want {
			t.Errorf("%s is %q, %v", path, got, ok)
		}
	}
}
