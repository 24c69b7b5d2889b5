package voice

// Source is the origin of an event in a recording.
type Source string

// The sources.
const (
	FromHost    Source = "host"    // an event to the provider
	FromService Source = "service" // an event of the provider's
	FromNetwork Source = "network" // a connection was requested, opened, refused or closed
	FromUser    Source = "user"    // a message, an interruption, the end of the call in the browser
	FromTools   Source = "tools"   // a tool's outcome, or a changed tool set
)

// Recorder receives all events of a session for a recording, from which the session can be
// replayed. The event encodes to a JSON object with a type; connections count from 1,
// and 0 is none. A recorder must not block; a nil one receives nothing. Unlike an
// [Observer] it receives sound, pictures and typed text: whatever stores its events
// removes those.
type Recorder func(from Source, connection int, event any)

// Record passes an event to the recorder, if there is one.
func (t Recorder) Record(from Source, connection int, event any) {
	if t != nil {
		t(from, connection, event)
	}
}

// UserAction is an action of the user, as a recorder receives it.
type UserAction struct {
	// Type is say, inform, note, interrupt or call_lost.
	Type     string `json:"type"`
	Text     string `json:"text,omitzero"`
	Mode     Mode   `json:"mode,omitzero"`
	TextOnly bool   `json:"text_only,omitzero"` // the answer is text
}

func (s *Session) recordAction(a UserAction) { s.options.Recorder.Record(FromUser, 0, a) }
