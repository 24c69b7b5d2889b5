package webmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

// executeScript runs a tool of its document from a world where the page's scripts do not reach,
// and reports whether there is such a tool. It takes the name and the input's JSON text.
const executeScript = `(async (name, text) => {
	const context = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext").get.call(document);
	const tool = (await context.getTools()).find(t => t.window === self && t.name === name);
	if (tool) context.executeTool(tool, JSON.parse(text)).catch(() => {}); // events report how it ends
	return !!tool;
})(%s, %s)`

// hasNullMember reports whether a member of an object is null. The browser's interface for
// extensions drops such members of a command.
func hasNullMember(args json.RawMessage) bool {
	in := jsontext.NewDecoder(bytes.NewReader(args))
	for {
		token, err := in.ReadToken()
		if err != nil {
			return false
		}
		if kind, n := in.StackIndex(in.StackDepth()); token.Kind() == jsontext.KindNull && kind == jsontext.KindBeginObject && n%2 == 0 {
			return true
		}
	}
}

// execute invokes the tool through a script, which takes the input as a text, and waits until
// the run has its ID.
func (w *watch) execute(ctx context.Context, d *browser.Debugger, run *registry.Run, tool registry.Tool, input json.RawMessage) error {
	if err := run.Expect(input); err != nil {
		return w.abandon(run, fault.Wrap(err, fault.InvalidInput, "the arguments cannot be read: %v", err).WithDispatched(fault.NotDispatched))
	}
	world, err := cdp.Call(ctx, d, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: cdp.FrameID(tool.Frame), WorldName: readWorld})
	if err != nil {
		return w.abandon(run, invokeError(fault.From(err).WithDispatched(fault.NotDispatched), tool))
	}
	name, err := json.Marshal(tool.Name)
	if err != nil {
		return w.abandon(run, err)
	}
	text, err := json.Marshal(string(input))
	if err != nil {
		return w.abandon(run, err)
	}
	result, err := cdp.Call(ctx, d, runtime.Evaluate, runtime.EvaluateParams{
		Expression: fmt.Sprintf(executeScript, name, text), ContextID: world.ExecutionContextID, AwaitPromise: new(true), ReturnByValue: new(true), Silent: new(true),
	})
	if err == nil && result.ExceptionDetails == nil && string(result.Result.Value) == "false" {
		return w.abandon(run, notFoundError(tool.ID, tool.Name))
	}
	// A tool that leaves the page at once ends the script, too: the event says whether it began.
	select {
	case <-run.Resolved():
		return nil
	case <-ctx.Done():
	}
	if err == nil {
		err = fault.New(fault.OutcomeUnknown, "%s was sent to the page, which does not say that it began", tool.Name).WithDispatched(fault.DispatchedUnknown)
	}
	return w.abandon(run, err)
}

// abandon ends a run that did not get an ID and returns the error; nil if it has one after all.
func (w *watch) abandon(run *registry.Run, err error) error {
	w.reportInvocations(run.Abandon())
	<-run.Resolved()
	if run.ID != "" {
		return nil
	}
	return err
}
