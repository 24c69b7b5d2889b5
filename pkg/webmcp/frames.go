package webmcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	cdpwebmcp "github.com/chromedp/cdproto/webmcp"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

// readWorld is the world, apart from the page's own, in which tools are read.
const readWorld = "actions-host.tools"

const (
	readTimeout    = time.Second     // for a frame to give its tools
	catchUpTimeout = 2 * time.Second // for a busy page to pass the fence
	maxRounds      = 4               // of frames that bring further frames
)

// start listens and requests pending frames.
func (w *watch) start(ctx context.Context, origin string) error {
	_, err := w.requestFrames(ctx, w.debugger(origin))
	return err
}

// catchUp waits until all events of the page so far were handled. For a page that is too busy
// the events so far count.
func (w *watch) catchUp(ctx context.Context, origin string) error {
	d := w.debugger(origin)
	for range maxRounds {
		if frames := w.following(); frames != nil {
			// Any other error is returned by the next command.
			wait, cancel := context.WithTimeout(ctx, catchUpTimeout)
			if err := frames.CatchUp(wait, origin); fault.Is(err, fault.DebuggerUnavailable) {
				w.awaitDetached(wait)
			}
			cancel()
		}
		requested, err := w.requestFrames(ctx, d)
		if err != nil || !requested {
			return err
		}
	}
	return nil
}

// requestFrames requests the frames of pending sessions and enables new ones. It reports
// whether there were any: their events may still be under way.
func (w *watch) requestFrames(ctx context.Context, d *browser.Debugger) (requested bool, err error) {
	w.requesting.Lock()
	defer w.requesting.Unlock()
	for range maxRounds {
		if err := w.listen(); err != nil {
			return requested, err
		}
		if err := w.followFrames(ctx); err != nil {
			return requested, err
		}
		pending, unread := w.registry.PendingSessions(), w.registry.UnreadFrames()
		if len(pending)+len(unread) == 0 {
			return requested, nil
		}
		requested = true
		for _, frame := range unread {
			w.registry.SetRead(frame, w.readTools(ctx, d.Child(frame.Session), frame.Frame))
			if err := ctx.Err(); err != nil {
				return requested, fault.From(err)
			}
		}
		for session, enable := range pending {
			err := w.requestSessionFrames(ctx, d.Child(session), session, enable)
			if err != nil && session != "" && ctx.Err() == nil {
				// The frame has gone, or will not answer: its tools are not there.
				w.registry.HandleEvent("", registry.SessionDetached{Session: session})
				continue
			}
			if err != nil {
				return requested, err
			}
		}
	}
	return requested, nil
}

// readTools reads the tools of a frame. One in which no script can run has none.
func (w *watch) readTools(ctx context.Context, d *browser.Debugger, frame string) []registry.Declared {
	wait, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	world, err := cdp.Call(wait, d, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: cdp.FrameID(frame), WorldName: readWorld})
	if err != nil {
		return nil
	}
	result, err := cdp.Call(wait, d, runtime.Evaluate, runtime.EvaluateParams{
		Expression: registry.ReadScript, ContextID: world.ExecutionContextID, AwaitPromise: new(true), ReturnByValue: new(true), Silent: new(true),
	})
	var text string
	if err != nil || result.ExceptionDetails != nil || json.Unmarshal(result.Result.Value, &text) != nil {
		return nil
	}
	tools, err := registry.DecodeRead(frame, text)
	if err != nil {
		return nil
	}
	return tools
}

func (w *watch) requestSessionFrames(ctx context.Context, d *browser.Debugger, session string, enable bool) error {
	if enable {
		if _, err := cdp.Call(ctx, d, cdpwebmcp.Enable, struct{}{}); err != nil {
			return err
		}
	}
	var tree json.RawMessage
	if err := d.Call(ctx, page.CommandGetFrameTree, struct{}{}, &tree); err != nil {
		return err
	}
	frames, err := registry.DecodeTree(tree)
	if err != nil {
		return err
	}
	w.registry.SetFrames(session, frames)
	return nil
}
