package scripts

import (
	"cmp"
	"context"
	_ "embed" // the code laid around the caller's
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	javascriptTimeout = 5 * time.Second // where the caller names none
	parseTimeout      = time.Second     // bounds code that runs where it is to be parsed only

	maxExceptionText = 500 // characters
	maxStackLines    = 5
)

//go:embed javascript.js
var javascriptTools string

type javascriptArguments struct {
	Source     string          `json:"source"`
	JavaScript string          `json:"javascript"` // another name of source
	Args       json.RawMessage `json:"args"`
	TimeoutMS  int             `json:"timeout_ms"`
}

// javascriptAnswer is the JSON that the wrapper around the caller's code returns.
type javascriptAnswer struct {
	Type      string          `json:"type"`
	Described bool            `json:"described"`
	Result    json.RawMessage `json:"result"`
}

// runJavaScript runs a function body in the main world of the tab's own document and returns
// its result, a promise awaited.
func (h *Handlers) runJavaScript(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[javascriptArguments](c)
	if err != nil {
		return nil, err
	}
	source := cmp.Or(args.Source, args.JavaScript)
	if strings.TrimSpace(source) == "" || args.Source != "" && args.JavaScript != "" {
		return nil, fault.New(fault.InvalidInput, "%s needs the body of a function as source", c.Record.Name).WithDispatched(fault.NotDispatched)
	}
	limit := javascriptTimeout
	if args.TimeoutMS > 0 {
		limit = time.Duration(args.TimeoutMS) * time.Millisecond
	}
	d := h.Browser.Debugger(c.TabID).ForOrigin(c.Origin)
	answer, err := h.evaluateWithin(ctx, c.TabID, d, wrapSource(source, args.Args), limit)
	if err != nil {
		return nil, err
	}
	out := map[string]any{
		"result": answer.Result, "type": answer.Type, "url": c.URL,
		"execution": map[string]string{"transport": "chrome.debugger", "world": "main"},
	}
	if answer.Described {
		out["described"] = true
	}
	if tab, ok := h.Tabs.Get(c.TabID); ok {
		out["url"] = c.VisibleURL(tab.URL)
	}
	return primitive.Output(out)
}

// wrapSource returns one expression with the caller's function body, named [callScript]. The
// line break lets the body end in a comment.
func wrapSource(source string, args json.RawMessage) string {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	tools := javascriptTools[strings.Index(javascriptTools, "(() =>"):]
	return "(async () => { const tools = " + strings.TrimSpace(tools) + ";" +
		"return tools.tell(await (async (args, helpers) => {" + source + "\n})(" + string(args) + ", tools.helpers)); })()\n//# sourceURL=" + callScript
}

// evaluateWithin runs the expression for no longer than the limit. Code that is still busy then
// is terminated, so that the tab can be used; code that waits for a timer or an event goes on
// in the page, and is terminated by the next call if it keeps the page busy then.
func (h *Handlers) evaluateWithin(ctx context.Context, tabID int, d *browser.Debugger, expression string, limit time.Duration) (javascriptAnswer, error) {
	terminator, err := h.terminators.acquire(ctx, h.Browser, tabID, d)
	if err != nil {
		return javascriptAnswer{}, err
	}
	var e evaluation
	started, done := time.Now(), make(chan struct{})
	go func() {
		defer close(done)
		e.result, e.err = cdp.Call(context.WithoutCancel(ctx), d, runtime.Evaluate, runtime.EvaluateParams{
			Expression: expression, ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: new(false), Silent: new(true),
			// It ends synchronous code; later tasks of the code are for the terminator.
			Timeout: runtime.TimeDelta(limit.Milliseconds()),
		})
		e.late = time.Since(started) >= limit
	}()
	timer := time.NewTimer(limit + responseTimeout)
	defer timer.Stop()
	select {
	case <-done:
		if e.late {
			terminator.settle(ctx, d)
		}
		terminator.release(ctx)
		return e.answer(limit)
	case <-ctx.Done():
	case <-timer.C:
	}
	go func() { // code that waits can be terminated until it ends
		<-done
		terminator.release(ctx)
	}()
	ended, err := terminator.terminate(ctx, d)
	switch {
	case err != nil:
		return javascriptAnswer{}, err
	case ctx.Err() != nil:
		return javascriptAnswer{}, fault.From(ctx.Err()).WithDispatched(fault.DispatchedUnknown)
	}
	select {
	case <-done: // meanwhile
		return e.answer(limit)
	default:
		return javascriptAnswer{}, javascriptTimeoutError(limit, ended)
	}
}

