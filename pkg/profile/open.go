package profile

import (
	"maps"
	"net/netip"
	"path/filepath"

	"github.com/actionsjson/actions-host/pkg/a11y"
	"github.com/actionsjson/actions-host/pkg/a11y/announcements"
	"github.com/actionsjson/actions-host/pkg/browser/primitives"
	"github.com/actionsjson/actions-host/pkg/browser/scripts"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/inspect"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/projection"
	"github.com/actionsjson/actions-host/pkg/runhistory"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/webfetch"
)

// open creates the components. Each constructor registers the handlers of what it
// creates, and what must be dropped when a tab is claimed or released, or a session ends.
func (p *profile) open() error {
	for _, open := range []func() error{p.openPath, p.openStops, p.openUI, p.openSite, p.openRecorder, p.openPages, p.openAutomation, p.openSessions} {
		if err := open(); err != nil {
			return err
		}
	}
	p.openAgent()
	return nil
}

// openPath creates the call path, and the handlers that run in the browser.
func (p *profile) openPath() error {
	var err error
	if p.tabs, err = tabs.Open(p.journal.Bolt()); err != nil {
		return err
	}
	engine, err := policy.New(policy.BoltStore{DB: p.journal.Bolt()}, nil)
	if err != nil {
		return err
	}
	engine.File = p.policyFile.Rules
	if p.firstRun != nil {
		p.firstRun()
	}
	store, err := storage.Open(paths.Storage())
	if err != nil {
		return err
	}
	p.storage = store
	p.handlers = &primitives.Handlers{
		Browser: p.browser, Tabs: p.tabs, KnownPrimitives: p.hello.Primitives, ClaimOpened: p.settings.ClaimOpenedTabs,
		UploadFolders: func() []string {
			return append([]string{filepath.Join(paths.Data(), "uploads")}, p.policyFile.Rules().UploadFolders...)
		},
		Refused: func(session, origin string) bool { return engine.Refuses(session, origin, policy.EffectRead) },
		Profile: primitives.Profile{ID: p.hello.ProfileID, Label: p.hello.ProfileLabel, Browser: p.hello.Browser.Name},
	}
	p.dispatcher = &dispatch.Dispatcher{
		Catalogue: primitive.Load(), Handlers: p.handlers.Registry(), Tabs: p.tabs, Policy: engine, Approvals: policy.NewApprovals(engine),
		Journal: p.journal, History: &runhistory.History{}, Browser: p.hello.Browser.Name, AgentCode: p.settings.AllowCode,
		Blocked: func(url string) []string { return store.Match(url).Blocked() },
		Opened:  p.handlers.WatchOpenedTabs,
	}
	p.scripts = &scripts.Handlers{Browser: p.browser, Tabs: p.tabs, Path: p.dispatcher}
	p.handle(p.scripts.Handlers())
	p.sessions = &session.Sessions{Path: p.dispatcher}
	return nil
}

// handle registers handlers by the names of their primitives.
func (p *profile) handle(handlers map[string]primitive.Handler) {
	maps.Copy(p.dispatcher.Handlers.Named, handlers)
}

// openSite creates what runs the actions of maps.
func (p *profile) openSite() error {
	snapshots, err := projection.OpenSnapshots(p.journal.Bolt())
	if err != nil {
		return err
	}
	p.tabs.Observe(tabs.Observer{BeforeClaim: snapshots.DropTab, AfterRelease: snapshots.DropTab})
	launchers, err := site.OpenLaunchers(p.journal.Bolt())
	if err != nil {
		return err
	}
	dropLaunchers := func(tabID int) error {
		_, err := launchers.DropTab(tabID)
		return err
	}
	p.tabs.Observe(tabs.Observer{BeforeClaim: dropLaunchers, AfterRelease: dropLaunchers})
	registry := p.dispatcher.Handlers
	p.actions = &site.Site{
		Snapshots: snapshots, GoodRuns: site.OpenGoodRuns(p.journal.Bolt()), Launchers: launchers, PageTools: true, Proofs: site.OpenProofs(p.journal.Bolt()),
		Store: p.storage, Path: p.dispatcher, Log: p.journal, History: p.dispatcher.History, Catalogue: p.dispatcher.Catalogue,
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
	p.tabs.Observe(tabs.Observer{BeforeClaim: always(p.actions.Forget), AfterRelease: always(p.actions.Forget)})
	p.tabs.Observe(tabs.Observer{AfterRelease: always(p.eventLimits.forget)})
	p.dispatcher.Action = p.actions.Action
	registry.Named[dispatch.SiteTool] = p.actions.Handle
	p.ui.Saver = site.Saver{Site: p.actions, Log: p.journal}
	registry.Named["actions.save"] = p.ui.Saver.Handle
	registry.Named[dispatch.BatchTool] = p.dispatcher.Batch
	registry.Named["page.fetch"] = webfetch.PageHandler(registry.Page, p.hello.Protocol)
	registry.Named["attachment.install"] = site.AttachHandler(registry.Page)
	p.handle(p.actions.MarkerHandlers())
	p.handle(site.Files{Store: p.storage}.Handlers())
	p.handle(site.Overlays{Site: p.actions, InPage: p.handlers.InPage}.Handlers())
	return nil
}

// openPages creates what watches pages for their callers.
func (p *profile) openPages() error {
	inspector := &inspect.Inspector{Browser: p.browser}
	p.tabs.Observe(tabs.Observer{AfterRelease: always(inspector.Forget)})
	p.handle(inspector.Handlers())
	p.openPageTools()
	private := func() []netip.Prefix { return p.policyFile.Rules().PrivateNetworks }
	p.handle((&webfetch.Tools{Client: webfetch.Client{Private: private}}).Handlers())
	announced, err := announcements.Open(p.journal.Bolt())
	if err != nil {
		return err
	}
	p.tabs.Observe(tabs.Observer{BeforeClaim: announced.Drop, AfterRelease: announced.Drop})
	p.sessions.Observe(session.Observer{SessionsEnded: announced.EndSessions})
	p.a11y = &a11y.Handlers{Browser: p.browser, Tabs: p.tabs, Announcements: announced, Path: p.dispatcher}
	p.dispatcher.Announcements = p.a11y.Pending
	p.handle(p.a11y.Handlers())
	p.tabs.Observe(tabs.Observer{AfterRelease: always(p.handlers.Forget)})
	return nil
}

// always returns a function that cannot fail in the form of an observer's.
func always(forget func(tabID int)) func(tabID int) error {
	return func(tabID int) error {
		forget(tabID)
		return nil
	}
}
