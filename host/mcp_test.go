package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/mcpserver"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
)

// mcpHome is a short home for hosts that live in the test: a socket's path has
// 107 bytes.
func mcpHome(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "ah-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv(paths.EnvHome, dir)
	t.Setenv("HOME", dir)
	t.Setenv(paths.EnvStorage, "")
}

// startHost runs a whole host in the test, whose browser is a fake with pages of
// the URLs handed over as tabs 1, 2, …
func startHost(t *testing.T, b *fakes.Browser, id, label string, urls ...string) (stop func()) {
	t.Helper()
	hello := b.Hello
	b.Hello = func(h *protocol.Handshake) {
		h.ProfileID, h.ProfileLabel = id, label
		if hello != nil {
			hello(h)
		}
	}
	p := newProfile(slog.New(slog.DiscardHandler))
	near, far := net.Pipe()
	if _, err := browser.Connect(context.Background(), near, version, p); err != nil {
		t.Fatal(err)
	}
	if err := b.Connect(context.Background(), far); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Handshake(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, url := range urls {
		if err := b.Claim(t.Context(), i+1, url); err != nil {
			t.Fatal(err)
		}
	}
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		if err := p.close(); err != nil {
			t.Error(err)
		}
		far.Close()
	}
	t.Cleanup(stop)
	return stop
}

const (
	firstID  = "1111111111111111aaaaaaaaaaaaaaaa"
	secondID = "2222222222222222bbbbbbbbbbbbbbbb"
)

// mcpClient connects a client to a server of this process.
func mcpClient(t *testing.T, client *mcp.ClientOptions, options mcpserver.Options) *mcp.ClientSession {
	t.Helper()
	options.Sockets, options.Session.Kind, options.Session.ID = paths.Sockets(), policy.SessionMCP, t.Name()
	if options.Wait == 0 {
		options.Wait = 10 * time.Second
	}
	server, err := mcpserver.New(options)
	if err != nil {
		t.Fatal(err)
	}
	near, far := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- server.Run(context.Background(), far) }()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, client).Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		<-ended
	})
	return c
}

type mcpAnswer struct {
	OK     bool            `json:"ok"`
	Output json.RawMessage `json:"output"`
	Error  *fault.Error    `json:"error"`
	Meta   map[string]any  `json:"meta"`
}

func mcpCall(t *testing.T, c *mcp.ClientSession, tool, args string) mcpAnswer {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var a mcpAnswer
	text := result.Content[0].(*mcp.TextContent).Text
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if a.OK == result.IsError {
		t.Fatalf("ok and isError contradict each other: %s", text)
	}
	return a
}

func mcpReport(name string) string {
	return `"policy_exception_report":{"kind":"generic","intended_tool":"` + name + `","actions_json_path":"none","reason":"a test"}`
}

// direct calls a primitive through primitives.call with a good report.
func direct(t *testing.T, c *mcp.ClientSession, name, more string) mcpAnswer {
	t.Helper()
	return mcpCall(t, c, "primitives_call", `{"name":"`+name+`","arguments":{`+more+mcpReport(name)+`}}`)
}

func wantFault(t *testing.T, a mcpAnswer, code fault.Code) *fault.Error {
	t.Helper()
	if a.OK || a.Error.Code != code {
		t.Fatalf("want %s, got %+v %s", code, a.Error, a.Output)
	}
	return a.Error
}

func wantOK(t *testing.T, a mcpAnswer) {
	t.Helper()
	if !a.OK {
		t.Fatalf("%+v", a.Error)
	}
}

func TestMCPSeveralBrowsers(t *testing.T) {
	// Ensure that the tabs of all browsers are listed with their names, that nothing is guessed between two, that a chosen tab stays chosen, and that a browser which has gone is named and comes back.
	mcpHome(t)
	var one, two fakes.Browser
	stopOne := startHost(t, &one, firstID, "Work", "https://one.test/")
	startHost(t, &two, secondID, "Home", "https://two.test/")
	c := mcpClient(t, nil, mcpserver.Options{Wait: 3 * time.Second}) // one wait is to the end

	var list struct {
		Tabs []struct {
			TabID            int `json:"tab_id"`
			Profile, Browser string
			Current          bool
		}
	}
	a := mcpCall(t, c, "browser_claimed_tabs_list", `{}`)
	if err := json.Unmarshal(a.Output, &list); err != nil || len(list.Tabs) != 2 || list.Tabs[0].Profile != "Work" || list.Tabs[1].Browser != "chromium" {
		t.Fatalf("%s %v", a.Output, err)
	}
	if f := wantFault(t, direct(t, c, "page.info", ""), fault.AmbiguousRuntime); f.Evidence["candidates"] == nil || f.Dispatched != fault.NotDispatched {
		t.Errorf("%+v", f)
	}
	wantOK(t, direct(t, c, "page.info", `"target_url_contains":"two.test",`))
	wantFault(t, mcpCall(t, c, "browser_claimed_tabs_activate", `{"tab_id":1,`+mcpReport("browser.claimed_tabs.activate")+`}`), fault.AmbiguousRuntime)
	wantOK(t, mcpCall(t, c, "browser_claimed_tabs_activate", `{"tab_id":1,"profile":"Work",`+mcpReport("browser.claimed_tabs.activate")+`}`))
	wantOK(t, direct(t, c, "page.info", ""))
	if len(one.Calls()) != 1 || len(two.Calls()) != 1 {
		t.Errorf("the first got %d calls, the second %d", len(one.Calls()), len(two.Calls()))
	}

	stopOne()
	if f := wantFault(t, direct(t, c, "page.info", ""), fault.BrowserNotConnected); !strings.Contains(f.Message, "Work") {
		t.Errorf("%+v", f)
	}
	if len(two.Calls()) != 1 {
		t.Error("the call went to the other browser")
	}
	var again fakes.Browser
	startHost(t, &again, firstID, "Work", "https://one.test/")
	wantOK(t, direct(t, c, "page.info", ""))
	if len(again.Calls()) != 1 {
		t.Error("the call did not find its browser again")
	}
}

