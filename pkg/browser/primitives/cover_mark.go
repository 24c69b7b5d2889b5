package primitives

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// shownPseudoClass is the pseudo-class of the frames that are drawn. No page can make a frame
// match it, only the debugger can.
const shownPseudoClass = "indeterminate"

// coverWorld is the world, apart from the page's own, that is asked about frames.
const coverWorld = "actions-host.cover"

// drawFrameCount is the number of animation frames after which the current state of a document
// is on screen for sure: one to draw it, one to submit it, one to confirm it.
const drawFrameCount = 3

var drawnScript = fmt.Sprintf(`new Promise(done => {
	let left = %d;
	const frame = () => left-- > 0 ? requestAnimationFrame(frame) : done();
	frame();
})`, drawFrameCount)

const (
	// markTimeout bounds the marking of frames in one process: browsers read all styles of
	// its documents first.
	markTimeout = 3 * time.Second
	// redrawTimeout bounds the wait for frames to draw themselves anew.
	redrawTimeout = 600 * time.Millisecond
)

// markShownFrames marks the elements of the frames that may be seen. If that fails, the frames
// are uncertain.
func (k *cover) markShownFrames(ctx context.Context) (all bool) {
	all = true
	bySession := map[string][]browser.Frame{}
	for _, f := range k.shown {
		if !f.Top {
			at := k.shownFrame(f.Parent).Session
			bySession[at] = append(bySession[at], f)
		}
	}
	for session, frames := range bySession {
		var failed []browser.Frame
		limited, cancel := context.WithTimeout(ctx, markTimeout)
		err := k.following.In(limited, k.c.Origin, session, func(ctx context.Context, d *browser.Debugger, _ string) error {
			if err := k.enableMarks(ctx, d, session); err != nil {
				return err
			}
			failed = markFrames(ctx, d, frames)
			return nil
		})
		cancel()
		if err != nil {
			failed = frames
		}
		k.doubt(failed)
		all = all && len(failed) == 0
	}
	return all
}

// doubt makes the frames uncertain.
func (k *cover) doubt(frames []browser.Frame) {
	for _, f := range frames {
		k.uncertain[f.ID] = true
	}
}

func (k *cover) shownFrame(id string) browser.Frame {
	for _, f := range k.shown {
		if f.ID == id {
			return f
		}
	}
	return browser.Frame{}
}

// enableMarks prepares a session for marks, once: asking for the document again would drop
// those that are set.
func (k *cover) enableMarks(ctx context.Context, d *browser.Debugger, session string) error {
	if k.markedSessions[session] {
		return nil
	}
	k.markedSessions[session] = true
	if _, err := cdp.Call(ctx, d, dom.Enable, dom.EnableParams{}); err != nil {
		return err
	}
	if _, err := cdp.Call(ctx, d, css.Enable, cdp.Empty{}); err != nil {
		return err
	}
	_, err := cdp.Call(ctx, d, dom.GetDocument, dom.GetDocumentParams{Depth: new(int64(0))})
	return err
}

// markFrames marks the elements that hold the frames. It returns the frames for which that failed: one may
// have gone meanwhile.
func markFrames(ctx context.Context, d *browser.Debugger, frames []browser.Frame) (failed []browser.Frame) {
	var wg sync.WaitGroup
	errs := make([]error, len(frames))
	for i, f := range frames {
		wg.Go(func() { errs[i] = markFrame(ctx, d, f) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			failed = append(failed, frames[i])
		}
	}
	return failed
}

func markFrame(ctx context.Context, d *browser.Debugger, f browser.Frame) error {
	owner, err := cdp.Call(ctx, d, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: cdp.FrameID(f.ID)})
	if err != nil {
		return err
	}
	pushed, err := cdp.Call(ctx, d, dom.PushNodesByBackendIDsToFrontend, dom.PushNodesByBackendIDsToFrontendParams{BackendNodeIDs: []cdp.BackendNodeID{owner.BackendNodeID}})
	if err != nil {
		return err
	}
	if len(pushed.NodeIDs) != 1 {
		return fault.New(fault.HandlerFailed, "the browser names no element of a frame")
	}
	if _, err := cdp.Call(ctx, d, css.ForcePseudoState, css.ForcePseudoStateParams{NodeID: pushed.NodeIDs[0], ForcedPseudoClasses: []string{shownPseudoClass}}); err != nil {
		return err
	}
	return verifyMark(ctx, d, f.Parent, owner.BackendNodeID)
}

// verifyMark checks that the element has the mark: older browsers do not support it.
func verifyMark(ctx context.Context, d *browser.Debugger, frame string, element cdp.BackendNodeID) error {
	world, err := worldIn(ctx, d, frame)
	if err != nil {
		return err
	}
	node, err := cdp.Call(ctx, d, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: element, ExecutionContextID: world, ObjectGroup: coverWorld})
	if err != nil {
		return err
	}
	result, err := cdp.Call(ctx, d, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: `function () { return this.matches(":` + shownPseudoClass + `") }`, ObjectID: node.Object.ObjectID, ReturnByValue: new(true), Silent: new(true),
	})
	if err != nil {
		return err
	}
	if result.ExceptionDetails != nil || string(result.Result.Value) != "true" {
		return fault.New(fault.CapabilityUnavailable, "the browser does not mark frames")
	}
	return nil
}

