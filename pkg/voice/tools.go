package voice

import (
	"context"
	"encoding/json"
)

// Toolbox is what the model may use.
type Toolbox interface {
	// Surface gives the functions and instructions for the page of this moment.
	Surface(ctx context.Context) (Surface, error)
	// Run runs one function; it never fails otherwise than in its outcome.
	Run(ctx context.Context, call ToolCall) Outcome
}

// Surface is the tool catalogue and the words that go with it.
type Surface struct {
	Functions    []Function
	Instructions string
}

// Outcome is what a tool call came to.
type Outcome struct {
	// Name is the primitive's own, not the safe one that the model used.
	Name   string
	OK     bool
	Code   string // of an error
	Why    string // of an error, for a person
	Output json.RawMessage
	Image  string // data URL of a picture to look at; empty for none
}