func TestMCPAnswers(t *testing.T) {
	// Ensure that an answer is short, that a long one is read on with its literal next, and that arguments which could be read in two ways are refused before anything is sent.
	mcpHome(t)
	text := strings.Repeat("a long page. ", 8000)
	b := fakes.Browser{Page: func(_ context.Context, call protocol.ActionCall) (any, error) {
		if call.Name == "dom.snapshot_text" {
			return map[string]any{"text": text, "truncated": false, "total_chars": len(text)}, nil
		}
		return fakes.Answer(call)
	}}
	startHost(t, &b, firstID, "Work", "https://one.test/")
	c := mcpClient(t, nil, mcpserver.Options{})
	if a := direct(t, c, "page.info", ""); !a.OK || a.Meta != nil {
		t.Errorf("%+v", a)
	}
	if a := mcpCall(t, c, "primitives_call", `{"name":"page.info","detail":true,"arguments":{`+mcpReport("page.info")+`}}`); !a.OK || a.Meta["tab"] == nil {
		t.Errorf("in detail: %+v", a)
	}
	type part struct {
		Text string          `json:"text"`
		Next json.RawMessage `json:"next"`
	}
	var whole strings.Builder
	parts := 0
	for a := direct(t, c, "dom.snapshot_text", ""); ; parts++ {
		wantOK(t, a)
		var p part
		if err := json.Unmarshal(a.Output, &p); err != nil {
			t.Fatal(err)
		}
		whole.WriteString(p.Text)
		if p.Next == nil {
			break
		}
		a = mcpCall(t, c, "primitives_call", string(p.Next))
	}
	var read struct{ Text string }
	if err := json.Unmarshal([]byte(whole.String()), &read); err != nil || read.Text != text || parts < 3 {
		t.Errorf("%d parts, %d of %d characters, %v", parts, len(read.Text), len(text), err)
	}
	calls := len(b.Calls())
	if calls != 3 {
		t.Errorf("reading on made %d calls", calls)
	}
	for _, args := range []string{
		`{"locator":{},"locator":{"selector":"a"},` + mcpReport("locator.text_content") + `}`, `[]`, `"text"`,
	} {
		if f := mcpCall(t, c, "locator_text_content", args).Error; f == nil || f.Dispatched != fault.NotDispatched {
			t.Errorf("%s: %+v", args, f)
		}
	}
	wantFault(t, mcpCall(t, c, "primitives_call", `{"arguments":{}}`), fault.InvalidInput)
	wantFault(t, direct(t, c, "no.such", ""), fault.UnknownPrimitive)
	wantFault(t, mcpCall(t, c, "primitives_call", `{"name":"page.info","arguments":{}}`), fault.PolicyExceptionReportRequired)
	if got := len(b.Calls()); got != calls {
		t.Errorf("%d refused calls were sent", got-calls)
	}
}

func TestMCPLosesItsHost(t *testing.T) {
	// Ensure that an acting call whose host ends while it runs says that its outcome is unknown and is not made again, and that a read after it goes on with the next host.
	mcpHome(t)
	reached, release := make(chan struct{}), make(chan struct{})
	b := fakes.Browser{Page: func(_ context.Context, call protocol.ActionCall) (any, error) {
		close(reached)
		<-release
		return fakes.Answer(call)
	}}
	stop := startHost(t, &b, firstID, "Work", "https://one.test/")
	c := mcpClient(t, nil, mcpserver.Options{})
	answered := make(chan mcpAnswer, 1)
	go func() { answered <- direct(t, c, "pointer.click", `"x":1,"y":2,`) }()
	<-reached
	stop()
	close(release)
	if a := <-answered; a.OK || a.Error.Dispatched != fault.DispatchedUnknown || a.Error.Retryable {
		t.Errorf("%+v", a.Error)
	}
	var next fakes.Browser
	startHost(t, &next, firstID, "Work", "https://one.test/")
	wantOK(t, direct(t, c, "page.info", ""))
	if calls := next.Calls(); len(calls) != 1 || calls[0].Name != "page.info" {
		t.Errorf("the next host got %+v", calls)
	}
}

