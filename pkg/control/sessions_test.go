package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
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

func TestEndingSessionsHoldsNobody(t *testing.T) {
	// Ensure that the sessions of a client that has gone are ended together, that others begin sessions and call while that is still under way, and that only who wants one of those sessions waits for its end.
	h := newHost(t, "p")
	const many = sessionsOwn
	begun, ending := make(chan int, 2), make(chan struct{})
	finish := sync.OnceFunc(func() { close(ending) })
	defer finish()
	h.ending = func(ended []control.SessionParams) {
		begun <- len(ended)
		<-ending
	}
	path := filepath.Join(folder(t), "p.sock")
	serve(t, path, h)
	in := func(id string) control.SessionParams { return control.SessionParams{Kind: policy.SessionMCP, ID: id} }
	gone := dial(t, path)
	for i := range many {
		if err := gone.Call(limited(t), control.MethodTabs, in(fmt.Sprint("s", i)), nil); err != nil {
			t.Fatal(err)
		}
	}
	gone.Close()
	if n := <-begun; n != many {
		t.Errorf("%d sessions were ended at first, not %d", n, many)
	}

	other := dial(t, path)
	call := pageInfo()
	call.Session = in("other")
	var e dispatch.Envelope
	if err := other.Call(limited(t), control.MethodCall, call, &e); err != nil || !e.OK {
		t.Errorf("another client's call while sessions end: %v %+v", err, e.Error)
	}
	again := make(chan error, 1)
	go func() { again <- other.Call(limited(t), control.MethodTabs, in("s0"), nil) }()
	if err := other.Call(limited(t), control.MethodTabs, in("yet another"), nil); err != nil {
		t.Error(err)
	}
	select {
	case err := <-again:
		t.Errorf("a session was begun anew before it had ended: %v", err)
	default:
	}
	finish()
	if err := <-again; err != nil {
		t.Errorf("the session that had ended: %v", err)
	}
}

func TestSessionEndsAfterItsCalls(t *testing.T) {
	// Ensure that a session whose client goes in the middle of a call ends when that call has: it is cancelled, its outcome stands in the log, and nothing of it runs or holds the tab any more.
	h := newHost(t, "p")
	ended, running := make(chan string, 2), 0
	h.ending = func(p []control.SessionParams) {
		running = len(h.dispatcher.Running())
		ended <- p[0].ID
	}
	entered, release := make(chan struct{}), make(chan struct{})
	h.page = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		if c.Record.Name != "page.info" {
			return json.RawMessage(info), nil
		}
		close(entered)
		<-ctx.Done()
		<-release // the page takes its time to let go
		return nil, ctx.Err()
	}
	path := filepath.Join(folder(t), "p.sock")
	serve(t, path, h)
	c := dial(t, path)
	call := pageInfo()
	call.Session = control.SessionParams{Kind: policy.SessionMCP, ID: "a"}
	go func() { _ = c.Call(limited(t), control.MethodCall, call, nil) }() // it hears nothing any more
	within(t, entered, "the call")
	c.Close()
	later := dial(t, path)
	if err := later.Call(limited(t), control.MethodTabs, control.SessionParams{Kind: policy.SessionMCP, ID: "later"}, nil); err != nil {
		t.Fatal(err)
	}
	later.Close()
	if id := <-ended; id != "later" {
		t.Fatalf("the session %q ended while its call ran", id)
	}
	close(release)
	if id := <-ended; id != "a" || running != 0 {
		t.Errorf("the session %q ended while %d calls ran", id, running)
	}
	if err := h.dispatcher.Journal.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	records, err := h.dispatcher.Journal.Read(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	last := records[len(records)-1]
	if last.Type != journal.TypeOutcome || !strings.Contains(string(last.Data), "the caller went away while the call ran") {
		t.Errorf("the log ends with %s %s", last.Type, last.Data)
	}
	other := pageInfo()
	other.Name, other.Arguments = "dom.snapshot_text", json.RawMessage(strings.ReplaceAll(string(other.Arguments), "page.info", "dom.snapshot_text"))
	var e dispatch.Envelope
	if err := dial(t, path).Call(limited(t), control.MethodCall, other, &e); err != nil || e.Error != nil && e.Error.Code == fault.HandlerTimeout {
		t.Errorf("the tab's lane is not free: %v %+v", err, e.Error)
	}
}
