package profile

import (
	"context"
	"maps"
	"strings"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/task"
	"github.com/actionsjson/actions-host/pkg/transfer"
)

// openState opens the data that the host stores for its callers.
func (p *profile) openState(registry *primitive.Registry) error {
	tasks, err := task.Open(p.journal.Bolt(), nil)
	if err != nil {
		return err
	}
	buffer, err := transfer.Open(p.journal.Bolt(), nil)
	if err != nil {
		return err
	}
	p.state = &session.Sessions{Path: p.dispatcher, Tasks: tasks, Buffer: buffer}
	p.ui.Sessions = p.state
	maps.Copy(registry.Named, p.state.Handlers())
	return nil
}

// Session returns the session of a client, the same one for the same id. The
// hosted agent's is not available to others: its grants and its end are the user's.
func (p *profile) Session(s control.SessionParams) (*dispatch.Session, error) {
	if s.Kind == policy.SessionVoice {
		return nil, fault.New(fault.InvalidInput, "a client cannot be the hosted agent: the kind of its session is cli, mcp or agent").WithDispatched(fault.NotDispatched)
	}
	own, err := p.state.Open(p.caller(s))
	if err == nil {
		own.SetStoredOnly(s.StoredOnly)
	}
	return own, err
}

// EndSessions ends sessions whose last client has closed its connection.
func (p *profile) EndSessions(ended []control.SessionParams) {
	callers, ids := make([]session.Caller, len(ended)), make([]string, len(ended))
	for i, s := range ended {
		callers[i] = p.caller(s)
		ids[i] = session.LogID(callers[i])
	}
	go p.pageTools.EndSessions(ids...) // it asks the browser
	p.a11y.Announcements.EndSessions(ids...)
	if err := p.state.End(context.Background(), callers...); err != nil {
		p.log.Error("ending sessions", "count", len(ended), "error", err)
	}
}

func (p *profile) caller(s control.SessionParams) session.Caller {
	// A client may ask for code; only the user allows it.
	return session.Caller{Kind: s.Kind, ID: s.ID, Mode: s.Mode, AllowCode: s.AllowCode && p.allowCode, Origins: strings.Join(s.Origins, " ")}
}
