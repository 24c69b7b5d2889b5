package profile

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/a11y"
	"github.com/actionsjson/actions-host/pkg/a11y/announcements"
	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/doctor"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/inspect"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/projection"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/ui"
	"github.com/actionsjson/actions-host/pkg/webmcp"
)

// profile is the host of one browser profile: it wires its components together after
// the extension's handshake.
type profile struct {
	log      *slog.Logger
	version  string
	firstRun func()

	opening atomic.Bool // a handshake runs

	mu             sync.Mutex
	hello          protocol.Handshake
	browser        *browser.Browser
	tabs           *tabs.Registry
	journal        *journal.Journal
	snapshots      *projection.Snapshots
	dispatcher     *dispatch.Dispatcher
	handlers       *browser.Handlers
	rejectedEvents rejectedEvents
	actions        *site.Site
	launchers      *site.Launchers
	server         *control.Server
	state          *session.Sessions
	allowCode      bool   // by the user's setting
	voiceRecord    string // folder of recordings; empty: none
	inspector      *inspect.Inspector
	pageTools      *webmcp.Tools
	a11y           *a11y.Handlers
	agent          *agent.Controller
	ui             *ui.Backend
}

var _ browser.Delegate = (*profile)(nil)

func newProfile(c Config) *profile {
	return &profile{log: c.Log, version: c.Version, firstRun: c.FirstRun}
}

