// Package model asks chat models for the next message of a conversation.
//
// Rules of this package:
//   - One call asks one model once, and runs no tool. Retries, and the next model of "auto",
//     come only before any text was given on.
//   - The wire formats are the makers' own SDKs'; their types leave no other package's hands.
//   - A key is in no error, no log and no address.
//   - Nothing is initialised before the first call: a host without a text agent pays nothing.
package model

import (
	"context"
	"encoding/json"
)

// Role is whose a message is.
type Role string

// The roles, as pi-ai names them.
const (
	RoleUser       Role = "user"
	RoleAssistant  Role = "assistant"
	RoleToolResult Role = "toolResult"
)

// The types of content, as pi-ai names them.
const (
	TextContent     = "text"
	ThinkingContent = "thinking"
	ToolCallContent = "toolCall"
	ImageContent    = "image"
)

// ContentTypes returns the types of content that a role's messages may have, nil for an unknown role.
func ContentTypes(role Role) []string {
	switch role {
	case RoleUser, RoleToolResult:
		return []string{TextContent, ImageContent}
	case RoleAssistant:
		return []string{TextContent, ThinkingContent, ToolCallContent}
	}
	return nil
}

// Content is one part of a message's content; Type says which members count.
type Content struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitzero"`      // text
	Thinking  string          `json:"thinking,omitzero"`  // thinking
	ID        string          `json:"id,omitzero"`        // toolCall: its result names it
	Name      string          `json:"name,omitzero"`      // toolCall
	Arguments json.RawMessage `json:"arguments,omitzero"` // toolCall: an object; a string where the model wrote something else
	Data      string          `json:"data,omitzero"`      // image: base64
	MimeType  string          `json:"mimeType,omitzero"`  // image
}

// StopReason is why an assistant's message ended.
type StopReason string

// The reasons, as pi-ai names them.
const (
	StopEnd     StopReason = "stop"
	StopLength  StopReason = "length"
	StopToolUse StopReason = "toolUse"
	StopError   StopReason = "error"
	StopAborted StopReason = "aborted"
)

// Usage counts tokens.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead,omitzero"`
	CacheWrite int `json:"cacheWrite,omitzero"`
}

func (u *Usage) add(more Usage) {
	u.Input += more.Input
	u.Output += more.Output
	u.CacheRead += more.CacheRead
	u.CacheWrite += more.CacheWrite
}

// estimate sets what the service did not report: some never do, others only at the end of a whole answer.
func (u *Usage) estimate(input, output int) {
	if u.Input+u.CacheRead+u.CacheWrite == 0 {
		u.Input = input
	}
	if u.Output == 0 {
		u.Output = output
	}
}

// Message is one message of a conversation, in pi-ai's form.
type Message struct {
	Role       Role            `json:"role"`
	Content    []Content       `json:"content"`
	ToolCallID string          `json:"toolCallId,omitzero"` // toolResult
	ToolName   string          `json:"toolName,omitzero"`   // toolResult
	Details    json.RawMessage `json:"details,omitzero"`    // toolResult: for people, not for the model
	IsError    bool            `json:"isError,omitzero"`    // toolResult
	StopReason StopReason      `json:"stopReason,omitzero"` // assistant
	Usage      *Usage          `json:"usage,omitzero"`      // assistant
	Model      string          `json:"model,omitzero"`      // assistant: provider/model
	Timestamp  int64           `json:"timestamp"`           // ms since 1970
	// Host is set where the host speaks in the user's place, and ID names a message that may be
	// deleted. Neither is sent to a service.
	Host bool   `json:"-"`
	ID   string `json:"-"`
}

// Tool is a tool as the model sees it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON schema of an object
}

// Request asks for one message.
type Request struct {
	// Model is "auto" or provider/model.
	Model    string
	System   string
	Messages []Message
	Tools    []Tool
	// MaxOutputTokens is 1 to 32768; 0 is the default of models.json.
	MaxOutputTokens int
}

// Info describes a model.
type Info struct {
	Name      string `json:"name"` // provider/model
	Provider  string `json:"provider"`
	Context   int    `json:"context"` // tokens
	Images    bool   `json:"images"`
	Synthetic bool   `json:"synthetic,omitzero"` // in no table
	// Ready is set when its provider has a key, or listens on this machine.
	Ready bool `json:"ready"`
	// Missing is what its provider lacks, in words; empty if it is ready.
	Missing string `json:"missing,omitzero"`
	Base    string `json:"base,omitzero"` // its provider's address
	// Price is nil where it is not known, and for a model on this machine.
	Price *Price `json:"price,omitzero"`
	// OnThisMachine is set for a model that costs nothing.
	OnThisMachine bool `json:"-"`
}

// Stepper asks for the next message of a conversation.
//
// Step returns the assistant's message. Meanwhile onText gets its text in pieces as it
// arrives, in order and on one goroutine; nil takes none. The faults are model_key_missing,
// model_not_found, model_unavailable, model_refused, model_response_invalid, model_timeout
// and cancelled. The message of an error has only Model and Usage: what was paid all the same.
type Stepper interface {
	Step(ctx context.Context, request Request, onText func(text string)) (Message, error)
	// Describe returns what is known of the model that "auto" or a name stands for now.
	Describe(ctx context.Context, name string) (Info, error)
}
