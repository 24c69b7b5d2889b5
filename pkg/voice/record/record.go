// Package record writes the events of a voice session to a file and reads them
// again, so that it can be replayed as a test: the events of host and service in
// both directions, the life of each connection, the user's actions and the tools'
// outcomes.
//
// Rules of this package:
//   - A recording is JSON lines: a header with version, model and settings, then
//     one line an event. Time is an offset from the beginning; no date is in it.
//   - No key, no sound and no picture is written, and no text that a tool typed,
//     wherever it turns up later. Pieces of turns are left out, as a secret in
//     two pieces is not found; the whole turn follows. The conversation of user and
//     model stays: passing on a recording passes that on.
//   - A tool set is written as the names of its tools.
//   - If a recording cannot be written any more, the session goes on without it and
//     the error is reported once.
package record

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/voice"
)

// Format is the version of the file format.
const Format = 1

// Header is the first line: how the session began.
type Header struct {
	Format        int         `json:"voice_recording"`
	Version       string      `json:"version"` // of the host
	Model         string      `json:"model"`
	Voice         string      `json:"voice,omitzero"`
	Turns         voice.Turns `json:"turns,omitzero"`
	TextOnly      bool        `json:"text_only"`
	Greet         bool        `json:"greet,omitzero"`
	Memory        string      `json:"memory,omitzero"`
	SpendingLimit float64     `json:"spending_limit_usd,omitzero"`
	// ResumeFrom is the resumed session of an earlier host.
	ResumeFrom *voice.SessionSnapshot `json:"from,omitzero"`
}

// Line is one event.
type Line struct {
	MS         int64           `json:"ms"` // since the beginning
	From       voice.Source    `json:"from"`
	Connection int             `json:"connection,omitzero"` // of host, service and network
	Event      json.RawMessage `json:"event"`               // an object with a type
}

// Recording is a whole file.
type Recording struct {
	Header Header
	Lines  []Line
}

// Outcome is the outcome of a tool, as a line from tools.
type Outcome struct {
	Type    string          `json:"type"` // outcome
	CallID  string          `json:"call_id"`
	Name    string          `json:"name"`
	OK      bool            `json:"ok"`
	Code    string          `json:"code,omitzero"`
	Output  json.RawMessage `json:"output,omitzero"`
	Page    json.RawMessage `json:"page,omitzero"`
	Picture bool            `json:"picture,omitzero"` // it took one
}

// Look is the end of a look at the page, as a line from tools.
type Look struct {
	Type    string `json:"type"`   // look
	Number  int64  `json:"number"` // counts from 1
	Picture bool   `json:"picture,omitzero"`
	Caption string `json:"caption,omitzero"`
}

// ToolSet is the tools offered from then on, as a line from tools.
type ToolSet struct {
	Type         string   `json:"type"` // surface
	Instructions string   `json:"instructions"`
	Tools        []string `json:"tools"`
}
