package site

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// observePrimitive listens for events in a tab's document.
const observePrimitive = "signal.observe"

// Limits of a tab's events. A page may send up to 20 events of 16 KiB a second; a
// list must stay short all the same.
const (
	maxStoredEvents   = 50
	maxListedEvents   = 10
	maxListedPayload  = 400 // bytes; a longer one is in the log at most
	maxObservedEvents = 100 // names; as many as the primitive takes
	observeTimeout    = 5 * time.Second
)

// Event is an event that a page dispatched, as the extension reports it. Payload is
// JSON from the page.
type Event struct {
	ID      string
	TabID   int
	Name    string
	Payload json.RawMessage
	URL     string // of the document
	At      time.Time
	Dropped int // events before it that were too many or too large
}

// PageEvent is an event that a map declares and whose payload fits: data of an
// untrusted page.
type PageEvent struct {
	EventID      string          `json:"event_id"`
	Signal       string          `json:"signal"`
	Event        string          `json:"event"`
	Trust        string          `json:"trust"` // untrusted
	Payload      json.RawMessage `json:"payload,omitzero"`
	PayloadBytes int             `json:"payload_bytes,omitzero"` // of a payload too long for a list
	Map          string          `json:"map"`
	URL          string          `json:"url"`
	At           time.Time       `json:"at"`
	Dropped      int             `json:"dropped,omitzero"`
}

// signals keeps the events of each tab and knows what is observed. It is safe
// for concurrent use.
type signals struct {
	mu     sync.Mutex
	events map[int][]PageEvent
	tabs   map[int]*observed
}

// observed is what a tab's document is observed for; its lock is held while the
// page is asked, so that one document is not asked twice.
type observed struct {
	mu      sync.Mutex
	runtime string
	events  string // the names, joined

	attachedRuntime string // the document that attachments were installed in
	attachments     string // the arguments
}

// Event takes an event of a page. It returns one PageEvent for each signal of the
// page's maps that it matches, and stores them; where it matches none, or its payload
// is invalid, the fault is invalid_input and nothing is stored.
func (s *Site) Event(e Event) ([]PageEvent, error) {
	var accepted []PageEvent
	err := error(fault.New(fault.InvalidInput, "no map of the page declares a signal for the event"))
	for _, entry := range s.Store.Match(e.URL).Maps {
		for _, signal := range s.compiled.get(entry).model.Signals {
			if !acceptsEvents(signal) || signal.Event != e.Name {
				continue
			}
			if invalid := signal.Validate(e.Payload); invalid != nil {
				err = invalid
				continue
			}
			accepted = append(accepted, PageEvent{
				EventID: e.ID, Signal: signal.Name, Event: e.Name, Trust: "untrusted", Payload: e.Payload,
				Map: entry.Path, URL: e.URL, At: e.At.UTC(), Dropped: e.Dropped,
			})
		}
	}
	if len(accepted) == 0 {
		return nil, err
	}
	s.signals.store(e.TabID, accepted)
	return accepted, nil
}

// Observe makes sure that the tab's document is observed for the signals of its
// maps; a document that is, is not asked again. Without signals it does nothing.
func (s *Site) Observe(ctx context.Context, tabID int, runtimeID, url string) error {
	events := s.observable(s.Store.View(ctx, url))
	if len(events) == 0 || s.CallAsHost == nil {
		return nil
	}
	of := s.signals.tab(tabID)
	of.mu.Lock()
	defer of.mu.Unlock()
	names := strings.Join(events, "\n")
	if runtimeID != "" && of.runtime == runtimeID && of.events == names {
		return nil
	}
	args, err := primitive.Output(map[string]any{"events": events})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, observeTimeout)
	defer cancel()
	if _, err := s.CallAsHost(ctx, tabID, observePrimitive, args); err != nil {
		return err
	}
	of.runtime, of.events = runtimeID, names
	return nil
}

// Forget drops what is known of a tab's events, of what is observed in it, and its markers.
func (s *Site) Forget(tabID int) {
	s.markers.forget(tabID)
	s.signals.mu.Lock()
	defer s.signals.mu.Unlock()
	delete(s.signals.events, tabID)
	delete(s.signals.tabs, tabID)
}

// observable lists the names of the events that the maps let in, each once.
func (s *Site) observable(site storage.Site) []string {
	var events []string
	for _, entry := range site.Maps {
		for _, signal := range s.compiled.get(entry).model.Signals {
			if acceptsEvents(signal) && len(signal.Event) <= 200 {
				events = append(events, signal.Event)
			}
		}
	}
	slices.Sort(events)
	events = slices.Compact(events)
	return events[:min(len(events), maxObservedEvents)]
}

// acceptsEvents reports whether the signal lets events of the page in.
func acceptsEvents(s pagemodel.Signal) bool { return s.Enabled && s.Direction != "agent_to_html" }

// latest returns the last events of the tab from pages of the given one's origin:
// the events of another site are not this page's.
func (s *Site) latest(tabID int, url string) []PageEvent {
	page, err := origin.Parse(url)
	if err != nil {
		return nil
	}
	s.signals.mu.Lock()
	defer s.signals.mu.Unlock()
	var events []PageEvent
	for _, e := range s.signals.events[tabID] {
		if from, err := origin.Parse(e.URL); err != nil || from.String() != page.String() {
			continue
		}
		if len(e.Payload) > maxListedPayload {
			e.Payload, e.PayloadBytes = nil, len(e.Payload)
		}
		events = append(events, e)
	}
	return events[max(0, len(events)-maxListedEvents):]
}

func (s *signals) store(tabID int, events []PageEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.events == nil {
		s.events = map[int][]PageEvent{}
	}
	all := append(s.events[tabID], events...)
	s.events[tabID] = slices.Clone(all[max(0, len(all)-maxStoredEvents):])
}

func (s *signals) tab(tabID int) *observed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tabs == nil {
		s.tabs = map[int]*observed{}
	}
	s.tabs[tabID] = cmp.Or(s.tabs[tabID], &observed{})
	return s.tabs[tabID]
}
