package ui

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/site"
)

// repairAction returns what no longer fits a tab's page, or repairs one action for the user. It writes
// only what the repair of the terminal would write, after the same question and the same proof.
func (b *Backend) repairAction(ctx context.Context, p protocol.ActionRepair) (fit protocol.ActionFit, err error) {
	tab, err := b.claimed(p.TabID)
	if err != nil {
		return fit, err
	}
	if p.Action == "" {
		for _, u := range b.Saver.Site.Unfit(ctx, tab.URL, b.read(p.TabID)) {
			fit.Unfit = append(fit.Unfit, protocol.UnfitAction(u))
		}
		return fit, nil
	}
	err = b.withProof(ctx, p.TabID, func(own *dispatch.Session) (err error) {
		fit, err = b.repair(ctx, own, p)
		return err
	})
	if err == nil {
		fit.InputSchema, _ = b.Saver.Site.InputSchema(tab.URL, p.Action)
	}
	return fit, err
}

// repair proposes what is to be changed of an action, or tries it where there are arguments.
func (b *Backend) repair(ctx context.Context, own *dispatch.Session, p protocol.ActionRepair) (protocol.ActionFit, error) {
	only, input := p.Arguments == nil, p.Arguments
	if only {
		input = json.RawMessage(`{}`)
	}
	e, err := b.callAsked(site.ForRepair(ctx, only), own, p.TabID, dispatch.SiteTool, map[string]any{"mode": "preview", "action": p.Action, "arguments": input})
	if err != nil {
		return protocol.ActionFit{}, err
	}
	if !e.OK {
		return protocol.ActionFit{}, e.Error
	}
	var r site.Repair
	if err := json.Unmarshal(e.Output, &r); err != nil {
		return protocol.ActionFit{}, fault.Wrap(err, fault.InternalError, "the repair cannot be read: %v", err)
	}
	return protocol.ActionFit{Outcome: r.Outcome, Why: r.Why, Sentences: r.Sentences()}, nil
}
