package pagetools

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	cdpwebmcp "github.com/chromedp/cdproto/webmcp"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/webmcp"
)

// goneTime bounds the wait for the word that the debugger has left.
const goneTime = 500 * time.Millisecond

// watch follows the page tools of one tab.
type watch struct {
	tools    *Tools
	tabID    int
	registry *webmcp.Registry
	wake     chan struct{} // something is to be asked of the browser
	ended    chan struct{}

	asking sync.Mutex // held while the browser is asked

	mu      sync.Mutex
	wanted  map[string]bool // sessions
	hearing bool            // a listener is on the debugger
	gone    chan struct{}   // closed when the debugger has left the tab
	cancel  func()          // takes the listener off
	over    bool
}

func newWatch(t *Tools, tabID int) *watch {
	w := &watch{
		tools: t, tabID: tabID, registry: webmcp.New(), wanted: map[string]bool{},
		wake: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	go w.follow()
	return w
}

func (w *watch) want(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wanted[session] = true
}

// unwant tells whether nobody wants the watch any more.
func (w *watch) unwant(session string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.wanted, session)
	return len(w.wanted) == 0
}

// debugger gives the relay for commands to the page of one origin; empty: any.
func (w *watch) debugger(origin string) *browser.Debugger {
	return w.tools.Browser.Debugger(w.tabID).Beside().On(origin)
}

// listen hears the tab's events from now on, unless it does already.
func (w *watch) listen() error {
	w.mu.Lock()
	over, hearing := w.over, w.hearing
	if !hearing {
		w.hearing, w.gone = true, make(chan struct{})
	}
	w.mu.Unlock()
	if over {
		return fault.New(fault.TabNotClaimed, "the tab was released").WithDispatched(fault.NotDispatched)
	}
	if hearing {
		return nil
	}
	cancel := w.debugger("").Listen(browser.Listener{
		Event:    func(method string, params json.RawMessage) { w.hear("", method, params) },
		Child:    w.hear,
		Detached: w.detached,
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		cancel()
	}
	w.cancel = cancel
	return nil
}

// detached forgets all: the next use attaches anew.
func (w *watch) detached(string) {
	w.registry.Reset()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hearing {
		w.hearing = false
		close(w.gone)
	}
}

// awaitGone waits for the word that the debugger has left, after a command found
// that out: the two come by different ways.
func (w *watch) awaitGone(ctx context.Context) {
	w.mu.Lock()
	gone := w.gone
	w.mu.Unlock()
	late := time.NewTimer(goneTime)
	defer late.Stop()
	select {
	case <-gone:
	case <-late.C:
	case <-ctx.Done():
	}
}

func (w *watch) hears() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hearing
}

// hear takes one event. One that cannot be read is passed over: what it told is
// asked anew at the next use.
func (w *watch) hear(session, method string, params json.RawMessage) {
	event, err := webmcp.Decode(method, params)
	if err != nil || event == nil {
		return
	}
	w.tell(w.registry.Hear(session, event))
	if len(w.registry.Due()) > 0 {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

func (w *watch) tell(seen []webmcp.Invocation) {
	for _, one := range seen {
		w.tools.Seen(w.tabID, one)
	}
}

// follow asks for what events left open, so that tools of new frames are known
// and the invocations of others are seen.
func (w *watch) follow() {
	for {
		select {
		case <-w.wake:
			if !w.hears() {
				continue // the debugger was taken off: nothing in the background brings it back
			}
			ctx, cancel := context.WithTimeout(context.Background(), backgroundTime)
			// What fails now is asked again at the next use, which says why.
			_, _ = w.ask(ctx, w.debugger(""))
			cancel()
		case <-w.ended:
			return
		}
	}
}

// stop switches everything off in the browser.
func (w *watch) stop(ctx context.Context) {
	w.end()
	w.asking.Lock() // what is being asked just now must not switch it on again
	defer w.asking.Unlock()
	d := w.debugger("")
	// A tab or a browser that is gone has nothing left to be switched off.
	_, _ = cdp.Call(ctx, d, cdpwebmcp.Disable, struct{}{})
	_, _ = cdp.Call(ctx, d, target.SetAutoAttach, target.SetAutoAttachParams{})
	_ = d.Leave(ctx)
}

// end stops listening.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	w.over = true
	if w.cancel != nil {
		w.cancel()
	}
	w.registry.Reset()
	close(w.ended)
}
