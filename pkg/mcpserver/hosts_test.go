package mcpserver

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
)

func TestHostThatHangs(t *testing.T) {
	// Ensure that a socket that takes connections and does not answer costs the first call its time and no other, and
	// that who is cancelled, or comes meanwhile, does not wait behind another.
	dir, err := os.MkdirTemp("", "h") // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "a.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h := newHosts(Options{Sockets: dir, Wants: func(control.Status) bool { return true }}, func([]*control.Client) {})
	refresh := func(ctx context.Context) time.Duration {
		t.Helper()
		begin := time.Now()
		if all, err := h.refresh(ctx); err != nil || len(all) > 0 {
			t.Errorf("%d hosts, %v", len(all), err)
		}
		return time.Since(begin)
	}
	first := make(chan time.Duration, 1)
	go func() { first <- refresh(t.Context()) }()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if took := refresh(cancelled); took > time.Second {
		t.Errorf("one that was cancelled took %s", took)
	}
	if took := <-first; took < time.Second {
		t.Errorf("the first took %s", took)
	}
	if took := refresh(t.Context()); took > time.Second {
		t.Errorf("the next one took %s", took)
	}
	h.close()
}
