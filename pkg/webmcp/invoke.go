package webmcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpwebmcp "github.com/chromedp/cdproto/webmcp"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

// sendTimeout is how long the browser may take to begin an invocation.
const sendTimeout = 5 * time.Second

type invokeArguments struct {
	Tool      string          `json:"tool"`
	Name      string          `json:"name"`
	Origin    string          `json:"origin"`
	Arguments json.RawMessage `json:"arguments"`
	TimeoutMS int             `json:"timeout_ms"`
	Detach    bool            `json:"detach"`
}

// invoke answers webmcp.invoke.
func (t *Tools) invoke(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[invokeArguments](c)
	if err != nil {
		return nil, err
	}
	if len(args.Arguments) == 0 {
		args.Arguments = json.RawMessage(`{}`)
	}
	w, err := t.readyWatch(ctx, c)
	if err != nil {
		return nil, err
	}
	tool, err := t.find(ctx, w, c, args.Tool, args.Name, args.Origin)
	if err != nil {
		return nil, err
	}
	unchecked, err := checkArguments(c, tool, args.Arguments)
	if err != nil {
		return nil, err
	}
	if err := authorize(c, tool, args.Arguments); err != nil {
		return nil, err
	}
	timeout := time.Duration(args.TimeoutMS) * time.Millisecond
	if timeout > 0 && !args.Detach {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	run, err := w.send(ctx, c, tool, args.Arguments)
	if err != nil {
		return nil, err
	}
	out := invocationOutput{InvocationID: run.ID, Name: tool.Name, Origin: tool.Origin, Unchecked: unchecked, Sensitive: new(tool.Sensitive()), Trust: untrusted}
	if args.Detach {
		w.detach(c, run, timeout)
		out.Status = string(registry.Running)
		return primitive.Output(out)
	}
	c.LeaveLane()
	if err := w.await(ctx, c, run); err != nil {
		return nil, err
	}
	return out.encode(run)
}

// checkArguments validates the arguments against the page's schema, which its error shows: a tool
// that is denied to the session is refused before.
func checkArguments(c primitive.Call, tool registry.Tool, args json.RawMessage) ([]string, error) {
	if err := denied(c, tool); err != nil {
		return nil, err
	}
	violations, unchecked := tool.Check(args)
	if len(violations) == 0 {
		return unchecked, nil
	}
	f := fault.New(fault.InvalidInput, "the arguments do not match what the page's tool %s declares: %s", tool.Name, violations[0].Message).
		With("violations", violations).With("trust", untrusted)
	if schema := tool.Schema(); len(schema) <= maxShownSchema {
		f = f.With("input_schema", schema)
	}
	if len(unchecked) > 0 {
		f = f.With("unchecked", unchecked)
	}
	return nil, f.WithDispatched(fault.NotDispatched)
}

// maxShownSchema bounds the schema that a refusal shows.
const maxShownSchema = 4000

// denied returns the error of a tool that the session may not call, whatever the user is asked.
func denied(c primitive.Call, tool registry.Tool) error {
	switch tool.Origin {
	case c.Origin:
		return nil
	case "":
		if c.Session.Sees("") {
			return nil // it may not be known yet
		}
		return noOriginError(tool)
	}
	if err := c.WouldPermit(tool.Origin); fault.Is(err, fault.PermissionDenied) {
		return err
	}
	return nil
}

func noOriginError(tool registry.Tool) error {
	return fault.New(fault.PermissionDenied, "the frame of the page's tool %s has no origin that anything could be granted for", tool.Name).
		WithDispatched(fault.NotDispatched)
}

// authorize decides for the origin of the tool's own document. Unless a map's author
// stands behind the call, the user's grant is needed, whichever way it came: by a
// name of actions.site, by the primitive itself, from any face.
func authorize(c primitive.Call, tool registry.Tool, input json.RawMessage) error {
	if tool.Origin == "" {
		return noOriginError(tool)
	}
	if c.Authorized && !tool.Annotations.Consequential {
		if tool.Origin == c.Origin || slices.Contains(c.FrameOrigins, tool.Origin) {
			return nil
		}
		return c.Permit(tool.Origin)
	}
	asked, err := primitive.Output(map[string]any{"name": tool.Name, "arguments": input})
	if err != nil {
		return err
	}
	return c.Confirm(primitive.Question{Name: registry.ActionPrefix + tool.Name, Origin: tool.Origin, Arguments: asked, RequireNewApproval: tool.Annotations.Consequential})
}

// send makes the browser invoke the tool and returns the run with its ID.
func (w *watch) send(ctx context.Context, c primitive.Call, tool registry.Tool, input json.RawMessage) (*registry.Run, error) {
	run := w.registry.Begin(tool.ID, c.Session.SessionID())
	if run == nil {
		return nil, notFoundError(tool.ID, tool.Name)
	}
	// A caller that gives up now must still learn the id, to cancel what has begun.
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	d := w.debugger(c.Origin).Child(tool.Session)
	if hasNullMember(input) {
		return run, w.execute(sending, d, run, tool, input)
	}
	answer, err := cdp.Call(sending, d, cdpwebmcp.InvokeTool, cdpwebmcp.InvokeToolParams{
		FrameID: cdp.FrameID(tool.Frame), ToolName: tool.Name, Input: jsontext.Value(input),
	})
	if err != nil {
		w.reportInvocations(run.Abandon())
		return nil, invokeError(err, tool)
	}
	w.reportInvocations(run.SetID(answer.InvocationID))
	return run, nil
}

// invokeError classifies errors of the command itself. If the browser found no such tool, frame
// or session, nothing ran.
func invokeError(err error, tool registry.Tool) error {
	f := fault.From(err)
	if f.Code != fault.HandlerFailed {
		return err
	}
	for _, words := range []string{"Tool not found", "No frame for given id", "Session with given id not found", "domain is not enabled"} {
		if strings.Contains(f.Message, words) {
			return notFoundError(tool.ID, tool.Name)
		}
	}
	if strings.Contains(f.Message, "Invalid parameters") {
		return fault.New(fault.InvalidInput, "the browser does not take these arguments: %s", f.Message).WithDispatched(fault.NotDispatched)
	}
	return err
}
