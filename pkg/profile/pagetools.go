package profile

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/webmcp"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

// A page may invoke its own tools as often as it likes; the log takes at most
// maxInvocations records of that in an interval.
const (
	invocationInterval = time.Minute
	maxInvocations     = 60
)

// invocationRecord is the log record of an invocation that no caller of this host
// made. Names and inputs come from the page.
type invocationRecord struct {
	TabID int `json:"tab_id"`
	registry.Invocation
	Input      json.RawMessage `json:"input,omitzero"`
	InputBytes int             `json:"input_bytes,omitzero"` // of one that is too large to be logged, or may hold a secret
	Dropped    int             `json:"dropped,omitzero"`     // records left out before this one
}

// newInvocationRecord returns the record of an invocation.
func newInvocationRecord(tabID int, i registry.Invocation, dropped int) invocationRecord {
	record := invocationRecord{TabID: tabID, Invocation: i, Dropped: dropped}
	switch {
	case i.Input == nil:
	case i.Input.Value == nil:
		record.InputBytes = i.Input.Bytes
	default:
		record.Input = i.Input.Value
	}
	return record
}

// invocationLimit bounds those records.
type invocationLimit struct {
	mu    sync.Mutex
	limit recordLimit
}

// take reports whether there is room for a record, and how many were left out
// before it.
func (l *invocationLimit) take(now time.Time) (dropped int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit.take(recordBudget{invocationInterval, maxInvocations, math.MaxInt}, now, 0, 0)
}

// openPageTools creates the handlers that list and invoke page tools.
func (p *profile) openPageTools() {
	limit := &invocationLimit{}
	tools := &webmcp.Tools{Browser: p.browser, InPage: p.handlers.InPage, OnInvocation: func(tabID int, i registry.Invocation) {
		if dropped, ok := limit.take(time.Now()); ok {
			p.logError("logging an invocation of a page tool", p.appendRecord(context.Background(), journal.TypePageTool, newInvocationRecord(tabID, i, dropped)))
		}
	}}
	p.tabs.Observe(tabs.Observer{AfterRelease: always(tools.Forget)})
	p.sessions.Observe(session.Observer{SessionsEnded: func(ids ...string) {
		go tools.EndSessions(ids...) // it asks the browser
	}})
	p.handle(tools.Handlers())
	p.actions.NoPageTools = tools.Unavailable
}
