package conformance

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
)

// Host is what cases need to know of the host that they talk to.
type Host struct {
	Uploads string           // the folder whose files it may upload
	KeyFile string           // holds the key of its voice service
	Voice   *realtime.Server // its voice service
}

// Hosted is a backend with a host, which is one of the whole chain.
type Hosted interface{ Host() Host }

func (p *Page) host() Host {
	p.Helper()
	hosted, ok := p.backend.(Hosted)
	if !ok {
		p.Fatal("this backend has no host")
	}
	return hosted.Host()
}

func (h Host) writeKey(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(h.KeyFile, []byte(realtime.Key), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Clients is a backend whose host a case can call in sessions of its own, and whose user
// answers when the case says so.
type Clients interface {
	CallAs(ctx context.Context, t *testing.T, session control.SessionParams, name, args string) (json.RawMessage, *fault.Error)
	Allow(ctx context.Context, t *testing.T, asked *fault.Error, scope policy.Scope)
}

// as returns the page for a session of its own, for which nobody answers questions.
func (p *Page) as(session control.SessionParams) *Page {
	p.Helper()
	clients, ok := p.backend.(Clients)
	if !ok {
		p.Fatal("this backend has no clients")
	}
	other := *p
	other.backend = asClient{Backend: p.backend, clients: clients, session: session}
	return &other
}

// asClient is a backend whose calls come from one session.
type asClient struct {
	Backend
	clients Clients
	session control.SessionParams
}

func (c asClient) Call(ctx context.Context, t *testing.T, name, args string) (json.RawMessage, *fault.Error) {
	t.Helper()
	return c.clients.CallAs(ctx, t, c.session, name, args)
}

// allowed makes a call that must be asked about, and answers as the user.
func (p *Page) allowed(name, args string, scope policy.Scope) {
	p.Helper()
	client, ok := p.backend.(asClient)
	if !ok {
		p.Fatal("this backend answers by itself")
	}
	client.clients.Allow(p.Context(), p.T, p.refused(name, args, fault.NeedsApproval), scope)
}
