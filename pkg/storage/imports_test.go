package storage_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/storage"
)

const board = "scopes/private/sites/example.com/board/actions.json"

// importing is a map with the imports and the members of its composition.
func importing(composition string, imports ...string) string {
	return mapText(fmt.Sprintf(`,"composition":{%s},"imports":[%s]`, composition, strings.Join(imports, ",")), "own")
}

func from(id, kind, uri, more string) string {
	return fmt.Sprintf(`{"id":%s,"kind":%s,"uri":%s%s}`, quote(id), quote(kind), quote(uri), more)
}

func TestImports(t *testing.T) {
	// Ensure each kind that is on the disk loads under its namespace and says
	// where it comes from.
	user := home(t)
	root := filepath.Join(user, "storage")
	write(t, root, "storage.json", `{"protocol":"actions.json.storage","packages":{"listed":{"path":"`+filepath.ToSlash(user)+`/projects/p/map.json"}}}`)
	write(t, user, "projects/p/map.json", mapText("", "do"))
	write(t, root, board, importing("",
		from("near", "local", "parts/near.json", `,"namespace":"near","trust":"local","provenance":{"revision":7}`),
		from("up", "local", "../common/./lib.json", ""),
		from("all", "storage", "scopes/shared/team/sites/other.test/x/actions.json", ""),
		from("crew", "shared", "crew/lib.json", `,"namespace":"c.rew"`),
		from("open", "public", "sites/other.test/x/actions.json", ""),
		from("listed", "package", "listed", ""),
		from("plain", "package", "plain", ""),
		from("off", "package", "missing", `,"enabled":false`),
	))
	for path, tool := range map[string]string{
		"scopes/private/sites/example.com/board/parts/near.json": "do", "scopes/private/sites/example.com/common/lib.json": "do",
		"scopes/shared/team/sites/other.test/x/actions.json": "do", "scopes/shared/crew/lib.json": "do",
		"scopes/public/sites/other.test/x/actions.json": "do", "packages/plain/actions.json": "do",
	} {
		write(t, root, path, mapText(`,"requires":{"primitive_dictionary":{"blocked_primitives":["`+strings.NewReplacer("/", "_", ".", "_").Replace(path)+`"]}}`, tool))
	}
	site := open(t, root).Match(page)
	if len(site.Errors) != 0 {
		t.Fatal(complaints(site.Errors))
	}
	want := []string{"own", "near.do", "up.do", "all.do", "c.rew.do", "open.do", "listed.do", "plain.do"}
	if diff := cmp.Diff(want, tools(site)); diff != "" {
		t.Fatal(diff)
	}
	tool, entry, ok := site.Tool("near.do")
	if !ok || tool.Name != "near.do" || entry.Host != "example.com" || entry.Scope != "private" || entry.Path != "scopes/private/sites/example.com/board/parts/near.json" {
		t.Fatalf("near.do is from %+v", entry)
	}
	wantImport := &storage.Import{
		ID: "near", Kind: "local", URI: "parts/near.json", Namespace: "near", Trust: "local", Provenance: json.RawMessage(`{"revision":7}`),
		Path: entry.Path, By: board,
	}
	if diff := cmp.Diff(wantImport, entry.Import); diff != "" {
		t.Fatal(diff)
	}
	if _, own, _ := site.Tool("own"); own.Import != nil {
		t.Fatalf("the map's own tool is from %+v", own.Import)
	}
	if _, e, _ := site.Tool("listed.do"); e.File != filepath.Join(user, "projects/p/map.json") || e.Path != "packages/listed/map.json" || e.Import.Trust != "unknown" {
		t.Fatalf("listed.do is from %+v", e)
	}
	if len(site.Blocked()) != 6 {
		t.Fatalf("the imports block %v", site.Blocked())
	}
	if len(site.Maps) != 1 {
		t.Fatalf("imports are no maps of the page: %v", paths(site))
	}
}

func TestImportOfAMapRemovedMeanwhile(t *testing.T) {
	// Ensure a map of the page that another one imports may be removed between the two steps of
	// a match: the import is reported, and the map itself still counts.
	root := t.TempDir()
	write(t, root, board, importing("", from("z", "local", "../z/actions.json", "")))
	file := write(t, root, "scopes/private/sites/example.com/z/actions.json", mapText("", "do"))
	s := open(t, root)
	site := s.Match(page)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	storage.Compose(s, &site)
	if got := complaints(site.Errors); len(site.Maps) != 2 || !strings.Contains(got, "does not exist") {
		t.Errorf("%v, %s", paths(site), got)
	}
}

