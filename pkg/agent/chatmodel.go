package agent

import (
	"context"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/agent/textmodel"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Limits of what one message in a chat leads to.
const (
	chatSteps   = 60
	chatTimeout = 20 * time.Minute
)

// summaryInterval is the least time between two forms of a growing summary.
const summaryInterval = 80 * time.Millisecond

// summaryRules follow the user's own words.
const summaryRules = "\n\nWrite the summary in Markdown, from what the page beside this chat says, and nothing but the summary."

// summaryCut ends a summary that reached the longest that an answer may be.
const summaryCut = "… *(The summary was cut off here: max_output_tokens in " + model.FileName + ".)*"

// Prompt completes the request for a step with what the model gets beside the conversation.
type Prompt func(request model.Request, info model.Info, page ChatPage, automation bool) model.Request

// ChatModel connects a chat with its model.
type ChatModel struct {
	Stepper model.Stepper
	Prompt  Prompt
	// Keep returns what is kept of a conversation.
	Keep   func([]model.Message) []model.Message
	Reader *PageReader
	// Name is provider/model, or "auto".
	Name string
}

// Options returns the options of a chat's session as far as the model makes them. It sets
// what the chat asks for its summary.
func (m *ChatModel) Options(chat *Chat) voice.Options {
	chat.Ask = m.ask
	return voice.Options{
		Provider: &textmodel.Provider{Stepper: m.Stepper, Prepare: m.prepare, Keep: m.Keep},
		Setup:    voice.Setup{Model: m.Name}, Tools: m.Reader.Agent,
		ShowResults: true, Limits: voice.Limits{Steps: chatSteps, Duration: chatTimeout},
		// The model has limits of its own; this one must not come before them.
		ResponseTimeout: chatTimeout,
	}
}

func (m *ChatModel) prepare(ctx context.Context, request model.Request, info model.Info, fresh bool) model.Request {
	// Without tools the model is told so, whatever the reason.
	return m.Prompt(request, info, m.Reader.Page(ctx, fresh), len(request.Tools) > 0)
}

// ask asks for an answer about the page, without tools and conversation.
func (m *ChatModel) ask(ctx context.Context, text string, onText func(text string)) (Summary, error) {
	info, err := m.Stepper.Describe(ctx, m.Name)
	if err != nil {
		return Summary{}, err
	}
	request := model.Request{Model: m.Name, Messages: []model.Message{{
		Role: model.RoleUser, Content: []model.Content{{Type: model.TextContent, Text: text + summaryRules}}, Timestamp: time.Now().UnixMilli(),
	}}}
	var soFar strings.Builder
	var shown time.Time
	page := m.Reader.Page(ctx, true)
	answer, err := m.Stepper.Step(ctx, m.Prompt(request, info, page, false), func(piece string) {
		soFar.WriteString(piece)
		if now := time.Now(); now.Sub(shown) >= summaryInterval {
			shown = now
			onText(soFar.String())
		}
	})
	if session, none := m.Reader.Chat.Voice.Session(); none == nil && answer.Usage != nil {
		session.AddCost(answer.Model, textmodel.PricesOf(ctx, m.Stepper, answer.Model), textmodel.UsageOf(answer))
	}
	if err != nil {
		return Summary{}, err
	}
	if text := textmodel.TextOf(answer); text != "" {
		if answer.StopReason == model.StopLength {
			text += summaryCut
		}
		return Summary{Text: text, URL: page.URL}, nil
	}
	return Summary{}, fault.New(fault.ModelResponseInvalid, "the model gave no text")
}
