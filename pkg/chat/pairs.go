package chat

import (
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
)

// CheckPairs reports the first call without a result, and the first result without its call:
// services refuse a conversation with one, in words that help nobody. The results of a message
// follow it, in any order, before any other message.
func CheckPairs(messages []model.Message) error {
	open := map[string]bool{}
	at := 0 // of the message with the calls
	for i, m := range messages {
		if m.Role == model.RoleToolResult {
			if !open[m.ToolCallID] {
				return unpaired(i, "is a result without its call")
			}
			delete(open, m.ToolCallID)
			continue
		}
		if len(open) > 0 {
			return unpaired(at, "has a call without a result")
		}
		at = i
		for _, c := range m.Content {
			if c.Type != model.ToolCallContent {
				continue
			}
			if open[c.ID] {
				return unpaired(i, "has two calls of one id")
			}
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		return unpaired(at, "has a call without a result")
	}
	return nil
}

func unpaired(index int, what string) error {
	return fault.New(fault.InvalidInput, "messages[%d] %s", index, what).With("index", index).
		WithNextStep("Send each call with its results behind it, in messages of the role toolResult, before the next message.")
}
