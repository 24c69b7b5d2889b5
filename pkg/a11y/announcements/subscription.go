package announcements

import (
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/truncate"
)

// Mode is how one kind of announcement is delivered to a session.
type Mode string

// The three modes.
const (
	Inject Mode = "inject" // sent with the session's next answers, and readable
	Buffer Mode = "buffer" // to be read
	Off    Mode = "off"    // neither
)

// Modes holds the mode of each politeness.
type Modes struct {
	Assertive Mode `json:"assertive"`
	Polite    Mode `json:"polite"`
}

// defaultModes are those of a session that subscribes and names none, bufferedModes those of a
// session that has not subscribed: it gets none with its answers.
var (
	defaultModes  = Modes{Assertive: Inject, Polite: Buffer}
	bufferedModes = Modes{Assertive: Buffer, Polite: Buffer}
)

func (m Modes) of(politeness string) Mode {
	if politeness == "assertive" {
		return m.Assertive
	}
	return m.Polite
}

type subscriptionKey struct {
	session string
	tabID   int
}

type subscription struct {
	modes     Modes
	delivered uint64 // the newest that was delivered, or existed at the time of subscribing
}

// Subscribe changes the session's modes for the tab and returns them. An empty mode leaves the
// present one.
func (d *Log) Subscribe(session string, tabID int, change Modes) Modes {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := subscriptionKey{session, tabID}
	l := d.subscriptions[key]
	if l == nil {
		l = &subscription{modes: defaultModes}
		if t := d.tabs[tabID]; t != nil {
			l.delivered = t.ring.Last()
		}
		d.subscriptions[key] = l
	}
	if change.Assertive != "" {
		l.modes.Assertive = change.Assertive
	}
	if change.Polite != "" {
		l.modes.Polite = change.Polite
	}
	return l.modes
}

func (d *Log) modesOf(session string, tabID int) Modes {
	if l := d.subscriptions[subscriptionKey{session, tabID}]; l != nil {
		return l.modes
	}
	return bufferedModes
}

// Pending returns the announcements for the session's next answer, each once: only a few, and
// truncated.
func (d *Log) Pending(session string) []Announcement {
	d.mu.Lock()
	defer d.mu.Unlock()
	var pending []Announcement
	chars := 0
	for key, l := range d.subscriptions {
		t := d.tabs[key.tabID]
		if key.session != session || t == nil {
			continue
		}
		for seq, a := range t.ring.Since(l.delivered) {
			size := min(utf8.RuneCountInString(a.Text), maxInjectedChars)
			if l.modes.of(a.Politeness) == Inject {
				if len(pending) == maxInjected || chars+size > maxInjectedChars {
					break
				}
				a.Seq, a.Text = seq, truncate.Characters(a.Text, maxInjectedChars)
				pending = append(pending, a.Announcement)
				chars += size
			}
			l.delivered = seq
		}
	}
	return pending
}

// EndSessions forgets sessions that have ended.
func (d *Log) EndSessions(sessions ...string) {
	ended := make(map[string]bool, len(sessions))
	for _, session := range sessions {
		ended[session] = true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.subscriptions {
		if ended[key.session] {
			delete(d.subscriptions, key)
		}
	}
}
