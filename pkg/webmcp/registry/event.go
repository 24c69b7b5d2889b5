package registry

import "encoding/json"

// Event is an event of the browser. [Decode] returns one of the types below.
type Event any

type (
	// ToolsAdded reports registrations, possibly again.
	ToolsAdded struct{ Tools []Declared }
	// ToolsRemoved reports registrations that ended.
	ToolsRemoved struct{ Tools []Removed }
	// ToolInvoked reports that an invocation began, by any client.
	ToolInvoked struct {
		Frame, Invocation, Tool string
		Input                   Input
	}
	// ToolResponded reports how an invocation ended.
	ToolResponded struct {
		Invocation string
		Response   Response
	}
	// FrameNavigating reports that a frame is going to show another document.
	FrameNavigating struct{ Frame string }
	// FrameNavigated reports a frame's new document.
	FrameNavigated struct {
		Frame    Frame
		Restored bool // from the back/forward cache
	}
	// FrameLoaded reports that a frame's document, and what it waited for, are there.
	FrameLoaded struct{ Frame string }
	// FrameMoved reports a new address of the same document.
	FrameMoved struct{ Frame, URL string }
	// FrameDetached reports that a frame is gone, or has moved to another process.
	FrameDetached struct {
		Frame   string
		Swapped bool
	}
	// SessionAttached reports a frame in another process.
	SessionAttached struct{ Session, Frame string }
	// SessionDetached reports its end.
	SessionDetached struct{ Session string }
)

// Declared is a tool as its page declares it.
type Declared struct {
	Frame, Name, Description string
	Title                    string // for people; browsers report it only to scripts
	BrowserID                string // the browser's id of the registration; older browsers have none
	InputSchema              json.RawMessage
	OutputSchema             json.RawMessage
	SchemaLeftOut            bool // it is larger than what is kept
	DescriptionCut           bool // likewise
	Annotations              Annotations
	Form                     bool // declared by a form of the page
	BackendNodeID            int64
	Stack                    []Place
}

// Annotations are the page's own hints about a tool.
type Annotations struct {
	ReadOnly         bool `json:"readOnly"`
	UntrustedContent bool `json:"untrustedContent"`
	Consequential    bool `json:"consequential"`
	Debugging        bool `json:"debugging"`
	Autosubmit       bool `json:"autosubmit"`
}

// Place is a point in the page's code.
type Place struct {
	Function string `json:"function,omitzero"`
	URL      string `json:"url"`
	Line     int    `json:"line"`   // from 1
	Column   int    `json:"column"` // from 1
	// Async is how the places from here on led to those before them, at the first place of a
	// parent of the stack: setTimeout, await.
	Async string `json:"async,omitzero"`
}

// Input is what a tool was invoked with.
type Input struct {
	Value json.RawMessage // nil where it is too large to be kept, or must stay out of the log
	Bytes int
}

// Removed names a registration that ended.
type Removed struct{ Frame, Name, BrowserID string }

// Frame is a frame and the document in it.
type Frame struct {
	ID, Parent string
	Document   string // the browser's id of the document
	URL        string
}

// Response is how an invocation ended. All texts are the page's.
type Response struct {
	Status    Status
	Output    json.RawMessage // nil for none
	Chars     int             // of an output of which only the head is kept, as a text; else 0
	ErrorText string
	Exception string // what was thrown, as a person would read it
}

// Status is how an invocation ended, in the browser's words.
type Status string

// The three ends of an invocation.
const (
	Completed Status = "Completed"
	Canceled  Status = "Canceled"
	Failed    Status = "Error"
)
