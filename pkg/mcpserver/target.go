package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// current is the target of calls that name no tab. It is kept here and not in the host
// alone: it outlives a restart of the host, and selects one of several browsers. It
// ends with the run of the browser: the next run assigns its id to another tab.
type current struct {
	profileID, label, run string
	tab                   int
}

// inRunOf reports whether the tab belongs to the run of the browser that the client is
// connected to.
func (c current) inRunOf(client *control.Client) bool {
	return c.tab != 0 && c.profileID == client.Status.ProfileID && c.run == client.Status.BrowserSession
}

// callTarget is the target of a call. Tab 0 leaves the choice to the host, by the call's own
// arguments.
type callTarget struct {
	client *control.Client
	tab    int
}

// tabSelector is the tab as a call's arguments name it.
type tabSelector struct {
	RuntimeID   string `json:"target_runtime_id"`
	URLContains string `json:"target_url_contains"`
	TabID       int    `json:"tab_id"`
	Profile     string `json:"profile"`
}

// resolveTarget finds the host and the tab of a call. With one browser the host itself finds the
// tab, and reports a target that matches none.
func (s *Server) resolveTarget(ctx context.Context, r *primitive.Record, args json.RawMessage) (callTarget, error) {
	want := s.selectorOf(r, args)
	at := s.currentTab()
	if want == (tabSelector{}) && at.tab != 0 {
		client, err := s.hosts.profile(ctx, at.profileID, at.label)
		if err != nil || at.inRunOf(client) {
			return callTarget{client, at.tab}, err
		}
		at = current{} // the browser has restarted
	}
	var target callTarget
	err := s.hosts.onAll(ctx, func(clients []*control.Client) error {
		clients = slices.DeleteFunc(clients, func(c *control.Client) bool { return !want.wants(c.Status) })
		if len(clients) == 0 { // the same id is another tab in every other browser
			return fault.New(fault.BrowserNotConnected, "no running browser profile is named %q", want.Profile).
				WithDispatched(fault.NotDispatched).WithNextStep("browser.claimed_tabs.list has the profiles that run.")
		}
		if len(clients) == 1 { // its host knows the session's current tab, too
			target = callTarget{client: clients[0]}
			return nil
		}
		all, err := s.claimed(ctx, clients)
		if err != nil {
			return err
		}
		target, err = choose(all, clients, want)
		return err
	})
	return target, err
}

// choose picks the tab. If none is named it is the hosts' only current one; if several
// match, the caller must choose one.
func choose(all []claimedTab, clients []*control.Client, want tabSelector) (callTarget, error) {
	if only, ok := onlyCurrent(all); ok && want == (tabSelector{}) {
		return callTarget{only.client, only.TabID}, nil
	}
	matches := slices.DeleteFunc(all, func(t claimedTab) bool { return !want.matches(t) })
	switch {
	case len(matches) == 0:
		return callTarget{client: clients[0]}, nil
	case slices.ContainsFunc(matches, func(t claimedTab) bool { return t.client != matches[0].client }):
		return callTarget{}, fault.New(fault.AmbiguousRuntime, "tabs of several browsers are meant by this call").
			With("candidates", matches).WithDispatched(fault.NotDispatched).
			WithNextStep("Choose one with browser.claimed_tabs.activate, giving its tab_id and profile from browser.claimed_tabs.list.")
	}
	return callTarget{client: matches[0].client}, nil
}

// onlyCurrent returns the tab that the hosts mark as current; false if there is none,
// or one in each of several browsers.
func onlyCurrent(all []claimedTab) (only claimedTab, ok bool) {
	for _, t := range all {
		if t.Current && ok {
			return claimedTab{}, false
		}
		if t.Current {
			only, ok = t, true
		}
	}
	return only, ok
}

func (n tabSelector) matches(t claimedTab) bool {
	return (n.TabID == 0 || n.TabID == t.TabID) && (n.RuntimeID == "" || n.RuntimeID == t.RuntimeID) &&
		(n.URLContains == "" || strings.Contains(t.URL, n.URLContains)) &&
		n.wants(t.client.Status)
}

// wants reports whether the profile is the named one; without a name every one is.
func (n tabSelector) wants(s control.Status) bool {
	return strings.HasPrefix(s.ProfileID, n.Profile) || s.ProfileLabel == n.Profile
}

