// Package tutorial takes the steps of pkg/README.md as a newcomer does.
package tutorial

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
)

// command is a command of the tutorial.
var command = regexp.MustCompile("`((?:\\./scripts/new-tool|go) [^`]+)`")

// What a newcomer writes in place of what ./scripts/new-tool left open.
const (
	output = `"output_schema": { "type": "object", "required": ["words"], "additionalProperties": false, "properties": { "words": { "type": "integer", "minimum": 0 } } }`

	handler = `// Rule of this file: words that nobody sees do not count.

import { visibleTextOf } from "../dom/read-text";

/** page.word_count */
export function pageWordCount(): unknown {
  const text = visibleTextOf(document.body);
  return { words: text === "" ? 0 : text.split(" ").length };
}
`

	cases = `package conformance

func pageWordCountCases() []Case {
	return []Case{
		{Name: "page.word_count/does its work", HTML: "<p>one <b>two</b> three</p><p hidden>four</p>", Run: func(p *Page) {
			p.is(p.ok("page.word_count", "{}"), "words", "3")
		}},
	}
}
`
)

// commands returns the commands of the tutorial, in their order.
func commands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repo.Root(), "pkg", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Adding a primitive\n")
	if !found {
		t.Fatal("pkg/README.md has no tutorial any more")
	}
	if lines := strings.Count(strings.TrimSpace(section), "\n") + 1; lines > 12 {
		t.Errorf("the tutorial has %d lines: nobody reads them", lines)
	}
	var all []string
	for _, one := range command.FindAllStringSubmatch(section, -1) {
		all = append(all, strings.Join(strings.Fields(one[1]), " "))
	}
	if len(all) < 3 || !strings.HasPrefix(all[0], "./scripts/new-tool page.word_count ") {
		t.Fatalf("the tutorial's commands are %q", all)
	}
	return all
}

// copyTree copies the repository, without what is built or installed.
func copyTree(t *testing.T, to string) {
	t.Helper()
	root := repo.Root()
	skipped := []string{".git", "node_modules", "dist", "bin", "output"}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, relative), 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		return errors.Join(err, os.WriteFile(filepath.Join(to, relative), text, info.Mode().Perm()))
	})
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join("extension", "node_modules")
	if err := os.Symlink(filepath.Join(root, modules), filepath.Join(to, modules)); err != nil {
		t.Fatal(err)
	}
}

func TestAddingAPrimitive(t *testing.T) {
	// Ensure that the steps of the tutorial, taken as they stand there, lead from nothing to a primitive that works in a browser, and that its case fails with a clear sentence before.
	steps := commands(t)
	dir := t.TempDir()
	copyTree(t, dir)
	run := func(line string) (string, error) {
		c := exec.Command("bash", "-c", line)
		c.Dir = dir
		text, err := c.CombinedOutput()
		return string(text), err
	}
	must := func(line string) {
		t.Helper()
		if text, err := run(line); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, text)
		}
	}
	must(steps[0])
	proof := steps[len(steps)-1]
	if text, err := run(proof); err == nil || !strings.Contains(text, "page.word_count is not written yet: extension/src/page/info/page-word-count.ts") {
		t.Fatalf("before the handler is written, %s: %v\n%s", proof, err, text)
	}
	record := filepath.Join(dir, "manifest/primitives/page.word_count.json")
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	filled := regexp.MustCompile(`"output_schema": .*\}`).ReplaceAllLiteralString(string(text), output)
	filled = strings.NewReplacer("What page.word_count does, in one or two sentences for a model.", "How many words the page shows.",
		"Nobody has said yet what could go wrong.", "A page that writes one letter an element counts too many.").Replace(filled)
	for name, text := range map[string]string{
		record: filled,
		filepath.Join(dir, "extension/src/page/info/page-word-count.ts"): handler,
		filepath.Join(dir, "test/conformance/cases_page_word_count.go"):  cases,
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range steps[1:] {
		must(step)
	}
	if harness.Long() {
		must("go test ./test/conformance -run 'Test.*/page.word_count'")
	}
}
