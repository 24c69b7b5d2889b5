package obedient

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // the formats of the pictures
	_ "image/png"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is an agent over MCP.
type client struct{ *sdk.ClientSession }

// connect starts the agent's MCP server under the lane's policy.
func connect(l *lane) *client {
	l.Helper()
	flags := []string{"mcp", "--no-loop-guard"}
	switch l.policy {
	case "ask":
		flags = append(flags, "--mode", "ask")
	case "origin":
		flags = append(flags, "--origin", l.place.own)
	}
	cmd := l.profile.Command(context.Background(), flags...)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "obedient", Version: "1"}, nil).Connect(l.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { session.Close() })
	return &client{session}
}

func (c *client) take(l *lane, tab, _ int) read {
	return c.call(l.Context(), l, "browser.claimed_tabs.activate", l.reported("browser.claimed_tabs.activate", fmt.Sprintf(`{"tab_id":%d}`, tab)))
}

func (c *client) call(ctx context.Context, l *lane, name string, args map[string]any) read {
	l.Helper()
	result, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "primitives_call", Arguments: map[string]any{"name": name, "arguments": args}})
	if err != nil {
		l.Errorf("%s: %v", name, err)
		return read{}
	}
	r := read{ok: !result.IsError}
	for _, block := range result.Content {
		switch block := block.(type) {
		case *sdk.TextContent:
			r.texts = append(r.texts, block.Text)
		case *sdk.ImageContent:
			r.see(l, block.Data)
		}
	}
	if result.StructuredContent != nil {
		r.texts = append(r.texts, fmt.Sprint(result.StructuredContent))
	}
	return r
}

func (c *client) resource(ctx context.Context, _ *lane, uri string) read {
	result, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		return read{}
	}
	r := read{ok: true}
	for _, content := range result.Contents {
		r.texts = append(r.texts, content.Text)
	}
	return r
}

func (*client) rest(*lane) {}

// see looks at a picture.
func (r *read) see(l *lane, data []byte) {
	l.Helper()
	picture, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		l.Errorf("the picture: %v", err)
		return
	}
	r.red = max(r.red, redPixels(picture))
}
