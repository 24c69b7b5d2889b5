package main

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

// openState opens what the host keeps for its callers.
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
	p.user.Sessions = p.state
	maps.Copy(registry.Named, p.state.Handlers())
	return nil
}

// Session gives the session of a client, the same one for the same id. The
// hosted agent's is nobody else's: its grants and its end are the user's.
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

// EndSession ends a session whose last client has closed its connection.
func (p *profile) EndSession(s control.SessionParams) {
	go p.pageTools.Leave(session.LogID(p.caller(s))) // it asks the browser
	p.a11y.Desk.Leave(session.LogID(p.caller(s)))
	if err := p.state.End(context.Background(), p.caller(s)); err != nil {
		p.log.Error("ending a session", "error", err)
	}
}

func (p *profile) caller(s control.SessionParams) session.Caller {
	// A client may ask for code; only the user allows it.
	return session.Caller{Kind: s.Kind, ID: s.ID, Mode: s.Mode, AllowCode: s.AllowCode && p.allowCode, Origins: strings.Join(s.Origins, " ")}
}