// selectorOf reads the members that address a tab. tab_id does so only for the
// primitives that take it as one.
func (s *Server) selectorOf(r *primitive.Record, args json.RawMessage) tabSelector {
	var want tabSelector
	if json.Unmarshal(args, &want) != nil {
		return tabSelector{} // a member of another type: the host reports it
	}
	if r == nil || r.Name != activateTool {
		want.Profile = ""
	}
	if r == nil || r.Route != primitive.RouteBrowser && !strings.HasPrefix(r.Name, "a11y.") && r.Name != activateTool {
		want.TabID = 0
	}
	return want
}

func (s *Server) currentTab() current {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// markCurrent marks the target of calls that name no tab.
func (s *Server) markCurrent(all []claimedTab) {
	at := s.currentTab()
	only, byHost := onlyCurrent(all)
	for i, t := range all {
		switch {
		case at.tab != 0 && at.profileID != t.client.Status.ProfileID, at.inRunOf(t.client):
			all[i].Current = at.inRunOf(t.client) && t.TabID == at.tab
		default:
			all[i].Current = byHost && t.client == only.client && t.TabID == only.TabID
		}
	}
}

// tabChangers are the calls after which the session may have another current tab.
var tabChangers = []string{activateTool, "browser.open_tab", "browser.close_tab", "runtime.session.finalize_tabs"}

// mayChangeTab reports whether a stored action may have changed the current tab: one of its steps
// does, or its steps are not known.
func mayChangeTab(e dispatch.Envelope) bool {
	type step struct {
		Primitive string `json:"primitive"`
		Steps     []step `json:"steps"`
	}
	var steps []step
	raw, err := json.Marshal(e.Meta.Steps)
	if err != nil || json.Unmarshal(raw, &steps) != nil || steps == nil || e.Name != dispatch.SiteTool || !e.OK {
		return true
	}
	var changes func(s step) bool
	changes = func(s step) bool {
		return slices.Contains(tabChangers, s.Primitive) || slices.ContainsFunc(s.Steps, changes)
	}
	return slices.ContainsFunc(steps, changes)
}

// updateCurrent updates the current tab from the host after a call of the primitives that may
// have changed it.
func (s *Server) updateCurrent(ctx context.Context, names []string, e dispatch.Envelope, client *control.Client) {
	changed := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(tabChangers, name) })
	// A session that has named no tab leaves it to the host.
	ran := slices.Contains(names, dispatch.SiteTool) && s.currentTab().tab != 0
	if !changed && !(ran && mayChangeTab(e)) {
		return
	}
	all, err := s.claimed(context.WithoutCancel(ctx), []*control.Client{client})
	if err != nil {
		return // the host has ended: the tab stays as it was
	}
	now := current{}
	for _, t := range all {
		if t.Current {
			now = current{client.Status.ProfileID, client.Status.ProfileLabel, client.Status.BrowserSession, t.TabID}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// A tab of another browser stays current when one is closed in this.
	if now.tab != 0 || s.current.profileID == client.Status.ProfileID {
		s.current = now
	}
}

// claimedTab is a row of the list of tabs.
type claimedTab struct {
	TabID     int             `json:"tab_id"`
	RuntimeID string          `json:"runtime_id,omitzero"`
	URL       string          `json:"url"`
	Title     string          `json:"title"`
	Current   bool            `json:"current,omitzero"`
	Loading   bool            `json:"loading,omitzero"`
	Dialog    json.RawMessage `json:"dialog,omitzero"`
	Profile   string          `json:"profile"`
	ProfileID string          `json:"profile_id"`
	Browser   string          `json:"browser"`

	client *control.Client
}

// shortID is how much of a profile's id is shown.
const shortID = 8

// claimed lists the tabs that were handed over in the browsers.
func (s *Server) claimed(ctx context.Context, clients []*control.Client) ([]claimedTab, error) {
	all := []claimedTab{}
	for _, c := range clients {
		var t control.Tabs
		if err := c.Call(ctx, control.MethodTabs, s.session(), &t); err != nil {
			return nil, err
		}
		var rows []claimedTab
		if err := json.Unmarshal(t.Tabs, &rows); err != nil {
			return nil, fault.Wrap(err, fault.InvalidResult, "the host's list of tabs is not readable: %v", err)
		}
		for _, row := range rows {
			row.Profile, row.Browser, row.client = c.Status.ProfileLabel, c.Status.Browser, c
			row.ProfileID = c.Status.ProfileID[:min(shortID, len(c.Status.ProfileID))]
			all = append(all, row)
		}
	}
	return all, nil
}
