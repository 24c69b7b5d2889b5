package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/mcpserver"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/fakes"
)

// currentTabs lists the claimed tabs over MCP and returns the ids of the current
// ones.
func currentTabs(t *testing.T, c *mcp.ClientSession) (all int, current []int) {
	t.Helper()
	a := mcpCall(t, c, "browser_claimed_tabs_list", `{`+mcpReport("browser.claimed_tabs.list")+`}`)
	var list struct {
		Tabs []struct {
			TabID   int `json:"tab_id"`
			Current bool
		}
	}
	if err := json.Unmarshal(a.Output, &list); err != nil {
		t.Fatalf("%s %v", a.Output, err)
	}
	for _, tab := range list.Tabs {
		if tab.Current {
			current = append(current, tab.TabID)
		}
	}
	return len(list.Tabs), current
}

func wantCurrent(t *testing.T, when string, c *mcp.ClientSession, b *fakes.Browser, all, current int) {
	t.Helper()
	got, marked := currentTabs(t, c)
	if got != all || len(marked) != 1 || marked[0] != current {
		t.Errorf("%s: of %d tabs %v are current, want %d", when, got, marked, current)
	}
	wantOK(t, direct(t, c, "page.info", ""))
	if calls := b.Calls(); calls[len(calls)-1].TabID != current {
		t.Errorf("%s: the call went to tab %d, want %d", when, calls[len(calls)-1].TabID, current)
	}
}

func TestMCPListNeedsAReport(t *testing.T) {
	// Ensure that the list of tabs is a direct call like any other: without a policy_exception_report it is refused, and calls and refusals stand in the log.
	mcpHome(t)
	var b fakes.Browser
	startHost(t, &b, firstID, "Work", "https://one.test/")
	c := mcpClient(t, nil, mcpserver.Options{})
	for _, refused := range []mcpAnswer{mcpCall(t, c, "browser_claimed_tabs_list", `{}`), mcpCall(t, c, "primitives_call", `{"name":"browser.claimed_tabs.list","arguments":{}}`)} {
		if f := wantFault(t, refused, fault.PolicyExceptionReportRequired); f.Dispatched != fault.NotDispatched || refused.Output != nil {
			t.Errorf("%+v", refused)
		}
	}
	wantOK(t, mcpCall(t, c, "browser_claimed_tabs_list", `{`+mcpReport("browser.claimed_tabs.list")+`}`))
	var log []struct{ Type, Name string }
	a := direct(t, c, "runtime.session.log", "")
	var told struct{ Events json.RawMessage }
	if err := json.Unmarshal(a.Output, &told); err != nil || json.Unmarshal(told.Events, &log) != nil {
		t.Fatalf("%s %v", a.Output, err)
	}
	logged := map[string]int{}
	for _, r := range log {
		if r.Name == "browser.claimed_tabs.list" {
			logged[r.Type]++
		}
	}
	if logged["policy"] != 2 || logged["outcome"] != 1 {
		t.Errorf("the log has %v:\n%s", logged, told.Events)
	}
}

func TestMCPKeepsItsTab(t *testing.T) {
	// Ensure that a session which has chosen no tab goes on in its only one when a call opens another that the settings hand over, that the list says so, and that a browser which starts anew, where ids mean other tabs, makes its one claimed tab current.
	mcpHome(t)
	if err := os.MkdirAll(paths.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(paths.Data(), "settings.json"), []byte(`{"claim_opened_tabs":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var b fakes.Browser
	stop := startHost(t, &b, firstID, "Work", "https://one.test/")
	c := mcpClient(t, nil, mcpserver.Options{})
	wantCurrent(t, "at first", c, &b, 1, 1)
	var opened struct {
		Claimed bool
		Tab     struct {
			TabID   int `json:"tab_id"`
			Current bool
		}
	}
	a := mcpCall(t, c, "browser_open_tab", `{"url":"https://two.test/",`+mcpReport("browser.open_tab")+`}`)
	if err := json.Unmarshal(a.Output, &opened); err != nil || !opened.Claimed || opened.Tab.Current {
		t.Fatalf("%s %v", a.Output, err)
	}
	wantCurrent(t, "with another opened", c, &b, 2, 1)
	wantOK(t, mcpCall(t, c, "browser_claimed_tabs_activate", `{"tab_id":`+jsonOf(t, opened.Tab.TabID)+`,`+mcpReport("browser.claimed_tabs.activate")+`}`))
	wantCurrent(t, "after choosing the other", c, &b, 2, opened.Tab.TabID)

	stop()
	next := fakes.Browser{Hello: func(h *protocol.Handshake) { h.BrowserSession = strings.Repeat("e", 32) }}
	startHost(t, &next, firstID, "Work", "https://one.test/")
	wantCurrent(t, "in the next run of the browser", c, &next, 1, 1)
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
