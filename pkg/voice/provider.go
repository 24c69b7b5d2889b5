package voice

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Provider connects sessions with a model that listens and speaks.
type Provider interface {
	// Connect opens a session. With an SDP offer it is a voice session, whose answer
	// the connection returns; without one it is text only.
	Connect(ctx context.Context, setup Setup) (Connection, error)
}

// Connection is one session of a provider, as the host controls it. Its methods
// may be called while events are read.
type Connection interface {
	// Answer returns the SDP answer of a voice session; empty for text.
	Answer() string
	// Next waits for the next event. An error means that the connection has ended.
	Next(ctx context.Context) (Event, error)
	// Configure replaces instructions, tools and how the session listens.
	Configure(ctx context.Context, setup Setup) error
	// Add puts an item into the conversation.
	Add(ctx context.Context, item Item) error
	// Delete removes an item that was added with an id.
	Delete(ctx context.Context, itemID string) error
	// Respond requests a response. The id comes back in its [ResponseStarted].
	Respond(ctx context.Context, id string, textOnly bool) error
	// Cancel ends the running response and its playback; without an id it only ends
	// the playback.
	Cancel(ctx context.Context, responseID string) error
	Close() error
}

// Setup configures a session.
type Setup struct {
	Model        string
	Voice        string
	Offer        string // SDP; empty for text only
	Instructions string
	Tools        []Function
	Turns        Turns
}

// Turns configures how the provider detects the user's speech.
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

// Item is one part of a conversation: exactly one member is set, beside the id.
type Item struct {
	// ID names an item that is deleted later; empty for any other.
	ID      string
	Message *Message
	Result  *Result
	Image   *Image
}

// Message is a spoken or written message.
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

// Event is an event of a provider, in a form that is the same for all providers.
type Event interface{ event() }

// Ready reports that the session exists. It ends at ExpiresAt, if that is known.
type Ready struct {
	SessionID string
	ExpiresAt time.Time
}

// ResponseStarted reports that the model began to answer. RequestID is the id passed
// to Respond; it is empty if the provider began by itself.
type ResponseStarted struct{ ID, RequestID string }

// ResponseEnded reports the end of a response.
type ResponseEnded struct {
	ID string
	// Status is completed, cancelled, failed or incomplete.
	Status string
	Reason string // of any but completed
	Calls  []ToolCall
	Usage  Usage
	// Fault is why it failed, where more than a reason is known.
	Fault *fault.Error
	// Model is the one that answered, where the setup names none, and Prices are its own; nil:
	// those of the table.
	Model  string
	Prices *Prices
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

// SpeechStarted reports that the user begins to speak.
type SpeechStarted struct{}

// SpeechStopped reports that the user has stopped.
type SpeechStopped struct{}

// Transcript is the text of a turn so far, or all of it when Final.
type Transcript struct {
	Role   string // user or assistant
	ItemID string
	Text   string
	Final  bool
}

// PlaybackChanged reports whether the model's voice is playing.
type PlaybackChanged struct{ On bool }

// ProviderError is an error that the provider reports; the session goes on unless Fatal.
// RequestID names the Respond that it is about, if any.
type ProviderError struct {
	Code, Message, RequestID string
	Fatal                    bool
}

// Unknown is an event of an unknown type.
type Unknown struct{ Type string }

func (Ready) event()           {}
func (ResponseStarted) event() {}
func (ResponseEnded) event()   {}
func (SpeechStarted) event()   {}
func (SpeechStopped) event()   {}
func (Transcript) event()      {}
func (PlaybackChanged) event() {}
func (ProviderError) event()   {}
func (Unknown) event()         {}