// awaitDrawn waits until documents in other processes are drawn without what is hidden in them.
// Those that do not draw are uncertain.
func (k *cover) awaitDrawn(ctx context.Context) (all bool) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	all = true
	for session, root := range k.sessionsToDraw() {
		wg.Go(func() {
			if err := awaitSessionDrawn(ctx, k.following, k.c.Origin, session, root); err != nil {
				mu.Lock()
				defer mu.Unlock()
				k.uncertain[root], all = true, false
			}
		})
	}
	wg.Wait()
	return all
}

// awaitSessionDrawn waits until the documents of a session are drawn as they are now. It begins
// at the frame root, or at the top where that is empty.
func awaitSessionDrawn(ctx context.Context, following *browser.Following, origin, session, root string) error {
	limited, cancel := context.WithTimeout(ctx, browser.ChildTimeout)
	defer cancel()
	return following.In(limited, origin, session, func(ctx context.Context, d *browser.Debugger, _ string) error {
		world, err := worldIn(ctx, d, root)
		if err != nil {
			return err
		}
		result, err := cdp.Call(ctx, d, runtime.Evaluate, runtime.EvaluateParams{
			Expression: drawnScript, ContextID: world, AwaitPromise: new(true), Silent: new(true),
		})
		if err == nil && result.ExceptionDetails != nil {
			err = fault.New(fault.HandlerFailed, "the frame does not draw: %s", result.ExceptionDetails.Text)
		}
		return err
	})
}

// worldIn returns the world for questions in the frame, or in the top one where its id is empty.
func worldIn(ctx context.Context, d *browser.Debugger, frame string) (runtime.ExecutionContextID, error) {
	if frame == "" {
		tree, err := cdp.Call(ctx, d, page.GetFrameTree, struct{}{})
		if err != nil {
			return 0, err
		}
		frame = string(tree.FrameTree.Frame.ID)
	}
	world, err := cdp.Call(ctx, d, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: cdp.FrameID(frame), WorldName: coverWorld})
	if err != nil {
		return 0, err
	}
	return world.ExecutionContextID, nil
}

// awaitFramesDrawn lets the page draw itself and then its frames in other processes, as far as
// they do: those out of view do not.
func awaitFramesDrawn(ctx context.Context, following *browser.Following, origin string) {
	wait, cancel := context.WithTimeout(ctx, listTimeout)
	_ = following.CatchUp(wait, origin)
	cancel()
	_ = awaitSessionDrawn(ctx, following, origin, "", "")
	limited, cancel := context.WithTimeout(ctx, redrawTimeout)
	defer cancel()
	var wg sync.WaitGroup
	for _, s := range following.Sessions() {
		wg.Go(func() { _ = awaitSessionDrawn(limited, following, origin, s.ID, s.Frame) })
	}
	wg.Wait()
}

// sessionsToDraw lists the sessions of other processes in which something is left out, with
// the frame at which each begins.
func (k *cover) sessionsToDraw() map[string]string {
	roots := map[string]string{}
	for _, s := range k.following.Sessions() {
		roots[s.ID] = s.Frame
	}
	hides := map[string]string{}
	for _, f := range k.shown {
		if k.secrets && f.Session != "" && !manifest.IsExtensionPage(f.URL) { // each may have fields
			hides[f.Session] = roots[f.Session]
		}
	}
	for _, f := range k.hidden {
		if at := k.shownFrame(f.Parent); at.Session != "" {
			hides[at.Session] = roots[at.Session]
		}
	}
	return hides
}

// marksDomain switches the marks off. A dialog does not hold these commands up.
var marksDomain = browser.Domain{Disable: []browser.Command{{Method: css.CommandDisable, Params: cdp.Empty{}}, {Method: dom.CommandDisable, Params: cdp.Empty{}}}}

// unmark removes all marks, and reports whether none is left. Those of a session that is gone went with it.
func (k *cover) unmark(ctx context.Context) bool {
	for session := range maps.Keys(k.markedSessions) {
		limit := browser.ChildTimeout
		if session == "" { // without the page there is no picture
			limit = markTimeout
		}
		limited, cancel := context.WithTimeout(ctx, limit)
		err := k.following.In(limited, "", session, func(ctx context.Context, d *browser.Debugger, _ string) error {
			if _, err := cdp.Call(ctx, d, css.Disable, cdp.Empty{}); err != nil {
				return err
			}
			_, _ = cdp.Call(ctx, d, dom.Disable, cdp.Empty{}) // an error where it was not on
			return nil
		})
		cancel()
		if err == nil || fault.Is(err, fault.FrameNotFound) {
			delete(k.markedSessions, session)
		}
	}
	return len(k.markedSessions) == 0
}
