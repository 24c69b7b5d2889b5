package voice

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/printable"
)

// Toolbox offers tools to the model and runs them.
type Toolbox interface {
	// ToolSet returns the functions and instructions for the current page.
	ToolSet(ctx context.Context) (ToolSet, error)
	// Run runs one function; its failures are in the outcome.
	Run(ctx context.Context, call ToolCall) Outcome
}

// Labeller is a Toolbox that knows what a call is about, for people.
type Labeller interface {
	// LabelArgument returns such as the name of the call's target; empty for nothing.
	LabelArgument(call ToolCall) string
}

// ToolSet is the tool catalogue and its instructions.
type ToolSet struct {
	Functions    []Function
	Instructions string
}

// Outcome is the result of a tool call.
type Outcome struct {
	// Name is the primitive's own, not the safe one that the model used.
	Name    string
	OK      bool
	Stopped bool            // by the user, who wants nothing more to be done
	Code    string          // of an error
	Reason  string          // of an error, for a person
	Next    string          // of an error: what to do then
	Output  json.RawMessage // the answer in the host's words, an object
	Page    json.RawMessage // the part of the answer that holds words of a page; the model gets it sealed
	Ends    bool            // the model's task is done: what it called after this does not run
	Ran     bool            // it may have reached the page
	TabID   int             // of the page; 0 for none
	Classes []string        // navigation and state_change, as far as it may have done either
	Image   string          // data URL of a picture to look at; empty for none
}

// Text returns the answer as a model reads it: nothing in it is unseen.
func (o Outcome) Text() string {
	own := printable.Escape(string(o.Output))
	if len(o.Page) == 0 {
		return own
	}
	return own + "\n" + pagedata.Seal(string(o.Page))
}