func TestImportsKeepTheirParts(t *testing.T) {
	// Ensure what an imported map says of its tools follows their names, and
	// that its workflow runs as it is.
	root := t.TempDir()
	write(t, root, board, importing("", from("lib", "public", "lib.json", "")))
	write(t, root, "scopes/public/lib.json", `{"protocol":"actions.json","tools":[
		{"name":"card.open","description":"d","workflow":{"version":1,"steps":[],"output":"{% 12345678901234567890 < 1 %}"},"x_actions":{"note":{"tool":"card.open"}}}],
		"state_projections":[{"name":"s","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"{% {} %}"}},"postconditions":{"card.open":{"projection":"s"},"other":{}}}],
		"transitions":[{"name":"t","tool":"card.open"},{"name":"u","tool":"other"}],"context":[{"available_tools":["card.open","other"]}]}`)
	site := open(t, root).Match(page)
	_, entry, ok := site.Tool("lib.card.open")
	if !ok || len(site.Errors) != 0 {
		t.Fatal(complaints(site.Errors))
	}
	raw := string(entry.Map.Raw)
	for _, part := range []string{
		`"postconditions":{"lib.card.open":{"projection":"s"},"other":{}}`, `"tool":"lib.card.open"}`, `"tool":"other"`,
		`"available_tools":["lib.card.open","other"]`, `{"tool":"card.open"}`, `{% 12345678901234567890 < 1 %}`,
	} {
		if !strings.Contains(raw, part) {
			t.Errorf("%s is not in %s", part, raw)
		}
	}
}

func TestImportsNarrow(t *testing.T) {
	// Ensure an import's tools apply only where the importing map does, and not
	// where their own map or binding does not.
	root := t.TempDir()
	write(t, root, board, mapText(`,"scope":{"url_matches":["https://*.example.com/board/*","https://*.example.com/x"]},"imports":[`+
		from("a", "local", "a.json", "")+`,`+from("b", "local", "b.json", "")+`]`, "own"))
	write(t, root, folder+"a.json", mapText(`,"scope":{"url_matches":"*/board/*"}`, "do"))
	write(t, root, folder+"b.json", `{"protocol":"actions.json","tools":[{"name":"do","x_actions":{"handler":"page.info","binding":{"target_url_contains":"/board/1"}}}]}`)
	s := open(t, root)
	for url, want := range map[string][]string{
		page: {"own", "a.do", "b.do"}, "https://www.example.com/board/2": {"own", "a.do"}, "https://www.example.com/x": {"own"},
		"https://www.example.com/": {}, "https://other.test/board/1": {},
	} {
		site := s.Match(url)
		if diff := cmp.Diff(want, tools(site)); diff != "" || len(site.Errors) != 0 {
			t.Errorf("%s: %s %s", url, diff, complaints(site.Errors))
		}
	}
	if _, e, _ := s.Match(page).Tool("a.do"); len(e.Map.URLPatterns) != 2 {
		t.Errorf("a.do runs on %v", e.Map.URLPatterns)
	}
}

func TestNamespaces(t *testing.T) {
	// Ensure a namespace is the import's own, its id, or none where the map says
	// so, and that a map can require one.
	root := t.TempDir()
	write(t, root, folder+"a.json", mapText("", "do"))
	for composition, want := range map[string]string{
		``: "own lib.do ns.do", `"namespace_required":false`: "own do ns.do", `"namespace_required":true`: "own ns.do",
	} {
		write(t, root, board, importing(composition, from("lib", "local", "a.json", ""), from("x", "local", "a.json", `,"namespace":"ns"`)))
		site := open(t, root).Match(page)
		if got := strings.Join(tools(site), " "); got != want || (len(site.Errors) == 1) != strings.Contains(composition, "true") {
			t.Errorf("{%s} gives %s, %s", composition, got, complaints(site.Errors))
		}
	}
}

func TestConflicts(t *testing.T) {
	// Ensure names that are defined twice go by the policy and are reported.
	root := t.TempDir()
	write(t, root, folder+"a.json", mapText("", "own", "a"))
	write(t, root, folder+"b.json", mapText("", "own", "a", "b"))
	imports := []string{from("a", "local", "a.json", ""), from("b", "local", "b.json", "")}
	for policy, want := range map[string]struct {
		from   string // which file each of own, a and b is of
		errors int
	}{
		``:                  {"actions a b", 3},
		`"prefer_local"`:    {"actions a b", 3},
		`"prefer_imported"`: {"a a b", 3},
		`"error"`:           {"actions  ", 2},
		`"unheard of"`:      {"actions a b", 4},
	} {
		composition := `"namespace_required":false`
		if policy != "" {
			composition += `,"default_conflict_policy":` + policy
		}
		write(t, root, board, importing(composition, imports...))
		site := open(t, root).Match(page)
		var got []string
		for _, name := range []string{"own", "a", "b"} {
			_, e, ok := site.Tool(name)
			if !ok {
				got = append(got, "")
				continue
			}
			got = append(got, strings.TrimSuffix(filepath.Base(e.Path), ".json"))
		}
		if strings.Join(got, " ") != want.from || len(site.Errors) != want.errors {
			t.Errorf("%s gives %q, %s", policy, got, complaints(site.Errors))
		}
		seen := map[string]bool{}
		for _, name := range tools(site) {
			if seen[name] {
				t.Errorf("%s offers %s twice", policy, name)
			}
			seen[name] = true
		}
	}
}

