// Package agent connects a model that talks with the user to the host: it offers a
// tool set of fixed names with instructions, and runs calls on the host's one path.
//
// Rules of this package:
//   - The tool set has the same names and bytes with one map or a hundred: actions.site
//     lists what a site can do.
//   - Every direct primitive demands a policy_exception_report.
//   - What is offered is what would run: blocked primitives and those that the
//     mode refuses are left out, and refused at dispatch all the same.
//   - Instructions mention only tools that are offered.
//   - Words of pages and maps reach the model between the marks of pkg/pagedata.
package agent

import (
	"context"
	"sync"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Agent offers and runs the tools of one session.
type Agent struct {
	Catalogue *primitive.Catalogue
	Dispatch  *dispatch.Dispatcher
	Session   *dispatch.Session
	// HasPagePrimitive reports whether the connected extension can run a page primitive.
	HasPagePrimitive func(name string) bool
	// Page describes the session's current page for the instructions.
	Page func() Page
	// Gate reports whether the user lets this agent have tools at the moment; nil: always.
	Gate func() bool
	// Toolset is what is offered instead of every primitive; nil: every one. The prompt then
	// comes with each step.
	Toolset Toolset
	// Pictures returns the user's setting of this moment; nil: the page is never shown unasked.
	Pictures func() Pictures

	looks       looks
	prepareOnce sync.Once
	tools       prepared
	advice      pagedata.Mark // of the maps' words; with the same one the instructions stay the same
}

// Page describes the session's current page in the instructions.
type Page struct {
	Origin   string   // empty: no current tab, or one that shows no website
	Current  bool     // there is a current tab
	Blocked  []string // primitives that the page's maps forbid
	Guidance []string // advice of the maps' authors
	Tabs     int      // claimed ones
}

var (
	_ voice.Toolbox  = (*Agent)(nil)
	_ voice.Labeller = (*Agent)(nil)
	_ voice.Looker   = (*Agent)(nil)
)

// ToolSet returns the functions and instructions for the current page.
func (a *Agent) ToolSet(context.Context) (voice.ToolSet, error) {
	if !a.open() {
		return voice.ToolSet{}, nil
	}
	page := a.Page()
	if a.Toolset != nil {
		return voice.ToolSet{Functions: a.toolsetFunctions(page.Blocked)}, nil
	}
	records := a.offered(page.Blocked)
	ready := a.prepared()
	if ready.err != nil {
		return voice.ToolSet{}, ready.err
	}
	functions := make([]voice.Function, 0, len(records))
	for _, r := range records {
		functions = append(functions, ready.functions[r.Name])
	}
	return voice.ToolSet{Functions: functions, Instructions: instructions(records, a.Session.ModeNow(), page, a.advice)}, nil
}
