package dispatch

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// OnlyLook returns a context in which the steps of the call of ctx may only read and show, and
// in which nobody is asked about them.
func (d *Dispatcher) OnlyLook(ctx context.Context) context.Context {
	parent := scopeOf(ctx)
	if parent == nil {
		return ctx
	}
	looking := *parent
	looking.onlyLook = true
	return context.WithValue(ctx, scopeKey{}, &looking)
}

// ExplainAction returns how policy would decide now about a stored action that the call of
// the context names, and the origin of the page; as [Dispatcher.Explain] does.
func (d *Dispatcher) ExplainAction(ctx context.Context, action policy.Action) (policy.Decision, string, error) {
	parent := scopeOf(ctx)
	if parent == nil {
		return policy.Decision{}, "", fault.New(fault.InternalError, "action %s: no parent call in context", action.Name)
	}
	tab, err := d.Tabs.Resolve(0, tabs.Target{TabID: parent.tabID}, false)
	if err != nil {
		return policy.Decision{}, "", err
	}
	in := invocation{id: parent.callID, session: parent.session, parent: parent, args: asCall(parent.args)}
	r := d.completeRequest(in, tab, originOf(tab.URL), d.actionRequest(action))
	return d.Policy.Explain(r), r.Origin, nil
}

// asCall returns the arguments of a preview as those of the call that it is about: an approval
// holds for the latter.
func asCall(args json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil {
		return args
	}
	members["mode"] = json.RawMessage(`"call"`)
	call, err := json.Marshal(members)
	if err != nil {
		return args
	}
	return call
}
