package dispatch

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// PictureMember is the member of an output that holds a picture.
const PictureMember = "data_url"

// Envelope is the one shape of an answer, on every face. Exactly one of Output
// and Error is set, as OK says; finish alone decides which.
type Envelope struct {
	OK     bool            `json:"ok"`
	CallID string          `json:"call_id"`
	Name   string          `json:"name"`
	Output json.RawMessage `json:"output,omitzero"`
	Error  *fault.Error    `json:"error,omitzero"`
	Meta   primitive.Meta  `json:"meta"`
}

// Picture returns the picture of an output, a data URL, and the output's other members:
// a model looks at a picture and does not read its bytes. Without one both are empty.
func (e Envelope) Picture() (dataURL string, rest map[string]json.RawMessage) {
	if !bytes.Contains(e.Output, []byte(PictureMember)) || json.Unmarshal(e.Output, &rest) != nil ||
		json.Unmarshal(rest[PictureMember], &dataURL) != nil || !strings.HasPrefix(dataURL, "data:image/") {
		return "", nil
	}
	delete(rest, PictureMember)
	return dataURL, rest
}

// ReturnsPicture reports whether a primitive's output has a picture.
func ReturnsPicture(r *primitive.Record) bool {
	var o struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	return r.Name != SiteTool && json.Unmarshal(r.OutputSchema, &o) == nil && o.Properties[PictureMember] != nil
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
	e.OK, e.Output = true, output
	return e
}
