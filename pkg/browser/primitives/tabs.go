package primitives

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// hintListAgain is the next step after a tab has changed.
const hintListAgain = "The page changed: call actions.site with {\"mode\":\"list\"} before you act on it."

// ClaimedTab is one row of browser.claimed_tabs.list.
type ClaimedTab struct {
	TabID     int    `json:"tab_id"`
	RuntimeID string `json:"runtime_id"`
	WindowID  int    `json:"window_id"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	Host      string `json:"host"`
	Active    bool   `json:"active"`  // the selected tab of its window
	Current   bool   `json:"current"` // the session's current tab
	Loading   bool   `json:"loading"`

	Dialog *browser.Dialog `json:"dialog,omitzero"` // open now
}

// List returns the claimed tabs as a session sees them.
func (h *Handlers) List(s primitive.Session) []ClaimedTab {
	rows := []ClaimedTab{}
	for _, t := range h.Tabs.List() {
		rows = append(rows, h.row(t, s))
	}
	return rows
}

// current returns the tab for calls of the session that name none; 0 if there is none.
func (h *Handlers) current(s primitive.Session) int {
	tab, err := h.Tabs.Resolve(s.Current(), tabs.Target{}, s.Kind() == "cli")
	if err != nil {
		return 0
	}
	return tab.TabID
}

// row returns a tab as a session sees it. For a page that the session may not see it has no
// address or title.
func (h *Handlers) row(t tabs.Tab, s primitive.Session) ClaimedTab {
	row := ClaimedTab{
		TabID: t.TabID, RuntimeID: t.RuntimeID, WindowID: t.WindowID,
		Active: t.Active, Current: t.TabID == h.current(s), Loading: t.Loading,
	}
	o, err := origin.Parse(t.URL)
	if !s.Sees(t.URL) || err == nil && h.Refused != nil && h.Refused(s.SessionID(), o.String()) {
		return row
	}
	row.URL, row.Title = t.URL, t.Title
	if err == nil {
		row.Host = o.Host
	}
	if d, ok := h.Browser.Dialog(t.TabID); ok {
		row.Dialog = &d
	}
	return row
}

func (h *Handlers) claimedTabsList(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	rows := h.List(c.Session)
	return primitive.Output(map[string]any{
		"scope": "profile", "profile_id": h.Profile.ID, "profile_label": h.Profile.Label, "browser": h.Profile.Browser,
		"complete": true, "active_tab_id": h.current(c.Session), "count": len(rows), "tabs": rows,
	})
}

// claimedTabsActivate changes the session's current tab. It shows the tab only
// when asked to, or when a person follows along by voice.
func (h *Handlers) claimedTabsActivate(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		TabID int   `json:"tab_id"`
		Focus *bool `json:"focus"`
	}](c)
	if err != nil {
		return nil, err
	}
	tab, err := h.Tabs.Resolve(0, tabs.Target{TabID: args.TabID}, false)
	if err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	focus := c.Session.Kind() == "voice"
	if args.Focus != nil {
		focus = *args.Focus
	}
	if focus {
		shown, err := h.Browser.Activate(ctx, tab.TabID)
		if err != nil {
			return nil, err
		}
		tab = browser.FromProtocol(shown)
		h.Tabs.Update(tab)
	}
	c.Session.SetCurrent(tab.TabID)
	c.Meta.Tab = &primitive.TabRef{TabID: tab.TabID, RuntimeID: tab.RuntimeID, URL: tab.URL}
	return primitive.Output(map[string]any{
		"activated": true, "focused": focus, "tab": h.row(tab, c.Session), "next_step": hintListAgain,
	})
}
