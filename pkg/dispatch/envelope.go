package dispatch

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Envelope is the one shape of an answer, on every face. Exactly one of Output
// and Error is set, as OK says; finish alone decides which.
type Envelope struct {
	OK     bool   `json:"ok"`
	CallID string `json:"call_id"`
	Name   string `json:"name"`
	// Already stands beside ok where a stored action found everything done and changed nothing.
	Already bool `json:"already,omitzero"`
	// Trust is untrusted where the answer holds words of a page or of another stranger.
	Trust  string          `json:"trust,omitzero"`
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

// IsForeign reports whether the answer itself, without its meta, holds words that neither the
// host nor the caller chose. A failure does as soon as its call may have met a page: it may
// name what stands there, and the address of the tab. No record is that of an unknown name.
func IsForeign(r *primitive.Record, ok bool) bool {
	return r != nil && (r.IsForeign() || !ok && needsTab(r))
}

// finish makes the envelope of a call: the only place where ok is decided.
func finish(id, name string, r *primitive.Record, output json.RawMessage, err error, meta primitive.Meta) Envelope {
	e := Envelope{CallID: id, Name: name, Meta: meta}
	if IsForeign(r, err == nil) || meta.IsForeign() {
		e.Trust = pagedata.Untrusted
	}
	if err != nil {
		e.Error = fault.From(err)
		return e
	}
	if len(output) == 0 {
		output = json.RawMessage("null")
	}
	e.OK, e.Output, e.Attachments, e.Already = true, output, meta.Attachments, meta.Already
	return e
}
