package model

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// imageTypes are the types of images that all services take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Check checks a conversation as services do: every tool call is answered by the results that
// follow it, and every result answers a call. The fault is invalid_input and names the message's index.
func Check(messages []Message) error {
	open := map[string]string{} // a call's id to its tool's name
	from := 0
	for i, m := range messages {
		if m.Role != RoleToolResult && len(open) > 0 {
			return badMessage(from, "has a tool call without a result")
		}
		if err := checkContent(i, m); err != nil {
			return err
		}
		switch m.Role {
		case RoleUser:
		case RoleAssistant:
			from = i
			for _, c := range m.Content {
				if c.Type != ToolCallContent {
					continue
				}
				if _, twice := open[c.ID]; twice {
					return badMessage(i, "has two tool calls with the same id")
				}
				open[c.ID] = c.Name
			}
		case RoleToolResult:
			if _, ok := open[m.ToolCallID]; !ok {
				return badMessage(i, "is the result of no tool call")
			}
			delete(open, m.ToolCallID)
		default:
			return badMessage(i, "has a role that is not user, assistant or toolResult")
		}
	}
	if len(open) > 0 {
		return badMessage(from, "has a tool call without a result")
	}
	return nil
}

func checkContent(i int, m Message) error {
	for _, c := range m.Content {
		switch {
		case c.Type == TextContent:
		case c.Type == ThinkingContent && m.Role == RoleAssistant:
		case c.Type == ImageContent && m.Role != RoleAssistant:
			if !slices.Contains(imageTypes, c.MimeType) || c.Data == "" {
				return badMessage(i, "has an image that is no PNG, JPEG, GIF or WebP")
			}
		case c.Type == ToolCallContent && m.Role == RoleAssistant:
			if c.ID == "" || c.Name == "" || len(c.Arguments) > 0 && !json.Valid(c.Arguments) {
				return badMessage(i, "has a tool call without id or name, or whose arguments are no JSON")
			}
		default:
			return badMessage(i, "has content of a type that its role does not have")
		}
	}
	return nil
}

func badMessage(index int, why string) error {
	return fault.New(fault.InvalidInput, "messages[%d] %s", index, why).With("index", index).
		WithNextStep("Correct the conversation: each tool call is followed by its result before anything else.")
}

func hasCalls(messages []Message) bool {
	for _, m := range messages {
		if m.Role == RoleToolResult {
			return true
		}
	}
	return false
}
