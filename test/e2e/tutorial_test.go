package e2e

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
	"github.com/actionsjson/actions-host/test/sites"
)

// tutorial is the page that this test works through, as a reader would.
const tutorial = "pkg/actionmap/README.md"

// block is a fenced part of the tutorial.
var block = regexp.MustCompile("(?s)```(json|console)\n(.*?)```")

// command is a line for the terminal: words, the last of which may be quoted.
var command = regexp.MustCompile(`^\$ actions-host ([^']*)(?:'(.*)')?$`)

func TestTutorial(t *testing.T) {
	// Ensure that the tutorial for authors of maps is true: each of its maps is saved where it says, each of its commands is run, and each shows the lines that it promises.
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(repo.Root(), tutorial))
	if err != nil {
		t.Fatal(err)
	}
	home := harness.NewHome(t)
	shop := httptest.NewServer(sites.Teahouse(sites.NewRecorder(nil)))
	t.Cleanup(shop.Close)
	here := t.TempDir()
	file := filepath.Join(here, regexp.MustCompile("`(storage/scopes/[^`]*actions.json)`").FindStringSubmatch(string(text))[1])
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	home.Launch(t, "--storage", filepath.Join(here, "storage"), strings.Replace(shop.URL, "127.0.0.1", "localhost", 1)+"/")
	for _, b := range block.FindAllStringSubmatch(string(text), -1) {
		if b[1] == "json" {
			if err := os.WriteFile(file, []byte(b[2]), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		follow(t, home, here, strings.Split(strings.TrimSpace(b[2]), "\n"))
	}
}

// follow runs the commands of a terminal's text and looks for the lines below
// each, in their order; … stands for anything.
func follow(t *testing.T, home *harness.Home, folder string, lines []string) {
	t.Helper()
	shown := ""
	for _, line := range lines {
		if words := command.FindStringSubmatch(line); words != nil {
			args := strings.Fields(words[1])
			if words[2] != "" {
				args = append(args, words[2])
			}
			c := home.Command(t.Context(), args...)
			c.Dir = folder
			out, err := c.CombinedOutput()
			if err != nil && !strings.Contains(string(out), "invalid") {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
			shown = string(out)
			continue
		}
		for _, part := range strings.Split(line, "…") {
			at := strings.Index(shown, part)
			if at < 0 {
				t.Errorf("%q is not shown; what is left is\n%s", part, shown)
				break
			}
			shown = shown[at+len(part):]
		}
	}
}
