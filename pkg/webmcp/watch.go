package webmcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	cdpwebmcp "github.com/chromedp/cdproto/webmcp"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

// detachTimeout bounds the wait for the event that the debugger was detached.
const detachTimeout = 500 * time.Millisecond

// watch follows the page tools of one tab.
type watch struct {
	tools    *Tools
	tabID    int
	registry *registry.Registry
	wake     chan struct{} // something is to be asked of the browser
	ended    chan struct{}

	requesting sync.Mutex // held while the browser is asked

	mu         sync.Mutex
	sessions   map[string]bool // sessions
	listening  bool            // a listener is on the debugger
	detachDone chan struct{}   // closed when the debugger has left the tab
	cancel     func()          // takes the listener off
	closed     bool
	frames     *browser.Following // those in other processes; nil until it is switched on
}

func newWatch(t *Tools, tabID int) *watch {
	w := &watch{
		tools: t, tabID: tabID, registry: registry.New(), sessions: map[string]bool{},
		wake: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	go w.run()
	return w
}

func (w *watch) addSession(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions[session] = true
}

// removeSessions removes the sessions and reports whether none is left.
func (w *watch) removeSessions(sessions []string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, session := range sessions {
		delete(w.sessions, session)
	}
	return len(w.sessions) == 0
}

// debugger returns the relay for commands to the page of one origin; empty: any.
func (w *watch) debugger(origin string) *browser.Debugger {
	return w.tools.Browser.Debugger(w.tabID).Passive().ForOrigin(origin)
}

// listen starts listening to the tab's events, unless it does already.
func (w *watch) listen() error {
	w.mu.Lock()
	closed, listening := w.closed, w.listening
	if !listening {
		w.listening, w.detachDone = true, make(chan struct{})
	}
	w.mu.Unlock()
	if closed {
		return fault.New(fault.TabNotClaimed, "the tab was released").WithDispatched(fault.NotDispatched)
	}
	if listening {
		return nil
	}
	cancel := w.debugger("").Listen(browser.Listener{
		Event:    func(method string, params json.RawMessage) { w.onDebuggerEvent("", method, params) },
		Child:    w.onDebuggerEvent,
		Detached: w.detached,
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		cancel()
	}
	w.cancel = cancel
	return nil
}

// followFrames follows the frames in other processes, unless it does already.
func (w *watch) followFrames(ctx context.Context) error {
	if w.following() != nil {
		return nil
	}
	frames, err := w.debugger("").Follow(ctx, browser.Follower{
		Domain: browser.Domain{Disable: []browser.Command{{Method: cdpwebmcp.CommandDisable, Params: struct{}{}}}},
		Attached: func(s browser.ChildSession) {
			w.handleEvent(s.ParentSession, registry.SessionAttached{Session: s.ID, Frame: s.Frame})
		},
		Detached: func(session string) { w.handleEvent("", registry.SessionDetached{Session: session}) },
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listening { // else the debugger has left meanwhile
		w.frames = frames
	}
	return nil
}

func (w *watch) following() *browser.Following {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.frames
}

// detached resets the watch: the next use attaches anew.
func (w *watch) detached(string) {
	w.reportInvocations(w.registry.Reset())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frames = nil
	if w.listening {
		w.listening = false
		close(w.detachDone)
	}
}

// awaitDetached waits for the detached event after a command has failed with that: the two may
// come in any order.
func (w *watch) awaitDetached(ctx context.Context) {
	w.mu.Lock()
	detached := w.detachDone
	w.mu.Unlock()
	late := time.NewTimer(detachTimeout)
	defer late.Stop()
	select {
	case <-detached:
	case <-late.C:
	case <-ctx.Done():
	}
}

func (w *watch) isListening() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.listening
}

// onDebuggerEvent handles one event. One that cannot be decoded is ignored: its content is
// requested again at the next use.
func (w *watch) onDebuggerEvent(session, method string, params json.RawMessage) {
	event, err := registry.Decode(method, params)
	if err != nil || event == nil {
		return
	}
	w.handleEvent(session, event)
}

func (w *watch) handleEvent(session string, event registry.Event) {
	w.reportInvocations(w.registry.HandleEvent(session, event))
	if len(w.registry.PendingSessions()) > 0 {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

func (w *watch) reportInvocations(seen []registry.Invocation) {
	for _, one := range seen {
		w.tools.OnInvocation(w.tabID, one)
	}
}

// run requests pending frames, so that tools of new frames are known and invocations of other
// clients are seen.
func (w *watch) run() {
	for {
		select {
		case <-w.wake:
			if !w.isListening() {
				continue // the debugger was detached: nothing in the background attaches it again
			}
			ctx, cancel := context.WithTimeout(context.Background(), backgroundTimeout)
			// What fails now is requested again at the next use, which returns the error.
			_, _ = w.requestFrames(ctx, w.debugger(""), false)
			cancel()
		case <-w.ended:
			return
		}
	}
}

// stop switches everything off in the browser.
func (w *watch) stop(ctx context.Context) {
	w.close()
	w.requesting.Lock() // what is being asked just now must not switch it on again
	defer w.requesting.Unlock()
	// A tab or a browser that is gone has nothing left to be switched off.
	if frames := w.following(); frames != nil {
		_ = frames.Stop(ctx)
	}
	_ = w.debugger("").DetachIfIdle(ctx)
}

// close stops listening.
func (w *watch) close() {
	w.mu.Lock()
	closed, cancel := w.closed, w.cancel
	w.closed = true
	w.mu.Unlock()
	if closed {
		return
	}
	if cancel != nil {
		cancel()
	}
	w.reportInvocations(w.registry.Reset())
	close(w.ended)
}
