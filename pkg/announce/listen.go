package announce

import (
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/shorten"
)

// Mode is what becomes of one kind of announcement for a session.
type Mode string

// The three modes.
const (
	Inject Mode = "inject" // told with the session's next answers, and to be read
	Buffer Mode = "buffer" // to be read
	Off    Mode = "off"    // neither
)

// Modes holds the mode of each politeness.
type Modes struct {
	Assertive Mode `json:"assertive"`
	Polite    Mode `json:"polite"`
}

// subscribed are the modes of a session that names none; a session that has not
// subscribed is told nothing.
var (
	subscribed   = Modes{Assertive: Inject, Polite: Buffer}
	unsubscribed = Modes{Assertive: Buffer, Polite: Buffer}
)

func (m Modes) of(politeness string) Mode {
	if politeness == "assertive" {
		return m.Assertive
	}
	return m.Polite
}

type listenerKey struct {
	session string
	tabID   int
}

type listener struct {
	modes Modes
	told  uint64 // the newest that was told, or was there when the session came
}

// Subscribe changes what the session is told of the tab, and gives the modes
// that hold now. An empty mode leaves the one there is.
func (d *Desk) Subscribe(session string, tabID int, change Modes) Modes {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := listenerKey{session, tabID}
	l := d.listeners[key]
	if l == nil {
		l = &listener{modes: subscribed}
		if t := d.tabs[tabID]; t != nil {
			l.told = t.ring.Last()
		}
		d.listeners[key] = l
	}
	if change.Assertive != "" {
		l.modes.Assertive = change.Assertive
	}
	if change.Polite != "" {
		l.modes.Polite = change.Polite
	}
	return l.modes
}

func (d *Desk) modes(session string, tabID int) Modes {
	if l := d.listeners[listenerKey{session, tabID}]; l != nil {
		return l.modes
	}
	return unsubscribed
}

// Due gives what the session is to be told with an answer, each once: a few, and
// few words of them.
func (d *Desk) Due(session string) []Announcement {
	d.mu.Lock()
	defer d.mu.Unlock()
	var due []Announcement
	chars := 0
	for key, l := range d.listeners {
		t := d.tabs[key.tabID]
		if key.session != session || t == nil {
			continue
		}
		for seq, a := range t.ring.Since(l.told) {
			size := min(utf8.RuneCountInString(a.Text), injectedChars)
			if l.modes.of(a.Politeness) == Inject {
				if len(due) == injectedCount || chars+size > injectedChars {
					break
				}
				a.Seq, a.Text = seq, shorten.Characters(a.Text, injectedChars)
				due = append(due, a.Announcement)
				chars += size
			}
			l.told = seq
		}
	}
	return due
}

// Leave forgets a session that has ended.
func (d *Desk) Leave(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.listeners {
		if key.session == session {
			delete(d.listeners, key)
		}
	}
}
