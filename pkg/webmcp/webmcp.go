// Package webmcp lists and invokes the tools that the page of a claimed tab
// offers by WebMCP, over the debugger.
//
// Rules of this package:
//   - The debugger is on a tab for page tools only while a session wants them and
//     the page, or a frame of it, may have any.
//   - A tool runs for the origin of its own document. No hint of the page lowers
//     what is asked of the user; one that it is consequential raises it.
//   - A tool that is gone is refused before anything is sent. One whose answer can
//     no longer come is outcome_unknown, never failed and never repeated.
//   - What a page says about its tools, and what they return, is untrusted data.
package webmcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

// untrusted marks data of a page.
const untrusted = "untrusted"

const (
	probePrimitive    = "webmcp.probe" // the part that runs in the page
	backgroundTimeout = 5 * time.Second
	stopTimeout       = 2 * time.Second
)

// Tools runs the primitives of page tools for a profile's tabs. It is safe for
// concurrent use.
type Tools struct {
	Browser *browser.Browser
	// InPage runs a primitive of the page as a part of a call.
	InPage func(ctx context.Context, c primitive.Call, name string, args json.RawMessage) (json.RawMessage, error)
	// OnInvocation is called with invocations that no caller of this host made, when they begin
	// and when they end or are lost, and with the ends of those that no caller waits for. It must
	// not block.
	OnInvocation func(tabID int, i registry.Invocation)

	mu       sync.Mutex
	watches  map[int]*watch
	stopping map[int]chan struct{} // tabs whose watch is being switched off; closed when it is
}

// Handlers returns the handlers by primitive name.
func (t *Tools) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{
		"webmcp.list":   t.list,
		"webmcp.invoke": t.invoke,
		"webmcp.cancel": t.cancel,
		"webmcp.result": t.result,
	}
}

// Forget ends the watch of a tab that was released; its debugger is gone with
// the claim.
func (t *Tools) Forget(tabID int) {
	t.mu.Lock()
	w := t.watches[tabID]
	delete(t.watches, tabID)
	t.mu.Unlock()
	if w != nil {
		w.close()
	}
}

// EndSessions removes sessions and returns when the watches that no other session uses are
// switched off. Only calls that need a new watch of such a tab wait for that.
func (t *Tools) EndSessions(sessions ...string) {
	var all sync.WaitGroup
	for _, w := range t.takeUnwanted(sessions, 0) {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
			defer cancel()
			t.switchOff(ctx, w)
		})
	}
	all.Wait()
}

// endTabSession removes a session from the watch of one tab.
func (t *Tools) endTabSession(ctx context.Context, tabID int, session string) {
	for _, w := range t.takeUnwanted([]string{session}, tabID) {
		t.switchOff(ctx, w)
	}
}

func (t *Tools) switchOff(ctx context.Context, w *watch) {
	w.stop(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.stopping[w.tabID])
	delete(t.stopping, w.tabID)
}

// takeUnwanted removes and returns the watches of a tab, or of all (0), that no other sessions
// use.
func (t *Tools) takeUnwanted(sessions []string, tab int) (idle []*watch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for tabID, w := range t.watches {
		if tab != 0 && tab != tabID || !w.removeSessions(sessions) {
			continue
		}
		idle = append(idle, w)
		delete(t.watches, tabID)
		if t.stopping == nil {
			t.stopping = map[int]chan struct{}{}
		}
		t.stopping[tabID] = make(chan struct{})
	}
	return idle
}

// existingWatch returns the tab's watch if there is one, and adds the session to it.
func (t *Tools) existingWatch(tabID int, session string) *watch {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.watches[tabID]
	if w != nil {
		w.addSession(session)
	}
	return w
}

// ensureWatch returns the tab's watch, a new one if there is none. One that is being switched
// off must be gone first: it would take the new one's events with it.
func (t *Tools) ensureWatch(ctx context.Context, tabID int, session string) (*watch, error) {
	t.mu.Lock()
	for t.stopping[tabID] != nil {
		stopped := t.stopping[tabID]
		t.mu.Unlock()
		select {
		case <-stopped:
		case <-ctx.Done():
			return nil, fault.From(ctx.Err()).WithDispatched(fault.NotDispatched)
		}
		t.mu.Lock()
	}
	defer t.mu.Unlock()
	if t.watches == nil {
		t.watches = map[int]*watch{}
	}
	w := t.watches[tabID]
	if w == nil {
		w = newWatch(t, tabID)
		t.watches[tabID] = w
	}
	w.addSession(session)
	return w, nil
}

// probeResult is the output of webmcp.probe, which runs apart from the page's scripts.
type probeResult struct {
	Supported bool `json:"supported"`
	Secure    bool `json:"secure"`
	Tools     int  `json:"tools"`
	Frames    int  `json:"frames"` // of other origins that may have tools
}

func (t *Tools) probe(ctx context.Context, c primitive.Call) (probeResult, error) {
	var p probeResult
	c.Record = &primitive.Record{Name: probePrimitive, Effect: "read"} // for a call that acts the debugger would be taken at once
	raw, err := t.InPage(ctx, c, probePrimitive, json.RawMessage(`{}`))
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, fault.Wrap(err, fault.InvalidResult, "what the page says of its tools cannot be read: %v", err)
	}
	return p, nil
}

// unsupportedError returns why there are no page tools; nil if there may be.
func (p probeResult) unsupportedError() error {
	switch {
	case p.Supported:
		return nil
	case !p.Secure:
		return fault.New(fault.CapabilityUnavailable, "page tools need a secure page (https), and this one is not").
			WithNextStep("Use the site's actions or primitives instead.").WithDispatched(fault.NotDispatched)
	}
	return fault.New(fault.CapabilityUnavailable, "this browser has no page tools (WebMCP), or they are switched off").
		WithNextStep("Use the site's actions or primitives instead. The user can switch page tools on: actions-host launch --chrome-arg=--enable-features=WebMCP, or chrome://flags.").
		WithDispatched(fault.NotDispatched)
}

// Unavailable returns why the tab can have no page tools, as capability_unavailable; nil if
// there may be some, or if only a call can find out.
func (t *Tools) Unavailable(ctx context.Context, c primitive.Call) error {
	t.mu.Lock()
	watched := t.watches[c.TabID] != nil
	t.mu.Unlock()
	if watched {
		return nil
	}
	p, err := t.probe(ctx, c)
	if err != nil {
		return nil
	}
	return p.unsupportedError()
}

// readyWatch returns the tab's watch with all tools that the page has registered so far. It
// returns nil for a page without tools, unless there is a watch already.
func (t *Tools) readyWatch(ctx context.Context, c primitive.Call) (*watch, error) {
	session := c.Session.SessionID()
	w := t.existingWatch(c.TabID, session)
	if w == nil {
		p, err := t.probe(ctx, c)
		if err == nil {
			err = p.unsupportedError()
		}
		if err != nil {
			return nil, err
		}
		if p.Tools == 0 && p.Frames == 0 {
			return nil, nil
		}
		if w, err = t.ensureWatch(ctx, c.TabID, session); err != nil {
			return nil, err
		}
	}
	return w, w.start(ctx, c.Origin)
}
