package webmcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paging"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

const (
	defaultLimit   = 50
	maxListChars   = 24_000 // of the tools of one answer
	maxDescription = 1000   // characters of one tool's description in it
	maxShownRuns   = 20
)

type listArguments struct {
	Tool   string `json:"tool"`
	Query  string `json:"query"`
	Origin string `json:"origin"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
	Stop   bool   `json:"stop"`
	// Debugging lists the tools for debugging instead of the others.
	Debugging bool `json:"debugging"`
}

// row is a tool in a list.
type row struct {
	ID             string                `json:"id"`
	Name           string                `json:"name"`
	Title          string                `json:"title,omitzero"`
	Action         string                `json:"action"` // what actions.site calls it
	Description    string                `json:"description"`
	InputSchema    json.RawMessage       `json:"input_schema,omitzero"`
	OutputSchema   json.RawMessage       `json:"output_schema,omitzero"`
	SchemaLeftOut  bool                  `json:"schema_left_out,omitzero"`
	Annotations    *registry.Annotations `json:"annotations,omitzero"`
	Declarative    bool                  `json:"declarative"` // a form of the page
	WaitsForSubmit bool                  `json:"waits_for_submit,omitzero"`
	Origin         string                `json:"origin"`
	TopFrame       bool                  `json:"top_frame"`
	FrameID        string                `json:"frame_id"`
	BackendNodeID  int64                 `json:"backend_node_id,omitzero"`
	StackTrace     []registry.Place      `json:"stack_trace,omitzero"`
	DescriptionCut bool                  `json:"description_cut,omitzero"`
	Trust          string                `json:"trust"`
}

type listing struct {
	Tools       []row                 `json:"tools"`
	Total       int                   `json:"total"`
	NextOffset  int                   `json:"next_offset,omitzero"`
	Debugging   int                   `json:"debugging_total,omitzero"` // that match and are for debugging
	LeftOut     int                   `json:"left_out,omitzero"`        // registered, and too many to keep
	Withheld    int                   `json:"withheld,omitzero"`        // of origins that the session may not see
	Watching    bool                  `json:"watching"`
	Invocations []registry.Invocation `json:"invocations"`
	Trust       string                `json:"trust"`
}

// list answers webmcp.list.
func (t *Tools) list(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[listArguments](c)
	if err != nil {
		return nil, err
	}
	out := listing{Tools: []row{}, Invocations: []registry.Invocation{}, Trust: untrusted}
	if args.Stop {
		t.endTabSession(ctx, c.TabID, c.Session.SessionID())
		return primitive.Output(out)
	}
	w, err := t.readyWatch(ctx, c)
	if err != nil {
		return nil, err
	}
	if w == nil {
		return primitive.Output(out)
	}
	if err := w.catchUp(ctx, c.Origin, true); err != nil {
		return nil, err
	}
	out.Watching = true
	return primitive.Output(out.page(w, args, c.PermittedOrigins(c.WouldPermit)))
}

// page appends the latest invocations, and matching tools from the offset until a limit is
// reached, all of permitted origins.
func (l listing) page(w *watch, args listArguments, permitted func(origin string) bool) listing {
	withheld := func(origin string) bool {
		if permitted(origin) {
			return false
		}
		l.Withheld++
		return true
	}
	runs := slices.DeleteFunc(w.registry.Invocations(), func(i registry.Invocation) bool { return withheld(i.Origin) })
	l.Invocations = append(l.Invocations, runs[:min(len(runs), maxShownRuns)]...)
	tools, overflow := w.registry.Tools()
	l.LeftOut = overflow
	counts := map[string]int{}
	for _, t := range tools {
		counts[t.Name]++
	}
	tools = slices.DeleteFunc(tools, func(t registry.Tool) bool { return withheld(t.Origin) })
	tools = slices.DeleteFunc(tools, func(t registry.Tool) bool {
		return args.Tool != "" && t.ID != args.Tool || args.Origin != "" && t.Origin != args.Origin || !paging.Matches(args.Query, t.Name, t.Title, t.Description)
	})
	if args.Tool == "" {
		tools = slices.DeleteFunc(tools, func(t registry.Tool) bool {
			if t.Annotations.Debugging {
				l.Debugging++
			}
			return t.Annotations.Debugging != args.Debugging
		})
	}
	l.Total = len(tools)
	offset := min(args.Offset, l.Total)
	end := min(offset+cmp.Or(args.Limit, defaultLimit), l.Total)
	l.Tools = append(l.Tools, paging.Fill(tools[:end], offset, maxListChars, func(t registry.Tool) (row, int) {
		r := rowOf(t, counts[t.Name] > 1, args.Tool != "")
		raw, err := json.Marshal(r)
		if (err != nil || len(raw) > maxListChars) && args.Tool == "" { // its schemas came as JSON: it can be written
			r.InputSchema, r.OutputSchema, r.SchemaLeftOut = nil, nil, true
			raw, _ = json.Marshal(r)
		}
		return r, utf8.RuneCount(raw)
	})...)
	if next := offset + len(l.Tools); next < l.Total {
		l.NextOffset = next
	}
	return l
}

func rowOf(t registry.Tool, ambiguous, whole bool) row {
	r := row{
		ID: t.ID, Name: t.Name, Title: t.Title, Action: registry.ActionPrefix + t.Name, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		SchemaLeftOut: t.SchemaLeftOut, Declarative: t.Form, Origin: t.Origin, TopFrame: t.Top, FrameID: t.Frame,
		BackendNodeID: t.BackendNodeID, StackTrace: t.Stack, Trust: untrusted,
	}
	r.WaitsForSubmit = r.Declarative && !t.Annotations.Autosubmit
	if ambiguous {
		r.Action = t.ID
	}
	if t.Annotations != (registry.Annotations{}) {
		r.Annotations = &t.Annotations
	}
	if text := []rune(t.Description); len(text) > maxDescription && !whole {
		r.Description, r.DescriptionCut = string(text[:maxDescription]), true
	} else {
		r.DescriptionCut = t.DescriptionCut
	}
	return r
}

// find returns the one tool that a call names, with its document.
func (t *Tools) find(ctx context.Context, w *watch, c primitive.Call, id, name, origin string) (registry.Tool, error) {
	tool, err := t.resolveTool(ctx, w, c, id, name, origin)
	if err != nil || tool.OriginKnown {
		return tool, err
	}
	// Its frame is new, and may be known before its document.
	if err := w.catchUp(ctx, c.Origin, false); err != nil {
		return tool, err
	}
	tool, err = t.resolveTool(ctx, w, c, tool.ID, name, origin)
	if err == nil && !tool.OriginKnown {
		err = fault.New(fault.RuntimeNotReady, "the frame of the page's tool %s does not answer", tool.Name).WithDispatched(fault.NotDispatched)
	}
	return tool, err
}

func (t *Tools) resolveTool(ctx context.Context, w *watch, c primitive.Call, id, name, origin string) (registry.Tool, error) {
	if w == nil {
		return registry.Tool{}, notFoundError(id, name)
	}
	if id != "" {
		if tool, ok := w.registry.Tool(id); ok {
			return tool, nil
		}
		return registry.Tool{}, notFoundError(id, name)
	}
	found := toolsNamed(w, name, origin)
	if len(found) == 0 {
		// It may have been registered a moment ago.
		if err := w.catchUp(ctx, c.Origin, false); err != nil {
			return registry.Tool{}, err
		}
		found = toolsNamed(w, name, origin)
	}
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(t registry.Tool) bool { return denied(c, t) != nil })
	}
	switch len(found) {
	case 0:
		return registry.Tool{}, notFoundError(id, name)
	case 1:
		return found[0], nil
	}
	candidates := []map[string]string{}
	for _, one := range found[:min(len(found), 10)] {
		candidates = append(candidates, map[string]string{"id": one.ID, "origin": one.Origin, "url": one.URL})
	}
	return registry.Tool{}, fault.New(fault.PageToolAmbiguous, "%d frames of the page have a tool named %q", len(found), name).
		With("candidates", candidates).WithDispatched(fault.NotDispatched)
}

func toolsNamed(w *watch, name, origin string) (found []registry.Tool) {
	tools, _ := w.registry.Tools()
	for _, tool := range tools {
		if tool.Name == name && (origin == "" || tool.Origin == origin) {
			found = append(found, tool)
		}
	}
	return found
}

func notFoundError(id, name string) *fault.Error {
	if id != "" {
		return fault.New(fault.PageToolStale, "the page tool %s is gone: its page was left, or took it back", id).
			With("id", id).WithDispatched(fault.NotDispatched)
	}
	return fault.New(fault.PageToolNotFound, "the page has no tool named %s", fmt.Sprintf("%q", name)).
		With("name", name).WithDispatched(fault.NotDispatched)
}
