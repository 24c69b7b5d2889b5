package pagetools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	cdpwebmcp "github.com/chromedp/cdproto/webmcp"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/webmcp"
)

// readWorld is the world, apart from the page's own, in which tools are read.
const readWorld = "actions-host.tools"

const (
	fenceTime = time.Second // for a busy page to say that all was told
	maxRounds = 4           // of frames that bring further frames
)

// start listens and asks what is due.
func (w *watch) start(ctx context.Context, origin string) error {
	_, err := w.ask(ctx, w.debugger(origin))
	return err
}

// catchUp waits until everything was told that happened in the page so far. A page that
// is too busy for it is taken as it was heard.
func (w *watch) catchUp(ctx context.Context, origin string) error {
	d := w.debugger(origin)
	for range maxRounds {
		for _, session := range w.registry.Sessions() {
			wait, cancel := context.WithTimeout(ctx, fenceTime)
			// What else is wrong, the next command tells.
			if err := d.Child(session).Fence(wait); fault.Is(err, fault.DebuggerUnavailable) {
				w.awaitGone(wait)
			}
			cancel()
		}
		asked, err := w.ask(ctx, d)
		if err != nil || !asked {
			return err
		}
	}
	return nil
}

// ask asks the sessions that are due for their frames and enables new ones. It
// tells whether any were due: what they answer to that may still be under way.
func (w *watch) ask(ctx context.Context, d *browser.Debugger) (asked bool, err error) {
	w.asking.Lock()
	defer w.asking.Unlock()
	for range maxRounds {
		if err := w.listen(); err != nil {
			return asked, err
		}
		due, unread := w.registry.Due(), w.registry.Unread()
		if len(due)+len(unread) == 0 {
			return asked, nil
		}
		asked = true
		for _, frame := range unread {
			w.registry.Read(frame, w.read(ctx, d.Child(frame.Session), frame.Frame))
			if err := ctx.Err(); err != nil {
				return asked, fault.From(err)
			}
		}
		for session, fresh := range due {
			err := w.askSession(ctx, d.Child(session), session, fresh)
			if err != nil && session != "" && ctx.Err() == nil {
				// The frame has gone, or will not answer: its tools are not there.
				w.registry.Hear("", webmcp.SessionDetached{Session: session})
				continue
			}
			if err != nil {
				return asked, err
			}
		}
	}
	return asked, nil
}

// read reads the tools of a frame. One in which no script can run has none.
func (w *watch) read(ctx context.Context, d *browser.Debugger, frame string) []webmcp.Declared {
	wait, cancel := context.WithTimeout(ctx, fenceTime)
	defer cancel()
	world, err := cdp.Call(wait, d, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: cdp.FrameID(frame), WorldName: readWorld})
	if err != nil {
		return nil
	}
	result, err := cdp.Call(wait, d, runtime.Evaluate, runtime.EvaluateParams{
		Expression: webmcp.ReadScript, ContextID: world.ExecutionContextID, AwaitPromise: new(true), ReturnByValue: new(true), Silent: new(true),
	})
	var text string
	if err != nil || result.ExceptionDetails != nil || json.Unmarshal(result.Result.Value, &text) != nil {
		return nil
	}
	tools, err := webmcp.DecodeRead(frame, text)
	if err != nil {
		return nil
	}
	return tools
}

func (w *watch) askSession(ctx context.Context, d *browser.Debugger, session string, fresh bool) error {
	if fresh {
		if session != "" {
			if _, err := cdp.Call(ctx, d, page.Enable, page.EnableParams{}); err != nil {
				return err
			}
		}
		flat := true
		if _, err := cdp.Call(ctx, d, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, Flatten: &flat}); err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, d, cdpwebmcp.Enable, struct{}{}); err != nil {
			return err
		}
	}
	var tree json.RawMessage
	if err := d.Call(ctx, page.CommandGetFrameTree, struct{}{}, &tree); err != nil {
		return err
	}
	frames, err := webmcp.DecodeTree(tree)
	if err != nil {
		return err
	}
	w.registry.Asked(session, frames)
	return nil
}
