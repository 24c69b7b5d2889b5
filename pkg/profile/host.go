// Package profile is the host of one browser profile: it wires the components of the
// host together and serves the profile's extension and clients.
//
// Rules of this package:
//   - The extension's handshake opens the profile, all or nothing. Clients are served when
//     everything else is ready.
//   - The extension's messages come in order: what takes long is done beside them.
//   - Clients get no more rights than the user's settings allow, and none of them is the
//     hosted agent.
package profile

import (
	"context"
	"io"
	"log/slog"

	"github.com/actionsjson/actions-host/pkg/browser"
)

// Config configures a Host. All fields are needed, except FirstRun.
type Config struct {
	Log     *slog.Logger
	Version string // of the program
	// FirstRun is called before the storage folder is opened, and may make it.
	FirstRun func()
}

// Host serves one browser profile.
type Host struct {
	browser *browser.Browser
	profile *profile
}

// Connect connects to the extension at the other end of the stream and serves its
// profile from the handshake on.
func Connect(ctx context.Context, stream io.ReadWriteCloser, c Config) (*Host, error) {
	p := newProfile(c)
	b, err := browser.Connect(ctx, stream, c.Version, p)
	if err != nil {
		return nil, err
	}
	return &Host{browser: b, profile: p}, nil
}

// Done is closed when the connection has ended.
func (h *Host) Done() <-chan struct{} { return h.browser.Done() }

// Close ends the running calls, answers them, and closes the profile's database. It
// leaves the connection to its owner.
func (h *Host) Close() error { return h.profile.close() }
