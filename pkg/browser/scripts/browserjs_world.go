package scripts

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	// clearTimersTimeout bounds the clearing of timers in a page that may be gone.
	clearTimersTimeout = 500 * time.Millisecond

	clearTimersCode = `globalThis[Symbol.for("actions-host.browserjs")]?.end(); ""`
)

// nativeAnswer is how real input ended, as the wrapper around the function takes it.
type nativeAnswer struct {
	OK      bool       `json:"ok"`
	Code    fault.Code `json:"code,omitzero"`
	Message string     `json:"message,omitzero"`
	Reason  any        `json:"reason,omitzero"`
}

func nativeAnswerOf(err error) nativeAnswer {
	f := fault.From(err)
	if f == nil {
		return nativeAnswer{OK: true}
	}
	return nativeAnswer{Code: f.Code, Message: f.Message, Reason: f.Evidence["reason"]}
}

// runInWorld runs the function over the debugger: in the page's main world, or in an isolated
// one that is this run's only, so that nothing of an earlier one is in it.
func (h *Handlers) runInWorld(ctx context.Context, s *pageScript) (text string, ran bool, err error) {
	defer s.terminator.release(ctx) // code that waits can be terminated until it ends
	if ctx.Err() != nil {           // what begins now would be ended by nobody
		return "", true, ctx.Err()
	}
	if s.world != worldMain {
		stop := s.listenNative(ctx, h.Browser)
		defer stop()
	}
	// It goes on after the call, whose end ends the code: only then the page is free of it.
	result, err := cdp.Call(context.WithoutCancel(ctx), s.debugger, runtime.Evaluate, runtime.EvaluateParams{
		Expression: s.expression(), ContextID: s.contextID, ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: new(false), Silent: new(true),
		// It ends synchronous code even where the debugger was cut off meanwhile.
		Timeout: runtime.TimeDelta((remaining(ctx) + time.Second).Milliseconds()),
	})
	switch {
	case err != nil:
		return "", true, evaluationError(err)
	case result.ExceptionDetails != nil:
		return "", true, exceptionError(result.ExceptionDetails)
	}
	if result.Result == nil || json.Unmarshal(result.Result.Value, &text) != nil {
		return "", true, fault.New(fault.InvalidResult, "the function gave no result that can be read").WithDispatched(fault.WasDispatched)
	}
	return text, true, nil
}

// remaining returns what is left of the context's time.
func remaining(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return replTimeout
	}
	return max(0, time.Until(deadline))
}

// openWorld makes an isolated world of the document, with the function by which code in it
// asks for real input.
func (s *pageScript) openWorld(ctx context.Context) error {
	name := "actions-host.browserjs " + rand.Text()
	world, err := cdp.Call(ctx, s.debugger, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: s.frame, WorldName: name})
	if err != nil {
		return err
	}
	s.contextID = world.ExecutionContextID
	s.binding = "actionsHostNative" + rand.Text()
	_, err = cdp.Call(ctx, s.debugger, runtime.AddBinding, runtime.AddBindingParams{Name: s.binding, ExecutionContextName: name})
	return err
}

// listenNative passes on what code in the world asks for, until the returned function is
// called.
func (s *pageScript) listenNative(ctx context.Context, b *browser.Browser) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	remove := s.debugger.Listen(browser.Listener{
		Event: func(method string, params json.RawMessage) {
			var called struct {
				Name               string                     `json:"name"`
				Payload            string                     `json:"payload"`
				ExecutionContextID runtime.ExecutionContextID `json:"executionContextId"`
			}
			if method != "Runtime.bindingCalled" || json.Unmarshal(params, &called) != nil || called.Name != s.binding || called.ExecutionContextID != s.contextID {
				return
			}
			go s.passNative(ctx, b, called.Payload)
		},
		Detached: func(string) {},
	})
	return func() {
		remove()
		cancel()
	}
}

func (s *pageScript) passNative(ctx context.Context, b *browser.Browser, payload string) {
	var asked struct {
		ID      int `json:"id"`
		Message struct {
			Capability, Action, Selector, Text, Key string
		} `json:"message"`
	}
	if json.Unmarshal([]byte(payload), &asked) != nil {
		return
	}
	m := asked.Message
	err := b.RequestNativeInput(ctx, protocol.NativeInput{
		TabID: s.call.TabID, RuntimeID: s.runtimeID, Capability: m.Capability, Action: m.Action, Selector: m.Selector, Text: m.Text, Key: m.Key,
	})
	answer, encodeErr := json.Marshal(nativeAnswerOf(err))
	if encodeErr != nil {
		return // not reachable: it is made of texts
	}
	// Code whose document is gone waits for no answer.
	_, _ = cdp.Call(ctx, s.debugger, runtime.Evaluate, runtime.EvaluateParams{
		Expression: fmt.Sprintf(`globalThis[Symbol.for("actions-host.browserjs")].answer(%d, %s)`, asked.ID, answer), ContextID: s.contextID, Silent: new(true),
	})
}

// clearTimers ends what the function waits for by a timer, so that it does not go on.
func (h *Handlers) clearTimers(ctx context.Context, s *pageScript) {
	if s.world == worldMain {
		return // its timers are the page's own
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearTimersTimeout)
	defer cancel()
	// What cannot be reached is gone.
	if s.contextID == 0 {
		_, _ = h.Browser.RunUserScript(ctx, protocol.UserScriptRun{TabID: s.call.TabID, RuntimeID: s.runtimeID, World: "user_script", Code: clearTimersCode})
		return
	}
	_, _ = cdp.Call(ctx, s.debugger, runtime.Evaluate, runtime.EvaluateParams{Expression: clearTimersCode, ContextID: s.contextID, Silent: new(true)})
}
