package voice

import (
	"context"
	"encoding/json"
	"time"
)

// Provider connects sessions with a model that listens and speaks.
type Provider interface {
	// Connect opens a session. An offer (SDP) makes it one of voice, whose answer
	// the connection gives; without one it is text only.
	Connect(ctx context.Context, setup Setup) (Connection, error)
}

// Connection is one session of a provider, as the host controls it. Its methods
// may be called while events are read.
type Connection interface {
	// Answer is the SDP answer of a voice session; empty for text.
	Answer() string
	// Next waits for the next event. Its error is the connection's end.
	Next(ctx context.Context) (Event, error)
	// Configure replaces instructions, tools and how the session listens.
	Configure(ctx context.Context, setup Setup) error
	// Add puts an item into the conversation.
	Add(ctx context.Context, item Item) error
	// Respond asks for a response. The id comes back in its ResponseStarted.
	Respond(ctx context.Context, id string, textOnly bool) error
	// Cancel ends the response that is under way, and what of it still sounds;
	// without an id it only ends the sound.
	Cancel(ctx context.Context, responseID string) error
	Close() error
}

// Setup is what a session is made of.
type Setup struct {
	Model        string
	Voice        string
	Offer        string // SDP; empty for text only
	Instructions string
	Tools        []Function
	Turns        Turns
}

// Turns says how the provider notices that the user has spoken.
type Turns struct {
	// Mode is server_vad or semantic_vad.
	Mode              string  `json:"mode"`
	Threshold         float64 `json:"threshold,omitzero"`           // server_vad: 0 to 1
	PrefixPaddingMS   int     `json:"prefix_padding_ms,omitzero"`   // server_vad
	SilenceDurationMS int     `json:"silence_duration_ms,omitzero"` // server_vad: 100 to 5000
	Eagerness         string  `json:"eagerness,omitzero"`           // semantic_vad: low, medium, high or auto
}

// Function is a tool as the model sees it.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Item is one part of a conversation: exactly one member is set.
type Item struct {
	Message *Message
	Result  *Result
	Image   *Image
}

// Message is something said or written.
type Message struct {
	Role string `json:"role"` // system, user or assistant
	Text string `json:"text"`
}

// Result answers a tool call.
type Result struct {
	CallID string
	Output string // JSON text
}

// Image is a picture for the model to look at.
type Image struct {
	DataURL string
	Caption string
}

// Event is what a provider reports, without its own shapes.
type Event interface{ event() }

// Ready says that the session exists; it ends at the time, if one is known.
type Ready struct {
	SessionID string
	ExpiresAt time.Time
}

// ResponseStarted says that the model began to answer. RequestID is what
// Respond was given; it is empty where the provider began by itself.
type ResponseStarted struct{ ID, RequestID string }

// ResponseEnded says that it is done.
type ResponseEnded struct {
	ID string
	// Status is completed, cancelled, failed or incomplete.
	Status string
	Reason string // of any but completed
	Calls  []ToolCall
	Usage  Usage
}

// ToolCall is a function that the model wants run.
type ToolCall struct {
	CallID    string
	Name      string
	Arguments string // JSON text as the model wrote it
}

// Usage counts the tokens of a response.
type Usage struct {
	TextIn, TextCached, TextOut    int
	AudioIn, AudioCached, AudioOut int
	ImageIn, ImageCached           int
}

// SpeechStarted and SpeechStopped say when the user speaks.
type (
	SpeechStarted struct{}
	SpeechStopped struct{}
)

// Said is a piece of a turn's text: more of it, or all of it when Final.
type Said struct {
	Role   string // user or assistant
	ItemID string
	Text   string
	Final  bool
}

// Sounding says whether the model's voice can be heard just now.
type Sounding struct{ On bool }

// Complaint is an error that the provider reports; the session goes on unless
// Fatal. RequestID names the Respond that it is about, where it is about one.
type Complaint struct {
	Code, Message, RequestID string
	Fatal                    bool
}

// Unknown is an event of a type that is not known here.
type Unknown struct{ Type string }

func (Ready) event()           {}
func (ResponseStarted) event() {}
func (ResponseEnded) event()   {}
func (SpeechStarted) event()   {}
func (SpeechStopped) event()   {}
func (Said) event()            {}
func (Sounding) event()        {}
func (Complaint) event()       {}
func (Unknown) event()         {}
