package mcpserver

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// maxFailure is how many bytes a failure may have; its evidence and the meta of
// its run are left out first.
const maxFailure = 32_000

// answer is the content of a result's one text block.
type answer struct {
	OK     bool            `json:"ok"`
	Output json.RawMessage `json:"output,omitzero"`
	Error  *fault.Error    `json:"error,omitzero"`
	Meta   any             `json:"meta,omitzero"`
}

// result turns an envelope into a tool's result: one text block, and the picture. No tool
// declares an output schema, which would require the same answer once more as
// structured content.
func (s *Server) result(e dispatch.Envelope, detail bool) *mcp.CallToolResult {
	if !e.OK {
		return failureResult(e)
	}
	r := &mcp.CallToolResult{}
	body := answer{OK: true, Output: e.Output}
	if brief := e.Meta.Brief(); brief != nil {
		body.Meta = brief
	}
	if detail {
		body.Meta = e.Meta
	}
	text, err := primitive.Output(body)
	if err != nil {
		return failureResult(dispatch.Envelope{Name: e.Name, Error: fault.From(err)})
	}
	r.Content = []mcp.Content{&mcp.TextContent{Text: string(text)}}
	if picture := imageOf(e); picture != nil {
		r.Content = append(r.Content, picture)
	}
	return r
}

// failureResult returns the envelope as a tool's failure, which a model can read.
func failureResult(e dispatch.Envelope) *mcp.CallToolResult {
	body := answer{Error: e.Error}
	if e.CallID != "" {
		body.Meta = e.Meta
	}
	text, err := primitive.Output(body)
	if len(text) > maxFailure {
		body.Meta = map[string]any{"truncated": true, "tab": e.Meta.Tab}
		text, err = primitive.Output(body)
	}
	if len(text) > maxFailure {
		short := *e.Error
		short.Evidence = map[string]any{"truncated": true}
		body.Error = &short
		text, err = primitive.Output(body)
	}
	if err != nil {
		text = []byte(`{"ok":false,"error":{"code":"internal_error","message":"the answer cannot be written"}}`)
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}

// imageOf returns the picture of an answer; nil without one.
func imageOf(e dispatch.Envelope) *mcp.ImageContent {
	kind, data, found := strings.Cut(strings.TrimPrefix(e.Picture(), "data:"), ";base64,")
	pixels, err := base64.StdEncoding.DecodeString(data)
	if !found || err != nil {
		return nil
	}
	return &mcp.ImageContent{MIMEType: kind, Data: pixels}
}
