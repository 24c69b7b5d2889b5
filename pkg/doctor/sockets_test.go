package doctor

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// listener is a socket at the path, whose file stays when it is closed.
func listener(t *testing.T, path string) *net.UnixListener {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	t.Cleanup(func() { l.Close() })
	return l
}

func TestOnlyAbandonedSocketsAreRemoved(t *testing.T) {
	// Ensure that a repair removes a socket at which nobody listens, and neither another file of such a name nor the socket of a host that came since it was looked at.
	dir := t.TempDir()
	e := &examiner{}
	other := filepath.Join(dir, "notes.sock")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h, ok := e.socketFile(other); ok || h.repair != nil {
		t.Errorf("a file is taken for a stale socket: %+v", h)
	}

	stale := filepath.Join(dir, "a.sock")
	listener(t, stale).Close()
	h, ok := e.socketFile(stale)
	if ok || h.Status != Warning || h.repair == nil {
		t.Fatalf("a stale socket is %+v", h)
	}
	if err := os.Remove(stale); err != nil {
		t.Fatal(err)
	}
	listener(t, stale) // as the next host does
	if _, err := h.repair(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(stale); err != nil {
		t.Errorf("the new host's socket is gone: %v", err)
	}
	if h, ok := e.socketFile(stale); ok || h.Status != Broken || h.repair != nil {
		t.Errorf("one at which somebody listens is %+v", h)
	}

	left := filepath.Join(dir, "b.sock")
	listener(t, left).Close()
	h, _ = e.socketFile(left)
	if _, err := h.repair(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(left); err == nil {
		t.Error("the stale socket is still there")
	}
}
