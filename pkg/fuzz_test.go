package pkg_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFuzzCorpora(t *testing.T) {
	// Ensure that every fuzz target has seeds of its own, and that no seeds stayed behind when a target was moved or renamed.
	folders := map[string]bool{}
	var targets []string
	goFiles(t, func(path string, _ *token.FileSet, file *ast.File) {
		folders[filepath.Dir(path)] = true
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") && strings.HasSuffix(path, "_test.go") {
				targets = append(targets, filepath.Join(filepath.Dir(path), "testdata/fuzz", f.Name.Name))
			}
		}
	})
	for _, target := range targets {
		if seeds, err := os.ReadDir(target); err != nil || len(seeds) == 0 {
			t.Errorf("%s has no seeds: %v", target, err)
		}
	}
	for folder := range folders {
		corpora, err := filepath.Glob(filepath.Join(folder, "testdata/fuzz/*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, corpus := range corpora {
			if !slices.Contains(targets, corpus) {
				t.Errorf("%s belongs to no fuzz target", corpus)
			}
		}
	}
}
