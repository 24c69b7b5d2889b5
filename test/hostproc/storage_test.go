package hostproc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestFirstStartMakesAStorage(t *testing.T) {
	// Ensure the first start makes a storage whose example works at once, that a
	// later one leaves it alone, and that a map changed meanwhile is named.
	home := harness.NewHome(t)
	home.Ready(t, &fakes.Browser{}, "https://example.com/")
	readme := filepath.Join(home.Dir, "storage", "README.md")
	if _, err := os.Stat(readme); err != nil {
		t.Fatal(err)
	}
	var summary struct{ Summary string }
	harness.Must(t, home.SiteCall(t, "example.summary", "{}"), &summary)
	if summary.Summary == "" {
		t.Fatal("the example says nothing")
	}
	name := filepath.Join(home.Dir, "storage/scopes/private/sites/example.com/page/actions.json")
	if err := os.WriteFile(name, []byte(`{"protocol":`), 0o600); err != nil {
		t.Fatal(err)
	}
	e := home.SiteCall(t, "example.summary", "{}")
	problems, err := json.Marshal(e.Meta.MapErrors)
	if !e.OK || err != nil || !strings.Contains(string(problems), "last good version") {
		t.Fatalf("ok %t, %s", e.OK, problems)
	}
	if err := os.Remove(readme); err != nil {
		t.Fatal(err)
	}
	if r := home.Run(t, "storage", "init"); r.Exit != 0 || !strings.Contains(r.Stdout, "README.md") || strings.Contains(r.Stdout, "actions.json") {
		t.Fatalf("init printed %q %q", r.Stdout, r.Stderr)
	}
}

func TestStorageOfAnotherFolderIsNotMade(t *testing.T) {
	// Ensure a folder that the user named is not made: a slip in it must show.
	home := harness.NewHome(t)
	missing := filepath.Join(home.Dir, "elsewhere")
	t.Setenv("ACTIONS_HOST_STORAGE", missing)
	home.Ready(t, &fakes.Browser{}, shop)
	e := home.Call(t, "actions.site", `{"mode":"list"}`)
	problems, err := json.Marshal(e.Meta.MapErrors)
	if err != nil || !strings.Contains(string(problems), "does not exist") {
		t.Fatalf("ok %t, %s", e.OK, problems)
	}
	if _, err := os.Stat(missing); !os.IsNotExist(err) {
		t.Fatalf("the folder was made: %v", err)
	}
}

func TestStorageCommands(t *testing.T) {
	// Ensure a storage travels from one home to another by the commands, and that
	// a bad bundle says what is wrong and exits with 1.
	from, to := harness.NewHome(t), harness.NewHome(t)
	if r := from.Run(t, "storage", "init", "--json"); r.Exit != 0 || !strings.Contains(r.Stdout, `"created":["README.md"`) {
		t.Fatalf("init printed %q %q", r.Stdout, r.Stderr)
	}
	file := filepath.Join(from.Dir, "bundle.json")
	if r := from.Run(t, "storage", "export", "--out", file); r.Exit != 0 || !strings.Contains(r.Stdout, "wrote 6 files") {
		t.Fatalf("export printed %q %q", r.Stdout, r.Stderr)
	}
	if r := from.Run(t, "storage", "export"); r.Exit != 0 || !strings.HasPrefix(r.Stdout, `{"protocol":"actions.json.storage.bundle"`) {
		t.Fatalf("export printed %.80q %q", r.Stdout, r.Stderr)
	}
	if r := to.Run(t, "storage", "import", file, "--json"); r.Exit != 0 || !strings.Contains(r.Stdout, `"updated_count":4`) {
		t.Fatalf("import printed %q %q", r.Stdout, r.Stderr)
	}
	r := to.Run(t, "storage", "list", "--json")
	var list struct {
		Files []struct {
			Path string
			Map  bool
		}
	}
	if err := json.Unmarshal([]byte(r.Stdout), &list); err != nil || len(list.Files) != 4 || !list.Files[1].Map {
		t.Fatalf("list printed %q: %v", r.Stdout, err)
	}
	bad := filepath.Join(to.Dir, "bad.json")
	text := `{"protocol":"actions.json.storage.bundle","version":1,"entries":[{"path":"../out.md","content":"x"}]}`
	if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := to.Run(t, "storage", "import", bad); r.Exit != 1 || !strings.Contains(r.Stderr, "storage_file_path_unauthorized") || !strings.Contains(r.Stderr, "../out.md") {
		t.Fatalf("exit %d, %q", r.Exit, r.Stderr)
	}
	if r := to.Run(t, "storage", "import", filepath.Join(to.Dir, "none")); r.Exit != 1 {
		t.Fatalf("exit %d, %q", r.Exit, r.Stderr)
	}
	if r := to.Run(t, "storage", "nonsense"); r.Exit != 2 {
		t.Fatalf("exit %d, %q", r.Exit, r.Stderr)
	}
}
