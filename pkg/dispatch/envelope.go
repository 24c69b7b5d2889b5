package dispatch

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Envelope is the one shape of an answer, on every face. Exactly one of Output
// and Error is set, as OK says; finish alone decides which.
type Envelope struct {
	OK     bool            `json:"ok"`
	CallID string          `json:"call_id"`
	Name   string          `json:"name"`
	Output json.RawMessage `json:"output,omitzero"`
	// Attachments are pictures and documents, which a model does not read as text.
	Attachments []primitive.Attachment `json:"attachments,omitzero"`
	Error       *fault.Error           `json:"error,omitzero"`
	Meta        primitive.Meta         `json:"meta"`
}

// Picture returns the picture of an answer, a data URL; empty without one.
func (e Envelope) Picture() string {
	for _, a := range e.Attachments {
		if a.Kind == primitive.SpecialImage {
			return a.DataURL
		}
	}
	return ""
}

// finish makes the envelope of a call: the only place where ok is decided.
func finish(id, name string, output json.RawMessage, err error, meta primitive.Meta) Envelope {
	e := Envelope{CallID: id, Name: name, Meta: meta}
	if err != nil {
		e.Error = fault.From(err)
		return e
	}
	if len(output) == 0 {
		output = json.RawMessage("null")
	}
	e.OK, e.Output, e.Attachments = true, output, meta.Attachments
	return e
}
