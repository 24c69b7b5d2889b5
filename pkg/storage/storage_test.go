package storage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/storage"
)

const page = "https://www.example.com/board/1"

// mapText is a map with static tools of the given names; members are further
// members of the root.
func mapText(members string, tools ...string) string {
	var list []string
	for _, name := range tools {
		list = append(list, fmt.Sprintf(`{"name":%q,"description":"d","x_actions":{"static_output":{"from":%q}}}`, name, name))
	}
	return fmt.Sprintf(`{"protocol":"actions.json","version":1%s,"tools":[%s]}`, members, strings.Join(list, ","))
}

func write(t testing.TB, root, path, text string) string {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func open(t testing.TB, root string) *storage.Store {
	t.Helper()
	s, err := storage.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func paths(site storage.Site) []string {
	out := []string{}
	for _, e := range site.Maps {
		out = append(out, e.Path)
	}
	return out
}

func TestMatchOrder(t *testing.T) {
	// Ensure maps come private, shared by name, public, then by path, and that
	// the first definition of a tool wins while the others are reported.
	root := t.TempDir()
	write(t, root, "scopes/public/sites/example.com/a/actions.json", mapText("", "open", "only.public"))
	write(t, root, "scopes/shared/zeta/sites/example.com/a/actions.json", mapText("", "open"))
	write(t, root, "scopes/shared/alpha/sites/www.example.com/a/actions.json", mapText("", "open"))
	write(t, root, "scopes/private/sites/Example.com/b/c/actions.json", mapText("", "open"))
	write(t, root, "scopes/private/sites/Example.com/a/actions.json", mapText("", "other"))
	site := open(t, root).Match(page)
	want := []string{
		"scopes/private/sites/Example.com/a/actions.json",
		"scopes/private/sites/Example.com/b/c/actions.json",
		"scopes/shared/alpha/sites/www.example.com/a/actions.json",
		"scopes/shared/zeta/sites/example.com/a/actions.json",
		"scopes/public/sites/example.com/a/actions.json",
	}
	if diff := cmp.Diff(want, paths(site)); diff != "" {
		t.Fatal(diff)
	}
	_, entry, ok := site.Tool("open")
	if !ok || entry.Scope != "private" || entry.Host != "Example.com" || entry.Surface != "b/c" {
		t.Fatalf("open is from %+v", entry)
	}
	if _, _, ok := site.Tool("missing"); ok {
		t.Fatal("a tool that no map defines was found")
	}
	var names []string
	for _, o := range site.Offers() {
		names = append(names, o.Tool.Name)
	}
	if diff := cmp.Diff([]string{"other", "open", "only.public"}, names); diff != "" {
		t.Fatal(diff)
	}
	hidden := site.Shadowed()
	if len(hidden) != 3 || hidden[0].By != want[1] || hidden[0].Path != want[2] || len(site.Errors) != 0 {
		t.Fatalf("shadowed %+v, errors %+v", hidden, site.Errors)
	}
}

func TestMatchHost(t *testing.T) {
	// Ensure a map applies only to its host and its subdomains, and that a
	// folder named after a public suffix is refused with a reason.
	root := t.TempDir()
	write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText("", "x"))
	write(t, root, "scopes/private/sites/127.0.0.1/a/actions.json", mapText("", "local"))
	write(t, root, "scopes/private/sites/com/a/actions.json", mapText("", "steal"))
	s := open(t, root)
	for url, want := range map[string]struct{ maps, errors int }{
		"https://example.com/":            {1, 1},
		"http://www.example.com:8080/":    {1, 1},
		"https://a.b.example.com/x?y":     {1, 1},
		"https://evil-example.com/":       {0, 1}, // below com, whose folder is refused
		"https://example.com.evil.org/":   {0, 0},
		"https://evil.org/?q=example.com": {0, 0},
		"http://127.0.0.1:4000/":          {1, 0},
		"chrome://settings":               {0, 0},
		"file:///example.com/":            {0, 0},
		"":                                {0, 0},
		"not a url":                       {0, 0},
	} {
		site := s.Match(url)
		if len(site.Maps) != want.maps || len(site.Errors) != want.errors {
			t.Errorf("%s has the maps %v and the errors %v", url, paths(site), site.Errors)
		}
		if _, _, ok := site.Tool("steal"); ok {
			t.Errorf("%s is served by the folder of a public suffix", url)
		}
	}
}

func TestMatchIgnoresWhatIsNoMap(t *testing.T) {
	// Ensure evidence, archives, dot folders, other names and other folders are
	// never maps.
	root := t.TempDir()
	for _, path := range []string{
		"scopes/private/sites/example.com/board/proof/p1/actions.json",
		"scopes/private/sites/example.com/Proof/actions.json",
		"scopes/private/sites/example.com/archive/actions.json",
		"scopes/private/sites/example.com/.git/actions.json",
		"scopes/shared/archive/sites/example.com/a/actions.json",
		"scopes/private/sites/example.com/board/old-actions.json",
		"scopes/private/sites/example.com/board/actions.json.bak",
		"scopes/other/sites/example.com/board/actions.json",
		"sites/example.com/actions.json.d/old.json",
		"other/sites/example.com/board/actions.json",
		"scopes/private/example.com/board/actions.json",
		"scopes/shared/sites/example.com/board/actions.json",
	} {
		write(t, root, path, mapText("", "x"))
	}
	if site := open(t, root).Match(page); len(site.Maps) != 0 || len(site.Errors) != 0 {
		t.Fatalf("maps %v, errors %v", paths(site), site.Errors)
	}
}

func TestMatchLinks(t *testing.T) {
	// Ensure links are followed inside the root only, loops end, and a link
	// into evidence is no way around the rule.
	outside, root := t.TempDir(), t.TempDir()
	write(t, outside, "x/actions.json", mapText("", "outside"))
	write(t, root, "mine/board/actions.json", mapText("", "inside"))
	write(t, root, "proof/board/actions.json", mapText("", "evidence"))
	host := filepath.Join(root, "scopes/private/sites/example.com")
	for name, target := range map[string]string{
		"out": filepath.Join(outside, "x"), "in": filepath.Join(root, "mine/board"), "again": filepath.Join(root, "mine/board"),
		"loop": host, "up": root, "evidence": filepath.Join(root, "proof/board"), "dangling": filepath.Join(root, "nothing"),
		"file/actions.json": filepath.Join(outside, "x/actions.json"),
	} {
		link := filepath.Join(host, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Skip("this system makes no links:", err)
		}
	}
	site := open(t, root).Match(page)
	for _, tool := range []string{"outside", "evidence"} {
		if _, _, ok := site.Tool(tool); ok {
			t.Errorf("the tool of the %s folder was loaded: %v", tool, paths(site))
		}
	}
	if _, _, ok := site.Tool("inside"); !ok {
		t.Errorf("a link inside the root was not followed: %v", paths(site))
	}
	if len(site.Errors) != 1 || !strings.Contains(site.Errors[0].Message, "leaves the storage folder") {
		t.Errorf("errors are %+v", site.Errors)
	}
}

func TestBindingNarrows(t *testing.T) {
	// Ensure a tool that its binding keeps off the page neither answers nor
	// hides another of its name.
	root := t.TempDir()
	write(t, root, "scopes/private/sites/example.com/a/actions.json", `{"protocol":"actions.json","tools":[
		{"name":"open","x_actions":{"handler":"page.info","binding":{"target_url_contains":"/list/"}}}]}`)
	write(t, root, "scopes/public/sites/example.com/a/actions.json", mapText("", "open"))
	s := open(t, root)
	for url, scope := range map[string]string{page: "public", "https://example.com/list/1": "private"} {
		site := s.Match(url)
		if _, entry, ok := site.Tool("open"); !ok || entry.Scope != scope || len(site.Offers()) != 1 || site.Offers()[0].Entry != entry {
			t.Errorf("%s: open is from %+v", url, entry)
		}
	}
}

func TestPatternsNarrow(t *testing.T) {
	// Ensure a map's patterns narrow it, and that its origin never hides it.
	root := t.TempDir()
	write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText(`,"scope":{"url_matches":"https://*.example.com/board/*"}`, "board"))
	write(t, root, "scopes/private/sites/example.com/b/actions.json", mapText(`,"surface":{"url_patterns":["*/list/*","*/lists"]}`, "list"))
	write(t, root, "scopes/private/sites/example.com/c/actions.json", mapText(`,"surface":{"origin":"https://elsewhere.test"}`, "always"))
	s := open(t, root)
	for url, want := range map[string][]string{
		page:                              {"board", "always"},
		"https://www.example.com/list/2":  {"list", "always"},
		"https://www.example.com/another": {"always"},
	} {
		var got []string
		for _, o := range s.Match(url).Offers() {
			got = append(got, o.Tool.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", url, diff)
		}
	}
}

func TestBlocked(t *testing.T) {
	// Ensure the blocked primitives of all matching maps are united, and those
	// of another host are not.
	root := t.TempDir()
	blocked := func(names string) string {
		return `,"requires":{"primitive_dictionary":{"blocked_primitives":[` + names + `]}}`
	}
	write(t, root, "scopes/private/sites/example.com/a/actions.json", mapText(blocked(`"b.two","a.one"`)))
	write(t, root, "scopes/public/sites/example.com/a/actions.json", mapText(blocked(`"a.one",{"name":"c.three"}`)))
	s := open(t, root)
	if diff := cmp.Diff([]string{"a.one", "b.two", "c.three"}, s.Match(page).Blocked()); diff != "" {
		t.Fatal(diff)
	}
	if got := s.Match("https://other.test/").Blocked(); len(got) != 0 {
		t.Fatalf("another host has %v", got)
	}
}
