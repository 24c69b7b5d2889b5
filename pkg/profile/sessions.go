package profile

import (
	"context"
	"strings"

	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/task"
	"github.com/actionsjson/actions-host/pkg/transfer"
	"github.com/actionsjson/actions-host/pkg/ui"
)

// openSessions opens the data that the host stores for its callers.
func (p *profile) openSessions() error {
	tasks, err := task.Open(p.journal.Bolt(), nil)
	if err != nil {
		return err
	}
	buffer, err := transfer.Open(p.journal.Bolt(), nil)
	if err != nil {
		return err
	}
	p.tabs.Observe(tabs.Observer{AfterRelease: tasks.DropTab})
	p.sessions.Tasks, p.sessions.Buffer = tasks, buffer
	p.handle(p.sessions.Handlers())
	return nil
}

// Session returns the session of a client, the same one for the same id. The
// hosted agent's is not available to others: its grants and its end are the user's.
func (p *profile) Session(s control.SessionParams) (*dispatch.Session, error) {
	if s.Kind == policy.SessionVoice {
		return nil, fault.New(fault.InvalidInput, "a client cannot be the hosted agent: the kind of its session is cli, mcp or agent").WithDispatched(fault.NotDispatched)
	}
	if s.Kind == policy.SessionAgent && strings.HasPrefix(s.ID, agent.ChatPrefix) {
		return nil, fault.New(fault.InvalidInput, "a client cannot be a chat of the side panel: the id of its session may not begin with %s", agent.ChatPrefix).WithDispatched(fault.NotDispatched)
	}
	if s.Kind == policy.SessionCLI && strings.HasPrefix(s.ID, ui.ProofPrefix) {
		return nil, fault.New(fault.InvalidInput, "a client cannot be the user who tries an action: the id of its session may not begin with %s", ui.ProofPrefix).WithDispatched(fault.NotDispatched)
	}
	own, err := p.sessions.Open(p.caller(s))
	if err == nil {
		own.SetStoredOnly(s.StoredOnly)
		own.SetForm(s.Form && s.Kind == policy.SessionMCP)
	}
	return own, err
}

// EndSessions ends sessions whose last client has closed its connection.
func (p *profile) EndSessions(ended []control.SessionParams) {
	callers := make([]session.Caller, len(ended))
	for i, s := range ended {
		callers[i] = p.caller(s)
	}
	if err := p.sessions.End(context.Background(), callers...); err != nil {
		p.log.Error("ending sessions", "count", len(ended), "error", err)
	}
}

func (p *profile) caller(s control.SessionParams) session.Caller {
	// A client may ask for code; only the user allows it.
	return session.Caller{Kind: s.Kind, ID: s.ID, Mode: s.Mode, AllowCode: s.AllowCode && p.settings.AllowCode, AllowAPI: s.AllowAPI, Origins: strings.Join(s.Origins, " "), NoLoopGuard: s.NoLoopGuard}
}
