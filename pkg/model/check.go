package model

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Check checks a conversation as services do: what each message holds is of its role, and calls
// and results are paired ([CheckPairs]). The fault is invalid_input and names the message's index.
func Check(messages []Message) error {
	for i, m := range messages {
		if err := checkContent(i, m); err != nil {
			return err
		}
	}
	return CheckPairs(messages)
}

// CheckPairs reports the first call without a result, and the first result without its call:
// services refuse a conversation with one, in words that help nobody. The results of a message
// follow it, in any order, before any other message.
func CheckPairs(messages []Message) error {
	open := map[string]bool{}
	at := 0 // of the message with the calls
	for i, m := range messages {
		if m.Role == RoleToolResult {
			if !open[m.ToolCallID] {
				return badMessage(i, "is a result without its call")
			}
			delete(open, m.ToolCallID)
			continue
		}
		if len(open) > 0 {
			return badMessage(at, "has a call without a result")
		}
		at = i
		for _, c := range m.Content {
			if c.Type != ToolCallContent {
				continue
			}
			if open[c.ID] {
				return badMessage(i, "has two calls of one id")
			}
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		return badMessage(at, "has a call without a result")
	}
	return nil
}

func checkContent(i int, m Message) error {
	allowed := ContentTypes(m.Role)
	if allowed == nil {
		return badMessage(i, "has a role that is not user, assistant or toolResult")
	}
	for _, c := range m.Content {
		if !slices.Contains(allowed, c.Type) {
			return badMessage(i, "has content of a type that its role does not have")
		}
		switch c.Type {
		case ImageContent:
			if !IsImageType(c.MimeType) || c.Data == "" {
				return badMessage(i, "has an image that is no PNG, JPEG, GIF or WebP")
			}
		case ToolCallContent:
			if c.ID == "" || c.Name == "" || len(c.Arguments) > 0 && !json.Valid(c.Arguments) {
				return badMessage(i, "has a tool call without id or name, or whose arguments are no JSON")
			}
		}
	}
	return nil
}

func badMessage(index int, why string) error {
	return fault.New(fault.InvalidInput, "messages[%d] %s", index, why).With("index", index).
		WithNextStep("Send each call with its results behind it, in messages of the role toolResult, before the next message.")
}

func hasCalls(messages []Message) bool {
	for _, m := range messages {
		if m.Role == RoleToolResult {
			return true
		}
	}
	return false
}
