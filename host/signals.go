package main

import (
	"context"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/site"
)

// unfitEvery is the least time between two records of events that did not fit:
// a page must not fill the log with what nobody asked for.
const unfitEvery = time.Minute

// unfit counts the events that no map declares, or whose payload does not fit.
type unfit struct {
	mu    sync.Mutex
	last  time.Time // of the record
	count int       // since then
}

// unfitEvents is what the log says of them. The event's name was asked for; of
// what the page sent nothing stands here.
type unfitEvents struct {
	Event   string `json:"event"` // the latest
	TabID   int    `json:"tab_id"`
	URL     string `json:"url"`
	Dropped int    `json:"dropped"` // this one and those since the last record
	Reason  string `json:"reason"`
}

// DOMEvent takes an event of a claimed tab's page into the log and for the next
// list, if a map of the page declares it and its payload fits.
func (p *profile) DOMEvent(e protocol.DomEvent) {
	tab, claimed := p.tabs.Get(e.TabID)
	if !claimed || tab.RuntimeID != "" && tab.RuntimeID != e.RuntimeID {
		return
	}
	told, err := p.actions.Event(site.Event{
		ID: e.EventID, TabID: e.TabID, Name: e.Name, Payload: e.Payload, URL: e.URL,
		At: time.UnixMilli(int64(e.ObservedAtMS)), Dropped: e.Dropped,
	})
	ctx := context.Background()
	if err != nil {
		if n := p.unfit.add(time.Now()); n > 0 {
			data := unfitEvents{Event: e.Name, TabID: e.TabID, URL: e.URL, Dropped: n, Reason: fault.From(err).Message}
			p.tried("logging events that did not fit", p.note(ctx, journal.TypePolicy, data))
		}
		return
	}
	for _, one := range told {
		p.tried("logging an event", p.note(ctx, journal.TypeDOMEvent, one))
	}
}

// add counts one; a result above zero is due for a record.
func (u *unfit) add(now time.Time) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count++
	if now.Sub(u.last) < unfitEvery {
		return 0
	}
	n := u.count
	u.last, u.count = now, 0
	return n
}

// Announced keeps what the live regions of a claimed tab's page said. A document
// that is gone has nothing to say.
func (p *profile) Announced(a protocol.Announcements) {
	tab, claimed := p.tabs.Get(a.TabID)
	if !claimed || tab.RuntimeID != "" && tab.RuntimeID != a.RuntimeID {
		return
	}
	p.tried("keeping announcements", p.a11y.Announced(a))
}

// observe has the tab's document observed for the signals of its maps, and their
// attachments put into it. It does not wait: the extension's messages, of which this is one, come in order.
func (p *profile) observe(tabID int) {
	tab, ok := p.tabs.Get(tabID)
	if !ok {
		return
	}
	go func() {
		p.desk.Voice.Refresh()
		// A document that is gone, or a page that no script reaches, needs none;
		// the call path has logged why. The next list or call tries again.
		_ = p.actions.Observe(context.Background(), tabID, tab.RuntimeID, tab.URL)
		_ = p.actions.Attach(context.Background(), tabID, tab.RuntimeID, tab.URL)
		_ = p.a11y.Renew(context.Background(), tabID)
	}()
}

// tried reports the failure of what nobody waits for.
func (p *profile) tried(what string, err error) {
	if err != nil {
		p.log.Error(what, "error", err)
	}
}
