package site

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/runhistory"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// running is one running stored action.
type running struct {
	*Site
	call  primitive.Call
	tool  *actionmap.Tool
	entry *storage.Entry
	input json.RawMessage
	// confirmed says that a person has just allowed this very run.
	confirmed bool
}

// runAction decides the action as a whole, runs it, and checks its value and the page
// against what the map promises.
func (r running) runAction(ctx context.Context) (json.RawMessage, error) {
	value, err := r.runKind(ctx)
	if err != nil {
		return nil, r.withPlace(err)
	}
	if err := r.tool.CheckOutput(value); err != nil {
		return nil, err
	}
	_ = r.Proofs.pass(r.tool, time.Now()) // what was done is done: it only stays unproven
	return value, nil
}

// inHistory returns what the action is called in the history.
func (r running) inHistory() runhistory.Action {
	return runhistory.Action{Map: r.entry.Path, Name: r.tool.Name}
}

// withPlace adds to a failure before anything was done that the page may be the wrong one.
func (r running) withPlace(err error) error {
	f := fault.From(err)
	if f.Dispatched != fault.NotDispatched || !r.History.Misplaced(r.inHistory(), r.call.URL, f) {
		return err
	}
	return f.WithNextStep("It has gone well, but never on this page: go to the page where it begins, and call it there. " + f.NextStep)
}

func (r running) runKind(ctx context.Context) (json.RawMessage, error) {
	switch r.tool.Kind {
	case actionmap.KindStatic:
		return r.tool.StaticOutput, nil
	case actionmap.KindHandler:
		args, err := r.handlerArguments()
		if err != nil {
			return nil, err
		}
		return r.runChecked(ctx, func(ctx context.Context) (json.RawMessage, error) {
			return r.step(ctx, r.tool.Handler, args)
		})
	case actionmap.KindWorkflow:
		flow, err := r.tool.Compiled(r.Catalogue)
		if err != nil {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
		return r.runChecked(ctx, func(ctx context.Context) (json.RawMessage, error) {
			return r.runWorkflow(ctx, flow)
		})
	default:
		return nil, r.nothingToRun()
	}
}

func (r running) nothingToRun() error {
	return fault.New(fault.MissingHandler, "the action %q declares nothing that can run", r.tool.Name).
		WithNextStep("Give it x_actions.static_output, x_actions.handler or a workflow.").WithDispatched(fault.NotDispatched)
}

// runChecked authorizes the action, checks its preconditions, runs it and checks its
// postcondition.
func (r running) runChecked(ctx context.Context, run func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if !r.confirmed {
		if err := r.Path.Authorize(ctx, r.action(), func() policy.Plan { return r.plan(ctx) }); err != nil {
			return nil, err
		}
	}
	check, err := r.compiled.get(r.entry).projections.Postcondition(r.tool.Name)
	if err != nil {
		return nil, err
	}
	if err := r.checkBeforeRun(ctx); err != nil {
		return nil, err
	}
	before, err := r.before(ctx, check)
	if err != nil {
		return nil, err
	}
	value, err := run(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.awaitTransitions(ctx); err != nil {
		return nil, err
	}
	if check != nil {
		err = r.verify(ctx, check, before)
	}
	return value, err
}

// handlerArguments returns a handler's arguments: those of the map, with the caller's on top.
func (r running) handlerArguments() (json.RawMessage, error) {
	if err := r.checkStep("handler of the action "+strconv.Quote(r.tool.Name), r.tool.Handler); err != nil {
		return nil, err
	}
	return actionmap.MergeArguments(r.tool.BindingArguments, r.input)
}

// checkStep refuses a name that is not a primitive for stored use: actions.site would
// run itself without end, and the caller chooses the current tab, not a map.
func (s *Site) checkStep(what, name string) error {
	switch {
	case s.Catalogue.Effect(name) == "":
		return fault.New(fault.UnknownPrimitive, "%q, the %s, is no primitive", name, what).WithDispatched(fault.NotDispatched)
	case !s.Catalogue.Step(name):
		return fault.New(fault.InvalidMap, "%q, the %s, is not for stored actions", name, what).WithDispatched(fault.NotDispatched)
	}
	return nil
}

// step runs one primitive while the tab is on a page of the map. A tab that
// moves within the map's pages between the check and the step is checked again.
func (r running) step(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	for {
		url, err := r.checkPage()
		if err != nil {
			return nil, err
		}
		output, err := r.Path.Step(ctx, name, args)
		if !r.Path.Moved(ctx, r.call.TabID, url, err) {
			return output, err
		}
	}
}

func (r running) runWorkflow(ctx context.Context, flow *workflow.Workflow) (json.RawMessage, error) {
	result := flow.Run(ctx, r.newRun(ctx))
	r.call.Meta.Steps = result.Steps
	if result.Err != nil {
		return nil, result.Err
	}
	return result.Output, nil
}

func (r running) newRun(ctx context.Context) workflow.Run {
	limit := time.Duration(0)
	if deadline, ok := ctx.Deadline(); ok {
		limit = time.Until(deadline)
	}
	return workflow.Run{
		Input: r.input, Timeout: limit, Dictionary: r.Catalogue,
		Invoke: func(ctx context.Context, step workflow.StepCall) (json.RawMessage, error) {
			return r.step(ctx, step.Primitive, step.Arguments)
		},
	}
}

// checkPage checks that the tab is on a page of the action's map and returns its URL.
func (r running) checkPage() (string, error) {
	url, ok := r.URL(r.call.TabID)
	if !ok {
		return "", fault.New(fault.TabNotClaimed, "the tab was closed or released during %q", r.tool.Name).WithDispatched(fault.NotDispatched)
	}
	if !applies(r.tool, r.entry, url) {
		return "", fault.New(fault.StateMismatch, "the tab left the pages of the map of %q", r.tool.Name).
			With("url", r.call.VisibleURL(url)).With("map", r.entry.Path).WithDispatched(fault.NotDispatched)
	}
	return url, nil
}

// applies reports whether the page is one of the map's and of the tool's.
func applies(tool *actionmap.Tool, entry *storage.Entry, url string) bool {
	page, err := origin.Parse(url)
	if err != nil || !origin.MatchHost(page.Host, entry.Host) || !tool.Applies(url) {
		return false
	}
	return matches(entry.Map.URLPatterns, url)
}

// matches reports whether one of the patterns fits; none at all fits everywhere.
func matches(patterns []string, url string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return origin.MatchURL(p, url) })
}
