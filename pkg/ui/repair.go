package ui

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// repairAction returns what no longer fits a tab's page, or repairs one action for the user. It writes
// only what the repair of the terminal would write, after the same question and the same proof.
func (b *Backend) repairAction(ctx context.Context, p protocol.ActionRepair) (protocol.ActionFit, error) {
	tab, ok := b.Tabs.Get(p.TabID)
	if !ok {
		return protocol.ActionFit{}, fault.New(fault.TabNotClaimed, "the tab is not under control any more").WithDispatched(fault.NotDispatched)
	}
	if p.Action == "" {
		var fit protocol.ActionFit
		for _, u := range b.Saver.Site.Unfit(ctx, tab.URL, func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
			return b.Path.CallAsHost(ctx, p.TabID, name, args)
		}) {
			fit.Unfit = append(fit.Unfit, protocol.UnfitAction(u))
		}
		return fit, nil
	}
	caller := session.Caller{Kind: policy.SessionCLI, ID: ProofPrefix + strings.ToLower(rand.Text()[:10])}
	own, err := b.Sessions.Open(caller)
	if err != nil {
		return protocol.ActionFit{}, err
	}
	own.SetCurrent(p.TabID)
	fit, err := b.repair(ctx, own, p)
	if err == nil {
		fit.InputSchema, _ = b.Saver.Site.InputSchema(tab.URL, p.Action)
	}
	return fit, errors.Join(err, b.Sessions.End(context.WithoutCancel(ctx), caller))
}

// repair proposes what is to be changed of an action, or tries it where there are arguments.
func (b *Backend) repair(ctx context.Context, own *dispatch.Session, p protocol.ActionRepair) (protocol.ActionFit, error) {
	only := p.Arguments == nil
	input := p.Arguments
	if only {
		input = json.RawMessage(`{}`)
	}
	raw, err := primitive.Output(map[string]any{"mode": "preview", "action": p.Action, "arguments": input})
	if err != nil {
		return protocol.ActionFit{}, err
	}
	args, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return protocol.ActionFit{}, err
	}
	e := b.callAsked(site.ForRepair(ctx, only), own, dispatch.Call{Name: dispatch.SiteTool, Arguments: args, Target: tabs.Target{TabID: p.TabID}})
	if !e.OK {
		return protocol.ActionFit{}, e.Error
	}
	var r site.Repair
	if err := json.Unmarshal(e.Output, &r); err != nil {
		return protocol.ActionFit{}, fault.Wrap(err, fault.InternalError, "the repair cannot be read: %v", err)
	}
	return protocol.ActionFit{Outcome: r.Outcome, Why: r.Why, Sentences: r.Sentences()}, nil
}
