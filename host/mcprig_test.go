package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/mcpserver"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/profile"
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
	near, far := net.Pipe()
	h, err := profile.Connect(context.Background(), near, profileConfig(slog.New(slog.DiscardHandler)))
	if err != nil {
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
		if err := h.Close(); err != nil {
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
	return mcpClientOf(t, "2025-11-25", client, options)
}

// mcpClientOf is mcpClient for a revision of the protocol.
func mcpClientOf(t *testing.T, revision string, client *mcp.ClientOptions, options mcpserver.Options, receiving ...mcp.Middleware) *mcp.ClientSession {
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
	own := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, client)
	own.AddReceivingMiddleware(receiving...)
	c, err := own.Connect(t.Context(), near, &mcp.ClientSessionOptions{ProtocolVersion: revision})
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
