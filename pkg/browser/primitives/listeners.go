package primitives

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	// listenersTimeout bounds the search for listeners, which a snapshot can do without.
	listenersTimeout = 500 * time.Millisecond
	// maxAnnounced is how many elements one snapshot announces to the page code.
	maxAnnounced = 100
	// maxTypes is what an element listens for at most that is a target itself: the root of a
	// framework listens for everything that happens in it.
	maxTypes = 20
)

// listenersWorld is the world, apart from the page's own, from which elements are announced.
const listenersWorld = "actions-host.listeners"

// announceScript sends an event of the name at each element, for the page code, which takes the
// event before anything else can.
const announceScript = `function(name, ...all) { for (const el of all) el.dispatchEvent(new Event(name, {composed: true})) }`

var pressTypes = []string{"click", "mousedown", "pointerdown", "mouseup", "dblclick"}

// listeners knows of each tab's document which elements were announced to the page code.
type listeners struct {
	mu   sync.Mutex
	tabs map[int]*announced
}

// announced is what was announced in one document.
type announced struct {
	mu        sync.Mutex
	runtimeID string // of the document
	event     string
	nodes     map[cdp.BackendNodeID]bool
	world     runtime.ExecutionContextID
	document  runtime.RemoteObjectID // of the world; empty before it is made
}

// in returns what was announced in the document that the tab shows.
func (l *listeners) in(tabID int, runtimeID string) *announced {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.tabs[tabID]; a != nil && a.runtimeID == runtimeID {
		return a
	}
	if l.tabs == nil {
		l.tabs = map[int]*announced{}
	}
	l.tabs[tabID] = &announced{runtimeID: runtimeID, event: rand.Text(), nodes: map[cdp.BackendNodeID]bool{}}
	return l.tabs[tabID]
}

func (l *listeners) forget(tabID int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tabs, tabID)
}

// announceListeners makes the page code of the tab's own document know which elements listen for
// presses, where the debugger is in use anyway: only it sees what scripts have added. An error
// only means that a snapshot has fewer refs.
func (h *Handlers) announceListeners(ctx context.Context, c primitive.Call) {
	tab, ok := h.Tabs.Get(c.TabID)
	if !ok || !h.Browser.DebuggerInUse(c.TabID) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, listenersTimeout)
	defer cancel()
	a := h.listeners.in(c.TabID, tab.RuntimeID)
	a.mu.Lock()
	defer a.mu.Unlock()
	d := h.Browser.Debugger(c.TabID).Passive().ForOrigin(c.Origin)
	if a.document == "" && a.enter(ctx, d) != nil {
		return
	}
	found, err := cdp.Call(ctx, d, domdebugger.GetEventListeners, domdebugger.GetEventListenersParams{ObjectID: a.document, Depth: new(int64(-1)), Pierce: new(true)})
	if err != nil {
		h.listeners.forget(c.TabID) // the world went away with its document
		return
	}
	added := slices.DeleteFunc(pressTargets(found.Listeners), func(id cdp.BackendNodeID) bool { return a.nodes[id] })
	args, err := json.Marshal(map[string]string{"event": a.event})
	if err != nil || len(added) == 0 {
		return
	}
	if _, err := h.inPage(ctx, c, "snapshot.listeners", args); err == nil {
		a.announce(ctx, d, added[:min(len(added), maxAnnounced)])
	}
}

// enter makes a world of its own in the document.
func (a *announced) enter(ctx context.Context, d *browser.Debugger) error {
	tree, err := cdp.Call(ctx, d, page.GetFrameTree, struct{}{})
	if err != nil {
		return err
	}
	world, err := cdp.Call(ctx, d, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID, WorldName: listenersWorld})
	if err != nil {
		return err
	}
	a.world = world.ExecutionContextID
	result, err := cdp.Call(ctx, d, runtime.Evaluate, runtime.EvaluateParams{Expression: "document", ContextID: a.world, Silent: new(true)})
	if err != nil {
		return err
	}
	a.document = result.Result.ObjectID
	return nil
}

// pressTargets returns the elements that listen for presses, in the order of the document.
func pressTargets(all []*domdebugger.EventListener) []cdp.BackendNodeID {
	var order []cdp.BackendNodeID
	types := map[cdp.BackendNodeID][]string{}
	for _, l := range all {
		if types[l.BackendNodeID] == nil {
			order = append(order, l.BackendNodeID)
		}
		if !slices.Contains(types[l.BackendNodeID], l.Type) {
			types[l.BackendNodeID] = append(types[l.BackendNodeID], l.Type)
		}
	}
	return slices.DeleteFunc(order, func(id cdp.BackendNodeID) bool {
		presses := slices.ContainsFunc(types[id], func(t string) bool { return slices.Contains(pressTypes, t) })
		return id == 0 || !presses || len(types[id]) > maxTypes
	})
}

// announce sends the event at each of the nodes. All are resolved together: each alone would cost
// the way to the browser and back.
func (a *announced) announce(ctx context.Context, d *browser.Debugger, nodes []cdp.BackendNodeID) {
	resolved := make([]runtime.RemoteObjectID, len(nodes))
	var all sync.WaitGroup
	for i, id := range nodes {
		a.nodes[id] = true
		all.Go(func() {
			// A node of a frame is not of this world.
			if node, err := cdp.Call(ctx, d, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: a.world, ObjectGroup: listenersWorld}); err == nil {
				resolved[i] = node.Object.ObjectID
			}
		})
	}
	all.Wait()
	name, err := json.Marshal(a.event)
	if err != nil {
		return
	}
	arguments := []*runtime.CallArgument{{Value: name}}
	for _, id := range resolved {
		if id != "" {
			arguments = append(arguments, &runtime.CallArgument{ObjectID: id})
		}
	}
	_, _ = cdp.Call(ctx, d, runtime.CallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: announceScript, ObjectID: a.document, Arguments: arguments, Silent: new(true)})
	_, _ = cdp.Call(ctx, d, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: listenersWorld})
}
