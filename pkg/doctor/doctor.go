// Package doctor looks at every hop of the chain from this program to the page,
// names the broken one with its reason and its fix, and repairs what is safe.
//
// Rules of this package:
//   - The chain is one order. Behind its first broken hop the others are skipped
//     and say for which they wait: one thing to mend at a time.
//   - A connected browser proves what lies before it; there nothing is skipped.
//   - Looking changes nothing. A repair touches only what this program made, and
//     says what it did.
//   - Each broken hop has a fix that a person can follow. No secret is shown.
package doctor

import (
	"context"
	"time"

	"github.com/actionsjson/actions-host/pkg/browsers"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/install"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// Status of a hop.
type Status string

// What a hop can be. A warning is not a broken hop: the chain holds all the same.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Broken  Status = "broken"
	Skipped Status = "skipped"
)

// Names of the hops, in the order of the chain; the last two stand beside it.
const (
	HopBinary    = "binary"
	HopFolders   = "folders"
	HopSettings  = "settings"
	HopPolicy    = "policy"
	HopDatabase  = "database"
	HopSocket    = "socket"
	HopBrowser   = "browser"
	HopClaims    = "claims"
	HopManifest  = "manifest"
	HopPolicies  = "policies"
	HopRunning   = "running"
	HopExtension = "extension"
	HopWorker    = "worker"
	HopPort      = "port"
	HopPing      = "ping"
	HopTabs      = "tabs"
	HopPage      = "page"
	HopActions   = "actions"
	HopStorage   = "storage"
	HopKey       = "voice key"
)

// Hop is one link of the chain.
type Hop struct {
	Name     string `json:"name"`
	Status   Status `json:"status"`
	OK       *bool  `json:"ok,omitzero"` // absent where the hop was skipped
	Browser  string `json:"browser,omitzero"`
	Profile  string `json:"profile_id,omitzero"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitzero"`
	WaitsFor string `json:"waits_for,omitzero"` // the broken hop before a skipped one
	Fixable  bool   `json:"fixable,omitzero"`   // doctor --fix repairs it

	repair func() (done string, err error)
}

// Report is what an examination found.
type Report struct {
	OK     bool     `json:"ok"`
	Broken string   `json:"broken,omitzero"` // the first broken hop
	Fixed  []string `json:"fixed,omitzero"`  // what was repaired before
	Failed []string `json:"failed,omitzero"` // repairs that did not work
	Hops   []Hop    `json:"hops"`
}

// Options are what is examined.
type Options struct {
	Platform  browsers.Platform
	Browsers  []browsers.Browser
	Program   string // this program's real place
	Version   string
	Extension string // the built extension beside the program; "" without one
	// Settings reads the user's settings, Policy the policy file.
	Settings, Policy func() error
	// Wait is how long a browser that is starting is waited for.
	Wait time.Duration
}

// Examine looks at all hops.
func Examine(ctx context.Context, o Options) Report {
	e := &examiner{o: o, ctx: ctx}
	defer e.close()
	e.examine()
	r := Report{OK: true, Hops: e.hops}
	for _, h := range e.hops {
		if h.Status == Broken {
			r.OK = false
			if r.Broken == "" {
				r.Broken = h.Name
			}
		}
	}
	return r
}

// maxRounds bounds the repairs: mending one hop can show the next.
const maxRounds = 5

// Fix repairs what is safe and examines again.
func Fix(ctx context.Context, o Options) Report {
	var fixed, failed []string
	for range maxRounds {
		r := Examine(ctx, o)
		again := false
		for _, h := range r.Hops {
			if h.repair == nil {
				continue
			}
			done, err := h.repair()
			if err != nil {
				failed = append(failed, h.Name+": "+err.Error())
				continue
			}
			again = true
			fixed = append(fixed, done)
		}
		if !again {
			r.Fixed, r.Failed = fixed, failed
			return r
		}
		failed = nil // those that are still there are tried again
	}
	r := Examine(ctx, o)
	r.Fixed, r.Failed = fixed, failed
	return r
}

// examiner collects the hops.
type examiner struct {
	o       Options
	ctx     context.Context
	hops    []Hop
	broken  string // the chain's first broken hop
	clients []*control.Client
	record  install.Record
}

func (e *examiner) close() {
	for _, c := range e.clients {
		c.Close()
	}
}

func (e *examiner) examine() {
	// That no host answers is reported by the hops.
	e.clients, _ = control.AwaitWanted(e.ctx, paths.Sockets(), e.o.Wait, func(control.Status) bool { return true })
	e.chain(HopBinary, e.binary)
	e.chain(HopFolders, e.folders)
	e.chain(HopSettings, e.settings)
	e.chain(HopPolicy, e.policyFile)
	e.chain(HopDatabase, e.database)
	e.chain(HopSocket, e.socket)
	e.chain(HopBrowser, e.browser)
	e.browsers()
	for _, c := range e.clients {
		e.connected(c)
	}
	e.storage()
	e.key()
}

// connectedTo reports whether any browser is connected.
func (e *examiner) connectedTo() bool { return len(e.clients) > 0 }

// chain examines the next hop of the chain, unless one before it is broken.
func (e *examiner) chain(name string, examine func() []Hop) {
	if e.broken != "" {
		e.skip(Hop{Name: name})
		return
	}
	for _, h := range examine() {
		if h.Name == "" {
			h.Name = name
		}
		e.add(h)
	}
}

// add adds an examined hop of the chain.
func (e *examiner) add(h Hop) {
	if h.Status == Broken && !e.connectedTo() && e.broken == "" {
		e.broken = h.Name
	}
	e.addIndependent(h)
}

// addIndependent adds a hop that no other hop depends on.
func (e *examiner) addIndependent(h Hop) {
	if h.Status != Skipped {
		ok := h.Status != Broken
		h.OK = &ok
	}
	h.Fixable = h.repair != nil
	e.hops = append(e.hops, h)
}

// skip adds a hop that waits for the broken one.
func (e *examiner) skip(h Hop) {
	h.Status, h.WaitsFor = Skipped, e.broken
	h.Message = "not examined: it waits for " + e.broken
	e.addIndependent(h)
}

func one(h Hop) []Hop { return []Hop{h} }
