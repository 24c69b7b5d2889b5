// Package chat makes what a chat model gets for one message: the system prompt, the tools, the
// page beside the chat and the conversation so far. The side panel's loop and the endpoint ask
// with the same.
//
// Rules of this package:
//   - It asks no model and runs no tool.
//   - What a page says stands between marks that no page can know, and the prompt calls it data.
//   - Whatever is cut says so. A call keeps its result, and the first task stays.
//   - Nothing that is given is changed; what comes back may share memory with it.
package chat

import (
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/pagedata"
)

// Ask is what one message is asked with.
type Ask struct {
	// Automation chooses the prompt of an agent that works the page; without it the model is
	// told that it has no tools.
	Automation bool
	Tools      []model.Tool
	Page       Page
	Messages   []model.Message
	// Model is "auto" or provider/model.
	Model           string
	MaxOutputTokens int
}

// Request returns the request for a model of which info is known.
func (a Ask) Request(info model.Info) model.Request {
	room := roomIn(info)
	system := a.system(pagedata.NewMark(), room.page())
	messages := a.Messages
	if !info.Images {
		messages = model.WithoutImages(messages)
	}
	return model.Request{
		Model: a.Model, System: system, Tools: a.Tools, MaxOutputTokens: a.MaxOutputTokens,
		Messages: Compact(messages, room.history(system, a.Tools, a.MaxOutputTokens)),
	}
}

const (
	// charactersPerToken is a careful guess: code and markup have about three, prose has four.
	charactersPerToken = 3
	// unknownContext is taken where nothing is known of a model, in tokens.
	unknownContext = 32_768
	// leastHistory is left to the conversation, however small the context is, in characters.
	leastHistory = 4_000
)

// room is what the conversation and all that comes with it may have: three quarters of a
// context, in characters.
type room int

func roomIn(info model.Info) room {
	context := info.Context
	if context <= 0 {
		context = unknownContext
	}
	return room(min(context, 10_000_000) / 4 * 3 * charactersPerToken)
}

// page returns how many characters of the page fit in.
func (r room) page() int { return min(MaxPageContent, int(r)/2) }

// history returns how many characters of the conversation fit in beside the rest.
func (r room) history(system string, tools []model.Tool, maxOutput int) int {
	taken := len(system) + Size(tools) + maxOutput*charactersPerToken
	return max(leastHistory, min(compactAbove, int(r)-taken))
}
