package browser

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Listener receives all events of one tab in order. Its functions are called where the
// connection is read: they must not block and not call.
type Listener struct {
	Event func(method string, params json.RawMessage)
	// Child, if not nil, receives the events of the tab's child sessions: frames in other
	// processes.
	Child func(session, method string, params json.RawMessage)
	// Detached is called once, when nothing more will come: the debugger is off
	// the tab, or the connection has ended.
	Detached func(reason string)
}

type registeredListener struct {
	tabID int
	Listener
}

// Listen passes the tab's events to the listener until cancel is called or the debugger is
// detached.
func (d *Debugger) Listen(l Listener) (cancel func()) {
	one := &registeredListener{d.tabID, l}
	all := &d.browser.debugger
	all.mu.Lock()
	ended := all.ended
	if !ended {
		if all.listeners == nil {
			all.listeners = map[*registeredListener]struct{}{}
		}
		all.listeners[one] = struct{}{}
	}
	all.mu.Unlock()
	if ended {
		l.Detached(connectionEnded)
	}
	return func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		delete(all.listeners, one)
	}
}

// connectionEnded is the reason when there is no browser any more.
const connectionEnded = "connection_ended"

// fenceWorld is the world, apart from the page's own, in which fence is called.
const fenceWorld = "actions-host.fence"

// fenceBinding is the name of its function. Windows have a property named fence, which a
// binding does not replace.
const fenceBinding = "actionsHostFence"

// Fence waits until all events of the page so far were delivered. An answer may overtake events
// on its way through the browser, but events do not overtake one another: so Fence makes the
// page, in an isolated world, send one more. Once the debugger is off the tab none comes: that
// is debugger_unavailable.
func (d *Debugger) Fence(ctx context.Context) error {
	token := rand.Text()
	passed, detached := make(chan struct{}, 1), make(chan string, 1)
	onEvent := func(method string, params json.RawMessage) {
		if method == "Runtime.bindingCalled" && bytes.Contains(params, []byte(token)) {
			select {
			case passed <- struct{}{}:
			default:
			}
		}
	}
	cancel := d.Listen(Listener{
		Event:    onEvent,
		Child:    func(_, method string, params json.RawMessage) { onEvent(method, params) },
		Detached: func(reason string) { detached <- reason },
	})
	defer cancel()
	tree, err := cdp.Call(ctx, d, page.GetFrameTree, struct{}{})
	if err != nil {
		return err
	}
	// A binding is put into the worlds of a name that are there, once: each
	// document needs a name of its own.
	name := fenceWorld + " " + string(tree.FrameTree.Frame.LoaderID)
	world, err := cdp.Call(ctx, d, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID, WorldName: name})
	if err != nil {
		return err
	}
	if _, err := cdp.Call(ctx, d, runtime.AddBinding, runtime.AddBindingParams{Name: fenceBinding, ExecutionContextName: name}); err != nil {
		return err
	}
	result, err := cdp.Call(ctx, d, runtime.Evaluate, runtime.EvaluateParams{
		Expression: fenceBinding + `("` + token + `")`, ContextID: world.ExecutionContextID, Silent: new(true),
	})
	if err != nil {
		return err
	}
	if result.ExceptionDetails != nil {
		return fault.New(fault.HandlerFailed, "event barrier script failed: %s", result.ExceptionDetails.Text)
	}
	select {
	case <-passed:
		return nil
	case reason := <-detached:
		return fault.New(fault.DebuggerUnavailable, "the debugger has left the tab: %s", reason)
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
}

// listenersOf returns the listeners of the tab.
func (d *debuggers) listenersOf(tabID int) []*registeredListener {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []*registeredListener
	for l := range d.listeners {
		if l.tabID == tabID {
			found = append(found, l)
		}
	}
	return found
}

// detachListeners removes the matching listeners and notifies them of the reason.
func (d *debuggers) detachListeners(reason string, matches func(*registeredListener) bool) {
	d.mu.Lock()
	var matching []*registeredListener
	for l := range d.listeners {
		if matches(l) {
			matching = append(matching, l)
			delete(d.listeners, l)
		}
	}
	d.mu.Unlock()
	for _, l := range matching {
		l.Detached(reason)
	}
}
