package primitives

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// hintClaimFirst is the next step for an opened tab that is not claimed.
const hintClaimFirst = "The tab is not under control: ask the user to choose Take control of this tab in the extension's popup."

// openTab opens a tab beside the session's own. It is never claimed without the
// user's setting, and becomes the session's current tab only when asked to.
func (h *Handlers) openTab(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		URL         string `json:"url"`
		Active      bool   `json:"active"`
		MakeCurrent bool   `json:"make_current"`
	}](c)
	if err != nil {
		return nil, err
	}
	if args.URL != "" && !origin.Operable(args.URL) {
		return nil, fault.New(fault.UnsafeURL, "%q is not an http or https address", args.URL).WithDispatched(fault.NotDispatched)
	}
	neighbor, _ := h.Tabs.Get(h.current(c.Session))
	result, err := h.Browser.OpenTab(ctx, protocol.TabOpen{
		URL: args.URL, WindowID: neighbor.WindowID, Active: args.Active, Claim: h.ClaimOpened && args.URL != "",
	})
	if err != nil {
		return nil, err
	}
	tab := browser.FromProtocol(result.Tab)
	out := map[string]any{"opened": true, "claimed": result.Claimed}
	if result.Claimed {
		h.Tabs.Update(tab)
		if err := h.Tabs.Opened(tab.TabID); err != nil {
			return nil, fault.From(err).WithDispatched(fault.WasDispatched)
		}
		if args.MakeCurrent {
			c.Session.SetCurrent(tab.TabID)
		}
	} else {
		out["next_step"] = hintClaimFirst
	}
	out["tab"] = h.row(tab, c.Session)
	return primitive.Output(out)
}

// closeTab closes a claimed tab, but never the last one.
func (h *Handlers) closeTab(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Force bool `json:"force"`
	}](c)
	if err != nil {
		return nil, err
	}
	// One after the other: two calls must not each count the other's tab as the remaining one.
	h.closing.Lock()
	defer h.closing.Unlock()
	if len(h.Tabs.List()) <= 1 {
		return nil, fault.New(fault.LastClaimedTab, "this is the last claimed tab").WithDispatched(fault.NotDispatched)
	}
	if !args.Force && !c.Stored {
		if err := h.requireSaved(ctx, c); err != nil {
			return nil, err
		}
	}
	if args.Force {
		defer h.Browser.AcceptBeforeUnload(c.TabID)()
	}
	if err := h.Browser.CloseTab(ctx, c.TabID); err != nil {
		return nil, err
	}
	out := map[string]any{"closed": true, "closed_tab_id": c.TabID, "active_tab_id": nil}
	switch current := c.Session.Current(); current {
	case c.TabID:
		c.Session.SetCurrent(0)
		out["next_step"] = "Choose the next tab with browser.claimed_tabs.activate."
	case 0:
	default:
		out["active_tab_id"] = current
	}
	c.Meta.Tab = &primitive.TabRef{TabID: c.TabID, URL: c.URL}
	return primitive.Output(out)
}
