package control_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/test/callpath"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/recording"
)

// patience bounds every wait of these tests.
const patience = time.Minute

const info = `{"url":"https://example.com/","title":"t"}`

// host is a service with a real call path and one claimed tab; its page is a
// function.
type host struct {
	dispatcher *dispatch.Dispatcher
	session    dispatch.Session
	id         string
	ended      chan control.SessionParams // the sessions that the server ended
	page       func(context.Context, primitive.Call) (json.RawMessage, error)
	ending     func([]control.SessionParams)                 // nil: what ended is told
	open       func(control.SessionParams) *dispatch.Session // nil: all are in one session
}

var _ control.Service = (*host)(nil)

func newHost(t testing.TB, id string) *host {
	t.Helper()
	parts := callpath.New(t, id, callpath.Example)
	h := &host{id: id, ended: make(chan control.SessionParams, 10), session: dispatch.Session{ID: "cli", SessionKind: policy.SessionCLI, Mode: policy.ModeAct}}
	h.page = func(context.Context, primitive.Call) (json.RawMessage, error) { return json.RawMessage(info), nil }
	h.dispatcher = &dispatch.Dispatcher{
		Catalogue: parts.Catalogue, Tabs: parts.Tabs, Policy: parts.Policy, Approvals: parts.Approvals, Journal: parts.Journal,
		Blocked: func(string) []string { return nil },
		Handlers: &primitive.Registry{Page: func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
			return h.page(ctx, c)
		}},
	}
	return h
}

func (h *host) Session(p control.SessionParams) (*dispatch.Session, error) {
	if h.open != nil {
		return h.open(p), nil
	}
	return &h.session, nil
}
func (h *host) EndSessions(ended []control.SessionParams) {
	if h.ending != nil {
		h.ending(ended)
		return
	}
	for _, p := range ended {
		h.ended <- p
	}
}
func (h *host) Dispatcher() *dispatch.Dispatcher { return h.dispatcher }
func (h *host) Status() control.Status           { return control.Status{ProfileID: h.id} }
func (h *host) Record(context.Context, protocol.RecordControl) (recording.State, error) {
	return recording.State{}, nil
}

func (h *host) TabList(s *dispatch.Session) (control.Tabs, error) {
	return control.Tabs{ProfileID: h.id, Tabs: json.RawMessage(`[]`)}, nil
}

func (h *host) ping(context.Context) (control.Pong, error) {
	return control.Pong{ExtensionVersion: "1.2.3"}, nil
}

// folder makes one whose path is short: a socket's address has 107 bytes.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ah-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serve listens until the test ends.
func serve(t testing.TB, path string, h *host) *control.Server {
	t.Helper()
	s, err := control.Listen(path, h, h.ping)
	if err != nil {
		t.Fatal(err)
	}
	// A test that closed the server itself has looked at the error already.
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func dial(t *testing.T, path string) *control.Client {
	t.Helper()
	c, err := control.Dial(limited(t), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// started is a host behind its socket with one client.
func started(t *testing.T) (*host, *control.Server, *control.Client) {
	t.Helper()
	h := newHost(t, "0123456789abcdef")
	path := filepath.Join(folder(t), "run", "h.sock")
	s := serve(t, path, h)
	return h, s, dial(t, path)
}

func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// pageInfo asks for page.info.
func pageInfo() control.CallParams {
	return control.CallParams{
		Session: control.SessionParams{Kind: policy.SessionCLI}, Name: "page.info",
		Arguments: json.RawMessage(`{"policy_exception_report":{"kind":"generic","intended_tool":"page.info","actions_json_path":"none","reason":"a test"}}`),
	}
}

func within(t *testing.T, done <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
}
