package a11y

import (
	"context"
	_ "embed" // the measuring function
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// worldName names the world in which elements are looked at, apart from the page's
// own.
const worldName = "actions-host.a11y"

// minSide is the least side of what can be clicked, in CSS pixels.
const minSide = 8

//go:embed measure.js
var measureFunction string

// box is a part of a viewport, in CSS pixels.
type box struct {
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Right  float64 `json:"right"`
	Bottom float64 `json:"bottom"`
}

type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

func (b box) center() point { return point{(b.Left + b.Right) / 2, (b.Top + b.Bottom) / 2} }

func (b box) rect() map[string]float64 {
	return map[string]float64{
		"x": b.Left, "y": b.Top, "width": b.Right - b.Left, "height": b.Bottom - b.Top, "left": b.Left, "top": b.Top, "right": b.Right, "bottom": b.Bottom,
	}
}

// measured is where an element is visible in the tab, and whether a click hits it.
type measured struct {
	box                 *box // nil: nothing of it is seen
	receives, clickable bool
	blocker             json.RawMessage
}

// element is an element that is measured: the node itself, or the frame around the
// document of the one before.
type element struct {
	frame   cdp.FrameID
	backend cdp.BackendNodeID
}

// measure asks the element itself, and of each frame around it that its document
// cannot look out of, the document that holds it. It is nil where no element is
// behind the node, or the frames around it are not known.
func (f *axTree) measure(ctx context.Context, n *node) (*measured, error) {
	if n.backend == 0 {
		return nil, nil
	}
	spots := []element{{n.frame, n.backend}}
	var seen *box
	for {
		at := spots[len(spots)-1]
		var out struct {
			Box    *box `json:"box"`
			Levels int  `json:"levels"`
		}
		if err := f.callMeasure(ctx, at, &out, "box", seen); err != nil {
			return nil, err
		}
		if seen = out.Box; seen == nil {
			return &measured{}, nil
		}
		holder, known, err := f.frameOwner(ctx, at.frame, out.Levels)
		if err != nil || !known {
			return nil, err
		}
		if holder == nil {
			break
		}
		spots = append(spots, *holder)
	}
	return f.hitTest(ctx, spots, seen)
}

// hitTest checks from the top down whether the centre of the box hits each of the elements.
func (f *axTree) hitTest(ctx context.Context, spots []element, seen *box) (*measured, error) {
	m := &measured{box: seen}
	at := seen.center()
	for i := len(spots) - 1; i >= 0; i-- {
		var out struct {
			Receives bool            `json:"receives"`
			Blocker  json.RawMessage `json:"blocker"`
			Inside   point           `json:"inside"`
		}
		if err := f.callMeasure(ctx, spots[i], &out, "hit", at); err != nil {
			return nil, err
		}
		if !out.Receives {
			if string(out.Blocker) != "null" {
				m.blocker = out.Blocker
			}
			return m, nil
		}
		at = out.Inside
	}
	m.receives = true
	m.clickable = seen.Right-seen.Left >= minSide && seen.Bottom-seen.Top >= minSide
	return m, nil
}

// frameOwner returns the element of the frame that many levels above the given one; nil if that
// is the tab's own.
func (f *axTree) frameOwner(ctx context.Context, frame cdp.FrameID, levels int) (holder *element, known bool, err error) {
	at := f.frames[string(frame)]
	for range levels {
		at = f.frames[at.Parent]
	}
	if at.Top {
		return nil, true, nil
	}
	if at.Parent == "" {
		return nil, false, nil
	}
	err = f.inFrame(ctx, cdp.FrameID(at.Parent), func(ctx context.Context, d *browser.Debugger) error {
		owner, err := cdp.Call(ctx, d, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: cdp.FrameID(at.ID)})
		if err == nil {
			holder = &element{cdp.FrameID(at.Parent), owner.BackendNodeID}
		}
		return err
	})
	if err != nil {
		return nil, false, accessibilityError(err)
	}
	return holder, true, nil
}

// callMeasure calls the measuring function on an element, in an isolated world.
func (f *axTree) callMeasure(ctx context.Context, at element, out any, mode string, given any) error {
	arguments, err := callArguments(mode, given)
	if err != nil {
		return err
	}
	var result runtime.CallFunctionOnResult
	err = f.inFrame(ctx, at.frame, func(ctx context.Context, d *browser.Debugger) error {
		world, err := cdp.Call(ctx, d, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: at.frame, WorldName: worldName})
		if err != nil {
			return err
		}
		element, err := cdp.Call(ctx, d, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: at.backend, ExecutionContextID: world.ExecutionContextID, ObjectGroup: worldName})
		if err != nil {
			return err
		}
		result, err = cdp.Call(ctx, d, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: measureFunction, ObjectID: element.Object.ObjectID, Arguments: arguments, ReturnByValue: new(true), Silent: new(true),
		})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, d, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: worldName})
		return err
	})
	if err != nil {
		return accessibilityError(err)
	}
	if result.ExceptionDetails != nil {
		return fault.New(fault.AccessibilityFailed, "the element cannot be measured: %s", result.ExceptionDetails.Text)
	}
	if err := json.Unmarshal(result.Result.Value, out); err != nil {
		return fault.Wrap(err, fault.AccessibilityFailed, "the element's place cannot be read: %v", err)
	}
	return nil
}
