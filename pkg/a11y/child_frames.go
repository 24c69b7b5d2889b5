package a11y

import (
	"context"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	// maxFrames bounds how many frames are read; a page can hold any number.
	maxFrames = 50
	// frameTimeout bounds the reading of a frame, with those in it: one in another process may
	// hang, and the browser never answers for one that moves to another process meanwhile.
	frameTimeout = 3 * time.Second
)

// missingFrame is a frame whose tree is not included.
type missingFrame struct {
	Name   string `json:"name"`
	Origin string `json:"origin,omitzero"`
	Reason string `json:"reason"` // other_origin, silent, crashed, changed or too_many
}

// readChildFrame adds the tree of the frame that the node shows, or records why not. Errors of
// another process affect only that frame.
func (f *axTree) readChildFrame(ctx context.Context, n *node) error {
	var frame browser.Frame
	err := f.inFrame(ctx, n.frame, func(ctx context.Context, d *browser.Debugger) error {
		owner, err := cdp.Call(ctx, d, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: n.backend})
		if err == nil {
			frame = f.frames[string(owner.Node.FrameID)]
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case manifest.IsExtensionPage(frame.URL):
		n.ignored = true // the pane is not the page's
	case frame.ID == "":
		f.addMissing(n, frame, "changed") // it came after the frames were listed
	case frame.Missing != "":
		f.addMissing(n, frame, frame.Missing)
	case !f.isPermitted(frame):
		f.addMissing(n, frame, "other_origin")
	case f.read >= maxFrames:
		f.addMissing(n, frame, "too_many")
	default:
		return f.attachFrame(ctx, n, frame)
	}
	return nil
}

func (f *axTree) attachFrame(ctx context.Context, n *node, frame browser.Frame) error {
	limited, cancel := context.WithTimeout(ctx, frameTimeout)
	defer cancel()
	below, err := f.readFrameTree(limited, frame)
	if err != nil && (frame.Session != "" || limited.Err() != nil) && ctx.Err() == nil {
		f.addMissing(n, frame, browser.FrameSilent)
		return nil
	}
	if err != nil {
		return err
	}
	n.children = []*node{below}
	f.frameNodes[frame.ID] = n
	return nil
}

func (f *axTree) addMissing(n *node, frame browser.Frame, reason string) {
	n.missing = &missingFrame{Name: truncate.Characters(collapseSpace(n.name), maxName), Origin: frame.Origin, Reason: reason}
	f.missing = append(f.missing, *n.missing)
}

// isPermitted reports whether policy decided for the frame's origin, or does so now.
func (f *axTree) isPermitted(frame browser.Frame) bool {
	if frame.Origin == "" {
		return false
	}
	return slices.Contains(f.allowed, frame.Origin) || f.permit != nil && f.permit(frame.Origin) == nil
}
