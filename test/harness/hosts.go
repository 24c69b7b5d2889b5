package harness

import (
	"context"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
)

// Hosts returns the process ids of the home's hosts that answer.
func (h *Home) Hosts(t testing.TB) (pids []int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	clients, err := control.Discover(ctx, h.Sockets())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range clients {
		pids = append(pids, c.Status.PID)
		c.Close()
	}
	return pids
}

// Host is the process id of the home's only host.
func (h *Home) Host(t testing.TB) int {
	t.Helper()
	pids := h.Hosts(t)
	if len(pids) != 1 {
		t.Fatalf("%d hosts", len(pids))
	}
	return pids[0]
}

// HostEnded waits until the host answers no more: a call that follows reaches the
// next one, and not one that is just ending.
func (h *Home) HostEnded(t testing.TB, pid int) {
	t.Helper()
	Until(t, "the host has ended", func() bool { return !slices.Contains(h.Hosts(t), pid) })
}
