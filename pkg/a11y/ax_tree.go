package a11y

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// stopTimeout bounds the letting go of the frames in other processes.
const stopTimeout = 2 * time.Second

// node is one node of the accessibility tree.
type node struct {
	role, name, value string
	description       string
	states            map[string]json.RawMessage
	ignored           bool
	isSecret          bool // a field; its value is redacted
	backend           cdp.BackendNodeID
	frame             cdp.FrameID
	children          []*node
	missing           *missingFrame // a frame that was not read
}

// axTree is the accessibility tree of a tab, with those of its frames.
type axTree struct {
	following  *browser.Following
	origin     string // of the tab's page
	frames     map[string]browser.Frame
	allowed    []string                  // origins
	permit     func(origin string) error // decides for one more
	read       int                       // frames
	root       *node
	frameNodes map[string]*node // by frame: the node that shows it
	missing    []missingFrame
}

// readForest reads the accessibility tree of the tab, the frames in other processes included.
// The caller must call leave when it is done with the tree.
func (h *Handlers) readForest(ctx context.Context, c primitive.Call) (f *axTree, leave func(), err error) {
	following, err := h.Browser.Debugger(c.TabID).Follow(ctx, browser.Follower{})
	if err != nil {
		return nil, nil, accessibilityError(err)
	}
	leave = func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		_ = following.Stop(end)
	}
	f = &axTree{following: following, origin: c.Origin, frameNodes: map[string]*node{}, allowed: append([]string{c.Origin}, c.FrameOrigins...), permit: c.Permit}
	if err := f.readAll(ctx); err != nil {
		leave()
		return nil, nil, accessibilityError(err)
	}
	return f, leave, nil
}

func (f *axTree) readAll(ctx context.Context) error {
	if err := f.following.CatchUp(ctx, f.origin); err != nil {
		return err
	}
	all, err := f.list(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 || !all[0].Top {
		return fault.New(fault.AccessibilityFailed, "the browser names no document")
	}
	if f.root, err = f.readFrameTree(ctx, all[0]); err != nil {
		return err
	}
	return f.dropChanged(ctx)
}

func (f *axTree) list(ctx context.Context) ([]browser.Frame, error) {
	all, err := f.following.Frames(ctx, f.origin)
	if err != nil {
		return nil, err
	}
	f.frames = map[string]browser.Frame{}
	for _, one := range all {
		f.frames[one.ID] = one
	}
	return all, nil
}

// dropChanged removes the trees of frames that show another document by now: they may be that
// one's.
func (f *axTree) dropChanged(ctx context.Context) error {
	before := f.frames
	if len(f.frameNodes) == 0 {
		return nil
	}
	if _, err := f.list(ctx); err != nil {
		return err
	}
	for id, holder := range f.frameNodes {
		if was, now := before[id], f.frames[id]; now.Document != was.Document || now.Session != was.Session {
			f.addMissing(holder, was, "changed")
			holder.children = nil
		}
	}
	f.frames = before
	return nil
}

// accessibilityError wraps an error of the protocol; more specific ones stay.
func accessibilityError(err error) error {
	if f := fault.From(err); f.Code != fault.HandlerFailed {
		return f
	}
	return fault.Wrap(err, fault.AccessibilityFailed, "the accessibility tree cannot be read: %s", fault.From(err).Message)
}

// inFrame runs work in the frame's session.
func (f *axTree) inFrame(ctx context.Context, frame cdp.FrameID, work func(ctx context.Context, d *browser.Debugger) error) error {
	return f.following.In(ctx, f.origin, f.frames[string(frame)].Session, func(ctx context.Context, d *browser.Debugger, _ string) error { return work(ctx, d) })
}

// readFrameTree reads the tree of one frame, and of those in it.
func (f *axTree) readFrameTree(ctx context.Context, frame browser.Frame) (*node, error) {
	f.read++
	var root *node
	err := f.inFrame(ctx, cdp.FrameID(frame.ID), func(ctx context.Context, d *browser.Debugger) (err error) {
		root, err = f.readFrame(ctx, d, cdp.FrameID(frame.ID))
		return err
	})
	if err != nil {
		return nil, err
	}
	var holders []*node
	root.each(func(n *node) {
		if n.role == "iframe" && !n.ignored {
			holders = append(holders, n)
		}
	})
	for _, holder := range holders {
		if err := f.readChildFrame(ctx, holder); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// readFrame reads the tree of one frame, without its secrets.
func (f *axTree) readFrame(ctx context.Context, d *browser.Debugger, frame cdp.FrameID) (*node, error) {
	result, err := cdp.Call(ctx, d, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: frame})
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
			root := buildNode(n, frame, byID, seen)
			return root, f.redactSecrets(ctx, d, root)
		}
	}
	return &node{role: "RootWebArea", frame: frame}, nil
}

// buildNode converts a node and its descendants; seen guards against cycles.
func buildNode(from *accessibility.Node, frame cdp.FrameID, byID map[accessibility.NodeID]*accessibility.Node, seen map[accessibility.NodeID]bool) *node {
	seen[from.NodeID] = true
	n := &node{
		role: roleOf(from), name: text(from.Name), value: text(from.Value), description: text(from.Description), states: map[string]json.RawMessage{},
		ignored: from.Ignored, backend: from.BackendDOMNodeID, frame: frame,
	}
	for _, p := range from.Properties {
		if p.Value != nil && len(p.Value.Value) > 0 {
			n.states[string(p.Name)] = json.RawMessage(p.Value.Value)
		}
	}
	if n.role == "iframe" && !n.ignored {
		return n
	}
	for _, id := range from.ChildIDs {
		if child, ok := byID[id]; ok && !seen[id] {
			n.children = append(n.children, buildNode(child, frame, byID, seen))
		}
	}
	if n.name == "" && (n.role == "dialog" || n.role == "alertdialog") {
		n.name = n.heading()
	}
	return n
}

// heading returns the name of the heading that is nearest to the node; the browser does not name
// dialogs by it.
func (n *node) heading() string {
	for level := n.children; len(level) > 0; {
		var below []*node
		for _, child := range level {
			if child.role == "heading" && !child.ignored {
				return child.name
			}
			below = append(below, child.children...)
		}
		level = below
	}
	return ""
}

// ariaRoles are the roles of ARIA for the browser's own; generic are those of which a snapshot
// knows nothing either.
var ariaRoles = map[string]string{
	"Abbr": "generic", "DescriptionList": "generic", "LabelText": "generic", "sectionfooter": "generic", "sectionheader": "generic",
	"Details": "group", "DisclosureTriangle": "summary", "DisclosureTriangleGrouped": "summary",
	"Iframe": "iframe", "IframePresentational": "iframe", "image": "img", "MathMLMath": "math",
	"LayoutTable": "table", "LayoutTableRow": "row", "LayoutTableCell": "cell",
}

// roleOf returns the role of the node as a snapshot and locators call it.
func roleOf(n *accessibility.Node) string {
	role := text(n.Role)
	if aria, ok := ariaRoles[role]; ok {
		return aria
	}
	return role
}

// each visits all nodes, those too that are ignored.
func (n *node) each(visit func(*node)) {
	visit(n)
	for _, child := range n.children {
		child.each(visit)
	}
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

// state returns the value of a property of the node; empty where it is not set.
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
