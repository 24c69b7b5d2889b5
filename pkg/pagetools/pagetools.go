// Package pagetools lists and invokes the tools that the page of a claimed tab
// offers by WebMCP, over the debugger.
//
// Rules of this package:
//   - The debugger is on a tab for page tools only while a session wants them and
//     the page, or a frame of it, may have any.
//   - A tool runs for the origin of its own document. No hint of the page lowers
//     what is asked of the user; one that it is consequential raises it.
//   - A tool that is gone is refused before anything is sent. One whose answer can
//     no longer come is outcome_unknown, never failed and never repeated.
//   - What a page says of its tools, and what they give, is untrusted data.
package pagetools

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp"
)

// untrusted marks what a page said.
const untrusted = "untrusted"

const (
	probePrimitive = "webmcp.probe" // the part that runs in the page
	backgroundTime = 5 * time.Second
	stopTime       = 2 * time.Second
)

// Tools runs the primitives of page tools for a profile's tabs. It is safe for
// concurrent use.
type Tools struct {
	Browser *browser.Browser
	// InPage runs a primitive of the page as a part of a call.
	InPage func(ctx context.Context, c primitive.Call, name string, args json.RawMessage) (json.RawMessage, error)
	// Seen is told of invocations that no caller of this host made, when they
	// begin and when they end. It must not block.
	Seen func(tabID int, i webmcp.Invocation)

	switching sync.Mutex // held while a watch begins or is switched off
	mu        sync.Mutex
	watches   map[int]*watch
}

// Handlers gives the handlers by primitive name.
func (t *Tools) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{
		"webmcp.list":   t.list,
		"webmcp.invoke": t.invoke,
		"webmcp.cancel": t.cancel,
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
		w.end()
	}
}

// Leave ends what a session wanted. What nobody else wants is switched off.
func (t *Tools) Leave(session string) {
	t.switching.Lock()
	defer t.switching.Unlock()
	t.mu.Lock()
	var idle []*watch
	for tabID, w := range t.watches {
		if w.unwant(session) {
			idle = append(idle, w)
			delete(t.watches, tabID)
		}
	}
	t.mu.Unlock()
	for _, w := range idle {
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		w.stop(ctx)
		cancel()
	}
}

// existing gives the tab's watch if there is one, and notes that the session
// wants it.
func (t *Tools) existing(tabID int, session string) *watch {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.watches[tabID]
	if w != nil {
		w.want(session)
	}
	return w
}

func (t *Tools) made(tabID int, session string) *watch {
	t.switching.Lock()
	defer t.switching.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watches == nil {
		t.watches = map[int]*watch{}
	}
	w := t.watches[tabID]
	if w == nil {
		w = newWatch(t, tabID)
		t.watches[tabID] = w
	}
	w.want(session)
	return w
}

// probed is what the page says of itself. It runs apart from the page's scripts.
type probed struct {
	Supported bool `json:"supported"`
	Secure    bool `json:"secure"`
	Tools     int  `json:"tools"`
	Frames    int  `json:"frames"` // of other origins that may have tools
}

func (t *Tools) probe(ctx context.Context, c primitive.Call) (probed, error) {
	var p probed
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

// unsupported says in words why there are no page tools; nil where there may be.
func (p probed) unsupported() error {
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

// None says why the tab can have no page tools, as capability_unavailable; nil
// where there may be some, or where only a call can tell.
func (t *Tools) None(ctx context.Context, c primitive.Call) error {
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
	return p.unsupported()
}

// ready gives the tab's watch with all that the page has registered so far. A
// page that has nothing to watch gives none, unless one is there already.
func (t *Tools) ready(ctx context.Context, c primitive.Call) (*watch, error) {
	session := c.Session.SessionID()
	w := t.existing(c.TabID, session)
	if w == nil {
		p, err := t.probe(ctx, c)
		if err == nil {
			err = p.unsupported()
		}
		if err != nil {
			return nil, err
		}
		if p.Tools == 0 && p.Frames == 0 {
			return nil, nil
		}
		w = t.made(c.TabID, session)
	}
	return w, w.start(ctx, c.Origin)
}
