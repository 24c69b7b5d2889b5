package compile

import (
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
)

// The sources of runs.
const (
	SourceRun       = "run"       // calls of a session
	SourceRecording = "recording" // what a user did by hand
)

// Run is what somebody did on one tab, in its order: steps that succeeded.
type Run struct {
	Source  string
	Session string
	Steps   []Step
	Notes   []string // what the record knows to be missing
}

// Step is one thing that was done or read.
type Step struct {
	Number    int // in the record, from 1; for notes
	Primitive string
	// Args are the arguments as the record has them. A text that it withholds is {"length":n}.
	Args json.RawMessage
	// Constant means that the texts of Args stay the same each time the action runs.
	Constant bool
	// Target is what the page met, Destination where a drag ended; nil where the record does
	// not say.
	Target, Destination *Met
	URL                 string // of the page before
	At                  time.Time
	Navigated           string          // the address to which the page went; empty: it stayed
	OpenedTab           bool            // the page opened another tab
	Output              json.RawMessage // of a read
	// Before and After are texts of the page around the step, as far as they were seen.
	Before, After []Seen
}

// Met is what the page met as the target of a step.
type Met = protocol.MetTarget

// Seen is the text of one element of the page at one time.
type Seen struct {
	Selector string // CSS that finds it
	Text     string
}