// evaluation is how a Runtime.evaluate ended.
type evaluation struct {
	result runtime.EvaluateResult
	err    error
	late   bool // the time was over
}

func (e evaluation) answer(limit time.Duration) (javascriptAnswer, error) {
	switch {
	case e.late && fault.Is(e.err, fault.HandlerFailed):
		// The time limit of the command itself, for which it has no message of its own.
		return javascriptAnswer{}, javascriptTimeoutError(limit, true)
	case e.err != nil:
		return javascriptAnswer{}, evaluationError(e.err)
	case e.result.ExceptionDetails != nil:
		return javascriptAnswer{}, exceptionError(e.result.ExceptionDetails)
	}
	return decodeAnswer(e.result.Result)
}

// javascriptTimeoutError returns the error of code that took too long. Ended is false also for
// code that only waits, which leaves the page responsive.
func javascriptTimeoutError(limit time.Duration, ended bool) error {
	f := fault.New(fault.JavascriptTimeout, "the code did not end within %s", limit).
		With("timeout_ms", limit.Milliseconds()).WithDispatched(fault.DispatchedUnknown)
	if ended {
		return f.With("terminated", true)
	}
	return f.WithNextStep("What the code began and waits for may still go on in the page. Let it do less, or raise timeout_ms.")
}

// decodeAnswer decodes the description of a result, which is untrusted text of the page.
func decodeAnswer(object *runtime.RemoteObject) (javascriptAnswer, error) {
	var text string
	var answer javascriptAnswer
	if object == nil || json.Unmarshal(object.Value, &text) != nil {
		return answer, fault.New(fault.InvalidResult, "the code gave no result that can be read").WithDispatched(fault.WasDispatched)
	}
	if err := strictjson.Decode([]byte(text), &answer, strictjson.Limits{}); err != nil {
		return answer, fault.Wrap(err, fault.InvalidResult, "the result of the code cannot be read: %s", fault.From(err).Message).WithDispatched(fault.WasDispatched)
	}
	return answer, nil
}

// exceptionError returns the error for an exception, with the top of its stack.
func exceptionError(details *runtime.ExceptionDetails) error {
	text := details.Text
	if e := details.Exception; e != nil {
		switch {
		case e.Description != "":
			text = e.Description
		case len(e.Value) > 0:
			text = string(e.Value)
		case e.UnserializableValue != "":
			text = string(e.UnserializableValue)
		}
	}
	message, rest, _ := strings.Cut(text, "\n    at ")
	message = truncate.Characters(message, maxExceptionText)
	f := fault.New(fault.JavascriptFailed, "the code threw: %s", message).With("exception", message).WithDispatched(fault.WasDispatched)
	if rest != "" {
		var stack []string
		for line := range strings.SplitSeq(rest, "\n") {
			if len(stack) == maxStackLines {
				break
			}
			stack = append(stack, truncate.Characters(strings.TrimPrefix(strings.TrimSpace(line), "at "), maxExceptionText))
		}
		f = f.With("stack", stack)
	}
	return f.With("trust", "untrusted")
}

// evaluationError returns the error of an evaluation that was ended from outside.
func evaluationError(err error) error {
	f := fault.From(err)
	if f.Code == fault.HandlerFailed && (strings.Contains(f.Message, "context was destroyed") || strings.Contains(f.Message, "navigated or closed") ||
		strings.Contains(f.Message, "Promise was collected")) {
		return fault.Wrap(err, fault.RuntimeReplaced, "the document went away while the code ran").WithDispatched(fault.DispatchedUnknown)
	}
	var own *fault.Error
	if errors.As(err, &own) {
		return own
	}
	return f
}

// IsExpression reports whether the code is one expression, which may await. The page's browser
// parses it and does not run it. Code that closes the parentheses around it would run: it can
// change nothing then and is ended.
func (h *Handlers) IsExpression(ctx context.Context, c primitive.Call, code string) (bool, error) {
	d := h.Browser.Debugger(c.TabID).ForOrigin(c.Origin)
	// The line break lets the code end in a comment.
	parsed, err := cdp.Call(ctx, d, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "0 && (async () => (\n" + code + "\n))", Silent: new(true),
		ThrowOnSideEffect: new(true), Timeout: runtime.TimeDelta(parseTimeout.Milliseconds()),
	})
	switch {
	case fault.Is(err, fault.HandlerFailed) && strings.Contains(err.Error(), "Execution was terminated"):
		return false, fault.From(javascriptTimeoutError(parseTimeout, true)).WithDispatched(fault.NotDispatched)
	case err != nil:
		return false, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	return parsed.ExceptionDetails == nil, nil
}
