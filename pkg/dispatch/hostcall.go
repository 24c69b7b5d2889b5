package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// OwnSession is the id of the host's own session in the log.
const OwnSession = "host"

// hostSession is the host's own session: it may read and show, and nothing else.
var hostSession = &Session{ID: OwnSession, SessionKind: policy.SessionAgent, Mode: policy.ModeAsk}

// CallAsHost runs a primitive of the page that only reads or shows, for the host itself. It is
// decided and logged like a step of a stored action, and waits for no lane: a
// document must be watched while an action is still under way in its tab.
func (d *Dispatcher) CallAsHost(ctx context.Context, tabID int, name string, args json.RawMessage) (json.RawMessage, error) {
	record, ok := d.Catalogue.Record(name)
	if !ok || record.Route != primitive.RoutePage || !onlyShows(record) {
		return nil, fault.New(fault.InternalError, "%s is not for the host itself", name).WithDispatched(fault.NotDispatched)
	}
	handler, err := d.Handlers.Handler(record)
	if err != nil {
		return nil, err
	}
	if err := record.CheckInput(args); err != nil {
		return nil, err
	}
	in := invocation{
		id: "call_" + rand.Text(), record: record, session: hostSession,
		target: tabs.Target{TabID: tabID}, args: args, handed: args, meta: &primitive.Meta{},
	}
	tab, err := d.resolve(in)
	if err != nil {
		return nil, err
	}
	decision := d.Policy.Decide(policy.Request{
		Session: hostSession.SessionKind, SessionID: hostSession.ID, Mode: hostSession.Mode, Name: name, Stored: true,
		Effects: []policy.Effect{policy.Effect(record.Effect)}, Primitives: []string{name}, Origin: originOf(tab.URL), Blocked: d.Blocked(tab.URL),
	})
	if decision.Verdict != policy.Allow {
		return nil, decision.Fault
	}
	return d.executeLogged(ctx, handler, in, tab)
}
