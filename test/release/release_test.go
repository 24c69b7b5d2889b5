// Package release tests the files that ./scripts/release makes: it builds a
// release of this very source twice, unpacks it and runs what is in it.
package release

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/test/repo"
)

// Ensure that the same commit gives the same bytes in another folder, time zone
// and umask, and that what was built is whole and runs.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("short mode: nothing is built")
	}
	target := runtime.GOOS + "/" + runtime.GOARCH
	one, two := checkout(t, "one"), checkout(t, filepath.Join("deeper", "two"))
	run(t, one, nil, "bash", "scripts/release", target)
	run(t, two, []string{"TZ=Asia/Tokyo", "LC_ALL=C"}, "bash", "-c", `umask 077 && ./scripts/release "$0"`, target)

	files := checked(t, filepath.Join(one, "dist"))
	if again := checked(t, filepath.Join(two, "dist")); !slices.Equal(files, again) {
		t.Errorf("the same commit gave\n%s\nand\n%s", strings.Join(files, "\n"), strings.Join(again, "\n"))
	}
	name := fmt.Sprintf("actions-host_%s_%s_%s", said(t, one), runtime.GOOS, runtime.GOARCH)
	dir := t.TempDir()
	unpack(t, filepath.Join(one, "dist", name+".tar.gz"), dir)
	t.Run("contents", func(t *testing.T) { contents(t, filepath.Join(dir, name)) })
	t.Run("runs", func(t *testing.T) { runs(t, filepath.Join(dir, name), one) })
	t.Run("bill of materials", func(t *testing.T) { bill(t, filepath.Join(one, "dist")) })
}

// committed is when the source of these releases was committed.
var committed = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// checkout copies the source as it stands, committed or not, into a repository
// of its own with one commit, which is the same one each time.
func checkout(t *testing.T, name string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), name)
	listed := run(t, repo.Root(), nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for _, file := range strings.Split(strings.TrimRight(listed, "\x00"), "\x00") {
		from := filepath.Join(repo.Root(), file)
		info, err := os.Stat(from)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, file), text, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	// Ignored by git, and 50 MB.
	if err := os.Symlink(filepath.Join(repo.Root(), "extension", "node_modules"), filepath.Join(to, "extension", "node_modules")); err != nil {
		t.Fatal(err)
	}
	run(t, to, nil, "git", "init", "--quiet")
	// The pattern in .gitignore ends with a slash: it does not ignore a link.
	if err := os.WriteFile(filepath.Join(to, ".git", "info", "exclude"), []byte("node_modules\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, to, nil, "git", "add", "--all")
	when := committed.Format(time.RFC3339)
	run(t, to, []string{
		"GIT_AUTHOR_DATE=" + when, "GIT_COMMITTER_DATE=" + when,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.example", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.example",
	}, "git", "commit", "--quiet", "--message", "a release")
	return to
}

func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, errs.String())
	}
	return string(out)
}

// said is the version of the extension in the source; the program's is the same.
func said(t *testing.T, source string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(source, "extension", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Version string }
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m.Version
}

// checked returns the lines of SHA256SUMS after holding them against the files.
func checked(t *testing.T, dist string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var want []string
	entries, err := os.ReadDir(dist)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "SHA256SUMS" {
			continue
		}
		file, err := os.ReadFile(filepath.Join(dist, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("%x  %s", sha256.Sum256(file), e.Name()))
	}
	if !slices.Equal(lines, want) {
		t.Errorf("SHA256SUMS says\n%s\nthe files are\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	return lines
}

// unpack writes the archive's files and holds their headers against the rules.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	packed := tar.NewReader(zipped)
	for {
		head, err := packed.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, head.Name)
		if head.Uid != 0 || head.Gid != 0 || head.Uname != "" || head.Gname != "" || !head.ModTime.Equal(committed) {
			t.Errorf("%s belongs to %d:%d %q:%q and is of %s", head.Name, head.Uid, head.Gid, head.Uname, head.Gname, head.ModTime)
		}
		if !filepath.IsLocal(head.Name) {
			t.Fatalf("the entry %q leaves the folder", head.Name)
		}
		to := filepath.Join(dir, head.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, head.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("the entries are not sorted: %v", names)
	}
}

func contents(t *testing.T, dir string) {
	for name, holds := range map[string]string{
		"README.md":                     "./actions-host install",
		"doc/host/README.md":            "# Getting started",
		"LICENSE":                       "MIT License",
		"third-party-licenses.txt":      "go.etcd.io/bbolt",
		"extension/manifest.json":       `"manifest_version"`,
		"extension/worker.js":           manifest.DictionaryHash(),
		"completions/actions-host.bash": "__start_actions-host",
		"completions/_actions-host":     "#compdef actions-host",
		"completions/actions-host.fish": "complete -c actions-host",
		"completions/actions-host.ps1":  "Register-ArgumentCompleter",
		"man/man1/actions-host.1":       ".SH NAME\nactions-host - ",
		"man/man1/actions-host-call.1":  "Feb 2026",
	} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(text), holds) {
			t.Errorf("%s does not hold %q", name, holds)
		}
	}
}

func runs(t *testing.T, dir, source string) {
	program := filepath.Join(dir, "actions-host")
	var v struct {
		Version, Commit string
		CommitDate      string `json:"commit_date"`
		Dirty           bool
		DictionaryHash  string `json:"dictionary_hash"`
		Protocol        int
	}
	if err := json.Unmarshal([]byte(run(t, dir, nil, program, "version", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	commit := strings.TrimSpace(run(t, source, nil, "git", "rev-parse", "HEAD"))
	if v.Version != said(t, source) || v.Commit != commit || v.CommitDate != committed.Format(time.RFC3339) || v.Dirty ||
		v.DictionaryHash != manifest.DictionaryHash() || v.Protocol != protocol.Number {
		t.Errorf("the program says %+v; the commit is %s", v, commit)
	}
	if help := run(t, dir, nil, program, "doctor", "--help"); !strings.Contains(help, "actions-host doctor") {
		t.Errorf("doctor --help says %q", help)
	}
}

// bill ensures that the parts of both languages are named with their hashes.
func bill(t *testing.T, dist string) {
	found, err := filepath.Glob(filepath.Join(dist, "*.cdx.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("found %v, %v", found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		BOMFormat  string
		Components []struct {
			Purl   string
			Hashes []struct{ Content string }
		}
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pkg:golang/go.etcd.io/bbolt@", "pkg:golang/github.com/spf13/cobra@", "pkg:npm/ivya@", "pkg:npm/dompurify@"} {
		ok := false
		for _, c := range bom.Components {
			ok = ok || strings.HasPrefix(c.Purl, want) && len(c.Hashes) > 0
		}
		if !ok {
			t.Errorf("%s names no %s…", path.Base(found[0]), want)
		}
	}
}
