package harness

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/test/repo"
)

// sharedVariable in the environment names a folder, which exists, for what is built: linking
// takes seconds, and all test binaries of a run need the same.
const sharedVariable = "ACTIONS_TEST_BUILD"

// own is the folder that this process has built into; empty where it has built nothing.
var own string

var built = sync.OnceValues(func() (string, error) {
	if shared := os.Getenv(sharedVariable); shared != "" {
		return buildOnce(shared)
	}
	dir, err := os.MkdirTemp("", "ah-bin-")
	if err != nil {
		return "", err
	}
	own = dir
	return build(dir)
})

// buildOnce is build for the first process that needs the folder; the others wait for it.
func buildOnce(dir string) (string, error) {
	lock, err := locked(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close()
	done := filepath.Join(dir, "done")
	if bin, err := os.ReadFile(done); err == nil {
		return string(bin), nil
	}
	bin, err := build(dir)
	if err != nil {
		return "", err
	}
	return bin, os.WriteFile(done, []byte(bin), 0o644)
}

// build builds the program, the extension and the bridge into a folder, laid out as
// in the repository, so that the program finds the extension. It returns the
// program's path.
func build(dir string) (string, error) {
	bin := filepath.Join(dir, "bin", "actions-host")
	// Built as it is released: the C library would add two megabytes to its memory.
	program := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, "./host")
	program.Env = append(os.Environ(), "CGO_ENABLED=0")
	for _, cmd := range []*exec.Cmd{
		program,
		exec.Command("go", "build", "-o", bridgeOf(bin), "./test/fakes/bridge"),
		exec.Command("node", filepath.Join("extension", "build.mjs"), filepath.Join(dir, "extension", "dist")),
	} {
		cmd.Dir = repo.Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", errors.New(strings.Join(cmd.Args, " ") + ": " + string(out))
		}
	}
	return bin, nil
}

// bridgeOf is the program beside the host that hands the browser's stream to a test.
func bridgeOf(bin string) string { return filepath.Join(filepath.Dir(bin), "bridge") }

// extensionOf is the built extension that belongs to the program.
func extensionOf(bin string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(bin)), "extension", "dist")
}

// Host builds the program and the extension, once, and returns the program's path.
func Host(t testing.TB) string {
	t.Helper()
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// Extension is the built extension's folder.
func Extension(t testing.TB) string {
	t.Helper()
	return extensionOf(Host(t))
}

// Clean ends the shared browsers and removes what Host built; a TestMain calls it at
// the end.
func Clean() {
	closePool()
	if own != "" {
		os.RemoveAll(own)
	}
}
