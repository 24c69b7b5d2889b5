// Package announcements stores what the live regions of claimed tabs announce: the latest of
// each tab for readers, and those that a session wants with its next answers.
//
// Rules of this package:
//   - A tab's announcements are kept while it is watched, and on disk: the
//     browser may end the host at any moment. They go with the claim.
//   - They are bounded; dropped ones are counted.
//   - A repeated announcement of a region is stored once; of a region that is rewritten only
//     the last text stays, unless it is a log.
//   - Announcements come from the page: data only.
package announcements

import (
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/kv"
	"github.com/actionsjson/actions-host/pkg/ring"
)

const (
	maxEntries = 300
	maxBytes   = 256 << 10 // of one tab

	duplicateInterval = 2 * time.Second // the same words of a region again
	rewriteInterval   = 5 * time.Second // other words of a region that is rewritten

	maxInjected      = 5
	maxInjectedChars = 1200
)

// Announcement is an announcement of a live region.
type Announcement struct {
	Seq        uint64    `json:"seq"`
	Text       string    `json:"text"`
	Politeness string    `json:"politeness"` // polite or assertive
	Category   string    `json:"category"`   // live
	Interrupt  bool      `json:"interrupt"`
	Tab        int       `json:"tab"`
	Region     string    `json:"region"` // a label for people
	RegionRole string    `json:"region_role"`
	Relevant   string    `json:"relevant"`
	TS         time.Time `json:"ts"`
	// URL is the address of the announcing document, to filter for sessions that must not see
	// other pages; empty if it is not known.
	URL string `json:"-"`
}

// Item is an announcement as it comes from a page. RegionID names the region
// within its document.
type Item struct {
	RuntimeID, RegionID, URL     string
	Text, Politeness             string
	Region, RegionRole, Relevant string
	At                           time.Time
}

// entry is an announcement with the key of its region.
type entry struct {
	Announcement
	Key string `json:"key"`
}

// tab holds the announcements of one tab.
type tab struct {
	ring   *ring.Ring[entry]
	lost   uint64 // announcements that the page could not send
	lostAt uint64 // the newest entry when it reported that
}

func newTab() *tab { return &tab{ring: ring.New[entry](maxEntries, maxBytes)} }

// Log keeps the announcements of a profile. It is safe for concurrent use.
type Log struct {
	store kv.Bucket[int, stored]

	mu            sync.Mutex
	tabs          map[int]*tab // those that are watched
	subscriptions map[subscriptionKey]*subscription
}

// Open loads what an earlier host kept. The fault is storage_unavailable.
func Open(db *bbolt.DB) (*Log, error) {
	d := &Log{
		store: kv.Bucket[int, stored]{DB: db, Name: "announcements", What: "the announcements"},
		tabs:  map[int]*tab{}, subscriptions: map[subscriptionKey]*subscription{},
	}
	return d, d.store.Each(func(tabID int, from stored) { d.tabs[tabID] = from.tab() })
}

// Retain deletes all but the claimed tabs; others are of an earlier run of the browser.
func (d *Log) Retain(claimed []int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	isClaimed := map[int]bool{}
	for _, id := range claimed {
		isClaimed[id] = true
	}
	for id := range d.tabs {
		if !isClaimed[id] {
			delete(d.tabs, id)
			if err := d.store.Delete(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// Watch stores the tab's announcements from now on.
func (d *Log) Watch(tabID int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tabs[tabID] != nil {
		return nil
	}
	d.tabs[tabID] = newTab()
	return d.store.Put(tabID, d.tabs[tabID].stored())
}

// Watching reports whether the tab is watched.
func (d *Log) Watching(tabID int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tabs[tabID] != nil
}

// Drop deletes the tab and its subscriptions.
func (d *Log) Drop(tabID int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.subscriptions {
		if key.tabID == tabID {
			delete(d.subscriptions, key)
		}
	}
	if d.tabs[tabID] == nil {
		return nil
	}
	delete(d.tabs, tabID)
	return d.store.Delete(tabID)
}

// Add stores announcements of a watched tab; lost is the number of those that the page could
// not send.
func (d *Log) Add(tabID int, items []Item, lost int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tabs[tabID]
	if t == nil {
		return nil
	}
	for _, s := range items {
		t.add(tabID, s)
	}
	if lost > 0 {
		t.lost, t.lostAt = t.lost+uint64(lost), t.ring.Last()+1
	}
	return d.store.Put(tabID, t.stored())
}

func (t *tab) add(tabID int, s Item) {
	key := s.RuntimeID + " " + s.RegionID
	var replaced []uint64
	for seq, old := range t.ring.Since(0) {
		age := s.At.Sub(old.TS)
		switch {
		case old.Key != key:
		case old.Text == s.Text && age < duplicateInterval:
			return
		case age < rewriteInterval && s.RegionRole != "log" && s.Relevant != "additions":
			replaced = append(replaced, seq)
		}
	}
	for _, seq := range replaced {
		t.ring.Remove(seq)
	}
	a := entry{Announcement{
		Text: s.Text, Politeness: s.Politeness, Category: "live", Interrupt: s.Politeness == "assertive", Tab: tabID,
		Region: s.Region, RegionRole: s.RegionRole, Relevant: s.Relevant, TS: s.At, URL: s.URL,
	}, key}
	t.ring.Add(a, len(s.Text)+len(s.Region)+200)
}

// Page is a page of a tab's announcements.
type Page struct {
	Announcements []Announcement `json:"announcements"`
	NextCursor    uint64         `json:"next_cursor"`
	Dropped       uint64         `json:"dropped"`
	Watching      bool           `json:"watching"`
}

// Read returns the tab's announcements after the cursor, the oldest first, without the kinds
// that the session has switched off.
func (d *Log) Read(session string, tabID int, since uint64, limit int) Page {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := Page{Announcements: []Announcement{}}
	t := d.tabs[tabID]
	if t == nil {
		return r
	}
	if since > t.ring.Last() {
		since = 0 // a cursor of another watch
	}
	r.Watching, r.NextCursor, r.Dropped = true, t.ring.Last(), t.ring.Dropped(since)
	if since < t.lostAt {
		r.Dropped += t.lost
	}
	modes := d.modesOf(session, tabID)
	for seq, a := range t.ring.Since(since) {
		if modes.of(a.Politeness) == Off {
			continue
		}
		if len(r.Announcements) == limit {
			r.NextCursor = r.Announcements[limit-1].Seq
			break
		}
		a.Seq = seq
		r.Announcements = append(r.Announcements, a.Announcement)
	}
	return r
}
