// Package inspect records what the page of a claimed tab says to the console and
// asks of the network, over the debugger, for as long as somebody asked for it.
//
// Rules of this package:
//   - Nothing is recorded before the first call, nor after the tab is released.
//   - A recording is bounded in entries and bytes; what had to go is counted.
//   - No body of a request or answer is kept. Headers, addresses and texts lose
//     their secrets before they are kept, not when they are read.
//   - When a recording ended by itself, the next call says so and records again.
//   - All of it is the page's own word: data, never an instruction.
package inspect

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/ring"
)

const (
	defaultLimit = 50
	keptBytes    = 1 << 20 // of a recording
	hearTime     = 2 * time.Second
)

// Inspector holds the recordings of a profile's tabs. It is safe for concurrent
// use.
type Inspector struct {
	Browser *browser.Browser

	mu       sync.Mutex
	consoles map[int]*console
	networks map[int]*network
}

// Handlers gives the handlers by primitive name.
func (i *Inspector) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{"browser.console": i.console, "browser.network": i.network}
}

// Forget drops what was recorded of the tab. The debugger's own end ends the
// recording in the browser.
func (i *Inspector) Forget(tabID int) {
	i.mu.Lock()
	c, n := i.consoles[tabID], i.networks[tabID]
	delete(i.consoles, tabID)
	delete(i.networks, tabID)
	i.mu.Unlock()
	if c != nil {
		c.end()
	}
	if n != nil {
		n.end()
	}
}

// of gives the tab's recording, made at the first call.
func of[T any](i *Inspector, all *map[int]*T, tabID int, make func() *T) *T {
	i.mu.Lock()
	defer i.mu.Unlock()
	if *all == nil {
		*all = map[int]*T{}
	}
	if (*all)[tabID] == nil {
		(*all)[tabID] = make()
	}
	return (*all)[tabID]
}

// recording is what both kinds have in common. T is an entry.
type recording[T any] struct {
	starting sync.Mutex // held while the browser is asked

	mu          sync.Mutex
	ring        *ring.Ring[T]
	since       time.Time // zero while nothing is recorded
	cancel      func()    // takes the listener off
	interrupted string    // why an earlier recording ended by itself, until it was told
}

// start records from now on unless it does already; it tells whether it began.
// The listener is there before the domains are enabled: what they replay counts.
func (r *recording[T]) start(ctx context.Context, d *browser.Debugger, event func(method string, params json.RawMessage), enable func(context.Context) error) (bool, error) {
	r.starting.Lock()
	defer r.starting.Unlock()
	r.mu.Lock()
	running := !r.since.IsZero()
	r.mu.Unlock()
	if running {
		return false, hear(ctx, d)
	}
	cancel := d.Listen(browser.Listener{
		Event: func(method string, params json.RawMessage) {
			r.mu.Lock()
			defer r.mu.Unlock()
			event(method, params)
		},
		Detached: r.detached,
	})
	r.mu.Lock()
	r.since, r.cancel = time.Now(), cancel
	r.mu.Unlock()
	err := enable(ctx)
	if err == nil {
		err = hear(ctx, d)
	}
	if err != nil {
		r.end()
	}
	return err == nil, err
}

// hear waits until what happened in the page so far was told. A page that is too
// busy to answer, or that goes away meanwhile, is read as far as it has come.
func hear(ctx context.Context, d *browser.Debugger) error {
	wait, cancel := context.WithTimeout(ctx, hearTime)
	defer cancel()
	err := d.Fence(wait)
	if fault.Is(err, fault.HandlerFailed) || wait.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// detached notes that the debugger has left the tab.
func (r *recording[T]) detached(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.since.IsZero() {
		r.since, r.interrupted = time.Time{}, reason
	}
}

// end stops listening.
func (r *recording[T]) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since = time.Time{}
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
}

// question is what both primitives are asked.
type question struct {
	Since *uint64 `json:"since"`
	Limit int     `json:"limit"`
	Clear bool    `json:"clear"`
	Stop  bool    `json:"stop"`
}

// answer is what both answer.
type answer[T any] struct {
	Entries        []T        `json:"entries"`
	NextCursor     uint64     `json:"next_cursor"`
	HasMore        bool       `json:"has_more"`
	Dropped        uint64     `json:"dropped"`
	Recording      bool       `json:"recording"`
	RecordingSince *time.Time `json:"recording_since,omitzero"`
	Started        bool       `json:"started,omitzero"`
	Interrupted    string     `json:"interrupted,omitzero"`
	Trust          string     `json:"trust"`
}

// read gives the entries that match: behind the cursor the oldest, without one
// the latest.
func (r *recording[T]) read(q question, matches func(T) bool, numbered func(T, uint64) T) answer[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	limit := q.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	a := answer[T]{Entries: []T{}, NextCursor: r.ring.Last(), Recording: !r.since.IsZero(), Interrupted: r.interrupted, Trust: "untrusted"}
	since := uint64(0)
	if q.Since != nil {
		// A cursor of an earlier life of the host is behind all there is.
		if *q.Since <= r.ring.Last() {
			since = *q.Since
		}
	}
	a.Dropped = r.ring.Dropped(since)
	for seq, entry := range r.ring.Since(since) {
		if !matches(entry) {
			continue
		}
		if len(a.Entries) == limit {
			a.HasMore = true
			if q.Since != nil {
				break
			}
			a.Entries = a.Entries[1:]
		}
		a.Entries = append(a.Entries, numbered(entry, seq))
		if q.Since != nil {
			a.NextCursor = seq
		}
	}
	if !a.HasMore {
		a.NextCursor = r.ring.Last()
	}
	if a.Recording {
		at := r.since.UTC().Truncate(time.Millisecond)
		a.RecordingSince = &at
	}
	r.interrupted = ""
	if q.Clear {
		r.ring.Clear()
	}
	return a
}
