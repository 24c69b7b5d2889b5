package control_test

import (
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func TestSessionsEndWithTheirLastConnection(t *testing.T) {
	// Ensure that a session with an id of its own ends when the last client that used it has gone, that a shared one never does, and that the host's own end ends none.
	h := newHost(t, "p")
	path := filepath.Join(folder(t), "p.sock")
	server := serve(t, path, h)
	own := control.SessionParams{Kind: policy.SessionMCP, ID: "a", Mode: policy.ModeAsk}
	use := func(c *control.Client, p control.SessionParams) {
		t.Helper()
		if err := c.Call(t.Context(), control.MethodTabs, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	first, second, shared := dial(t, path), dial(t, path), dial(t, path)
	use(first, own)
	use(first, own)
	use(second, control.SessionParams{Kind: policy.SessionMCP, ID: "a"}) // with other rights
	use(shared, control.SessionParams{Kind: policy.SessionCLI})
	shared.Close()
	first.Close()
	other := dial(t, path)
	use(other, control.SessionParams{Kind: policy.SessionMCP, ID: "b"})
	other.Close()
	if ended := <-h.ended; ended.ID != "b" {
		t.Fatalf("ended first: %+v", ended)
	}
	second.Close()
	if ended := <-h.ended; ended.Kind != policy.SessionMCP || ended.ID != "a" || ended.Mode != "" {
		t.Fatalf("ended then: %+v", ended)
	}
	last := dial(t, path)
	use(last, own)
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	<-last.Done()
	if len(h.ended) > 0 {
		t.Errorf("the host's end ended %+v", <-h.ended)
	}
}
