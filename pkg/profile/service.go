package profile

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// A profile is what a host offers its clients over the socket.
var _ control.Service = (*profile)(nil)

// Dispatcher returns the call path.
func (p *profile) Dispatcher() *dispatch.Dispatcher { return p.dispatcher }

// Status describes this host.
func (p *profile) Status() control.Status {
	h := p.hello
	return control.Status{
		HostVersion: p.version, PID: os.Getpid(), BrowserPID: os.Getppid(), ProfileID: h.ProfileID, ProfileLabel: h.ProfileLabel,
		Browser: h.Browser.Name, BrowserSession: h.BrowserSession, BrowserVersion: h.Browser.Version, ExtensionVersion: h.ExtensionVersion,
		Protocol: min(h.Protocol, protocol.Number), DictionaryMatch: h.DictionaryHash == manifest.DictionaryHash(),
		StorageRoot: paths.Storage(), Database: paths.Database(h.ProfileID), ClaimedTabs: len(p.tabs.List()),
		LogDamage:         p.journal.Damage().String(),
		MissingPrimitives: p.dispatcher.Catalogue.Unknown(h.Primitives),
		Sessions:          p.sessions.Named(),
	}
}

// TabList lists the claimed tabs.
func (p *profile) TabList(s *dispatch.Session) (control.Tabs, error) {
	raw, err := json.Marshal(p.handlers.List(s))
	if err != nil {
		return control.Tabs{}, fault.Wrap(err, fault.InternalError, "the tabs cannot be listed: %v", err)
	}
	return control.Tabs{ProfileID: p.hello.ProfileID, ProfileLabel: p.hello.ProfileLabel, Tabs: raw}, nil
}

func (p *profile) ping(ctx context.Context) (control.Pong, error) {
	started := time.Now()
	pong, err := p.browser.Ping(ctx)
	return control.Pong{
		ExtensionVersion: pong.ExtensionVersion, WorkerUptimeMS: pong.UptimeMS, Dropped: pong.Dropped,
		RoundTripMS: milliseconds(time.Since(started)),
		Spent:       control.Spent{LogMS: milliseconds(p.journal.Spent()), ExtensionMS: milliseconds(p.browser.Spent()), Worker: pong.Spent},
	}, err
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
