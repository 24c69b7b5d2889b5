package a11y

import (
	"context"
	_ "embed" // the measuring function
	"encoding/json"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/shorten"
)

// maxCandidates is how many of several matches are named.
const maxCandidates = 10

// worldName names the world in which elements are measured, apart from the
// page's own.
const worldName = "actions-host.a11y"

//go:embed measure.js
var measureFunction string

type queryArguments struct {
	Role         string `json:"role"`
	Name         string `json:"name"`
	NameContains string `json:"name_contains"`
	Nth          int    `json:"nth"`
}

type candidate struct {
	Role string `json:"role"`
	Name string `json:"name"`
}

// query answers a11y.query.
func (h *Handlers) query(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[queryArguments](c)
	if err != nil {
		return nil, err
	}
	if args.Role == "" && args.Name == "" && args.NameContains == "" {
		return nil, fault.New(fault.InvalidInput, "a11y.query needs a role, a name or name_contains").WithDispatched(fault.NotDispatched)
	}
	f, err := h.plant(ctx, c)
	if err != nil {
		return nil, err
	}
	var found []*node
	f.root.walk(func(n *node) bool {
		if args.matches(n) {
			found = append(found, n)
		}
		return true
	})
	if args.Nth >= len(found) {
		return primitive.Output(map[string]any{
			"found": false, "role": args.Role, "name": args.Name + args.NameContains, "match_count": len(found),
			"frames_not_included": append([]missingFrame{}, f.missing...),
		})
	}
	out, err := f.describe(ctx, found[args.Nth])
	if err != nil {
		return nil, err
	}
	out["match_count"], out["nth"], out["ambiguous"] = len(found), args.Nth, len(found) > 1
	if len(found) > 1 {
		var others []candidate
		for _, n := range found[:min(len(found), maxCandidates)] {
			others = append(others, candidate{n.role, shorten.Characters(squeeze(n.name), maxName)})
		}
		out["candidates"] = others
	}
	out["frames_not_included"] = append([]missingFrame{}, f.missing...)
	return primitive.Output(out)
}

// matches: a text inside a named element repeats its name, so texts count only
// where their role is asked for.
func (a queryArguments) matches(n *node) bool {
	if a.Role == "" && (n.role == "StaticText" || n.role == "InlineTextBox") {
		return false
	}
	name := squeeze(n.name)
	return (a.Role == "" || strings.EqualFold(a.Role, n.role)) && (a.Name == "" || name == squeeze(a.Name)) &&
		(a.NameContains == "" || strings.Contains(strings.ToLower(name), strings.ToLower(squeeze(a.NameContains))))
}

// measured is what the page says of where the element is.
type measured struct {
	VisibleRect   json.RawMessage `json:"visible_rect"`
	VisibleCenter json.RawMessage `json:"visible_center"`
	Receives      bool            `json:"receives_events"`
	Clickable     bool            `json:"clickable"`
	OccludedBy    json.RawMessage `json:"occluded_by"`
}

// describe tells of one node, where it is and whether a click there hits it.
func (f *forest) describe(ctx context.Context, n *node) (map[string]any, error) {
	in, err := f.field(ctx, n)
	if err != nil {
		return nil, err
	}
	value := any(nil)
	if n.value != "" {
		value = n.value
		if in.secret {
			value = hidden
		}
	}
	out := map[string]any{
		"found": true, "role": n.role, "name": squeeze(n.name), "value": value, "state": n.states,
		"backend_dom_node_id": n.backend, "visible_rect": nil, "visible_center": nil,
		"clickable": false, "receives_events": false, "actionability_attested": false, "occluded_by": nil,
	}
	m, err := f.measure(ctx, n)
	if err != nil || m == nil {
		return out, err
	}
	out["visible_rect"], out["visible_center"], out["occluded_by"] = m.VisibleRect, m.VisibleCenter, m.OccludedBy
	out["receives_events"], out["clickable"], out["actionability_attested"] = m.Receives, m.Clickable, true
	if m.Clickable {
		out["clickable_center"] = m.VisibleCenter
	}
	return out, nil
}

// measure asks the element itself, in a world where the page's scripts do not
// reach; nil where no element is behind the node.
func (f *forest) measure(ctx context.Context, n *node) (*measured, error) {
	if n.backend == 0 {
		return nil, nil
	}
	world, err := cdp.Call(ctx, f.d, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: n.frame, WorldName: worldName})
	if err != nil {
		return nil, failed(err)
	}
	element, err := cdp.Call(ctx, f.d, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: n.backend, ExecutionContextID: world.ExecutionContextID, ObjectGroup: worldName,
	})
	if err != nil {
		return nil, failed(err)
	}
	result, err := cdp.Call(ctx, f.d, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: measureFunction, ObjectID: element.Object.ObjectID, ReturnByValue: new(true), Silent: new(true),
	})
	if err != nil {
		return nil, failed(err)
	}
	if result.ExceptionDetails != nil {
		return nil, fault.New(fault.AccessibilityFailed, "the element cannot be measured: %s", result.ExceptionDetails.Text)
	}
	if _, err := cdp.Call(ctx, f.d, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: worldName}); err != nil {
		return nil, failed(err)
	}
	m := &measured{}
	if err := json.Unmarshal(result.Result.Value, m); err != nil {
		return nil, fault.Wrap(err, fault.AccessibilityFailed, "the element's place cannot be read: %v", err)
	}
	return m, nil
}
