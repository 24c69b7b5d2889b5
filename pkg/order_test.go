// Package pkg_test holds the packages below to the order that README.md gives
// them.
package pkg_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/actionsjson/actions-host/"

// place is a package's name in the table of README.md.
var place = regexp.MustCompile("`([^`]+)`")

func TestFloors(t *testing.T) {
	// Ensure that the table of packages is complete and true: each stands in it once, and imports only what stands before it.
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var order []string
	for _, name := range place.FindAllStringSubmatch(table, -1) {
		path := name[1]
		if !strings.HasPrefix(path, "manifest") && path != "host" {
			path = "pkg/" + path
		}
		if slices.Contains(order, path) {
			t.Errorf("%s stands twice in the table", path)
		}
		order = append(order, path)
	}
	for path, imports := range importsOf(t, "./manifest/...", "./pkg/...", "./host") {
		if path == "pkg" {
			continue // this test
		}
		at := slices.Index(order, path)
		if at < 0 {
			t.Errorf("%s is missing in the table", path)
			continue
		}
		for _, own := range imports {
			if !slices.Contains(order[:at], own) {
				t.Errorf("%s imports %s, which stands behind it", path, own)
			}
		}
	}
}

func TestSingleImporter(t *testing.T) {
	// Ensure that a package which only one other uses lies in that one's tree, unless it is the program that puts it to use.
	importers := map[string][]string{}
	for path, imports := range importsOf(t, "./pkg/...", "./host", "./scripts/...") {
		for _, own := range imports {
			importers[own] = append(importers[own], path)
		}
	}
	for own, by := range importers {
		if !strings.HasPrefix(own, "pkg/") || len(by) != 1 || by[0] == "host" || by[0] == "pkg/profile" {
			continue
		}
		root := strings.Join(strings.Split(by[0], "/")[:2], "/")
		if !strings.HasPrefix(own, root+"/") {
			t.Errorf("%s is used by %s alone", own, by[0])
		}
	}
}

// importsOf returns what each package imports of the project, without tests.
func importsOf(t *testing.T, packages ...string) map[string][]string {
	t.Helper()
	list := exec.Command("go", append([]string{"list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}"}, packages...)...)
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		path := strings.TrimPrefix(words[0], module)
		imports[path] = nil
		for _, imported := range words[1:] {
			if own, ok := strings.CutPrefix(imported, module); ok {
				imports[path] = append(imports[path], own)
			}
		}
	}
	return imports
}
