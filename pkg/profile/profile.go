package profile

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/a11y"
	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/automation/skill"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/browser/primitives"
	"github.com/actionsjson/actions-host/pkg/browser/scripts"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/doctor"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/logview"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy/policyfile"
	"github.com/actionsjson/actions-host/pkg/recording"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/ui"
)

// profile is the host of one browser profile: it wires its components together after
// the extension's handshake.
type profile struct {
	log      *slog.Logger
	version  string
	firstRun func()

	opening atomic.Bool // a handshake runs

	mu             sync.Mutex
	settings       Settings
	policyFile     *policyfile.File
	hello          protocol.Handshake
	browser        *browser.Browser
	journal        *journal.Journal
	storage        *storage.Store
	tabs           *tabs.Registry
	handlers       *primitives.Handlers
	scripts        *scripts.Handlers
	dispatcher     *dispatch.Dispatcher
	sessions       *session.Sessions
	ui             *ui.Backend
	skills         *skill.Store
	actions        *site.Site
	a11y           *a11y.Handlers
	agent          *agent.Controller
	agentSession   atomic.Pointer[dispatch.Session] // of the agent that runs or ran last
	chatMakings    chatMakings
	server         *control.Server
	rejectedEvents rejectedEvents
	eventLimits    eventLimits
	observing      latest[int] // of the tabs' documents
	navigating     latest[int] // of the tabs' chats
	withdrawing    latest[struct{}]
	work           shownWork
	recorder       *recording.Recorder
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
	var err error
	if p.settings, err = ReadSettings(); err != nil {
		return nil, err
	}
	if err := policyfile.Begin(paths.Data()); err != nil {
		return nil, err
	}
	p.policyFile = policyfile.Open(filepath.Join(paths.Data(), policyfile.Name))
	if problem := p.policyFile.Rules().Problem; problem != nil {
		p.log.Warn("the policy file is broken", "problem", problem.Message)
	}
	if err := paths.MakePrivate(paths.State()); err != nil {
		return nil, err
	}
	if p.journal, err = journal.Open(paths.Database(h.ProfileID), journal.Options{OnDamage: p.logDamage, Tally: logview.Tally}); err != nil {
		return nil, err
	}
	p.browser, p.hello = b, h
	claims, err := p.start(ctx)
	if err != nil {
		// All or nothing: the extension may try again on this connection.
		if closeErr := p.journal.Close(); closeErr != nil {
			p.log.Error("closing after a failed start", "error", closeErr)
		}
		p.journal = nil
		return nil, err
	}
	go p.resumeAgent(p.keptAgent())
	// What goes on beside begins now: a start that has failed leaves nothing to work with.
	go func() {
		p.logError("reading how actions fared", p.dispatcher.History.Load(context.Background(), &p.journal.Reader))
	}()
	go p.followWork(p.dispatcher.WatchRunning(), p.browser.Done())
	go p.resumeChats(claims)
	p.log.Info(doctor.LogReady, "profile", h.ProfileID, "browser", h.Browser.Name, "claims", len(claims))
	return claims, nil
}

func (p *profile) logDamage(found *journal.Damage) {
	p.log.Warn("the log's file was damaged", "problem", found.String(), "moved_to", found.MovedTo, "kept", found.Kept)
}

// start restores the claims and, when all else is ready, serves clients; the
// database is open already.
func (p *profile) start(ctx context.Context) ([]int, error) {
	if err := p.open(); err != nil {
		return nil, err
	}
	var open []tabs.Tab
	for _, t := range p.hello.Tabs {
		open = append(open, browser.FromProtocol(t))
	}
	claims, err := p.tabs.Begin(p.hello.ProfileID, p.hello.BrowserSession, open)
	if err != nil {
		return nil, err
	}
	if err := p.a11y.Announcements.Retain(claims); err != nil {
		return nil, err
	}
	if err := p.sessions.Tasks.Begin(p.hello.BrowserSession, claims); err != nil {
		return nil, err
	}
	if err := p.recorder.Retain(claims); err != nil {
		return nil, err
	}
	if err := p.dispatcher.RetainStops(claims); err != nil {
		return nil, err
	}
	socket, err := paths.Socket(p.hello.ProfileID)
	if err != nil {
		return nil, err
	}
	if err := p.appendRecord(ctx, journal.TypeHandshake, p.hello); err != nil {
		return nil, err
	}
	p.server, err = control.Listen(socket, p, p.ping)
	return claims, err
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
