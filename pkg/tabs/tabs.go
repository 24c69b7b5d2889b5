// Package tabs holds the claims: which tabs the user has handed over, and which
// of them a call means.
//
// Rules of this package:
//   - A tab is operable only while it is claimed. A call is never resolved to an
//     unclaimed tab, the foreground tab or the last one that loaded.
//   - The default of a session that has chosen no tab is the only claimed one, or the
//     only one that the user handed over: a tab that a call opened, which the user's
//     settings claim, does not make it unclear which one is meant.
//   - The host owns the claims; a claim is on disk before Claim returns.
//   - Tab ids belong to one run of a browser. Claims never carry over to
//     another run, which reuses the same ids for other tabs.
//   - What others keep of a tab ends by an [Observer], before a claim and after a release.
//   - When in doubt a claim ends: no failure makes a tab operable.
package tabs

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/kv"
)

// Tab is a tab as the extension last described it.
type Tab struct {
	TabID     int    `json:"tab_id"`
	WindowID  int    `json:"window_id"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	RuntimeID string `json:"runtime_id"` // of the document that is loaded; empty while there is none
	Active    bool   `json:"active"`     // in front of its window
	Loading   bool   `json:"loading"`
}

// Registry holds the claims of one profile. Its methods are safe for concurrent
// use.
type Registry struct {
	claims    kv.Bucket[int, stored]
	observers []Observer // complete before the first claim

	writing sync.Mutex // one change of the claims at a time; taken before mu

	mu      sync.Mutex // is not held while the disk is waited for: every call looks here
	browser browser
	started bool
	claimed map[int]Tab
	opened  map[int]bool // claimed tabs that a call opened
}

// browser names one run of one profile's browser.
type browser struct {
	Profile string `json:"profile"`
	Session string `json:"session"`
}

// stored is a claim on disk, by its tab: the run of the browser that it belongs
// to. URL and title are not stored: the next handshake brings them, and they may
// hold secrets.
type stored struct {
	browser
	Opened bool `json:"opened,omitzero"`
}

// Open makes a registry that keeps its claims in db. No tab is claimed until
// Begin. The fault is storage_unavailable.
func Open(db *bbolt.DB) (*Registry, error) {
	r := &Registry{claims: kv.Bucket[int, stored]{DB: db, Name: "tabs_claims", What: "the claims"}, claimed: map[int]Tab{}, opened: map[int]bool{}}
	return r, r.claims.Create()
}

// Begin starts with the tabs that the browser has open, at each handshake.
// Stored claims of the same run of the same browser whose tabs still exist
// survive; all others are dropped. It returns the claimed ids, sorted. On an
// error (storage_unavailable) no tab is claimed.
func (r *Registry) Begin(profileID, browserSession string, open []Tab) ([]int, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	run := browser{profileID, browserSession}
	r.mu.Lock()
	r.browser, r.started = run, true
	r.claimed, r.opened = map[int]Tab{}, map[int]bool{}
	r.mu.Unlock()

	existing := map[int]Tab{}
	for _, tab := range open {
		existing[tab.TabID] = tab
	}
	opened := map[int]bool{}
	var kept []int
	err := r.claims.Retain(func(tabID int, of stored) bool {
		if _, exists := existing[tabID]; !exists || of.browser != run {
			return false
		}
		kept, opened[tabID] = append(kept, tabID), of.Opened
		return true
	})
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range kept {
		r.claimed[id], r.opened[id] = existing[id], opened[id]
	}
	return kept, nil
}

// Claim makes a tab operable; it is on disk when Claim returns. A claimed tab is
// updated. The caller decides whether its page may be operated. The
// fault is browser_not_connected before Begin, invalid_arguments for an id below
// 1, storage_unavailable, or that of an observer.
func (r *Registry) Claim(tab Tab) error {
	if err := r.beforeClaim(tab.TabID); err != nil {
		return err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	run, started := r.run()
	switch {
	case !started:
		return fault.New(fault.BrowserNotConnected, "no browser has introduced itself yet")
	case tab.TabID < 1:
		return fault.New(fault.InvalidArguments, "invalid tab ID %d", tab.TabID)
	}
	if err := r.claims.Put(tab.TabID, stored{browser: run}); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claimed[tab.TabID] = tab
	delete(r.opened, tab.TabID)
	return nil
}

// Opened records that a call opened a claimed tab, until the user hands the tab over.
// An unclaimed tab stays unclaimed. The fault is storage_unavailable.
func (r *Registry) Opened(tabID int) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	run := r.browser
	_, claimed := r.claimed[tabID]
	if claimed {
		r.opened[tabID] = true
	}
	r.mu.Unlock()
	if !claimed {
		return nil
	}
	return r.claims.Put(tabID, stored{browser: run, Opened: true})
}

func (r *Registry) run() (run browser, started bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.browser, r.started
}

// Release ends a claim at once; an unclaimed tab stays so. On an error
// (storage_unavailable) the tab is released all the same, but a restarted
// host would find the claim again while the same browser runs. The fault of an observer
// means that only something kept of the tab is left.
func (r *Registry) Release(tabID int) error {
	return errors.Join(r.release(tabID), r.afterRelease(tabID))
}

func (r *Registry) release(tabID int) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	_, claimed := r.claimed[tabID]
	delete(r.claimed, tabID)
	delete(r.opened, tabID)
	r.mu.Unlock()
	if !claimed {
		return nil
	}
	return r.claims.Delete(tabID)
}

// Update replaces the description of a claimed tab and reports whether it is
// claimed. An empty runtime id leaves the known one: only SetRuntime and
// RemoveRuntime change it.
func (r *Registry) Update(tab Tab) bool {
	return r.change(tab.TabID, func(known *Tab) {
		tab.RuntimeID = cmp.Or(tab.RuntimeID, known.RuntimeID)
		*known = tab
	})
}

// SetRuntime sets the document of a claimed tab and reports whether the tab is
// claimed.
func (r *Registry) SetRuntime(tabID int, runtimeID string) bool {
	return r.change(tabID, func(tab *Tab) { tab.RuntimeID = runtimeID })
}

// RemoveRuntime removes a document that has ended and reports whether it was the
// tab's. The message may come after the next document's, which must stay.
func (r *Registry) RemoveRuntime(tabID int, runtimeID string) bool {
	removed := false
	r.change(tabID, func(tab *Tab) {
		if removed = tab.RuntimeID == runtimeID && runtimeID != ""; removed {
			tab.RuntimeID = ""
		}
	})
	return removed
}

func (r *Registry) change(tabID int, edit func(*Tab)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	tab, ok := r.claimed[tabID]
	if !ok {
		return false
	}
	edit(&tab)
	r.claimed[tabID] = tab
	return true
}

// Get returns a claimed tab.
func (r *Registry) Get(tabID int) (Tab, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tab, ok := r.claimed[tabID]
	return tab, ok
}

// List returns the claimed tabs, sorted by id.
func (r *Registry) List() []Tab {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Tab, 0, len(r.claimed))
	for _, tab := range r.claimed {
		list = append(list, tab)
	}
	slices.SortFunc(list, func(a, b Tab) int { return cmp.Compare(a.TabID, b.TabID) })
	return list
}
