package openai

import (
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// step is what becomes of a connection, as a tap hears it.
type step struct {
	// Type is call, answered, opened, refused, unreachable or closed.
	Type    string       `json:"type"`
	By      voice.Source `json:"by,omitzero"`      // closed: host or service
	Session session      `json:"session,omitzero"` // call
	// Of refused:
	Status  int    `json:"status,omitzero"`
	Code    string `json:"code,omitzero"`
	Message string `json:"message,omitzero"`
}

// failed tells why there is no connection.
func failed(err error) step {
	f := fault.From(err)
	status, refused := f.Evidence["status"].(int)
	if !refused {
		return step{Type: "unreachable", Message: f.Message}
	}
	code, _ := f.Evidence["provider_code"].(string) // a refusal without one has none
	return step{Type: "refused", Status: status, Code: code, Message: f.Message}
}