// Handshake opens the profile's database, restores its claims and starts
// serving clients.
func (p *profile) Handshake(ctx context.Context, b *browser.Browser, h protocol.Handshake) ([]int, error) {
	p.opening.Store(true)
	defer p.opening.Store(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	settings, err := ReadSettings()
	if err != nil {
		return nil, err
	}
	if err := paths.MakePrivate(paths.State()); err != nil {
		return nil, err
	}
	if p.journal, err = journal.Open(paths.Database(h.ProfileID), journal.Options{}); err != nil {
		return nil, err
	}
	if found := p.journal.DamageAtOpen(); found != nil {
		p.log.Warn("the log's file was damaged", "problem", found.String(), "moved_to", found.MovedTo, "kept", found.Kept)
	}
	claims, err := p.start(ctx, b, h, settings)
	if err != nil {
		// All or nothing: the extension may try again on this connection.
		if closeErr := p.journal.Close(); closeErr != nil {
			p.log.Error("closing after a failed start", "error", closeErr)
		}
		p.journal = nil
		return nil, err
	}
	go p.resumeAgent(p.keptAgent())
	p.log.Info(doctor.LogReady, "profile", h.ProfileID, "browser", h.Browser.Name, "claims", len(claims))
	return claims, nil
}

// start restores the claims and, when all else is ready, serves clients; the
// database is open already.
func (p *profile) start(ctx context.Context, b *browser.Browser, h protocol.Handshake, settings Settings) ([]int, error) {
	if err := p.open(b, h, settings); err != nil {
		return nil, err
	}
	var open []tabs.Tab
	for _, t := range h.Tabs {
		open = append(open, browser.FromProtocol(t))
	}
	claims, err := p.tabs.Begin(h.ProfileID, h.BrowserSession, open)
	if err != nil {
		return nil, err
	}
	if err := p.a11y.Announcements.Retain(claims); err != nil {
		return nil, err
	}
	if err := p.state.Tasks.Begin(h.BrowserSession, claims); err != nil {
		return nil, err
	}
	socket, err := paths.Socket(h.ProfileID)
	if err != nil {
		return nil, err
	}
	if err := p.appendRecord(ctx, journal.TypeHandshake, h); err != nil {
		return nil, err
	}
	p.server, err = control.Listen(socket, p, p.ping)
	return claims, err
}

// open creates the components.
func (p *profile) open(b *browser.Browser, h protocol.Handshake, settings Settings) error {
	catalogue, err := primitive.Load()
	if err != nil {
		return err
	}
	if p.tabs, err = tabs.Open(p.journal.Bolt()); err != nil {
		return err
	}
	engine, err := policy.New(policy.BoltStore{DB: p.journal.Bolt()}, nil)
	if err != nil {
		return err
	}
	if p.firstRun != nil {
		p.firstRun()
	}
	store, err := storage.Open(paths.Storage())
	if err != nil {
		return err
	}
	p.browser, p.hello, p.allowCode, p.voiceRecord = b, h, settings.AllowCode, settings.VoiceRecord
	p.handlers = &browser.Handlers{
		Browser: b, Tabs: p.tabs, KnownPrimitives: h.Primitives, ClaimOpened: settings.ClaimOpenedTabs,
		UploadFolders: append([]string{filepath.Join(paths.Data(), "uploads")}, settings.UploadFolders...),
		Profile:       browser.Profile{ID: h.ProfileID, Label: h.ProfileLabel, Browser: h.Browser.Name},
	}
	registry := p.handlers.Registry()
	p.dispatcher = &dispatch.Dispatcher{
		Catalogue: catalogue, Handlers: registry, Tabs: p.tabs, Policy: engine, Approvals: policy.NewApprovals(engine),
		Journal: p.journal, Ask: settings.AskEffects, AgentCode: p.allowCode,
		Blocked: func(url string) []string { return store.Match(url).Blocked() },
		Opened:  b.WatchOpenedTabs,
	}
	if err := p.openUI(store); err != nil {
		return err
	}
	if p.snapshots, err = projection.OpenSnapshots(p.journal.Bolt()); err != nil {
		return err
	}
	if p.launchers, err = site.OpenLaunchers(p.journal.Bolt()); err != nil {
		return err
	}
	p.actions = &site.Site{
		Snapshots: p.snapshots, Launchers: p.launchers, PageTools: true,
		Store: store, Path: p.dispatcher, Catalogue: catalogue,
		URL: func(tabID int) (string, bool) {
			tab, ok := p.tabs.Get(tabID)
			return tab.URL, ok
		},
		CallAsHost: p.dispatcher.CallAsHost,
		Runtime: func(tabID int) string {
			tab, _ := p.tabs.Get(tabID)
			return tab.RuntimeID
		},
	}
	registry.Named[dispatch.SiteTool] = p.actions.Handle
	registry.Named["attachment.install"] = site.AttachHandler(registry.Page)
	p.dispatcher.Steps = p.actions.Primitives
	maps.Copy(registry.Named, p.actions.MarkerHandlers())
	maps.Copy(registry.Named, site.Files{Store: store}.Handlers())
	maps.Copy(registry.Named, site.Overlays{Site: p.actions, InPage: p.handlers.InPage}.Handlers())
	p.inspector = &inspect.Inspector{Browser: b}
	maps.Copy(registry.Named, p.inspector.Handlers())
	p.openPageTools(b, registry)
	announced, err := announcements.Open(p.journal.Bolt())
	if err != nil {
		return err
	}
	p.a11y = &a11y.Handlers{Browser: b, Tabs: p.tabs, Announcements: announced, Path: p.dispatcher}
	p.dispatcher.Announcements = p.a11y.Pending
	maps.Copy(registry.Named, p.a11y.Handlers())
	if err := p.openState(registry); err != nil {
		return err
	}
	p.openAgent(registry, settings.VoiceBase)
	return nil
}

// close ends the running calls, answers them, and closes the database.
func (p *profile) close() error {
	if p.opening.Load() {
		// It waits for the database, longer than the browser does for this
		// process; nothing was promised to anybody yet.
		return nil
	}
	p.mu.Lock()
	server, log := p.server, p.journal
	p.mu.Unlock()
	var err error
	if server != nil {
		err = server.Close()
	}
	if log != nil {
		if closeErr := log.Close(); err == nil {
			err = closeErr
		}
	}
	return err
}

// Refused logs a message of the extension that was not understood, or a
// handshake that failed.
func (p *profile) Refused(err error) {
	f := fault.From(err)
	p.log.Warn(doctor.LogRefused, "code", f.Code, "error", f.Message)
}
