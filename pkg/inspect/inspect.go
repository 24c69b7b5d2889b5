// Package inspect records the console messages and network requests of a claimed tab's page,
// over the debugger, while a caller wants it.
//
// Rules of this package:
//   - Nothing is recorded before the first call, nor after the tab is released.
//   - A recording is bounded in entries and bytes; dropped entries are counted.
//   - No body of a request or answer is kept. Headers, addresses and texts lose
//     their secrets before they are kept, not when they are read.
//   - When a recording ended by itself, the next call reports it and records again.
//   - A page that floods its recording is ignored for a while: recording one tab must not slow
//     down another.
//   - All of it comes from the page: data, never an instruction.
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
	maxRecordingBytes = 1 << 20 // of a recording
	catchUpTimeout    = 2 * time.Second
)

// Inspector holds the recordings of a profile's tabs. It is safe for concurrent
// use.
type Inspector struct {
	Browser *browser.Browser

	mu       sync.Mutex
	consoles map[int]*console
	networks map[int]*network
}

// Handlers returns the handlers by primitive name.
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
		c.close()
	}
	if n != nil {
		n.close()
	}
}

// recordingFor returns the tab's recording, made at the first call.
func recordingFor[T any](i *Inspector, all *map[int]*T, tabID int, make func() *T) *T {
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

// recording is the common part of both kinds. T is an entry.
type recording[T any] struct {
	starting sync.Mutex // held while the browser is asked

	mu          sync.Mutex
	ring        *ring.Ring[T]
	frameTree   frames
	since       time.Time // zero while nothing is recorded
	cancel      func()    // takes the listener off
	following   *browser.Following
	interrupted string // why an earlier recording ended by itself, until it was reported
}

func recordingOf[T any](entries int) recording[T] {
	return recording[T]{ring: ring.New[T](entries, maxRecordingBytes), frameTree: frames{}}
}

// source describes where the entries of a recording come from.
type source struct {
	// event handles an event of a debugger session; sessionDetached the end of one.
	event           func(session, method string, params json.RawMessage)
	sessionDetached func(session string)
	// reset clears the state of an earlier recording's sessions.
	reset  func()
	domain browser.Domain
	// early: the first events of a frame reach only those who already listen.
	early bool
}

// switchTo starts the recording, or stops it before it is read: events until the browser has
// stopped belong to the last answer. It reports whether a recording began.
func (r *recording[T]) switchTo(ctx context.Context, d *browser.Debugger, origin string, off bool, from source) (started bool, err error) {
	if off {
		return false, r.stop(ctx)
	}
	return r.start(ctx, d, origin, from)
}

// start records from now on unless it does already; it reports whether it began. The listener
// is added before the domains are enabled: replayed events count.
func (r *recording[T]) start(ctx context.Context, d *browser.Debugger, origin string, from source) (bool, error) {
	r.starting.Lock()
	defer r.starting.Unlock()
	r.mu.Lock()
	running, frames := !r.since.IsZero(), r.following
	r.mu.Unlock()
	if running {
		return false, catchUp(ctx, frames, origin)
	}
	r.listen(d, from)
	err := r.enable(ctx, d, origin, from)
	if err != nil {
		_ = r.unfollow(ctx) // the error of enabling is more useful
		r.close()
	}
	return err == nil, err
}

func (r *recording[T]) listen(d *browser.Debugger, from source) {
	r.mu.Lock()
	clear(r.frameTree)
	from.reset()
	r.mu.Unlock()
	onEvent := func(session, method string, params json.RawMessage) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if method == browser.FloodEvent && !r.flooded(params, from.domain.Name) {
			return
		}
		r.frameTree.handleEvent(session, method, params)
		from.event(session, method, params)
	}
	cancel := d.Listen(browser.Listener{
		Event:    func(method string, params json.RawMessage) { onEvent("", method, params) },
		Child:    onEvent,
		Detached: r.detached,
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since, r.cancel = time.Now(), cancel
}

// enable enables the events of the tab and its frames. It lists the frames first, so that
// replayed events can be attributed to them.
func (r *recording[T]) enable(ctx context.Context, d *browser.Debugger, origin string, from source) error {
	locked := func(change func()) {
		r.mu.Lock()
		defer r.mu.Unlock()
		change()
	}
	frames, err := d.Follow(ctx, browser.Follower{
		Domain: from.domain, Early: from.early,
		Attached: func(s browser.ChildSession) { locked(func() { r.frameTree.sessionAttached(s) }) },
		Detached: func(session string) { locked(func() { from.sessionDetached(session) }) },
	})
	if err != nil {
		return err
	}
	locked(func() { r.following = frames })
	if err := catchUp(ctx, frames, origin); err != nil {
		return err
	}
	list, err := frames.Frames(ctx, origin)
	if err != nil {
		return err
	}
	locked(func() { r.frameTree.setFrames(list) })
	if err := frames.Enable(ctx, origin); err != nil {
		return err
	}
	return catchUp(ctx, frames, origin)
}

// flooded counts the events of the domain that did not pass. It reports whether a session is
// off for a while. The caller holds the lock.
func (r *recording[T]) flooded(params json.RawMessage, domain string) (off bool) {
	var f browser.Flood
	if json.Unmarshal(params, &f) != nil || f.Domain != domain {
		return false
	}
	r.ring.Skip(f.Dropped)
	return f.Off
}

// catchUp waits until the events of the page so far were delivered. For a page that is too busy
// to answer, or that goes away meanwhile, the events received so far count.
func catchUp(ctx context.Context, frames *browser.Following, origin string) error {
	if frames == nil {
		return nil // the debugger was just detached: the next call reports it
	}
	wait, cancel := context.WithTimeout(ctx, catchUpTimeout)
	defer cancel()
	err := frames.CatchUp(wait, origin)
	if fault.Is(err, fault.HandlerFailed) || wait.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// stop ends the recording, also in the browser. It waits for the browser with the usual
// timeout, as a busy page may not answer: nothing is recorded any more in either case.
func (r *recording[T]) stop(ctx context.Context) error {
	r.starting.Lock() // what is being switched on just now must not stay on
	defer r.starting.Unlock()
	wait, cancel := context.WithTimeout(ctx, catchUpTimeout)
	defer cancel()
	err := r.unfollow(wait)
	r.close()
	if wait.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// unfollow stops the events in the browser.
func (r *recording[T]) unfollow(ctx context.Context) error {
	r.mu.Lock()
	frames := r.following
	r.mu.Unlock()
	if frames == nil {
		return nil // the debugger has left
	}
	return frames.Stop(ctx)
}

// detached records that the debugger was detached from the tab.
func (r *recording[T]) detached(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.following = nil
	if !r.since.IsZero() {
		r.since, r.interrupted = time.Time{}, reason
	}
}

// close stops listening.
func (r *recording[T]) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since, r.following = time.Time{}, nil
	clear(r.frameTree)
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
}
