package site

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// running is one stored action under way.
type running struct {
	*Site
	call  primitive.Call
	tool  *actionmap.Tool
	entry *storage.Entry
	input json.RawMessage
}

// do decides the action as a whole, runs it, and holds its value and the page
// against what the map promises.
func (r running) do(ctx context.Context) (json.RawMessage, error) {
	value, err := r.byKind(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.tool.CheckOutput(value); err != nil {
		return nil, err
	}
	return value, nil
}

func (r running) byKind(ctx context.Context) (json.RawMessage, error) {
	switch r.tool.Kind {
	case actionmap.KindStatic:
		return r.tool.StaticOutput, nil
	case actionmap.KindHandler:
		args, err := r.bound()
		if err != nil {
			return nil, err
		}
		return r.acting(ctx, []string{r.tool.Handler}, func(ctx context.Context) (json.RawMessage, error) {
			return r.step(ctx, r.tool.Handler, args)
		})
	case actionmap.KindWorkflow:
		flow, err := r.tool.Compiled(r.Catalogue)
		if err != nil {
			return nil, fault.From(err).WithDispatched(fault.NotDispatched)
		}
		return r.acting(ctx, flow.Primitives(), func(ctx context.Context) (json.RawMessage, error) {
			return r.workflow(ctx, flow)
		})
	default:
		return nil, fault.New(fault.MissingHandler, "the action %q declares nothing that can run", r.tool.Name).
			WithNextStep("Give it x_actions.static_output, x_actions.handler or a workflow.").WithDispatched(fault.NotDispatched)
	}
}

// acting runs what works on the page, between the questions whether it may and
// whether it did.
func (r running) acting(ctx context.Context, primitives []string, run func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if err := r.Path.Authorize(ctx, r.tool.Name, primitives); err != nil {
		return nil, err
	}
	check, err := r.compiled.get(r.entry).projections.Postcondition(r.tool.Name)
	if err != nil {
		return nil, err
	}
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	value, err := run(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.settled(ctx); err != nil {
		return nil, err
	}
	if check != nil {
		err = r.verify(ctx, check)
	}
	return value, err
}

// bound gives a handler's arguments: those of the map, with the caller's on top.
func (r running) bound() (json.RawMessage, error) {
	name := r.tool.Handler
	switch {
	case r.Catalogue.Effect(name) == "":
		return nil, fault.New(fault.UnknownPrimitive, "the handler %q of the action %q is no primitive", name, r.tool.Name).WithDispatched(fault.NotDispatched)
	case !r.Catalogue.Step(name):
		// actions.site would run itself without end, and which tab is the current
		// one is for the caller to say, not for a map.
		return nil, fault.New(fault.InvalidMap, "the handler %q of the action %q is not for stored actions", name, r.tool.Name).WithDispatched(fault.NotDispatched)
	}
	return actionmap.MergeArguments(r.tool.BindingArguments, r.input)
}

// step runs one primitive while the tab is on a page of the map. A tab that
// moves within the map's pages between the look and the step is looked at again.
func (r running) step(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	for {
		url, err := r.stillThere()
		if err != nil {
			return nil, err
		}
		output, err := r.Path.Step(ctx, name, args)
		if !r.Path.Moved(ctx, r.call.TabID, url, err) {
			return output, err
		}
	}
}

func (r running) workflow(ctx context.Context, flow *workflow.Workflow) (json.RawMessage, error) {
	limit := time.Duration(0)
	if deadline, ok := ctx.Deadline(); ok {
		limit = time.Until(deadline)
	}
	result := flow.Run(ctx, workflow.Run{
		Input: r.input, Timeout: limit, Dictionary: r.Catalogue,
		Invoke: func(ctx context.Context, step workflow.StepCall) (json.RawMessage, error) {
			return r.step(ctx, step.Primitive, step.Arguments)
		},
	})
	r.call.Meta.Steps = result.Steps
	if result.Err != nil {
		return nil, result.Err
	}
	return result.Output, nil
}

// stillThere checks that the tab is on a page of the action's map and gives
// its URL.
func (r running) stillThere() (string, error) {
	url, ok := r.URL(r.call.TabID)
	if !ok {
		return "", fault.New(fault.TabNotClaimed, "the tab was closed or released during %q", r.tool.Name)
	}
	if !applies(r.tool, r.entry, url) {
		return "", fault.New(fault.StateMismatch, "the tab left the pages of the map of %q", r.tool.Name).
			With("url", url).With("map", r.entry.Path).WithDispatched(fault.NotDispatched)
	}
	return url, nil
}

// applies tells whether the page is one of the map's and of the tool's.
func applies(tool *actionmap.Tool, entry *storage.Entry, url string) bool {
	page, err := origin.Parse(url)
	if err != nil || !origin.MatchHost(page.Host, entry.Host) || !tool.Applies(url) {
		return false
	}
	return matches(entry.Map.URLPatterns, url)
}

// matches tells whether one of the patterns fits; none at all fits everywhere.
func matches(patterns []string, url string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return origin.MatchURL(p, url) })
}
