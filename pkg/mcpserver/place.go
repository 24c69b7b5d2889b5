package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// current is the tab that calls go to which name none. It is kept here and not
// in the host alone: it outlives a host that starts anew, and tells which of
// several browsers is meant.
type current struct {
	profileID, label string
	tab              int
}

// place is where a call goes. Tab 0 leaves the choice to the host, by what the
// call's own arguments name.
type place struct {
	client *control.Client
	tab    int
}

// named is what a call's arguments say of the tab.
type named struct {
	RuntimeID   string `json:"target_runtime_id"`
	URLContains string `json:"target_url_contains"`
	TabID       int    `json:"tab_id"`
	Profile     string `json:"profile"`
}

// place finds the host and the tab of a call. With one browser the host says
// what is wrong with a target, which no tab can meet.
func (s *Server) place(ctx context.Context, r *primitive.Record, args json.RawMessage) (place, error) {
	want := s.namedBy(r, args)
	at := s.currentTab()
	if want == (named{}) && at.tab != 0 {
		client, err := s.hosts.profile(ctx, at.profileID, at.label)
		return place{client, at.tab}, err
	}
	clients, err := s.hosts.connected(ctx)
	if err != nil {
		return place{}, err
	}
	if len(clients) == 1 && want != (named{}) {
		return place{client: clients[0]}, nil
	}
	all, err := s.claimed(ctx, clients)
	if err != nil {
		return place{}, err
	}
	return choose(all, clients, want)
}

// choose picks the tab that is meant. The only tab that was handed over is meant
// where none is named; of several, the caller must choose one.
func choose(all []claimedTab, clients []*control.Client, want named) (place, error) {
	matches := slices.DeleteFunc(all, func(t claimedTab) bool { return !want.matches(t) })
	switch {
	case len(matches) == 1 && want == (named{}):
		return place{matches[0].client, matches[0].TabID}, nil
	case len(matches) == 0:
		return place{client: clients[0]}, nil
	case slices.ContainsFunc(matches, func(t claimedTab) bool { return t.client != matches[0].client }):
		return place{}, fault.New(fault.AmbiguousRuntime, "tabs of several browsers are meant by this call").
			With("candidates", matches).WithDispatched(fault.NotDispatched).
			WithNextStep("Choose one with browser.claimed_tabs.activate, giving its tab_id and profile from browser.claimed_tabs.list.")
	}
	return place{client: matches[0].client}, nil
}

func (n named) matches(t claimedTab) bool {
	return (n.TabID == 0 || n.TabID == t.TabID) && (n.RuntimeID == "" || n.RuntimeID == t.RuntimeID) &&
		(n.URLContains == "" || strings.Contains(t.URL, n.URLContains)) &&
		(n.Profile == "" || n.Profile == t.Profile || strings.HasPrefix(t.client.Status.ProfileID, n.Profile))
}

// namedBy reads the members that address a tab. tab_id does so only for the
// primitives that take it as one.
func (s *Server) namedBy(r *primitive.Record, args json.RawMessage) named {
	var want named
	if json.Unmarshal(args, &want) != nil {
		return named{} // a member of another type: the host says so
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

// movers are the calls after which the session may have another current tab.
var movers = []string{activateTool, "browser.open_tab", "browser.close_tab", "runtime.session.finalize_tabs"}

// noteCurrent asks the host which tab is current after a call that may have
// changed it.
func (s *Server) noteCurrent(ctx context.Context, name string, client *control.Client) {
	if !slices.Contains(movers, name) {
		return
	}
	all, err := s.claimed(context.WithoutCancel(ctx), []*control.Client{client})
	if err != nil {
		return // the host has gone: the tab stays what it was
	}
	now := current{}
	for _, t := range all {
		if t.Current {
			now = current{client.Status.ProfileID, client.Status.ProfileLabel, t.TabID}
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
		err := c.Call(ctx, control.MethodTabs, s.session(), &t)
		if fault.Is(err, fault.TransportFailed) {
			continue // it has just ended; the others are there all the same
		}
		if err != nil {
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
