// Package site is actions.site, the one tool that answers "what can you do on
// this page?" and runs the action that is named.
//
// Rules of this package:
//   - Only maps whose place in storage fits the tab's page are looked at; an
//     unknown or unmatched action fails with unknown_action and runs nothing.
//   - Arguments are checked against the action's input_schema before anything
//     else happens; a JSON text is parsed.
//   - A stored action is decided before its first step, by all its steps.
//   - Before each step the tab must still be on a page of the map.
//   - What a map or a page says is data: it never widens what a caller may do.
package site

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// Path is the part of the call path that actions.site uses.
type Path interface {
	// Authorize decides a stored action by the primitives it may run.
	Authorize(ctx context.Context, action string, primitives []string) error
	// Step runs one primitive of the action.
	Step(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	// Moved tells whether a step failed, unsent, because the tab had left the
	// page it was meant for.
	Moved(ctx context.Context, tabID int, from string, err error) bool
}

// Site runs actions.site.
type Site struct {
	Store *storage.Store
	Path  Path
	Dict  workflow.Dictionary
	// URL gives the present URL of a claimed tab.
	URL func(tabID int) (string, bool)
}

type arguments struct {
	Mode       string          `json:"mode"`
	Action     string          `json:"action"`
	ActionName string          `json:"action_name"`
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
}

// example is shown where a call's shape is wrong.
var example = json.RawMessage(`{"mode":"call","action":"search.submit","arguments":{"query":"tea"}}`)

// Handle is the primitive's handler.
func (s *Site) Handle(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	var args arguments
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return nil, fault.Wrap(err, fault.InvalidInput, "the arguments are not valid: %v", err)
	}
	site := s.Store.Match(c.URL)
	if len(site.Errors) > 0 {
		c.Meta.MapErrors = site.Errors
	}
	if args.Mode == "list" {
		return s.list(site)
	}
	name, input, err := args.action()
	if err != nil {
		return nil, err
	}
	tool, entry, ok := site.Tool(name)
	if !ok {
		return nil, fault.New(fault.UnknownAction, "no map of this page has an action named %q", name).
			With("action", name).With("url", c.URL).WithDispatched(fault.NotDispatched)
	}
	c.Meta.Map = entry.Path
	if err := tool.CheckArguments(input); err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	return s.run(ctx, c, tool, entry, input)
}

// action reads the name and the input in the forms that models use: the name
// under action, action_name or name, or inside the arguments.
func (a arguments) action() (name string, input json.RawMessage, err error) {
	for _, n := range []string{a.Action, a.ActionName, a.Name} {
		if name == "" {
			name = n
		}
	}
	if input, err = objectOf(a.Arguments); err != nil {
		return "", nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(input, &members); err != nil {
		return "", nil, fault.Wrap(err, fault.InvalidInput, "arguments must be an object")
	}
	var nested string
	if raw, ok := members["action"]; ok && json.Unmarshal(raw, &nested) == nil && (name == "" || name == nested) {
		// A name that is repeated inside is a slip; another one is an argument.
		name = nested
		delete(members, "action")
		if input, err = json.Marshal(members); err != nil {
			return "", nil, fault.Wrap(err, fault.InternalError, "the arguments cannot be written: %v", err)
		}
	}
	if name == "" {
		return "", nil, fault.New(fault.InvalidInput, "mode call needs the name of an action").
			With("example", example).WithDispatched(fault.NotDispatched)
	}
	return name, input, nil
}

// objectOf gives the arguments as an object: absent is {}, a text is parsed.
func objectOf(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), nil
	}
	if raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, fault.Wrap(err, fault.InvalidInput, "arguments is not valid JSON: %v", err)
		}
		parsed, err := strictjson.Canonical([]byte(text), strictjson.Limits{})
		if err != nil {
			return nil, fault.New(fault.InvalidInput, "arguments is a text that is not valid JSON: %s", fault.From(err).Message).
				With("example", example).WithDispatched(fault.NotDispatched)
		}
		raw = parsed
	}
	if raw[0] != '{' {
		return nil, fault.New(fault.InvalidInput, "arguments must be an object").
			With("example", example).WithDispatched(fault.NotDispatched)
	}
	return raw, nil
}

