package voice

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Status is what a session is doing.
type Status string

// The states that a person sees.
const (
	Disconnected Status = "disconnected"
	Connecting   Status = "connecting"
	Listening    Status = "listening"
	Thinking     Status = "thinking"
	UsingTool    Status = "using_tool"
	Speaking     Status = "speaking"
	Failed       Status = "error"
)

// State is a session as the user sees it.
type State struct {
	Status    Status `json:"status"`
	SessionID string `json:"session_id,omitzero"`
	Model     string `json:"model,omitzero"`
	TextOnly  bool   `json:"text_only"`
	Muted     bool   `json:"input_muted"`
	Silent    bool   `json:"output_muted"`
	Tool      string `json:"tool,omitzero"` // that runs, in status using_tool
	// ToolArgument is what it is about.
	ToolArgument string       `json:"tool_argument,omitzero"`
	Error        *fault.Error `json:"error,omitzero"`
	Cost         Cost         `json:"cost"`
}

// Row is one turn of the transcript. Rows change while speech arrives: a row replaces
// an earlier one with the same id.
type Row struct {
	ID   string `json:"id"`
	Role string `json:"role"` // user, assistant, tool or note
	Text string `json:"text"`
	Done bool   `json:"done"`
	// OK is set for tools: whether the call succeeded.
	OK *bool `json:"ok,omitzero"`
	// Argument is what a tool's call is about, such as the name of its target.
	Argument string `json:"argument,omitzero"`
	// Detail is what came of a tool's call, where the session shows that.
	Detail string `json:"detail,omitzero"`
	// Code and NextStep are those of the failure that a note tells of; a tool's row has its
	// code in the text.
	Code     string `json:"code,omitzero"`
	NextStep string `json:"next_step,omitzero"`
}

// ToolRun is a tool call as it is reported.
type ToolRun struct {
	Name   string          `json:"name"`
	CallID string          `json:"call_id"`
	OK     bool            `json:"ok"`
	Code   string          `json:"code,omitzero"`
	Input  json.RawMessage `json:"-"`
}

// Observer receives the events of a session, in order. It must not block.
type Observer interface {
	StateChanged(State)
	RowChanged(Row)
	ToolRan(ToolRun)
	// LogEvent receives events for the log: unknown provider events, refusals,
	// reconnections, discarded results.
	LogEvent(kind string, data any)
}
