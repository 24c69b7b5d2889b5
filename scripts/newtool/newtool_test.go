package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// tables are the files that a tool adds a line to.
var tables = []string{
	"extension/src/page/run.ts", "pkg/session/session.go", "pkg/browser/primitives/primitives.go", "test/conformance/conformance.go",
}

// repository is a folder with the tables and an empty place for each new file.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{"manifest/primitives", "extension/src/page/info"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range tables {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryRouteAndEffect(t *testing.T) {
	// Ensure that a begun primitive has its handler in the table of its route and its case in a list, and that its record lacks nothing but a word about what could go wrong.
	text, err := os.ReadFile("../../manifest/primitives.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	form, err := schema.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]struct{ file, line string }{
		"page":     {tables[0], `"tea.brew_it": teaBrewIt,`},
		"host":     {tables[1], `"tea.brew_it": s.teaBrewIt,`},
		"debugger": {tables[2], `h.teaBrewIt,`},
		"browser":  {tables[2], `h.teaBrewIt,`},
	}
	for _, route := range routes {
		for _, effect := range effects {
			dir := repository(t)
			if err := run(dir, []string{"tea.brew_it", "--route", route, "--effect", effect}); err != nil {
				t.Errorf("%s %s: %v", route, effect, err)
				continue
			}
			if want := lines[route]; !strings.Contains(read(t, dir, want.file), want.line) {
				t.Errorf("%s has no line for %s", want.file, route)
			}
			if !strings.Contains(read(t, dir, tables[3]), "teaBrewItCases(),") {
				t.Errorf("%s %s: no list has the case", route, effect)
			}
			record := read(t, dir, "manifest/primitives/tea.brew_it.json")
			for _, f := range primitive.Lint(form, "tea.brew_it", []byte(record)) {
				t.Errorf("%s %s: %v", route, effect, f)
			}
			sources, err := filepath.Glob(filepath.Join(dir, "*", "*", "tea_brew_it.go"))
			deeper, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*", "tea_brew_it.go"))
			if err != nil || len(sources)+len(deeper) > 1 || len(sources)+len(deeper) == 0 != (route == "page") {
				t.Errorf("%s %s: handlers in Go %v %v", route, effect, sources, deeper)
			}
			for _, name := range append(sources, deeper...) {
				if _, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.AllErrors); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	// Ensure that a wrong command line, a name that exists and a table that has gone are refused by name, and that nothing is written then.
	for name, row := range map[string]struct {
		args, want string
		change     func(dir string) error
	}{
		"no name":       {"--route page --effect read", "give one name", nil},
		"two names":     {"a.b c.d --route page --effect read", "give one name", nil},
		"not dotted":    {"brew --route page --effect read", `"brew" is no name`, nil},
		"not lower":     {"Tea.brew --route page --effect read", "is no name", nil},
		"a way out":     {"../tea.brew --route page --effect read", "is no name", nil},
		"no route":      {"tea.brew --effect read", "--route is one of page, host, debugger, browser", nil},
		"no such route": {"tea.brew --route pages --effect read", "--route is one of", nil},
		"no effect":     {"tea.brew --route page", "--effect is one of read, view, input, tab, state, code", nil},
		"unknown flag":  {"tea.brew --color red", "not defined", nil},
		"exists": {"tea.brew --route page --effect read", "tea.brew exists already: manifest/primitives/tea.brew.json", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "manifest/primitives/tea.brew.json"), nil, 0o644)
		}},
		"a file in its place": {"tea.brew --route host --effect read", "pkg/session/tea_brew.go is there already", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "pkg/session/tea_brew.go"), nil, 0o644)
		}},
		"no table": {"tea.brew --route page --effect read", "extension/src/page/run.ts has no table", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, tables[0]), []byte("\nimport { a } from \"b\";\n"), 0o644)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := repository(t)
			if row.change != nil {
				if err := row.change(dir); err != nil {
					t.Fatal(err)
				}
			}
			before := listing(t, dir)
			err := run(dir, strings.Fields(row.args))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want %s", err, row.want)
			}
			if after := listing(t, dir); after != before {
				t.Errorf("files were %s and are %s", before, after)
			}
		})
	}
}

// listing is all files with their sizes.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all.WriteString(name + " " + string(text[:min(len(text), 40)]) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