// run executes the action by its kind.
func (s *Site) run(ctx context.Context, c primitive.Call, tool *actionmap.Tool, entry *storage.Entry, input json.RawMessage) (json.RawMessage, error) {
	switch tool.Kind {
	case actionmap.KindStatic:
		return tool.StaticOutput, nil
	case actionmap.KindHandler:
		return s.handler(ctx, c, tool, entry, input)
	case actionmap.KindWorkflow:
		return s.workflow(ctx, c, tool, entry, input)
	default:
		return nil, fault.New(fault.MissingHandler, "the action %q declares nothing that can run", tool.Name).
			WithNextStep("Give it x_actions.static_output, x_actions.handler or a workflow.").WithDispatched(fault.NotDispatched)
	}
}

func (s *Site) handler(ctx context.Context, c primitive.Call, tool *actionmap.Tool, entry *storage.Entry, input json.RawMessage) (json.RawMessage, error) {
	args, err := actionmap.MergeArguments(tool.BindingArguments, input)
	if err != nil {
		return nil, err
	}
	if s.Dict.Effect(tool.Handler) == "" {
		return nil, fault.New(fault.UnknownPrimitive, "the handler %q of the action %q is no primitive", tool.Handler, tool.Name).WithDispatched(fault.NotDispatched)
	}
	if err := s.Path.Authorize(ctx, tool.Name, []string{tool.Handler}); err != nil {
		return nil, err
	}
	return s.step(ctx, c, tool, entry, tool.Handler, args)
}

// step runs one primitive while the tab is on a page of the map. A tab that
// moves within the map's pages between the look and the step is looked at again.
func (s *Site) step(ctx context.Context, c primitive.Call, tool *actionmap.Tool, entry *storage.Entry, name string, args json.RawMessage) (json.RawMessage, error) {
	for {
		url, err := s.stillThere(c, tool, entry)
		if err != nil {
			return nil, err
		}
		output, err := s.Path.Step(ctx, name, args)
		if !s.Path.Moved(ctx, c.TabID, url, err) {
			return output, err
		}
	}
}

func (s *Site) workflow(ctx context.Context, c primitive.Call, tool *actionmap.Tool, entry *storage.Entry, input json.RawMessage) (json.RawMessage, error) {
	flow, err := tool.Compiled(s.Dict)
	if err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	if err := s.Path.Authorize(ctx, tool.Name, flow.Primitives()); err != nil {
		return nil, err
	}
	limit := time.Duration(0)
	if deadline, ok := ctx.Deadline(); ok {
		limit = time.Until(deadline)
	}
	result := flow.Run(ctx, workflow.Run{
		Input:      input,
		Timeout:    limit,
		Dictionary: s.Dict,
		Invoke: func(ctx context.Context, step workflow.StepCall) (json.RawMessage, error) {
			return s.step(ctx, c, tool, entry, step.Primitive, step.Arguments)
		},
	})
	c.Meta.Steps = result.Steps
	if result.Err != nil {
		return nil, result.Err
	}
	return result.Output, nil
}

// stillThere checks that the tab is on a page of the action's map and gives
// its URL.
func (s *Site) stillThere(c primitive.Call, tool *actionmap.Tool, entry *storage.Entry) (string, error) {
	url, ok := s.URL(c.TabID)
	if !ok {
		return "", fault.New(fault.TabNotClaimed, "the tab was closed or released during %q", tool.Name)
	}
	if !applies(tool, entry, url) {
		return "", fault.New(fault.StateMismatch, "the tab left the pages of the map of %q", tool.Name).
			With("url", url).With("map", entry.Path).WithDispatched(fault.NotDispatched)
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
