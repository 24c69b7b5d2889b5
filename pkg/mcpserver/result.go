package mcpserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// pictureMember is the member of an output that holds a picture as a data URL.
const pictureMember = "data_url"

// maxFailure is how many bytes a failure may have; its evidence and the meta of
// its run are left out first.
const maxFailure = 32_000

// answer is what the one text block of a result holds.
type answer struct {
	OK     bool            `json:"ok"`
	Output json.RawMessage `json:"output,omitzero"`
	Error  *fault.Error    `json:"error,omitzero"`
	Meta   any             `json:"meta,omitzero"`
}

// result turns an envelope into a tool's result.
func (s *Server) result(tool string, e dispatch.Envelope, detail bool) *mcp.CallToolResult {
	if !e.OK {
		return failed(e)
	}
	r := &mcp.CallToolResult{}
	output, picture := withoutPicture(e.Output)
	told := answer{OK: true, Output: output, Meta: noteworthy(e.Meta)}
	if detail {
		told.Meta = e.Meta
	}
	text, err := primitive.Output(told)
	if err != nil {
		return failed(dispatch.Envelope{Name: e.Name, Error: fault.From(err)})
	}
	r.Content = []mcp.Content{&mcp.TextContent{Text: string(text)}}
	if picture != nil {
		r.Content = append(r.Content, picture)
	}
	if tool == dispatch.SiteTool || s.options.All && !slices.Contains(locals, tool) {
		r.StructuredContent = json.RawMessage(text) // what declares an output schema must give it
	}
	return r
}

// failed gives the envelope as a tool's failure, which a model can read.
func failed(e dispatch.Envelope) *mcp.CallToolResult {
	told := answer{Error: e.Error}
	if e.CallID != "" {
		told.Meta = e.Meta
	}
	text, err := primitive.Output(told)
	if len(text) > maxFailure {
		told.Meta = map[string]any{"truncated": true, "tab": e.Meta.Tab}
		text, err = primitive.Output(told)
	}
	if len(text) > maxFailure {
		short := *e.Error
		short.Evidence = map[string]any{"truncated": true}
		told.Error = &short
		text, err = primitive.Output(told)
	}
	if err != nil {
		text = []byte(`{"ok":false,"error":{"code":"internal_error","message":"the answer cannot be written"}}`)
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}

// noteworthy is what a caller must know of a run that went well: what a map's
// author has to mend, which tabs were opened, what the page announced.
func noteworthy(m primitive.Meta) any {
	note := map[string]any{}
	if m.MapErrors != nil {
		note["map_errors"] = m.MapErrors
	}
	if len(m.OpenedTabs) > 0 {
		note["opened_tabs"] = m.OpenedTabs
	}
	if m.Announcements != nil {
		note["announcements"] = m.Announcements
	}
	if len(note) == 0 {
		return nil
	}
	return note
}

// withoutPicture takes the picture out of an output: a model looks at it and
// does not read its bytes.
func withoutPicture(output json.RawMessage) (rest json.RawMessage, picture *mcp.ImageContent) {
	var parts map[string]json.RawMessage
	var url string
	if !bytes.Contains(output, []byte(pictureMember)) || json.Unmarshal(output, &parts) != nil || json.Unmarshal(parts[pictureMember], &url) != nil {
		return output, nil
	}
	kind, data, found := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	pixels, err := base64.StdEncoding.DecodeString(data)
	if !found || err != nil || !strings.HasPrefix(kind, "image/") {
		return output, nil
	}
	delete(parts, pictureMember)
	if rest, err = primitive.Output(parts); err != nil {
		return output, nil
	}
	return rest, &mcp.ImageContent{MIMEType: kind, Data: pixels}
}

// goingOn completes the arguments of an answer's next page with the report of
// this one, so that they can be called as they stand. The parts of a long
// output need none.
func (s *Server) goingOn(output, report json.RawMessage) json.RawMessage {
	var part struct {
		Next json.RawMessage `json:"next"`
	}
	var next struct {
		Name      string  `json:"name"`
		Arguments members `json:"arguments"`
	}
	if report == nil || json.Unmarshal(output, &part) != nil || json.Unmarshal(part.Next, &next) != nil || next.Arguments == nil {
		return output
	}
	if _, public := s.catalogue.Public(next.Name); !public || exempt(next.Name) || next.Arguments["output_of"] != nil {
		return output
	}
	next.Arguments[reportMember] = report
	whole, err := primitive.Output(next)
	at := bytes.LastIndex(output, part.Next)
	if err != nil || at < 0 {
		return output
	}
	return slices.Concat(output[:at], whole, output[at+len(part.Next):])
}
