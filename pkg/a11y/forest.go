package a11y

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/shorten"
)

// maxFrames bounds how many frames are read; a page can hold any number.
const maxFrames = 50

// node is one node of the accessibility tree.
type node struct {
	role, name, value string
	states            map[string]json.RawMessage
	ignored           bool
	backend           cdp.BackendNodeID
	frame             cdp.FrameID
	children          []*node
	shows             *missingFrame // a frame that was not read
}

// missingFrame is a frame whose tree is not included.
type missingFrame struct {
	Name   string `json:"name"`
	Reason string `json:"reason"` // other_origin, other_process or too_many
}

// forest is the tree of a tab with those of its frames set in.
type forest struct {
	d       *browser.Debugger
	frames  map[cdp.FrameID]*cdp.Frame // of the tab's own process
	allowed []string                   // origins
	permit  func(origin string) error  // decides for one more
	read    int                        // frames
	root    *node
	missing []missingFrame
}

// plant reads the accessibility tree of the tab.
func (h *Handlers) plant(ctx context.Context, c primitive.Call) (*forest, error) {
	f := &forest{
		d: h.Browser.Debugger(c.TabID).On(c.Origin), frames: map[cdp.FrameID]*cdp.Frame{},
		allowed: append([]string{c.Origin}, c.FrameOrigins...), permit: c.Permit,
	}
	all, err := cdp.Call(ctx, f.d, page.GetFrameTree, struct{}{})
	if err != nil {
		return nil, failed(err)
	}
	if all.FrameTree == nil || all.FrameTree.Frame == nil {
		return nil, fault.New(fault.AccessibilityFailed, "the browser names no document")
	}
	f.note(all.FrameTree)
	f.root, err = f.grow(ctx, all.FrameTree.Frame.ID)
	if err != nil {
		return nil, failed(err)
	}
	return f, nil
}

// failed names an error of the protocol; what says more stays.
func failed(err error) error {
	if f := fault.From(err); f.Code != fault.HandlerFailed {
		return f
	}
	return fault.Wrap(err, fault.AccessibilityFailed, "the accessibility tree cannot be read: %s", fault.From(err).Message)
}

func (f *forest) note(t *page.FrameTree) {
	f.frames[t.Frame.ID] = t.Frame
	for _, child := range t.ChildFrames {
		f.note(child)
	}
}

// grow reads the tree of one frame, and of those in it.
func (f *forest) grow(ctx context.Context, frame cdp.FrameID) (*node, error) {
	f.read++
	result, err := cdp.Call(ctx, f.d, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: frame})
	if err != nil {
		return nil, err
	}
	byID := make(map[accessibility.NodeID]*accessibility.Node, len(result.Nodes))
	for _, n := range result.Nodes {
		byID[n.NodeID] = n
	}
	seen := map[accessibility.NodeID]bool{}
	for _, n := range result.Nodes {
		if n.ParentID == "" {
			return f.build(ctx, n, frame, byID, seen)
		}
	}
	return &node{role: "RootWebArea", frame: frame}, nil
}

// build turns a node and what is below it; seen guards against a circle.
func (f *forest) build(ctx context.Context, from *accessibility.Node, frame cdp.FrameID, byID map[accessibility.NodeID]*accessibility.Node, seen map[accessibility.NodeID]bool) (*node, error) {
	seen[from.NodeID] = true
	n := &node{
		role: text(from.Role), name: text(from.Name), value: text(from.Value), states: map[string]json.RawMessage{},
		ignored: from.Ignored, backend: from.BackendDOMNodeID, frame: frame,
	}
	for _, p := range from.Properties {
		if p.Value != nil && len(p.Value.Value) > 0 {
			n.states[string(p.Name)] = json.RawMessage(p.Value.Value)
		}
	}
	if n.role == "Iframe" && !n.ignored {
		return n, f.enter(ctx, n)
	}
	for _, id := range from.ChildIDs {
		child, ok := byID[id]
		if !ok || seen[id] {
			continue
		}
		below, err := f.build(ctx, child, frame, byID, seen)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, below)
	}
	return n, nil
}

// enter sets the tree of the frame that the node shows below it, or notes why
// not.
func (f *forest) enter(ctx context.Context, n *node) error {
	owner, err := cdp.Call(ctx, f.d, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: n.backend})
	if err != nil {
		return err
	}
	frame, local := f.frames[owner.Node.FrameID]
	reason := ""
	switch {
	case !local:
		reason = "other_process"
	case !f.decided(frame):
		reason = "other_origin"
	case f.read >= maxFrames:
		reason = "too_many"
	default:
		below, err := f.grow(ctx, frame.ID)
		if err != nil {
			return err
		}
		n.children = []*node{below}
		return nil
	}
	n.shows = &missingFrame{Name: shorten.Characters(squeeze(n.name), maxName), Reason: reason}
	f.missing = append(f.missing, *n.shows)
	return nil
}

// decided tells whether policy decided for the frame's origin, or does so now. A
// frame without an address of its own shows what the document around it wrote.
func (f *forest) decided(frame *cdp.Frame) bool {
	if frame.ParentID != "" && strings.HasPrefix(frame.URL, "about:") {
		parent, local := f.frames[frame.ParentID]
		return local && f.decided(parent)
	}
	o, err := origin.Parse(frame.SecurityOrigin)
	if err != nil {
		return false
	}
	return slices.Contains(f.allowed, o.String()) || f.permit != nil && f.permit(o.String()) == nil
}

// walk visits the nodes in reading order, those that are ignored left out.
func (n *node) walk(visit func(*node) bool) bool {
	if !n.ignored && !visit(n) {
		return false
	}
	for _, child := range n.children {
		if !child.walk(visit) {
			return false
		}
	}
	return true
}

// text is a value of the protocol as text.
func text(v *accessibility.Value) string {
	if v == nil || len(v.Value) == 0 {
		return ""
	}
	var s string
	if json.Unmarshal(v.Value, &s) == nil {
		return s
	}
	return string(v.Value)
}

// state tells whether a property of the node is set, and to what.
func (n *node) state(name string) string {
	raw, ok := n.states[name]
	if !ok {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
