// Package announce keeps what the live regions of claimed tabs said: the latest
// of each tab for whoever reads, and those that a session wants told with its
// next answers.
//
// Rules of this package:
//   - A tab's announcements are kept while it is watched, and on disk: the
//     browser may end the host at any moment. They go with the claim.
//   - They are bounded; what had to go is counted.
//   - A region that says the same again is heard once; of a region that is
//     rewritten only the last word stays, unless it is a log.
//   - What is said is the page's own word: data only.
package announce

import (
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/ring"
)

const (
	keptCount = 300
	keptBytes = 256 << 10 // of one tab

	sameWithin = 2 * time.Second // the same words of a region again
	lastWithin = 5 * time.Second // other words of a region that is rewritten

	injectedCount = 5
	injectedChars = 1200
)

// Announcement is what a live region said.
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
	// URL is the address of the document that said it, for whoever must not hear
	// of other pages; empty where it is not known.
	URL string `json:"-"`
}

// Spoken is an announcement as it comes from a page. RegionID names the region
// within its document.
type Spoken struct {
	RuntimeID, RegionID, URL     string
	Text, Politeness             string
	Region, RegionRole, Relevant string
	At                           time.Time
}

// kept is an announcement with what tells its region from others.
type kept struct {
	Announcement
	Key string `json:"key"`
}

// tab is what is kept of one tab.
type tab struct {
	ring *ring.Ring[kept]
	lost uint64 // announcements that the page could not tell
	at   uint64 // the newest entry when it told so
}

func newTab() *tab { return &tab{ring: ring.New[kept](keptCount, keptBytes)} }

// Desk keeps the announcements of a profile. It is safe for concurrent use.
type Desk struct {
	store store

	mu        sync.Mutex
	tabs      map[int]*tab // those that are watched
	listeners map[listenerKey]*listener
}

// Open loads what an earlier host kept. The fault is storage_unavailable.
func Open(db *bbolt.DB) (*Desk, error) {
	d := &Desk{store: store{db}, listeners: map[listenerKey]*listener{}}
	var err error
	d.tabs, err = d.store.load()
	return d, err
}

// Begin keeps the claimed tabs only; others are of an earlier run of the browser.
func (d *Desk) Begin(claimed []int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	still := map[int]bool{}
	for _, id := range claimed {
		still[id] = true
	}
	for id := range d.tabs {
		if !still[id] {
			delete(d.tabs, id)
			if err := d.store.remove(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// Watch keeps what the tab says from now on.
func (d *Desk) Watch(tabID int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tabs[tabID] != nil {
		return nil
	}
	d.tabs[tabID] = newTab()
	return d.store.put(tabID, d.tabs[tabID])
}

// Watching tells whether the tab is watched.
func (d *Desk) Watching(tabID int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tabs[tabID] != nil
}

// Drop forgets the tab and who listens to it.
func (d *Desk) Drop(tabID int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.listeners {
		if key.tabID == tabID {
			delete(d.listeners, key)
		}
	}
	if d.tabs[tabID] == nil {
		return nil
	}
	delete(d.tabs, tabID)
	return d.store.remove(tabID)
}

// Take keeps what a watched tab said; lost is how much the page could not tell.
func (d *Desk) Take(tabID int, said []Spoken, lost int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tabs[tabID]
	if t == nil {
		return nil
	}
	for _, s := range said {
		t.add(tabID, s)
	}
	if lost > 0 {
		t.lost, t.at = t.lost+uint64(lost), t.ring.Last()+1
	}
	return d.store.put(tabID, t)
}

func (t *tab) add(tabID int, s Spoken) {
	key := s.RuntimeID + " " + s.RegionID
	var replaced []uint64
	for seq, old := range t.ring.Since(0) {
		age := s.At.Sub(old.TS)
		switch {
		case old.Key != key:
		case old.Text == s.Text && age < sameWithin:
			return
		case age < lastWithin && s.RegionRole != "log" && s.Relevant != "additions":
			replaced = append(replaced, seq)
		}
	}
	for _, seq := range replaced {
		t.ring.Remove(seq)
	}
	a := kept{Announcement{
		Text: s.Text, Politeness: s.Politeness, Category: "live", Interrupt: s.Politeness == "assertive", Tab: tabID,
		Region: s.Region, RegionRole: s.RegionRole, Relevant: s.Relevant, TS: s.At, URL: s.URL,
	}, key}
	t.ring.Add(a, len(s.Text)+len(s.Region)+200)
}

// Reading is a part of what a tab said.
type Reading struct {
	Announcements []Announcement `json:"announcements"`
	NextCursor    uint64         `json:"next_cursor"`
	Dropped       uint64         `json:"dropped"`
	Watching      bool           `json:"watching"`
}

// Read gives what the tab said behind the cursor, the oldest first; kinds of
// announcements that the session has switched off are left out.
func (d *Desk) Read(session string, tabID int, since uint64, limit int) Reading {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := Reading{Announcements: []Announcement{}}
	t := d.tabs[tabID]
	if t == nil {
		return r
	}
	if since > t.ring.Last() {
		since = 0 // a cursor of another watch
	}
	r.Watching, r.NextCursor, r.Dropped = true, t.ring.Last(), t.ring.Dropped(since)
	if since < t.at {
		r.Dropped += t.lost
	}
	modes := d.modes(session, tabID)
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
