package profile

import (
	"log/slog"
	"net"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/fakes"
)

// openProfile returns a profile that a handshake has opened, in a home of its own.
func openProfile(t *testing.T) *profile {
	t.Helper()
	t.Setenv(paths.EnvHome, t.TempDir())
	p := reopenProfile(t)
	t.Cleanup(func() { closeProfile(t, p) })
	return p
}

func closeProfile(t *testing.T, p *profile) {
	t.Helper()
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

// reopenProfile returns a profile that a handshake has opened in the home of this test: the
// browser still runs and has no tab open. The caller closes it.
func reopenProfile(t *testing.T) *profile {
	t.Helper()
	p := newProfile(Config{Log: slog.New(slog.DiscardHandler), Version: "test"})
	near, far := net.Pipe()
	t.Cleanup(func() { far.Close() })
	b, err := browser.Connect(t.Context(), near, p.version, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Handshake(t.Context(), b, protocol.Handshake{ProfileID: fakes.ProfileID, BrowserSession: fakes.ProfileID}); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryPrimitiveHasItsHandler(t *testing.T) {
	// Ensure that what the program wires runs every primitive of the dictionary and nothing that is none.
	p := openProfile(t)
	unhandled, unnamed := p.dispatcher.Handlers.Missing(p.dispatcher.Catalogue)
	if len(unhandled) > 0 {
		t.Errorf("declared and run by nothing: %v", unhandled)
	}
	if len(unnamed) > 0 {
		t.Errorf("handlers of no primitive: %v", unnamed)
	}
}
