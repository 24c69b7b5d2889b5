package scripts

import (
	"context"
	_ "embed" // the code laid around the caller's
	"encoding/json"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

//go:embed browserjs.js
var browserJSTools string

const worldMain = "main"

// pageScript is a function that runs in the tab's own document.
type pageScript struct {
	call       primitive.Call
	debugger   *browser.Debugger
	terminator *terminator
	runtimeID  string
	frame      cdp.FrameID
	source     string
	args       json.RawMessage
	world      string
	libraries  []Library
	until      time.Time                  // it does not begin or go on after that
	native     *browser.NativeInput       // nil: it gets no real input
	binding    string                     // by which it asks for real input; empty: by messages
	contextID  runtime.ExecutionContextID // of its isolated world over the debugger; 0: another one
}

// scriptResult is the JSON with which the wrapper ends.
type scriptResult struct {
	Logs   javascriptAnswer  `json:"logs"`
	Value  javascriptAnswer  `json:"value"`
	Thrown *javascriptAnswer `json:"thrown"`
}

// browserJS runs a function of an agent's code in the page of the tab.
func (h *Handlers) browserJS(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	state, _ := ctx.Value(replKey{}).(*replState)
	s, err := h.preparePageScript(ctx, c, state)
	if err != nil {
		return nil, err
	}
	defer s.native.Close()
	transport, text, err := h.runPageScript(ctx, s, state)
	if left := state.left.at(ctx); left != "" && !state.native && ctx.Err() == nil {
		return nil, pageLeft(left)
	}
	if _, claimed := h.Tabs.Get(c.TabID); err != nil && !claimed && ctx.Err() == nil {
		return nil, fault.Wrap(err, fault.OutcomeUnknown, "the tab was closed or released while the function ran").WithDispatched(fault.DispatchedUnknown)
	}
	if err != nil {
		return nil, err
	}
	var result scriptResult
	if err := strictjson.Decode([]byte(text), &result, strictjson.Limits{}); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the result of the function cannot be read: %s", fault.From(err).Message).WithDispatched(fault.WasDispatched)
	}
	if result.Thrown != nil {
		var message string
		_ = json.Unmarshal(result.Thrown.Result, &message) // the wrapper writes a text
		message = truncate.Characters(message, maxExceptionText)
		return nil, fault.New(fault.JavascriptFailed, "the function threw: %s", message).With("exception", message).
			With("logs", result.Logs.Result).With("trust", "untrusted").WithDispatched(fault.WasDispatched)
	}
	return primitive.Output(map[string]any{"value": result.Value.Result, "logs": result.Logs.Result, "world": s.world, "transport": transport})
}

// preparePageScript makes ready what ends the function and what it may ask for.
func (h *Handlers) preparePageScript(ctx context.Context, c primitive.Call, state *replState) (*pageScript, error) {
	args, err := primitive.Arguments[struct {
		Source string          `json:"source"`
		Args   json.RawMessage `json:"args"`
		World  string          `json:"world"`
	}](c)
	if err != nil {
		return nil, err
	}
	tab, _ := h.Tabs.Get(c.TabID)
	if state == nil || tab.RuntimeID == "" {
		return nil, fault.New(fault.RuntimeNotReady, "the tab shows no document yet").WithDispatched(fault.NotDispatched)
	}
	s := &pageScript{
		until: time.Now().Add(remaining(ctx)),
		call:  c, debugger: h.Browser.Debugger(c.TabID).ForOrigin(c.Origin), runtimeID: tab.RuntimeID,
		source: args.Source, args: args.Args, world: args.World,
	}
	tree, err := cdp.Call(ctx, s.debugger, page.GetFrameTree, struct{}{})
	if err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	s.frame = tree.FrameTree.Frame.ID
	if s.terminator, err = h.terminators.acquire(ctx, h.Browser, c.TabID, s.debugger); err != nil {
		return nil, err
	}
	state.left.begin(string(s.frame))
	if s.world == worldMain {
		return s, nil // the page could take what it is given
	}
	if h.ScriptInput != nil && h.ScriptInput() {
		s.native = h.Browser.ArmNativeInput(c.TabID, s.runtimeID)
	}
	if h.Libraries != nil {
		s.libraries = h.Libraries(tab.URL)
	}
	return s, nil
}

