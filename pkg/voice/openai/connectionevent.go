package openai

import (
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// connectionEvent is an event in the life of a connection, as a recorder receives it.
type connectionEvent struct {
	// Type is call, answered, opened, refused, unreachable or closed.
	Type    string       `json:"type"`
	By      voice.Source `json:"by,omitzero"`      // closed: host or service
	Session session      `json:"session,omitzero"` // call
	// Of refused:
	Status  int    `json:"status,omitzero"`
	Code    string `json:"code,omitzero"`
	Message string `json:"message,omitzero"`
}

// failureEvent returns the event for a connection that failed.
func failureEvent(err error) connectionEvent {
	f := fault.From(err)
	status, refused := f.Evidence["status"].(int)
	if !refused {
		return connectionEvent{Type: "unreachable", Message: f.Message}
	}
	code, _ := f.Evidence["provider_code"].(string) // a refusal without one has none
	return connectionEvent{Type: "refused", Status: status, Code: code, Message: f.Message}
}
