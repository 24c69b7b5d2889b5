// Package site is actions.site, the one tool that answers "what can you do on
// this page?" and runs the action that is named.
//
// Rules of this package:
//   - Only maps whose place in storage matches the tab's page are used; an
//     unknown or unmatched action fails with unknown_action and runs nothing.
//   - Arguments are checked against the action's input_schema before anything
//     else happens; a JSON text is parsed.
//   - A stored action is decided before its first step, by all its steps.
//   - Before each step the tab must still be on a page of the map.
//   - Texts of maps and pages are data: they never widen what a caller may do.
//   - A preview sends nothing with an effect. The reading steps before the first other
//     one run, as they would in the mode ask, so that the slots after them can be evaluated:
//     it may scroll the page to what it looks at. What depends on a step that did not
//     run is unknown, never guessed. The secrets of the input stay out of it.
package site

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/projection"
	"github.com/actionsjson/actions-host/pkg/runhistory"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/suggest"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// Path is the part of the call path that actions.site uses.
type Path interface {
	// Authorize decides a stored action by the primitives it may run. A question about it
	// shows what plan returns; nil: nothing.
	Authorize(ctx context.Context, action policy.Action, plan func() policy.Plan) error
	// Confirm is Authorize for what a person has to see each time, whatever was allowed before.
	Confirm(ctx context.Context, action policy.Action, args json.RawMessage, plan func() policy.Plan) error
	// ExplainAction returns how the action would be decided now, and on which origin.
	ExplainAction(ctx context.Context, action policy.Action) (policy.Decision, string, error)
	// OnlyLook returns a context whose steps may only read and show, unasked.
	OnlyLook(ctx context.Context) context.Context
	// InternalStep runs an internal primitive that only reads or shows, in such a context.
	InternalStep(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	// Typed sets, for the log, which members of the action's arguments its steps
	// may type.
	Typed(ctx context.Context, input json.RawMessage, typed func(name string) bool)
	// Step runs one primitive of the action.
	Step(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	// OnlyStep is Step for a call that consists of it.
	OnlyStep(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	// Moved reports whether a step failed, unsent, because the tab had left the
	// page it was meant for.
	Moved(ctx context.Context, tabID int, from string, err error) bool
}

// Site runs actions.site.
type Site struct {
	Store *storage.Store
	Path  Path
	// Catalogue has the record of each primitive.
	Catalogue *primitive.Catalogue
	// URL returns the present URL of a claimed tab.
	URL func(tabID int) (string, bool)
	// Snapshots keep the last state of each tab, for state_diff.
	Snapshots *projection.Snapshots
	// GoodRuns keep what the maps' locators found; nil: nothing is remembered.
	GoodRuns *GoodRuns

	// CallAsHost runs a primitive that only reads or shows, outside of any call; nil: no page
	// is observed. Runtime returns the id of the document in a claimed tab.
	CallAsHost func(ctx context.Context, tabID int, name string, args json.RawMessage) (json.RawMessage, error)
	Runtime    func(tabID int) string
	// Log has what the targets of actions were; nil: none is kept.
	Log *journal.Journal
	// History has each action's last runs; nil: none are kept.
	History *runhistory.History
	// Launchers are those registered for a tab; nil: there are none.
	Launchers *Launchers
	// Proofs are those of recorded actions; nil: none is kept, and none is called unproven.
	Proofs *Proofs
	// PageTools reports that the primitives for page tools are available.
	PageTools bool
	// NoPageTools returns why a tab can have none; nil: only webmcp.list finds out. It is
	// called first, to keep what is not a failure out of the log.
	NoPageTools func(ctx context.Context, c primitive.Call) error

	compiled        mapCache
	signals         signals
	markers         markers
	transitions     pagemodel.Transitions
	noToolsReported sessionSet
}

type arguments struct {
	listArguments
	stateArguments
	Run bool `json:"run"`
}

// Handle is the primitive's handler.
func (s *Site) Handle(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[arguments](c)
	if err != nil {
		return nil, err
	}
	site := s.Store.View(ctx, c.URL)
	if len(site.Errors) > 0 {
		c.Meta.MapErrors = site.Errors
	}
	if s.Runtime != nil {
		// A page that cannot be observed can still be operated; the failure is in the log.
		_ = s.Observe(ctx, c.TabID, s.Runtime(c.TabID), c.URL)
		_ = s.Attach(ctx, c.TabID, s.Runtime(c.TabID), c.URL)
	}
	switch args.Mode {
	case "list":
		return s.list(ctx, c, site, args.listArguments)
	case "check":
		return s.check(ctx, c, site, args.Run)
	case "state_read", "state_summary", "state_diff":
		return s.state(ctx, c, site, args)
	}
	name, input, err := dispatch.StoredAction(c.Arguments)
	if err != nil {
		return nil, err
	}
	tool, entry, ok := site.Tool(name)
	if !ok && s.PageTools && isPageTool(name) && args.Mode == "preview" {
		return nil, fault.New(fault.InvalidInput, "%s is a tool of the page itself: what it does is known to the page only", name).
			WithNextStep("Read its description in mode list; only actions of a map can be previewed.").WithDispatched(fault.NotDispatched)
	}
	if !ok && s.PageTools && isPageTool(name) {
		s.Path.Typed(ctx, input, workflow.AllInputs.Has)
		return s.callPageTool(ctx, name, input)
	}
	if !ok {
		return nil, unknownAction(site, name).With("action", name).With("url", c.URL).WithDispatched(fault.NotDispatched)
	}
	c.Meta.Map = entry.Path
	if repairs(ctx) {
		s.Path.Typed(ctx, input, s.typed(tool).Has)
		return s.repair(ctx, running{Site: s, call: c, tool: tool, entry: entry, input: input})
	}
	if err := tool.CheckArguments(input); err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	s.Path.Typed(ctx, input, s.typed(tool).Has)
	action := running{Site: s, call: c, tool: tool, entry: entry, input: input}
	if args.Mode == "preview" {
		return action.preview(ctx)
	}
	return action.runAction(ctx)
}

// typed returns the members of a tool's arguments that its steps may type.
func (s *Site) typed(tool *actionmap.Tool) workflow.Inputs {
	switch tool.Kind {
	case actionmap.KindStatic:
		return workflow.SomeInputs()
	case actionmap.KindHandler:
		names := s.Catalogue.Typed(tool.Handler)
		for i, name := range names {
			names[i], _, _ = strings.Cut(name, ".")
		}
		return workflow.SomeInputs(names...)
	case actionmap.KindWorkflow:
		if flow, err := tool.Compiled(s.Catalogue); err == nil {
			return flow.Typed(s.Catalogue.Typed)
		}
	}
	return workflow.AllInputs
}

// unknownAction names the actions of the page that may have been meant.
func unknownAction(site storage.Site, name string) *fault.Error {
	var known []string
	for _, offer := range site.Offers() {
		known = append(known, offer.Tool.Name)
	}
	return suggest.AddTo(fault.New(fault.UnknownAction, "no map of this page has an action named %q", name), name, known)
}

// Action returns a stored action of a page, without primitives where it has neither a workflow
// nor a handler; false where the page has no such action.
func (s *Site) Action(url, name string) (policy.Action, bool) {
	tool, entry, ok := s.Store.Match(url).Tool(name)
	if !ok {
		return policy.Action{}, false
	}
	return running{Site: s, tool: tool, entry: entry}.action(), true
}

// action returns the action as the policy decides about it.
func (r running) action() policy.Action {
	a := policy.Action{Name: r.tool.Name, Of: r.entry.Path + " " + r.tool.Digest}
	switch r.tool.Kind {
	case actionmap.KindHandler:
		a.Primitives = []string{r.tool.Handler}
	case actionmap.KindWorkflow:
		if flow, err := r.tool.Compiled(r.Catalogue); err == nil { // else it runs nothing
			a.Primitives = flow.Primitives()
		}
	}
	return a
}