func TestMCPRestrictions(t *testing.T) {
	// Ensure that mode and origins are the host's own rules for the session, that one which is kept to other pages does not learn what this one is, and that a retest runs without direct primitives until it ends.
	mcpHome(t)
	var b fakes.Browser
	startHost(t, &b, firstID, "Work", "https://one.test/")
	looking := mcpClient(t, nil, mcpserver.Options{Session: control.SessionParams{Mode: policy.ModeAsk}})
	wantFault(t, direct(t, looking, "pointer.click", `"x":1,"y":2,`), fault.PermissionDenied)
	elsewhere := mcpClient(t, nil, mcpserver.Options{Session: control.SessionParams{Origins: []string{"https://other.test"}}})
	if f := wantFault(t, direct(t, elsewhere, "page.info", ""), fault.PermissionDenied); f.Evidence["rule"] != "origins" {
		t.Errorf("%+v", f)
	}
	list := mcpCall(t, elsewhere, "browser_claimed_tabs_list", `{}`)
	wantOK(t, list)
	if told := string(list.Output); strings.Contains(told, "one.test") || !strings.Contains(told, "tab_id") {
		t.Errorf("it is told %s", told)
	}
	here := mcpClient(t, nil, mcpserver.Options{Session: control.SessionParams{Origins: []string{"https://*.test"}}})
	wantOK(t, direct(t, here, "page.info", ""))
	wantFault(t, direct(t, here, "browser.navigate", `"url":"https://evil.example/",`), fault.PermissionDenied)

	retesting := mcpClient(t, nil, mcpserver.Options{})
	wantOK(t, mcpCall(t, retesting, "primitives_direct", `{"allowed":false}`))
	if f := wantFault(t, direct(t, retesting, "page.info", ""), fault.PermissionDenied); f.Evidence["rule"] != "stored_only" {
		t.Errorf("%+v", f)
	}
	wantOK(t, mcpCall(t, retesting, "actions_site", `{"mode":"list"}`))
	wantOK(t, mcpCall(t, retesting, "primitives_direct", `{"allowed":true}`))
	wantOK(t, direct(t, retesting, "page.info", ""))
	wantFault(t, mcpCall(t, retesting, "primitives_direct", `{"allowed":"no"}`), fault.InvalidInput)
	for _, call := range b.Calls() {
		if call.Name == "pointer.click" || call.Name == "browser.navigate" {
			t.Errorf("%s reached the page", call.Name)
		}
	}
}

func TestMCPApprovalWait(t *testing.T) {
	// Ensure that a server that was started so waits for the user's answer, does the call when it was allowed and says that it was refused when it was.
	mcpHome(t)
	if err := os.MkdirAll(paths.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(paths.Data(), "settings.json"), []byte(`{"ask_effects":["input"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := fakes.Browser{Page: func(_ context.Context, call protocol.ActionCall) (any, error) { return fakes.Answer(call) }}
	startHost(t, &b, firstID, "Work", "https://one.test/")
	c := mcpClient(t, nil, mcpserver.Options{ApprovalWait: 10 * time.Second})
	clients, err := control.Discover(t.Context(), paths.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	user := clients[0]
	defer user.Close()
	for _, allow := range []bool{true, false} {
		answered := make(chan mcpAnswer, 1)
		go func() { answered <- direct(t, c, "pointer.click", `"x":1,"y":2,`) }()
		var waiting control.Approvals
		for len(waiting.Approvals) == 0 {
			if err := user.Call(t.Context(), control.MethodApprovals, control.Empty{}, &waiting); err != nil {
				t.Fatal(err)
			}
		}
		if err := user.Call(t.Context(), control.MethodAnswer, control.Answer{ID: waiting.Approvals[0].ID, Allow: allow}, &control.Empty{}); err != nil {
			t.Fatal(err)
		}
		if a := <-answered; allow {
			wantOK(t, a)
		} else {
			wantFault(t, a, fault.PermissionDenied)
		}
	}
	if len(b.Calls()) != 1 {
		t.Errorf("%d calls reached the page", len(b.Calls()))
	}
}

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
		"actions-host://primitives/locator.click": "input_schema",
		"actions-host://primitives/page_snapshot": "page.snapshot",
	} {
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(r.Contents[0].Text, want) {
			t.Errorf("%s: %v %+v", uri, err, r)
		}
	}
	for _, uri := range []string{site + "link", site + "none", "actions-host://storage/../secret", "actions-host://storage/%2e%2e/secret", "actions-host://storage//etc/passwd", "actions-host://primitives/no.such"} {
		if r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s gave %q", uri, r.Contents[0].Text)
		}
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
	wantOK(t, mcpCall(t, c, "browser_claimed_tabs_list", `{}`))
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
	wantOK(t, mcpCall(t, core, "browser_claimed_tabs_list", `{}`))
	if after := names(core); after != before {
		t.Errorf("%s became %s", before, after)
	}
}
