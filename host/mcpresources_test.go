package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/mcpserver"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
)

func TestMCPResources(t *testing.T) {
	// Ensure that the log, the storage's files and the primitives can be read, and nothing outside of the storage.
	mcpHome(t)
	dir := filepath.Join(paths.Storage(), "scopes", "private", "sites", "one.test", "page")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(dir, "actions.json"): `{"protocol":"actions.json"}`, filepath.Join(dir, "SKILL one.md"): "# One",
		filepath.Join(filepath.Dir(paths.Storage()), "secret"): "secret",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(paths.Storage()), "secret"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	var b fakes.Browser
	startHost(t, &b, firstID, "Work", "https://one.test/")
	c := mcpClient(t, nil, mcpserver.Options{})
	wantOK(t, direct(t, c, "page.info", ""))
	const site = "actions-host://storage/scopes/private/sites/one.test/page/"
	for uri, want := range map[string]string{
		"actions-host://log":                      "page.info",
		"actions-host://log/mcp:" + t.Name():      "page.info",
		"actions-host://storage":                  "scopes/private/sites/one.test/page/actions.json",
		site + "actions.json":                     `"protocol"`,
		site + "SKILL%20one.md":                   "# One",
		"actions-host://primitives":               "locator.click",
		"actions-host://primitives/locator.click": "locator: Locator",
		"actions-host://primitives/page_snapshot": "page.snapshot",
	} {
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(r.Contents[0].Text, want) {
			t.Errorf("%s: %v %+v", uri, err, r)
			continue
		}
		sealed := strings.Contains(r.Contents[0].Text, "<page_data id=")
		if foreign := strings.HasPrefix(uri, "actions-host://log") || strings.HasSuffix(uri, ".md") || strings.HasSuffix(uri, ".json"); sealed != foreign {
			t.Errorf("%s: marked %t: %.200s", uri, sealed, r.Contents[0].Text)
		}
	}
	for _, uri := range []string{site + "link", site + "none", "actions-host://storage/../secret", "actions-host://storage/%2e%2e/secret", "actions-host://storage//etc/passwd", "actions-host://primitives/no.such"} {
		if r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s gave %q", uri, r.Contents[0].Text)
		}
	}
}

func TestMCPLogOfOthers(t *testing.T) {
	// Ensure that a client in ask mode, or of some origins, is offered no other session's log and is refused it where it asks, while it reads its own.
	mcpHome(t)
	var b fakes.Browser
	startHost(t, &b, firstID, "Work", "https://one.test/")
	for name, options := range map[string]mcpserver.Options{
		"act":     {Session: control.SessionParams{Mode: policy.ModeAct}},
		"ask":     {Session: control.SessionParams{Mode: policy.ModeAsk}},
		"origins": {Session: control.SessionParams{Mode: policy.ModeAct, Origins: []string{"https://one.test"}}},
	} {
		t.Run(name, func(t *testing.T) {
			c := mcpClient(t, nil, options)
			wantOK(t, direct(t, c, "page.info", ""))
			templates, err := c.ListResourceTemplates(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			offered := slices.ContainsFunc(templates.ResourceTemplates, func(r *mcp.ResourceTemplate) bool { return strings.Contains(r.URITemplate, "session_id") })
			_, err = c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "actions-host://log/cli"})
			if free := name == "act"; offered != free || (err == nil) != free {
				t.Errorf("offered: %t, read: %v", offered, err)
			}
			other := direct(t, c, "runtime.session.log", `"session_id":"cli",`)
			if (name == "act") != other.OK || !other.OK && (other.Error.Code != fault.PermissionDenied || !strings.Contains(other.Error.NextStep, "own log")) {
				t.Errorf("the call: %+v", other.Error)
			}
			r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "actions-host://log"})
			if err != nil || !strings.Contains(r.Contents[0].Text, "page.info") {
				t.Errorf("its own: %v %+v", err, r)
			}
		})
	}
}

func TestMCPListChanges(t *testing.T) {
	// Ensure that a primitive which the connected extension lacks leaves the catalogue of the profile all, that the client is told, and that the core catalogue is the same whatever is connected.
	mcpHome(t)
	var b fakes.Browser
	b.Hello = func(h *protocol.Handshake) {
		h.Primitives = slices.DeleteFunc(h.Primitives, func(name string) bool { return name == "page.info" })
	}
	startHost(t, &b, firstID, "Work", "https://one.test/")
	told := make(chan struct{}, 10)
	c := mcpClient(t, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} }}, mcpserver.Options{All: true})
	names := func(c *mcp.ClientSession) string {
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, tool := range list.Tools {
			all = append(all, tool.Name)
		}
		return fmt.Sprint(all)
	}
	if !strings.Contains(names(c), "page_info") {
		t.Error("page_info is missing from the start")
	}
	wantOK(t, mcpCall(t, c, "browser_claimed_tabs_list", `{`+mcpReport("browser.claimed_tabs.list")+`}`))
	select {
	case <-told:
	case <-time.After(10 * time.Second):
		t.Fatal("the client was not told")
	}
	if strings.Contains(names(c), "page_info") {
		t.Error("page_info is still offered")
	}
	core := mcpClient(t, nil, mcpserver.Options{})
	before := names(core)
	wantOK(t, mcpCall(t, core, "browser_claimed_tabs_list", `{`+mcpReport("browser.claimed_tabs.list")+`}`))
	if after := names(core); after != before {
		t.Errorf("%s became %s", before, after)
	}
}
