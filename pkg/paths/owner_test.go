package paths_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

func TestFolderOfAnother(t *testing.T) {
	// Ensure that a socket folder which another user made first is refused, by hosts and by clients, with what to do, and is left as it was.
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
	t.Setenv(paths.EnvHome, t.TempDir())
	dir := paths.Sockets()
	if err := paths.CheckOwner(dir); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := paths.MakePrivate(dir); err != nil {
		t.Fatal(err)
	}
	if err := paths.CheckOwner(dir); err != nil {
		t.Errorf("a folder of one's own: %v", err)
	}
	const stranger = 12345
	if err := os.Chown(dir, stranger, stranger); err != nil {
		t.Fatal(err)
	}
	// A link would else lead around the check.
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, link} {
		for name, check := range map[string]func(string) error{"make": paths.MakePrivate, "use": paths.CheckOwner} {
			err := check(at)
			if f := fault.From(err); !fault.Is(err, fault.StorageUnavailable) || !strings.Contains(f.Message, at) || !strings.Contains(f.NextStep, paths.EnvHome) {
				t.Errorf("%s %s: %v", name, at, err)
			}
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := paths.MakePrivate(dir); err == nil {
		t.Error("an open folder of another user was taken")
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the other user's folder was changed: %v, %v", info.Mode(), err)
	}
}

func TestLinkOfAnother(t *testing.T) {
	// Ensure that a link which another user made is refused even where it leads to a folder of one's own: its owner can lead it elsewhere after the look.
	if os.Geteuid() != 0 {
		t.Skip("only root can give a link to another user")
	}
	dir := t.TempDir()
	own, strange := filepath.Join(dir, "own"), filepath.Join(dir, "strange")
	for _, link := range []string{own, strange} {
		if err := os.Symlink(t.TempDir(), link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Lchown(strange, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	for name, check := range map[string]func(string) error{"make": paths.MakePrivate, "use": paths.CheckOwner} {
		if err := check(own); err != nil {
			t.Errorf("%s: a link of one's own: %v", name, err)
		}
		if err := check(strange); !fault.Is(err, fault.StorageUnavailable) {
			t.Errorf("%s: a stranger's link: %v", name, err)
		}
	}
}
