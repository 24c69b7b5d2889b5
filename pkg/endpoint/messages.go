package endpoint

import (
	"encoding/base64"
	"slices"

	"github.com/actionsjson/actions-host/pkg/chat"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// The limits of a message's names, in bytes.
const (
	maxID   = 256
	maxName = 128
)

// message is a message as pi-ai writes it. What it has for other services alone, such as
// prices and signatures, is taken and left out.
type message struct {
	Role       model.Role       `json:"role"`
	Content    strictjson.Value `json:"content"` // a text, or an array
	Timestamp  *float64         `json:"timestamp"`
	ToolCallID string           `json:"toolCallId"`
	ToolName   string           `json:"toolName"`
	Details    strictjson.Value `json:"details"`
	IsError    *bool            `json:"isError"`
	StopReason model.StopReason `json:"stopReason"`
	Usage      *usage           `json:"usage"`
	Model      string           `json:"model"`
	API        string           `json:"api"`
	Provider   string           `json:"provider"`
	Failure    string           `json:"errorMessage"`
	ResponseID string           `json:"responseId"`
}

type usage struct {
	Input      int              `json:"input"`
	Output     int              `json:"output"`
	CacheRead  int              `json:"cacheRead"`
	CacheWrite int              `json:"cacheWrite"`
	Total      int              `json:"totalTokens"`
	Cost       strictjson.Value `json:"cost"`
}

// content is one element of a message's content.
type content struct {
	Type              string           `json:"type"`
	Text              *string          `json:"text"`
	TextSignature     string           `json:"textSignature"`
	Thinking          *string          `json:"thinking"`
	ThinkingSignature string           `json:"thinkingSignature"`
	Redacted          bool             `json:"redacted"`
	ID                string           `json:"id"`
	Name              string           `json:"name"`
	Arguments         strictjson.Value `json:"arguments"`
	ThoughtSignature  string           `json:"thoughtSignature"`
	Data              string           `json:"data"`
	MimeType          string           `json:"mimeType"`
}

var stopReasons = []model.StopReason{"", model.StopEnd, model.StopLength, model.StopToolUse, model.StopError, model.StopAborted}

// parseMessages returns the messages of a body. The faults name the index of the message.
func parseMessages(in []message) ([]model.Message, error) {
	if len(in) == 0 {
		return nil, invalid("messages is missing or empty").With("pointer", "/messages")
	}
	if len(in) > chat.MaxMessages {
		return nil, invalid("there are %d messages; %d are allowed", len(in), chat.MaxMessages).With("pointer", "/messages")
	}
	out := make([]model.Message, 0, len(in))
	for i, m := range in {
		parsed, err := m.parse()
		if err != nil {
			f := fault.From(err)
			return nil, invalid("messages[%d] %s", i, f.Message).With("index", i)
		}
		out = append(out, parsed)
	}
	if err := model.CheckPairs(out); err != nil {
		return nil, err
	}
	// Nothing is sent that has nothing in it: an answer that was broken off, for example.
	out = slices.DeleteFunc(out, func(m model.Message) bool { return m.Role == model.RoleAssistant && len(m.Content) == 0 })
	if len(out) == 0 {
		return nil, invalid("messages has nothing in it").With("pointer", "/messages")
	}
	return out, nil
}

func (m message) parse() (model.Message, error) {
	out := model.Message{Role: m.Role} // a time of ours would differ in each request
	if model.ContentTypes(m.Role) == nil {
		return out, invalid("has no role of user, assistant or toolResult")
	}
	if m.Timestamp != nil {
		out.Timestamp = int64(max(0, min(*m.Timestamp, 1<<53)))
	}
	if m.Role != model.RoleToolResult && (m.ToolCallID != "" || m.ToolName != "" || !m.Details.IsZero() || m.IsError != nil) {
		return out, invalid("has members of a result")
	}
	if m.Role != model.RoleAssistant && (m.StopReason != "" || m.Usage != nil || m.Model != "" || m.API != "" || m.Provider != "" || m.Failure != "" || m.ResponseID != "") {
		return out, invalid("has members of an answer")
	}
	if err := m.parseRole(&out); err != nil {
		return out, err
	}
	return out, m.parseContent(&out)
}

// parseRole takes what only messages of one role have.
func (m message) parseRole(out *model.Message) error {
	switch m.Role {
	case model.RoleToolResult:
		if m.ToolCallID == "" || len(m.ToolCallID) > maxID || m.ToolName == "" || len(m.ToolName) > maxName {
			return invalid("has no toolCallId or toolName, or a long one")
		}
		out.ToolCallID, out.ToolName = m.ToolCallID, m.ToolName
		out.IsError = m.IsError != nil && *m.IsError
	case model.RoleAssistant:
		if !slices.Contains(stopReasons, m.StopReason) {
			return invalid("has an unknown stopReason")
		}
		out.StopReason, out.Model = m.StopReason, m.Model
		if u := m.Usage; u != nil {
			out.Usage = &model.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
		}
	}
	return nil
}

func (m message) parseContent(out *model.Message) error {
	var text string
	if m.Content.Decode(&text) == nil && !m.Content.IsZero() && m.Content.Raw()[0] == '"' {
		out.Content = []model.Content{{Type: model.TextContent, Text: text}}
	} else {
		var all []content
		if m.Content.IsZero() || m.Content.Raw()[0] != '[' {
			return invalid("has no content that is a text or an array")
		}
		if err := m.Content.Decode(&all); err != nil {
			return invalid("has content that is not valid: %s", fault.From(err).Message)
		}
		for _, c := range all {
			parsed, err := c.parse(m.Role)
			if err != nil {
				return err
			}
			out.Content = append(out.Content, parsed)
		}
	}
	if m.Role == model.RoleUser && !slices.ContainsFunc(out.Content, func(c model.Content) bool { return c.Text != "" || c.Data != "" }) {
		return invalid("has nothing in it")
	}
	// An empty text is refused by some services, and adds nothing for the others.
	if m.Role == model.RoleAssistant {
		out.Content = slices.DeleteFunc(out.Content, func(c model.Content) bool {
			return c.Type == model.TextContent && c.Text == "" || c.Type == model.ThinkingContent && c.Thinking == ""
		})
	}
	return nil
}

func (c content) parse(role model.Role) (model.Content, error) {
	out := model.Content{Type: c.Type}
	if types := model.ContentTypes(role); !slices.Contains(types, c.Type) {
		return out, invalid("has content of another type than %v", types)
	}
	if (c.Text != nil) != (c.Type == model.TextContent) || (c.Thinking != nil) != (c.Type == model.ThinkingContent) ||
		(c.ID != "" || c.Name != "" || !c.Arguments.IsZero()) != (c.Type == model.ToolCallContent) || (c.Data != "" || c.MimeType != "") != (c.Type == model.ImageContent) {
		return out, invalid("has content of the type %s with the members of another, or without its own", c.Type)
	}
	switch c.Type {
	case model.TextContent:
		out.Text = *c.Text
	case model.ThinkingContent:
		out.Thinking = *c.Thinking
	case model.ToolCallContent:
		if c.ID == "" || len(c.ID) > maxID || c.Name == "" || len(c.Name) > maxName || !c.Arguments.IsObject() {
			return out, invalid("has a call without an id, a name or an object as its arguments, or with a long one")
		}
		out.ID, out.Name, out.Arguments = c.ID, c.Name, c.Arguments.Raw()
	case model.ImageContent:
		if _, err := base64.StdEncoding.DecodeString(c.Data); err != nil || c.Data == "" || !model.IsImageType(c.MimeType) {
			return out, invalid("has a picture that is no base64 of a PNG, JPEG, GIF or WebP")
		}
		out.Data, out.MimeType = c.Data, c.MimeType
	}
	return out, nil
}
