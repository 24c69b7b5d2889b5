// Package mcp drives the built program as MCP clients do: over the stdin and
// stdout of a process of its own, against a real headless Chromium.
package mcp

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
	"github.com/actionsjson/actions-host/test/sites"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	os.Exit(code)
}

// shop is the sample shop in a browser that knows its map.
type shop struct {
	*harness.Home
	browser *launch.Browser
	url     string
	rec     *sites.Recorder
}

func openShop(t *testing.T, settings string) *shop {
	t.Helper()
	s := &shop{Home: harness.NewHome(t), rec: sites.NewRecorder(nil)}
	if settings != "" {
		s.Settings(t, settings)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(sites.Teahouse(s.rec))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	s.url = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	storage := filepath.Join(repo.Root(), "test", "sites", "storage")
	s.browser = s.OpenWith(t, []string{paths.EnvStorage + "=" + storage}, nil, s.url)
	return s
}

// ordered returns the orders that the shop's server received.
func (s *shop) ordered() int {
	count := 0
	for _, r := range s.rec.All() {
		if r.Method == http.MethodPost {
			count++
		}
	}
	return count
}

// client starts the server as a client's child and connects to it.
func (s *shop) client(t *testing.T, options *sdk.ClientOptions, flags ...string) *sdk.ClientSession {
	t.Helper()
	return connect(t, s.Home, options, flags...)
}

func connect(t *testing.T, home *harness.Home, options *sdk.ClientOptions, flags ...string) *sdk.ClientSession {
	t.Helper()
	cmd := home.Command(context.Background(), append([]string{"mcp"}, flags...)...)
	cmd.Stderr = os.Stderr
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// answer is what the text block of a result holds.
type answer struct {
	OK      bool            `json:"ok"`
	Already bool            `json:"already"`
	Output  json.RawMessage `json:"output"`
	Error   *fault.Error    `json:"error"`
	Meta    map[string]any  `json:"meta"`
	Nudge   map[string]any  `json:"nudge"`

	result *sdk.CallToolResult
}

// call calls a tool; args is JSON.
func call(t *testing.T, c *sdk.ClientSession, tool, args string) answer {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return read(t, result)
}

func read(t *testing.T, result *sdk.CallToolResult) answer {
	t.Helper()
	a := answer{result: result}
	text, ok := result.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("the first block is %T", result.Content[0])
	}
	if err := json.Unmarshal([]byte(text.Text), &a); err != nil {
		t.Fatalf("%s: %v", text.Text, err)
	}
	if a.OK == result.IsError {
		t.Fatalf("ok and isError contradict each other: %s", text.Text)
	}
	return a
}

// report is the member that a direct call needs.
func report(name string) string {
	return `"policy_exception_report":{"kind":"generic","intended_tool":"` + name + `","actions_json_path":"none","reason":"a test"}`
}

func must(t *testing.T, a answer, into any) {
	t.Helper()
	if !a.OK {
		t.Fatalf("failed: %v %v", a.Error, a.Error.Evidence)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(a.Output, into); err != nil {
		t.Fatalf("%s: %v", a.Output, err)
	}
}

func wantCode(t *testing.T, a answer, code fault.Code) *fault.Error {
	t.Helper()
	if a.OK || a.Error.Code != code {
		t.Fatalf("want %s, got %v %s", code, a.Error, a.Output)
	}
	if a.Error.NextStep == "" {
		t.Errorf("%s has no next step", code)
	}
	return a.Error
}
