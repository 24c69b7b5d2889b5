package profile

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/site"
)

// rejectedEventsInterval is the least time between two records of rejected events: a
// page must not fill the log with unwanted events.
const rejectedEventsInterval = time.Minute

// A page may send as many events as its maps let in, and retention makes room for them with
// what the log has; of a tab's events it takes so many records, and bytes, in an interval.
const (
	eventsInterval      = time.Minute
	maxLoggedEvents     = 300
	maxLoggedEventBytes = 256 << 10
)

// eventLimits bounds the records of each tab's events.
type eventLimits struct {
	mu   sync.Mutex
	tabs map[int]*recordLimit
}

// take sets how many events were dropped before this one, those left out of the log
// included, and reports whether there is room for its record.
func (l *eventLimits) take(tabID int, e *site.PageEvent, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tabs == nil {
		l.tabs = map[int]*recordLimit{}
	}
	of := l.tabs[tabID]
	if of == nil {
		of = &recordLimit{}
		l.tabs[tabID] = of
	}
	size := min(len(e.Payload)+len(e.URL), journal.MaxData)
	before, ok := of.take(recordBudget{eventsInterval, maxLoggedEvents, maxLoggedEventBytes}, now, size, e.Dropped)
	if ok {
		e.Dropped = before
	}
	return ok
}

func (l *eventLimits) forget(tabID int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tabs, tabID)
}

// rejectedEvents counts the events that no map declares, or whose payload does not fit.
type rejectedEvents struct {
	mu    sync.Mutex
	last  time.Time // of the record
	count int       // since then
}

// rejectedEventsRecord is their log record. It has the event's name, which a map
// declares, and nothing else that the page sent.
type rejectedEventsRecord struct {
	Event   string `json:"event"` // the latest
	TabID   int    `json:"tab_id"`
	URL     string `json:"url"`
	Dropped int    `json:"dropped"` // this one and those since the last record
	Reason  string `json:"reason"`
}

// DOMEvent logs an event of a claimed tab's page, within the limits, and stores it for the
// next list, if a map of the page declares it and its payload is valid.
func (p *profile) DOMEvent(e protocol.DomEvent) {
	tab, claimed := p.tabs.Get(e.TabID)
	if !claimed || tab.RuntimeID != "" && tab.RuntimeID != e.RuntimeID {
		return
	}
	events, err := p.actions.Event(site.Event{
		ID: e.EventID, TabID: e.TabID, Name: e.Name, Payload: e.Payload, URL: e.URL,
		At: time.UnixMilli(int64(e.ObservedAtMS)), Dropped: e.Dropped,
	})
	ctx := context.Background()
	if err != nil {
		if n := p.rejectedEvents.add(time.Now()); n > 0 {
			data := rejectedEventsRecord{Event: e.Name, TabID: e.TabID, URL: e.URL, Dropped: n, Reason: fault.From(err).Message}
			p.logError("logging events that did not fit", p.appendRecord(ctx, journal.TypePolicy, data))
		}
		return
	}
	for _, one := range events {
		if !p.eventLimits.take(e.TabID, &one, time.Now()) {
			continue
		}
		p.logError("logging an event", p.appendRecord(ctx, journal.TypeDOMEvent, one))
	}
}

// add counts one event. It returns how many to log now, 0 for none.
func (u *rejectedEvents) add(now time.Time) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count++
	if now.Sub(u.last) < rejectedEventsInterval {
		return 0
	}
	n := u.count
	u.last, u.count = now, 0
	return n
}

// Announced stores the announcements of a claimed tab's page. Those of a document that
// has ended are dropped.
func (p *profile) Announced(a protocol.Announcements) {
	tab, claimed := p.tabs.Get(a.TabID)
	if !claimed || tab.RuntimeID != "" && tab.RuntimeID != a.RuntimeID {
		return
	}
	p.logError("keeping announcements", p.a11y.Announced(a))
}

// observe has the tab's document observed for the signals of its maps, and their
// attachments installed. It does not wait: the extension's messages, of which this is
// one, come in order.
func (p *profile) observe(tabID int) {
	p.observing.do(tabID, func() {
		tab, ok := p.tabs.Get(tabID)
		if !ok {
			return
		}
		p.refreshAgents()
		// A document that is gone, or a page that no script reaches, needs none;
		// the call path has logged why. The next list or call tries again.
		_ = p.actions.Observe(context.Background(), tabID, tab.RuntimeID, tab.URL)
		_ = p.actions.Attach(context.Background(), tabID, tab.RuntimeID, tab.URL)
		_ = p.a11y.ObserveAgain(context.Background(), tabID)
	})
}

// logError logs the error of work that no caller waits for.
func (p *profile) logError(what string, err error) {
	if err != nil {
		p.log.Error(what, "error", err)
	}
}

// appendRecord adds a record about the profile to the log.
func (p *profile) appendRecord(ctx context.Context, kind string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "a log record cannot be written: %v", err)
	}
	return p.journal.Append(ctx, journal.Record{Type: kind, Data: raw})
}
