package textmodel

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// hostNote marks what the host says in the user's place.
const hostNote = "[From the host, not from the user] "

// openNote ends a request whose message was sent with the result of a tool already.
const openNote = "Answer what came before your last words and is still open."

// unanswered is the result of a call that the session never answered.
const unanswered = `{"ok":false,"error":{"code":"cancelled","message":"the call was not answered"}}`

// messageOf returns an item as a message. The lock is held.
func (c *connection) messageOf(item voice.Item) model.Message {
	switch {
	case item.Result != nil:
		return model.Message{
			Role: model.RoleToolResult, ToolCallID: item.Result.CallID, ToolName: c.calls[item.Result.CallID],
			Content: textContent(item.Result.Output), IsError: failed(item.Result.Output), Timestamp: time.Now().UnixMilli(),
		}
	case item.Image != nil:
		m := hostMessage(item.Image.Caption)
		if kind, data, ok := strings.Cut(strings.TrimPrefix(item.Image.DataURL, "data:"), ";base64,"); ok {
			m.Content = append(m.Content, model.Content{Type: model.ImageContent, Data: data, MimeType: kind})
		}
		return m
	case item.Message.Role == "assistant":
		return model.Message{Role: model.RoleAssistant, Content: textContent(item.Message.Text), StopReason: model.StopEnd, Timestamp: time.Now().UnixMilli()}
	case item.Message.Role == "system":
		return hostMessage(item.Message.Text)
	}
	return userMessage(item.Message.Text)
}

func userMessage(text string) model.Message {
	return model.Message{Role: model.RoleUser, Content: textContent(text), Timestamp: time.Now().UnixMilli()}
}

// hostMessage returns a message of the host, which no task and no request of the person is.
func hostMessage(text string) model.Message {
	m := userMessage(hostNote + text)
	m.Host = true
	return m
}

func textContent(text string) []model.Content {
	if text == "" {
		return nil
	}
	return []model.Content{{Type: model.TextContent, Text: text}}
}

// UsageOf returns the tokens that a step took.
func UsageOf(m model.Message) voice.Usage {
	u := m.Usage
	if u == nil {
		return voice.Usage{}
	}
	return voice.Usage{TextIn: u.Input + u.CacheRead + u.CacheWrite, TextCached: u.CacheRead, TextOut: u.Output}
}

// PricesOf returns what the tokens of a model cost: the highest prices where that is not known,
// and nothing on this machine.
func PricesOf(ctx context.Context, s model.Stepper, name string) voice.Prices {
	var price model.Price
	if name != "" {
		info, err := s.Describe(ctx, name)
		switch {
		case err == nil && info.Price != nil:
			price = *info.Price
		case err != nil || !info.OnThisMachine:
			price = model.DearestPrice()
		}
	}
	return voice.Prices{Model: name, TextIn: price.Input, TextCached: price.CacheRead, TextOut: price.Output}
}

// TextOf returns the words of a message.
func TextOf(m model.Message) string {
	var b strings.Builder
	for _, content := range m.Content {
		if content.Type == model.TextContent {
			b.WriteString(content.Text)
		}
	}
	return strings.TrimSpace(b.String())
}

// failed reports whether the answer of a tool says that it failed.
func failed(output string) bool {
	var answer struct {
		OK *bool `json:"ok"`
	}
	// Words of a page may follow the answer.
	return json.NewDecoder(strings.NewReader(output)).Decode(&answer) == nil && answer.OK != nil && !*answer.OK
}

// messages returns the conversation with each result behind its call: the session may have
// added a note, or a message of the user, between them. The lock is held.
func (c *connection) messages() (ordered []model.Message) {
	results := map[string]model.Message{}
	for _, e := range c.entries {
		if e.Role == model.RoleToolResult {
			results[e.ToolCallID] = e
		}
	}
	for _, e := range c.entries {
		if e.Role == model.RoleToolResult {
			continue
		}
		ordered = append(ordered, e)
		for _, content := range e.Content {
			if content.Type != model.ToolCallContent {
				continue
			}
			result, ok := results[content.ID]
			if !ok {
				result = model.Message{
					Role: model.RoleToolResult, ToolCallID: content.ID, ToolName: content.Name,
					Content: textContent(unanswered), IsError: true, Timestamp: e.Timestamp,
				}
			}
			ordered = append(ordered, result)
		}
	}
	return ordered
}
