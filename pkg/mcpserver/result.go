package mcpserver

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/printable"
)

// maxFailure is how many bytes a failure may have; its evidence and the meta of
// its run are left out first.
const maxFailure = 32_000

// answer is the content of a result's one text block. What comes from a page or another stranger
// stands between Begin and End, which are texts of their own: the block stays JSON, and
// output and meta are for programs what they were.
type answer struct {
	OK bool `json:"ok"`
	// Already says that a stored action found everything done and changed nothing.
	Already bool             `json:"already,omitzero"`
	Nudge   *primitive.Nudge `json:"nudge,omitzero"` // the host's own advice
	Trust   string           `json:"trust,omitzero"`
	Error   *failure         `json:"error,omitzero"`
	Begin   string           `json:"begin,omitzero"`
	Output  json.RawMessage  `json:"output,omitzero"`
	Meta    json.RawMessage  `json:"meta,omitzero"`
	End     string           `json:"end,omitzero"`
}

// failure is a fault whose message and evidence, which may quote a page, stand apart from
// what the host alone says.
type failure struct {
	Code        fault.Code       `json:"code"`
	Recoverable bool             `json:"recoverable"`
	Retryable   bool             `json:"retryable"`
	Dispatched  fault.Dispatched `json:"dispatched,omitzero"`
	NextStep    json.RawMessage  `json:"next_step"`
	Begin       string           `json:"begin,omitzero"`
	Message     json.RawMessage  `json:"message"`
	Evidence    json.RawMessage  `json:"evidence,omitzero"`
	End         string           `json:"end,omitzero"`
}

// unreadable is the answer whose content cannot be written.
const unreadable = `{"ok":false,"error":{"code":"internal_error","message":"the answer cannot be written"}}`

// result turns an envelope into a tool's result: one text block, and the picture. No tool
// declares an output schema, which would require the same answer once more as
// structured content.
func (s *Server) result(e dispatch.Envelope, detail bool) *mcp.CallToolResult {
	record, _ := s.catalogue.Public(e.Name)
	if !e.OK {
		// The tabs of several browsers, found here before any host's, have titles whatever the call needs.
		foreign := dispatch.IsForeign(record, false) || e.Error.Code == fault.AmbiguousRuntime
		text := failureText(e, foreign)
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	text := successText(e, dispatch.IsForeign(record, true), detail)
	r := &mcp.CallToolResult{IsError: text == unreadable, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	if picture := imageOf(e); picture != nil {
		r.Content = append(r.Content, picture)
	}
	return r
}

// successText returns a success as a model reads it.
func successText(e dispatch.Envelope, foreign, detail bool) string {
	w := writer{}
	body := answer{OK: true, Already: e.Already, Output: w.clean(e.Output)}
	body.Nudge, e.Meta.Nudge = e.Meta.Nudge, nil
	if brief := e.Meta.Brief(); brief != nil {
		body.Meta = w.encode(brief)
		foreign = true
	}
	if detail {
		body.Meta = w.encode(e.Meta)
		foreign = foreign || e.Meta.IsForeign()
	}
	if foreign {
		mark := pagedata.NewMark()
		body.Trust, body.Begin, body.End = pagedata.Untrusted, mark.Begin(), mark.End()
	}
	return w.text(body)
}

// failureText returns a failure as a model reads it.
func failureText(e dispatch.Envelope, foreign bool) string {
	text := failureOf(e, foreign, e.Meta, e.Error.Evidence)
	if len(text) > maxFailure {
		text = failureOf(e, foreign, map[string]any{"truncated": true, "tab": e.Meta.Tab}, e.Error.Evidence)
	}
	if len(text) > maxFailure {
		text = failureOf(e, foreign, map[string]any{"truncated": true, "tab": e.Meta.Tab}, map[string]any{"truncated": true})
	}
	return text
}

func failureOf(e dispatch.Envelope, foreign bool, meta any, evidence map[string]any) string {
	w := writer{}
	f := e.Error
	body := answer{Nudge: e.Meta.Nudge, Error: &failure{
		Code: f.Code, Recoverable: f.Recoverable, Retryable: f.Retryable, Dispatched: f.Dispatched, NextStep: w.encode(f.NextStep),
		Message: w.encode(f.Message),
	}}
	if len(evidence) > 0 {
		body.Error.Evidence = w.encode(evidence)
	}
	mark := pagedata.NewMark()
	if e.CallID != "" {
		if own, ok := meta.(primitive.Meta); ok {
			own.Nudge = nil
			meta = own
		}
		body.Meta = w.encode(meta)
		if foreign || e.Meta.IsForeign() {
			body.Trust, body.Begin, body.End = pagedata.Untrusted, mark.Begin(), mark.End()
		}
	}
	if foreign {
		body.Trust, body.Error.Begin, body.Error.End = pagedata.Untrusted, mark.Begin(), mark.End()
	}
	return w.text(body)
}

// A writer writes the parts of an answer; after the first that cannot be written there is none.
type writer struct{ err error }

// encode returns a part as it may stand between marks.
func (w *writer) encode(v any) json.RawMessage {
	raw, err := primitive.Output(v)
	w.err = errors.Join(w.err, err)
	return w.clean(raw)
}

func (w *writer) clean(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	return pagedata.Clean(raw)
}

// text returns the whole. The host's own words may repeat what a stranger wrote to it: what
// cannot be seen is escaped there too.
func (w *writer) text(body answer) string {
	whole, err := primitive.Output(body)
	if errors.Join(w.err, err) != nil {
		return unreadable
	}
	return printable.Escape(string(whole))
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
