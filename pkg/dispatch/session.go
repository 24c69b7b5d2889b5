package dispatch

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fairqueue"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/printable"
)

// Session is one caller: its rights, its current tab and its pace. It is safe
// for concurrent use.
type Session struct {
	// ID names the session in the log.
	ID string
	// Began is when it made its first call.
	Began time.Time
	// SessionKind, Mode and AllowCode are what policy decides by.
	SessionKind policy.SessionKind
	Mode        policy.Mode
	AllowCode   bool
	// Origins are patterns of the pages that it may operate; none: all claimed.
	Origins []string
	// Permits, if not nil, reports whether policy.json lets the session operate an origin now;
	// it is empty for a page without one. Set it before the first call.
	Permits func(origin string) bool
	// Limit, if not nil, returns the mode that the user allows this session at the
	// moment; with ask it may only look. Set it before the first call.
	Limit func() policy.Mode
	// LimitCode, if not nil, reports whether the user lets this session run code at the moment.
	// Set it before the first call.
	LimitCode func() bool
	// NoLoopGuard lets a script repeat calls that a model has no use for.
	NoLoopGuard bool

	mu      sync.Mutex
	reports map[reportKey]givenReport
	stored  bool
	form    bool
	api     bool
	current int
	name    string
	every   time.Duration
	last    time.Time

	loops  loops
	action lastAction
}

// SessionID names the session in the log.
func (s *Session) SessionID() string { return s.ID }

// Sees reports whether the session may know the address and title of a page: neither
// its own restriction nor policy.json excludes that page's origin.
func (s *Session) Sees(url string) bool {
	if len(s.Origins) == 0 && s.Permits == nil {
		return true
	}
	of := originOf(url)
	return (len(s.Origins) == 0 || origin.Allowed(s.Origins, of)) && (s.Permits == nil || s.Permits(of))
}

// withoutHiddenURLs takes out of an answer the addresses that the session may not know: where
// a tab is now, and where the page went on.
func (s *Session) withoutHiddenURLs(meta primitive.Meta) primitive.Meta {
	if meta.Tab != nil && !s.Sees(meta.Tab.URL) {
		tab := *meta.Tab
		tab.URL = ""
		meta.Tab = &tab
	}
	meta.OpenedTabs = slices.Clone(meta.OpenedTabs)
	if n := meta.Navigated; n != nil {
		shown := *n
		if !s.Sees(n.From) {
			shown.From = ""
		}
		if !s.Sees(n.To) {
			shown.To = ""
		}
		meta.Navigated = &shown
	}
	for i, opened := range meta.OpenedTabs {
		if !s.Sees(opened.URL) {
			meta.OpenedTabs[i].URL = ""
		}
	}
	return meta
}

// Name returns the name that the caller gave the session; empty for none.
func (s *Session) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name
}

// SetName sets the session's name for people, who see an escape for each character in it that
// cannot be seen: it stands in questions, whose words it must not turn around.
func (s *Session) SetName(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = printable.Escape(name)
}

// Pace sets the least time between two paced primitives, from the next one on; 0 is
// none. A voice session has 500 ms, so that a person can follow.
func (s *Session) Pace(every time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.every = every
}

// Current returns the id of the session's current tab; 0 is none.
func (s *Session) Current() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// SetCurrent changes the current tab. Only an explicit call does so.
func (s *Session) SetCurrent(tabID int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = tabID
}

// ModeNow returns the mode that the session has at the moment.
func (s *Session) ModeNow() policy.Mode {
	if s.Limit != nil && s.Limit() != policy.ModeAct {
		return policy.ModeAsk
	}
	return s.Mode
}

// CodeNow reports whether the session may run code at the moment.
func (s *Session) CodeNow() bool { return s.AllowCode && (s.LimitCode == nil || s.LimitCode()) }

// SetStoredOnly switches direct primitives off, or on again.
func (s *Session) SetStoredOnly(off bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored = off
}

// SetForm records whether the session's client can ask its user itself.
func (s *Session) SetForm(has bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.form = has
}

// HasForm reports whether the session's client can ask its user itself.
func (s *Session) HasForm() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.form
}

func (s *Session) storedOnly() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored
}

// AllowAPI lets a grant for an origin cover the requests to it that write, or takes that back.
// Without it the user is asked about each of them.
func (s *Session) AllowAPI(allow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.api = allow
}

// AllowsAPI reports whether a grant for an origin covers the requests to it that write.
func (s *Session) AllowsAPI() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.api
}

// Kind returns cli, mcp, voice or agent.
func (s *Session) Kind() string { return string(s.SessionKind) }

// pace waits until the next paced primitive may start, at least so long after
// the last one, and reports how long that took.
func (s *Session) pace(ctx context.Context, least time.Duration) (time.Duration, error) {
	s.mu.Lock()
	now := time.Now()
	start := s.last.Add(max(s.every, least))
	if start.Before(now) {
		start = now
	}
	s.last = start
	s.mu.Unlock()
	wait := start.Sub(now)
	if wait == 0 {
		return 0, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return wait, nil
	case <-ctx.Done():
		return wait, ctx.Err()
	}
}

// paced notes that a paced primitive has ended. The page may have seen it only now: on a
// busy machine input arrives long after its start, and the next one may arrive at once.
func (s *Session) paced() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.After(s.last) {
		s.last = now
	}
}

// lanes lets one outermost call at a time into a tab. Those who wait go round the
// sessions, so that a session with many calls waits for itself.
type lanes struct {
	mu   sync.Mutex
	tabs map[int]*fairqueue.Queue[string]
}

// acquire waits for the tab's lane; the returned function releases it.
func (l *lanes) acquire(ctx context.Context, tabID int, session string) (func(), error) {
	l.mu.Lock()
	if l.tabs == nil {
		l.tabs = map[int]*fairqueue.Queue[string]{}
	}
	lane, ok := l.tabs[tabID]
	if !ok {
		lane = fairqueue.New[string](1)
		l.tabs[tabID] = lane
	}
	l.mu.Unlock()
	return lane.Acquire(ctx, session)
}
