// Package agent is what a model that talks with the user gets: a tool surface of
// fixed names, the words that explain it, and calls that go the host's one path.
//
// Rules of this package:
//   - The surface has the same names and bytes with one map or a hundred: what a
//     site can do is asked of actions.site.
//   - Every direct primitive demands a policy_exception_report.
//   - What is offered is what would run: blocked primitives and those that the
//     mode refuses are left out, and refused at dispatch all the same.
//   - Instructions speak only of tools that are offered.
package agent

import (
	"context"
	"sync"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Agent is one session's tool surface and hands.
type Agent struct {
	Catalogue *primitive.Catalogue
	Dispatch  *dispatch.Dispatcher
	Session   *dispatch.Session
	// Known tells whether the connected extension can run a page primitive.
	Known func(name string) bool
	// Page describes the session's current page for the instructions.
	Page func() Page

	prepare sync.Once
	ready   prepared
}

// Page is what the instructions say of where the agent is.
type Page struct {
	Origin   string   // empty: no current tab, or one that shows no website
	Current  bool     // there is a current tab
	Blocked  []string // primitives that the page's maps forbid
	Guidance []string // what the authors of those maps advise
	Tabs     int      // claimed ones
}

var _ voice.Toolbox = (*Agent)(nil)

// Surface gives the functions and instructions for the page of this moment.
func (a *Agent) Surface(context.Context) (voice.Surface, error) {
	page := a.Page()
	records := a.offered(page.Blocked)
	ready := a.prepared()
	if ready.err != nil {
		return voice.Surface{}, ready.err
	}
	functions := make([]voice.Function, 0, len(records))
	for _, r := range records {
		functions = append(functions, ready.functions[r.Name])
	}
	return voice.Surface{Functions: functions, Instructions: instructions(records, a.Session.ModeNow(), page)}, nil
}
