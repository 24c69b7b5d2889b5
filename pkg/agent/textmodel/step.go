package textmodel

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// step is one response.
type step struct {
	id      string
	request string // of the session
	fresh   bool
	text    strings.Builder
	shown   time.Time // when the text was shown last
}

// itemID names the answer's text.
func (s *step) itemID() string { return s.id + "_text" }

// respond runs a step and reports it.
func (c *connection) respond(ctx context.Context, s step, request model.Request) {
	c.emit(voice.ResponseStarted{ID: s.id, RequestID: s.request})
	answer, err := c.ask(ctx, &s, request)
	ended := voice.ResponseEnded{ID: s.id, Status: "completed"}
	if err != nil {
		answer.Role, answer.Content, answer.StopReason = model.RoleAssistant, textContent(s.text.String()), model.StopError
		ended.Status, ended.Fault = "failed", fault.From(err)
		if ctx.Err() != nil {
			ended.Status, ended.Fault, answer.StopReason = "cancelled", nil, model.StopAborted
		}
	}
	if answer.StopReason == model.StopLength {
		ended.Status, ended.Reason = "incomplete", "it reached the longest that an answer may be"
	}
	ended.Model, ended.Usage = answer.Model, UsageOf(answer)
	ended.Prices = new(PricesOf(c.life, c.provider.Stepper, answer.Model))
	c.mu.Lock()
	ended.Calls = c.keep(&answer)
	c.running, c.cancel = "", nil
	c.mu.Unlock()
	if text := TextOf(answer); text != "" {
		c.emit(voice.Transcript{Role: "assistant", ItemID: s.itemID(), Text: text, Final: true})
	}
	c.emit(ended)
}

func (c *connection) ask(ctx context.Context, s *step, request model.Request) (model.Message, error) {
	info, err := c.provider.Stepper.Describe(ctx, request.Model)
	if err != nil {
		return model.Message{}, err
	}
	if !info.Images {
		request.Messages = model.WithoutImages(request.Messages)
	}
	if c.provider.Prepare != nil {
		request = c.provider.Prepare(ctx, request, info, s.fresh)
	}
	return c.provider.Stepper.Step(ctx, request, func(text string) { c.show(s, text) })
}

// show reports the text so far, now and then.
func (c *connection) show(s *step, text string) {
	s.text.WriteString(text)
	if now := time.Now(); now.Sub(s.shown) >= textInterval {
		s.shown = now
		c.emit(voice.Transcript{Role: "assistant", ItemID: s.itemID(), Text: s.text.String()})
	}
}

// makeRequest returns the request for a step. The lock is held.
func (c *connection) makeRequest() model.Request {
	request := model.Request{Model: c.setup.Model, System: c.setup.Instructions, Messages: c.messages()}
	if c.provider.Keep != nil {
		c.entries = c.provider.Keep(request.Messages)
		request.Messages = slices.Clone(c.entries)
	}
	c.asked = len(c.entries)
	if n := len(request.Messages); n > 0 && request.Messages[n-1].Role == model.RoleAssistant {
		request.Messages = append(request.Messages, hostMessage(openNote))
	}
	for _, f := range c.setup.Tools {
		request.Tools = append(request.Tools, model.Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
	}
	return request
}

// keep puts the answer into the conversation, before what was added since it was asked for, and
// returns its calls. Ids that the model left out, or has used before, are replaced: a session runs
// each id once.
func (c *connection) keep(answer *model.Message) (calls []voice.ToolCall) {
	answer.Role = model.RoleAssistant
	for i := range answer.Content {
		content := &answer.Content[i]
		if content.Type != model.ToolCallContent {
			continue
		}
		for n := len(c.calls) + 1; content.ID == "" || c.calls[content.ID] != ""; n++ {
			content.ID = fmt.Sprintf("call_%d", n)
		}
		c.calls[content.ID] = content.Name
		written := argumentsOf(content.Arguments)
		calls = append(calls, voice.ToolCall{CallID: content.ID, Name: content.Name, Arguments: written})
		if !strings.HasPrefix(written, "{") || !json.Valid([]byte(written)) {
			content.Arguments = json.RawMessage("{}") // its result says that they were none
		}
	}
	if len(answer.Content) > 0 {
		c.entries = slices.Insert(c.entries, c.asked, *answer)
	}
	return calls
}

// argumentsOf returns arguments as the model wrote them; those that are no JSON come as a
// string.
func argumentsOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(string(raw))
}