func TestImportsRefused(t *testing.T) {
	// Ensure what may not be imported is refused with a reason and takes nothing
	// else away.
	outside := t.TempDir()
	write(t, outside, "out.json", mapText("", "stolen"))
	for _, c := range []struct{ spec, want string }{
		{from("w", "website", "https://example.com/actions.json", ""), "never fetched"},
		{from("w", "local", "https://example.com/actions.json", ""), "no relative path"},
		{from("w", "ftp", "x.json", ""), "kind"},
		{from("w", "", "x.json", ""), "kind"},
		{from("", "local", "good.json", ""), "it has no id"},
		{`7`, "declared shape"}, {`{"id":7}`, "declared shape"}, {`{"id":"x","enabled":"yes"}`, "declared shape"},
		{from("good", "local", "good.json", ""), "an earlier import has the id"},
		{from("w", "local", "good.json", `,"namespace":"a b"`), "no identifier"},
		{from("w", "local", "good.json", `,"namespace":".a"`), "no identifier"},
		{from("ä", "local", "good.json", ""), "no identifier"},
		{from("w", "local", "good.json", `,"namespace":"`+strings.Repeat("a", 200)+`"`), "no identifier"},
		{from("w", "local", "good.json", `,"trust":"blind"`), "trust"},
		{from("w", "local", "none.json", ""), "does not exist"},
		{from("w", "local", "broken.json", ""), "ends before"},
		{from("w", "local", "good.md", ""), "no map in use"},
		{from("w", "local", "proof/p.json", ""), "no map in use"},
		{from("w", "local", "x/../archive/p.json", ""), "no map in use"},
		{from("w", "local", ".hidden/p.json", ""), "not safe"},
		{from("w", "local", "link.json", ""), "leaves the storage folder"},
		{from("w", "local", "actions.json", ""), "circle"},
		{from("w", "local", "../../../../public/x.json", ""), "leaves the scope"},
		{from("w", "local", "../../../../private/sites/example.com/board/good.json", ""), "leaves the scope"},
		{from("w", "local", "../../../../../../../../../etc/x.json", ""), "leaves the scope"},
		{from("w", "local", "/etc/x.json", ""), "no relative path"},
		{from("w", "local", `..\x.json`, ""), "no relative path"},
		{from("w", "local", "a//b.json", ""), "not safe"},
		{from("w", "storage", "../x.json", ""), "not safe"},
		{from("w", "storage", "scopes/private/../x.json", ""), "not safe"},
		{from("w", "storage", "scopes/other/x.json", ""), "cannot reach"},
		{from("w", "public", "scopes/private/sites/example.com/board/good.json", ""), "not in a public scope"},
		{from("w", "shared", "scopes/public/x.json", ""), "not in a shared scope"},
		{from("w", "package", "../x", ""), "no package's id"},
		{from("w", "package", "a/b", ""), "no package's id"},
		{from("w", "package", "", ""), "no package's id"},
		{from("w", "package", "none", ""), "does not exist"},
		{from("w", "package", "proof", ""), "no map in use"},
	} {
		root := t.TempDir()
		write(t, root, board, importing("", from("good", "local", "good.json", ""), c.spec))
		write(t, root, folder+"good.json", mapText("", "do"))
		write(t, root, folder+"good.md", mapText("", "x"))
		write(t, root, folder+"proof/p.json", mapText("", "x"))
		write(t, root, folder+"broken.json", "{")
		write(t, root, "packages/proof/actions.json", mapText("", "x"))
		if err := os.Symlink(filepath.Join(outside, "out.json"), filepath.Join(root, folder, "link.json")); err != nil {
			t.Skip("this system makes no links:", err)
		}
		site := open(t, root).Match(page)
		if diff := cmp.Diff([]string{"own", "good.do"}, tools(site)); diff != "" {
			t.Errorf("%s: %s", c.spec, diff)
		}
		if len(site.Errors) != 1 || site.Errors[0].Path != board || site.Errors[0].Import == "" || !strings.Contains(site.Errors[0].Message, c.want) {
			t.Errorf("%s is reported as %q", c.spec, complaints(site.Errors))
		}
	}
}
