package voice

// Source says whose doing a part of a session's course was.
type Source string

// The sources.
const (
	FromHost    Source = "host"    // an event to the provider
	FromService Source = "service" // an event of the provider's
	FromNetwork Source = "network" // a connection was asked for, opened, refused or closed
	FromUser    Source = "user"    // a message, an interruption, the end of the call in the browser
	FromTools   Source = "tools"   // a tool's outcome, or another tool surface
)

// Tap hears a session's course, for a recording: with all of it the session can
// be played again. The event encodes to a JSON object with a type; connections
// count from 1, and 0 is none. A tap must not block; nil hears nothing. Unlike
// an Observer it hears sound, pictures and what was typed: who keeps something
// of it takes those out.
type Tap func(from Source, connection int, event any)

// Tell tells the tap, if there is one.
func (t Tap) Tell(from Source, connection int, event any) {
	if t != nil {
		t(from, connection, event)
	}
}

// Act is what a user did to a session, as a tap hears it.
type Act struct {
	// Type is say, inform, interrupt or call_lost.
	Type     string `json:"type"`
	Text     string `json:"text,omitzero"`
	Mode     Mode   `json:"mode,omitzero"`
	TextOnly bool   `json:"text_only,omitzero"` // the answer is to be read
}

func (s *Session) acted(a Act) { s.options.Tap.Tell(FromUser, 0, a) }
