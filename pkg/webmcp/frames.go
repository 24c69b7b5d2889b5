package webmcp

import (
	"context"
	"encoding/json"
	"slices"
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
	_, err := w.requestFrames(ctx, w.debugger(origin), false)
	return err
}

// catchUp waits until all events of the page so far were handled. For a page that is too busy
// the events so far count. With titles those of all tools are read.
func (w *watch) catchUp(ctx context.Context, origin string, titles bool) error {
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
		requested, err := w.requestFrames(ctx, d, titles)
		if err != nil || !requested {
			return err
		}
	}
	return nil
}

// requestFrames requests the frames of pending sessions, enables new ones, and reads what is
// unread. It reports whether there were any: their events may still be under way.
func (w *watch) requestFrames(ctx context.Context, d *browser.Debugger, titles bool) (requested bool, err error) {
	w.requesting.Lock()
	defer w.requesting.Unlock()
	tried := map[registry.UnreadFrame]bool{}
	for range maxRounds {
		if err := w.listen(); err != nil {
			return requested, err
		}
		if err := w.followFrames(ctx); err != nil {
			return requested, err
		}
		pending := w.registry.PendingSessions()
		unread := slices.DeleteFunc(w.registry.UnreadFrames(titles), func(f registry.UnreadFrame) bool { return tried[f] })
		if len(pending)+len(unread) == 0 {
			return requested, nil
		}
		requested = requested || len(pending) > 0
		for _, frame := range unread {
			tried[frame] = true
			w.registry.SetRead(frame, w.read(ctx, d.Child(frame.Session), frame.Frame))
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

// read reads the document of a frame; nil for one that does not answer, or in which no script
// can run.
func (w *watch) read(ctx context.Context, d *browser.Debugger, frame string) *registry.Read {
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
	read, err := registry.DecodeRead(frame, text)
	if err != nil {
		return nil
	}
	return &read
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
	w.reportInvocations(w.registry.SetFrames(session, frames))
	return nil
}
