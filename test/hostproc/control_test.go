package hostproc

import (
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestNoClientClaims(t *testing.T) {
	// Ensure that no method on the control socket claims a tab, releases one, or plays the extension: all methods of the protocol are refused there.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	c := dial(t, home)
	params := []any{
		protocol.ClaimParams{Tab: tabAt(9, shop)}, protocol.ReleaseParams{TabID: 1, Reason: "x"}, protocol.TabUpdate{Tab: tabAt(1, "https://evil.example.com/")},
		protocol.RuntimeRef{TabID: 1, RuntimeID: "x"}, protocol.Claims{TabIDs: []int{9}}, map[string]any{"tab_id": 9}, map[string]any{},
	}
	names := []string{"Claim", "claims", "tab_claim", "takeover", "approve", "shutdown", "rpc.discover"}
	for _, m := range protocol.Methods {
		if m.Name != protocol.MethodPing { // the control socket has one of its own
			names = append(names, m.Name)
		}
	}
	for _, name := range names {
		for _, p := range params {
			var result json.RawMessage
			if err := c.Call(patient(t), name, p, &result); err == nil {
				t.Errorf("%s is answered with %s", name, result)
			}
			c = alive(t, home, c)
			if err := c.Notify(patient(t), name, p); err != nil {
				t.Errorf("notify %s: %v", name, err)
			}
			c = alive(t, home, c) // the host has read it
			c.Close()             // it answers with a notice, which ends a client some time later
			c = dial(t, home)
		}
	}
	var tabs control.Tabs
	if err := c.Call(patient(t), control.MethodTabs, control.SessionParams{Kind: "cli"}, &tabs); err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		TabID     int    `json:"tab_id"`
		URL       string `json:"url"`
		RuntimeID string `json:"runtime_id"`
	}
	if err := json.Unmarshal(tabs.Tabs, &rows); err != nil || len(rows) != 1 || rows[0].TabID != 1 || rows[0].URL != shop || rows[0].RuntimeID != "runtime-1" {
		t.Errorf("claimed tabs %s", tabs.Tabs)
	}
	wantCode(t, call(t, c, at(clickCall(), 9)), fault.TabNotClaimed)
	if len(b.Seen()) != 0 {
		t.Errorf("the extension saw %v", b.Seen())
	}
}

// alive returns a client that works: the same one, or a new one where the host
// has hung up.
func alive(t *testing.T, home *harness.Home, c *control.Client) *control.Client {
	t.Helper()
	var status control.Status
	if c.Call(patient(t), control.MethodStatus, control.Empty{}, &status) == nil {
		return c
	}
	return dial(t, home)
}
