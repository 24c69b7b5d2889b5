package pkg_test

import (
	"go/ast"
	"os"
	"regexp"
	"strings"
	"testing"
)

// promised are the names of tests in SECURITY.md.
var promised = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`")

func TestPromisesNameTheirTests(t *testing.T) {
	// Ensure that each promise of SECURITY.md names a test, and that all of these tests are there.
	text, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## What is promised\n")
	section, _, found := strings.Cut(section, "\n## ")
	promises := strings.Split(section, "\n- ")[1:]
	if !found || len(promises) < 10 {
		t.Fatalf("SECURITY.md has %d promises", len(promises))
	}
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, s := range all {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasSuffix(s.path, "_test.go") {
				there[f.Name.Name] = true
			}
		}
	}
	for _, promise := range promises {
		names := promised.FindAllStringSubmatch(promise, -1)
		if len(names) == 0 {
			t.Errorf("no test is named for: %s", promise)
		}
		for _, name := range names {
			if !there[name[1]] {
				t.Errorf("%s is not there: %s", name[1], promise)
			}
		}
	}
}
