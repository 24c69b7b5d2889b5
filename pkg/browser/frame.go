package browser

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/pkg/origin"
)

// Frame is a frame of a tab with the document that it shows.
type Frame struct {
	ID       string
	Parent   string // the frame around it; empty for the tab's own, and where it is not known
	Top      bool   // the tab's own
	Session  string // the debugger's session that it is in
	Document string // the browser's id of the document
	URL      string
	// Origin is the one that policy decides for; empty if none can be granted.
	Origin string
	// Missing is the reason why it cannot be read, silent or crashed; empty if it can. URL and
	// Origin are then those of its first document.
	Missing string
}

// Why nothing of a frame can be read.
const (
	FrameSilent  = "silent"
	FrameCrashed = "crashed"
)

// Frames lists the frames of the tab, those in other processes included, a frame
// before those in it. The error is that of the tab's own session.
func (f *Following) Frames(ctx context.Context, origin string) ([]Frame, error) {
	var mu sync.Mutex
	trees := map[string]*page.FrameTree{}
	failed := f.Each(ctx, origin, func(ctx context.Context, d *Debugger, session string) error {
		if f.isUnresponsive(session) {
			return nil
		}
		tree, err := cdp.Call(ctx, d, page.GetFrameTree, cdp.Empty{})
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		trees[session] = tree.FrameTree
		return nil
	})
	if err := failed[""]; err != nil {
		return nil, err
	}
	found := map[string]Frame{}
	for session, tree := range trees {
		collectFrames(found, session, tree)
	}
	f.addSessionFrames(found)
	return orderFrames(found), nil
}

// collectFrames adds the frames of one session's tree.
func collectFrames(found map[string]Frame, session string, tree *page.FrameTree) {
	if tree == nil || tree.Frame == nil {
		return
	}
	at := tree.Frame
	one := Frame{ID: string(at.ID), Parent: string(at.ParentID), Session: session, Document: string(at.LoaderID), URL: at.URL + at.URLFragment, Origin: at.SecurityOrigin}
	if was, known := found[one.ID]; !known || was.Session == "" { // a frame that moves to another process may be in both trees
		found[one.ID] = one
	}
	for _, child := range tree.ChildFrames {
		collectFrames(found, session, child)
	}
}

// addSessionFrames adds what is known from the sessions: their parent frames, and the frames
// that did not answer.
func (f *Following) addSessionFrames(found map[string]Frame) {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	for id, s := range f.all.sessions {
		one, known := found[s.Frame]
		if !known || one.Session != id {
			one = Frame{ID: s.Frame, Session: id, URL: s.URL, Origin: s.URL, Missing: FrameSilent}
			if s.crashed {
				one.Missing = FrameCrashed
			}
		}
		if one.Parent == "" {
			one.Parent = s.ParentFrame
		}
		found[s.Frame] = one
	}
}

func (f *Following) isUnresponsive(session string) bool {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	s := f.all.sessions[session]
	return s != nil && s.unresponsive
}

// orderFrames returns the frames, each before those in it, with the origin that policy decides
// for.
func orderFrames(found map[string]Frame) []Frame {
	inside := map[string][]Frame{}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		one := found[id]
		if _, known := found[one.Parent]; !known {
			one.Parent = ""
		}
		one.Top = one.Parent == "" && one.Session == ""
		inside[one.Parent] = append(inside[one.Parent], one)
	}
	slices.SortStableFunc(inside[""], func(a, b Frame) int { return cmp.Compare(a.Session, b.Session) }) // the tab's own first
	var all []Frame
	var walk func(parent Frame)
	walk = func(parent Frame) {
		for _, one := range inside[parent.ID] {
			one.Origin = origin.OfDocument(one.Origin, one.URL, parent.Origin)
			all = append(all, one)
			walk(one)
		}
	}
	walk(Frame{})
	return all
}
