package storage_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImportsReachDown(t *testing.T) {
	// Ensure a map never imports what lies in a more private scope.
	root := t.TempDir()
	order := []string{"scopes/private/x.json", "scopes/shared/a/x.json", "scopes/shared/b/x.json", "scopes/public/x.json"}
	for _, path := range order {
		write(t, root, path, mapText("", "do"))
	}
	for scope, want := range map[string]string{"private": "1111", "shared/a": "0101", "public": "0001"} {
		got := ""
		for _, path := range order {
			name := write(t, root, "scopes/"+scope+"/sites/example.com/m/actions.json", importing("", from("x", "storage", path, "")))
			_, _, ok := open(t, root).Match(page).Tool("x.do")
			got += map[bool]string{true: "1", false: "0"}[ok]
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		if got != want {
			t.Errorf("%s reaches %s, want %s", scope, got, want)
		}
	}
}

func TestImportChains(t *testing.T) {
	// Ensure imports of imports load with all their namespaces, five deep and no
	// deeper, that circles end, and that one map cannot pull in the world.
	root := t.TempDir()
	chain := func(n int) string { return fmt.Sprintf("m%d.json", n) }
	write(t, root, board, importing("", from("a", "local", chain(1), "")))
	for n := 1; n <= 7; n++ {
		write(t, root, folder+chain(n), importing("", from("a", "local", chain(n+1), "")))
	}
	s := open(t, root)
	site := s.Match(page)
	want := []string{"own", "a.own", "a.a.own", "a.a.a.own", "a.a.a.a.own", "a.a.a.a.a.own"}
	if diff := cmp.Diff(want, tools(site)); diff != "" || len(site.Errors) != 1 || !strings.Contains(site.Errors[0].Message, "deeper than 5") {
		t.Fatal(diff, complaints(site.Errors))
	}
	write(t, root, folder+chain(3), importing("", from("a", "local", chain(1), ""), from("b", "local", chain(3), "")))
	site = s.Match(page)
	if len(tools(site)) != 4 || len(site.Errors) != 2 || !strings.Contains(complaints(site.Errors), "circle") {
		t.Fatal(tools(site), complaints(site.Errors))
	}
	var many []string
	for i := range 9 {
		many = append(many, from(fmt.Sprintf("i%d", i), "local", chain(i%2+1), ""))
	}
	write(t, root, folder+chain(1), importing("", many[1], many[3], many[5], many[7]))
	write(t, root, folder+chain(2), importing("", from("z", "local", "end.json", "")))
	write(t, root, folder+"end.json", mapText("", "end"))
	write(t, root, board, importing("", many...))
	if site := s.Match(page); len(tools(site)) > 200 || len(site.Errors) != 0 && !strings.Contains(complaints(site.Errors), "more than 64") {
		t.Fatal(len(tools(site)), complaints(site.Errors))
	}
}

func TestImportsReload(t *testing.T) {
	// Ensure a change of an imported map is seen, one that breaks stays as it
	// last was and is reported, and one that is removed is gone.
	root := t.TempDir()
	write(t, root, board, importing("", from("a", "local", "a.json", "")))
	name := write(t, root, folder+"a.json", mapText("", "one"))
	s := open(t, root)
	first, _, ok := s.Match(page).Tool("a.one")
	if again, _, _ := s.Match(page).Tool("a.one"); !ok || again != first {
		t.Fatal("the same text made a new tool")
	}
	write(t, root, folder+"a.json", mapText("", "two"))
	if _, _, ok := s.Match(page).Tool("a.two"); !ok {
		t.Fatal("the change was not noticed")
	}
	write(t, root, folder+"a.json", "{")
	site := s.Match(page)
	if _, _, ok := site.Tool("a.two"); !ok || !strings.Contains(complaints(site.Errors), "last good version stays in use") {
		t.Fatalf("a broken import: %v, %s", ok, complaints(site.Errors))
	}
	write(t, root, board, importing("", from("b", "local", "a.json", "")))
	if _, _, ok := s.Match(page).Tool("b.two"); !ok {
		t.Fatal("another namespace was not noticed")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	site = s.Match(page)
	if diff := cmp.Diff([]string{"own"}, tools(site)); diff != "" || !strings.Contains(complaints(site.Errors), "does not exist") {
		t.Fatal(diff, complaints(site.Errors))
	}
	write(t, root, folder+"a.json", "{")
	if site := s.Match(page); len(tools(site)) != 1 {
		t.Fatal("a removed import came back")
	}
}
