package hostproc

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestStartOnFullDisk(t *testing.T) {
	// Ensure that a host which starts on a full disk serves what only reads, refuses what acts with a code and sends nothing, and acts again once there is room, with the claims that it had.
	t.Parallel()
	home := harness.NewHome(t)
	state := filepath.Join(home.Dir, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", state, "tmpfs", 0, "size=1m,mode=700"); err != nil {
		t.Skipf("no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(state, syscall.MNT_DETACH) })
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	harness.Must(t, call(t, dial(t, home), clickCall()), nil)
	kill(t, p)

	ballast := filepath.Join(state, "ballast")
	fill(t, ballast)
	p = reconnected(t, home, b, 1)
	c := dial(t, home)
	harness.Must(t, call(t, c, direct("page.info", `{}`)), nil)
	sent := len(b.Calls())
	wantCode(t, call(t, c, clickCall()), fault.JournalUnavailable)
	if n := len(b.Calls()); n != sent {
		t.Errorf("%d calls were sent", n-sent)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	harness.Must(t, call(t, c, clickCall()), nil)
	hangUp(t, p)
	wantClosed(t, records(t, home))
}

// fill leaves no space on the file system.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
