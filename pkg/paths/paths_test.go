package paths_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

const profileID = "0123456789abcdef0123456789abcdef"

func TestHome(t *testing.T) {
	// Ensure that ACTIONS_HOST_HOME moves everything under one folder, so that tests and portable use touch nothing else.
	t.Setenv(paths.EnvHome, "/portable")
	t.Setenv(paths.EnvStorage, "")
	socket, err := paths.Socket(profileID)
	if err != nil {
		t.Fatal(err)
	}
	for got, want := range map[string]string{
		paths.State():             "/portable/state",
		paths.Data():              "/portable/data",
		paths.Sockets():           "/portable/run",
		paths.Storage():           "/portable/storage",
		paths.Database(profileID): "/portable/state/profile-" + profileID + ".db",
		socket:                    "/portable/run/0123456789ab.sock",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestWithoutHome(t *testing.T) {
	// Ensure that the platform's own places are used otherwise: the session's folder for sockets, one of the user's own where there is none.
	t.Setenv(paths.EnvHome, "")
	t.Setenv(paths.EnvStorage, "")
	t.Setenv("HOME", "/home/zoë")
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/7")
	if got := paths.Sockets(); got != "/run/user/7/actions-host" {
		t.Errorf("sockets in %s", got)
	}
	if got := paths.Storage(); got != "/home/zoë/.actions-json/storage" {
		t.Errorf("storage in %s", got)
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", "/scratch")
	// Right below the shared folder: whoever owns a folder in between could exchange it.
	if got := paths.Sockets(); (!strings.HasPrefix(got, "/scratch/actions-host-") || filepath.Dir(got) != "/scratch") && filepath.Dir(got) != xdg.RuntimeDir {
		t.Errorf("sockets in %s, which users would share", got)
	}
	for _, dir := range []string{paths.State(), paths.Data()} {
		if filepath.Base(dir) != "actions-host" || !filepath.IsAbs(dir) {
			t.Errorf("%s is no folder of this program", dir)
		}
	}
}

func TestStorageOverride(t *testing.T) {
	// Ensure that ACTIONS_HOST_STORAGE moves the maps alone, before ACTIONS_HOST_HOME.
	t.Setenv(paths.EnvHome, "/portable")
	t.Setenv(paths.EnvStorage, "/maps")
	if paths.Storage() != "/maps" || paths.State() != "/portable/state" {
		t.Errorf("storage %s, state %s", paths.Storage(), paths.State())
	}
}

func TestSocketLimit(t *testing.T) {
	// Ensure that the longest address that can be bound is taken and that one more byte is an error which says what to do.
	const tail = "/run/0123456789ab.sock"
	t.Setenv(paths.EnvHome, "/"+strings.Repeat("x", 107-len(tail)-1))
	if path, err := paths.Socket(profileID); err != nil || len(path) != 107 {
		t.Errorf("%d bytes: %v", len(path), err)
	}
	t.Setenv(paths.EnvHome, "/"+strings.Repeat("x", 107-len(tail)))
	_, err := paths.Socket(profileID)
	if f := fault.From(err); !fault.Is(err, fault.StorageUnavailable) || !strings.Contains(f.Message, "108 bytes") || !strings.Contains(f.NextStep, paths.EnvHome) {
		t.Errorf("got %v", err)
	}
	t.Setenv(paths.EnvHome, "/portable")
	if path, err := paths.Socket("abc"); err != nil || path != "/portable/run/abc.sock" {
		t.Errorf("a short id gave %s, %v", path, err)
	}
}

func TestMakePrivate(t *testing.T) {
	// Ensure that the folder is made with its parents, and that one that others could read is closed to them.
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := paths.MakePrivate(dir); err != nil {
		t.Fatal(err)
	}
	wantMode(t, dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := paths.MakePrivate(dir); err != nil {
		t.Fatal(err)
	}
	wantMode(t, dir)

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{file, filepath.Join(file, "below")} {
		if err := paths.MakePrivate(in); !fault.Is(err, fault.StorageUnavailable) {
			t.Errorf("%s where a file is: %v", in, err)
		}
	}
}

func wantMode(t *testing.T, dir string) {
	t.Helper()
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o700 {
		t.Errorf("%s has mode %o", dir, mode)
	}
}
