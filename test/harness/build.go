package harness

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/actionsjson/actions-host/test/repo"
)

// begun reports whether anything was built, which Clean must not cause.
var begun atomic.Bool

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ah-bin-")
	if err != nil {
		return "", err
	}
	begun.Store(true)
	return build(dir)
})

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

// Host builds the program and the extension, once a test binary unless all share
// one, and returns the program's path.
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
	if !begun.Load() {
		return
	}
	if bin, err := built(); err == nil {
		os.RemoveAll(filepath.Dir(filepath.Dir(bin)))
	}
}
