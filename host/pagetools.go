package main

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/pagetools"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp"
)

// A page may invoke its own tools as often as it likes; the log takes so many
// records of that in a minute.
const (
	seenEvery = time.Minute
	seenMost  = 60
)

// seenInvocation is what the log says of an invocation that no caller of this
// host made. Names are the page's words.
type seenInvocation struct {
	TabID int `json:"tab_id"`
	webmcp.Invocation
	Dropped int `json:"dropped,omitzero"` // records left out before this one
}

// seenLimit bounds those records.
type seenLimit struct {
	mu      sync.Mutex
	since   time.Time
	count   int
	dropped int
}

// take tells whether there is room for a record, and how many were left out
// before it.
func (l *seenLimit) take(now time.Time) (dropped int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.since) >= seenEvery {
		l.since, l.count = now, 0
	}
	if l.count == seenMost {
		l.dropped++
		return 0, false
	}
	l.count++
	dropped, l.dropped = l.dropped, 0
	return dropped, true
}

// openPageTools makes what lists and invokes page tools.
func (p *profile) openPageTools(b *browser.Browser, registry *primitive.Registry) {
	limit := &seenLimit{}
	p.pageTools = &pagetools.Tools{Browser: b, InPage: p.handlers.InPage, Seen: func(tabID int, i webmcp.Invocation) {
		if dropped, ok := limit.take(time.Now()); ok {
			p.tried("logging an invocation of a page tool", p.note(context.Background(), journal.TypePageTool, seenInvocation{tabID, i, dropped}))
		}
	}}
	maps.Copy(registry.Named, p.pageTools.Handlers())
	p.actions.NoPageTools = p.pageTools.None
}