// runPageScript runs the function where it can and serves meanwhile what it asks for.
func (h *Handlers) runPageScript(ctx context.Context, s *pageScript, state *replState) (transport, text string, err error) {
	result, err := h.serveScript(ctx, s, state, func(ctx context.Context) (string, bool, error) { return h.runUserScript(ctx, s) })
	if err != nil || result.ran {
		s.terminator.release(ctx)
		return "chrome.userScripts", result.text, err
	}
	if s.world != worldMain {
		if err := s.openWorld(ctx); err != nil {
			s.terminator.release(ctx)
			return "", "", fault.From(err).WithDispatched(fault.NotDispatched)
		}
	}
	result, err = h.serveScript(ctx, s, state, func(ctx context.Context) (string, bool, error) { return h.runInWorld(ctx, s) })
	return "chrome.debugger", result.text, err
}

type scriptEnd struct {
	text string
	ran  bool
	err  error
}

// serveScript runs the function and what it asks for. One whose call is over is ended: its
// timers are cleared, and if it keeps the page busy it is terminated.
func (h *Handlers) serveScript(ctx context.Context, s *pageScript, state *replState, run func(context.Context) (string, bool, error)) (scriptEnd, error) {
	done := make(chan scriptEnd, 1)
	go func() {
		text, ran, err := run(ctx)
		done <- scriptEnd{text, ran, err}
	}()
	for {
		select {
		case request := <-s.native.Requests():
			request.Answer(h.sendNativeInput(ctx, state, request.Input))
		case end := <-done:
			if ctx.Err() == nil {
				return end, end.err
			}
			return end, h.endScript(ctx, s)
		case <-ctx.Done():
			return scriptEnd{}, h.endScript(ctx, s)
		}
	}
}

// endScript ends what the function still does in the page.
func (h *Handlers) endScript(ctx context.Context, s *pageScript) error {
	_, err := s.terminator.terminate(ctx, s.debugger)
	if err == nil {
		h.clearTimers(ctx, s)
	}
	if err == nil {
		err = ctx.Err()
	}
	return fault.From(err).WithDispatched(fault.DispatchedUnknown)
}

// runUserScript runs the function by chrome.userScripts; ran is false where the browser has
// none.
func (h *Handlers) runUserScript(ctx context.Context, s *pageScript) (text string, ran bool, err error) {
	world := "user_script"
	if s.world == worldMain {
		world = worldMain
	}
	result, err := h.Browser.RunUserScript(ctx, protocol.UserScriptRun{TabID: s.call.TabID, RuntimeID: s.runtimeID, World: world, Code: s.expression()})
	switch {
	case err != nil:
		return "", true, err
	case result.Error != "":
		message := truncate.Characters(result.Error, maxExceptionText)
		return "", true, fault.New(fault.JavascriptFailed, "the function could not run: %s", message).
			With("exception", message).With("trust", "untrusted").WithDispatched(fault.WasDispatched)
	}
	return result.Result, result.Supported, nil
}

// expression returns the function with what is laid around it. The line breaks let code end in
// a comment.
func (s *pageScript) expression() string {
	options := map[string]any{"main": s.world == worldMain, "capability": s.native.Capability(), "binding": s.binding, "until": s.until.UnixMilli()}
	given, err := json.Marshal(options)
	if err != nil {
		given = []byte("{}") // not reachable: they are texts
	}
	names := "console"
	if s.world != worldMain {
		names += ", setTimeout, setInterval, requestAnimationFrame, nativeClick, nativeType, nativePress, nativeKeyDown, nativeKeyUp"
	}
	var code strings.Builder
	for _, library := range s.libraries {
		code.WriteString(library.Code + "\n;\n")
	}
	args := s.args
	if len(args) == 0 {
		args = json.RawMessage("[]")
	}
	return "(" + expressionOf(browserJSTools, "(tools,") + ")(" + expressionOf(javascriptTools, "(() =>") + ", " + string(given) +
		", async ({ " + names + " }) => {\n" + code.String() + "return (" + s.source + "\n);\n}, " + string(args) + ")\n//# sourceURL=" + callScript
}

// expressionOf returns a file's code without its first comment.
func expressionOf(file, begin string) string {
	return strings.TrimSuffix(strings.TrimSpace(file[strings.Index(file, begin):]), ";")
}
