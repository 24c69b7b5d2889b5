package mcpserver_test

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/mcpserver"
)

func TestPrimitivesThatAreNoTools(t *testing.T) {
	// Ensure that a primitive which is no tool of the profile is called all the same, by either of its names, so that a model reads an answer of the host, and that what is no primitive is an unknown tool.
	c, _ := connect(t, "2025-06-18", mcpserver.Options{})
	for _, name := range []string{"locator_hover", "locator.hover", "locator.click", "locator_click"} {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{"locator": map[string]any{"selector": "h1"}}})
		if err != nil || !r.IsError {
			t.Errorf("%s: %+v, %v", name, r, err)
			continue
		}
		block, _ := r.Content[0].(*mcp.TextContent)
		var answer struct {
			Error struct {
				Code string `json:"code"`
			} `json:"error"`
		}
		if err := json.Unmarshal([]byte(block.Text), &answer); err != nil || answer.Error.Code != "browser_not_connected" {
			t.Errorf("%s: %s", name, block.Text)
		}
	}
	for _, name := range []string{"locator_jump", "primitives.jump", ""} {
		if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name}); err == nil {
			t.Errorf("%q: %+v", name, r)
		}
	}
}
