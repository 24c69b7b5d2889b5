package primitives

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	// defaultDragSteps is the default number of moves from one end to the other.
	defaultDragSteps = 12
	// interceptTimeout is how long the browser may take to report a drag of its own.
	interceptTimeout = 300 * time.Millisecond
	// restInterval is how often a browser tells of a drag that rests.
	restInterval = 50 * time.Millisecond
	// restEvents is how many such events a drag rests before it is let go of.
	restEvents = 5
)

// dragAction is locator.drag_to and pointer.drag.
var dragAction = action{name: "drag", resultField: "dragged", prepare: (*Handlers).prepareDrag, send: drag, requiredEvents: pressEvents}

// pointerDrag is pointer.drag: its ends are points or locators.
func (h *Handlers) pointerDrag(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		From map[string]json.RawMessage `json:"from"`
		To   json.RawMessage            `json:"to"`
		Path []point                    `json:"path"`
	}](c)
	if err != nil {
		return nil, err
	}
	more := map[string]any{}
	if len(args.Path) > 0 {
		if args.From != nil || args.To != nil {
			return nil, fault.New(fault.InvalidInput, "path stands in place of from and to").WithDispatched(fault.NotDispatched)
		}
		more["from"], more["to"] = args.Path[0], args.Path[len(args.Path)-1]
	} else if locator, ok := args.From["locator"]; ok {
		more["locator"], more["from"] = locator, nil
	} else if _, ok := args.From["x"]; !ok {
		more["locator"], more["from"] = args.From, nil
	}
	if c.Arguments, err = withArguments(c.Arguments, more); err != nil {
		return nil, err
	}
	return h.act(ctx, c, dragAction)
}

// prepareDrag makes both ends ready: each in its own document, which policy
// decides for.
func (h *Handlers) prepareDrag(ctx context.Context, c primitive.Call, a action) (preparedTarget, error) {
	inputHold := newHold()
	to, document, err := h.destination(ctx, c, inputHold, false)
	if err != nil {
		return preparedTarget{}, err
	}
	source := c
	if source.Arguments, err = withArguments(c.Arguments, map[string]any{"to": to}); err != nil {
		return preparedTarget{}, err
	}
	r, err := h.prepareTarget(ctx, source, a, inputHold)
	if err != nil || r.Mode == "page" {
		return r, err
	}
	if r.Scrolled { // which may have moved the destination
		if to, document, err = h.destination(ctx, c, inputHold, true); err != nil {
			return preparedTarget{}, err
		}
	}
	r.To, r.toDocumentID = to, document
	return r, nil
}

// destination returns where a drag ends, in the top viewport, and the frame's document there.
// With locateOnly it does not scroll, which would move the other end away.
func (h *Handlers) destination(ctx context.Context, c primitive.Call, inputHold hold, locateOnly bool) (*point, string, error) {
	args, err := primitive.Arguments[struct {
		To        map[string]json.RawMessage `json:"to"`
		TimeoutMS json.RawMessage            `json:"timeout_ms"`
	}](c)
	if err != nil {
		return nil, "", err
	}
	end := map[string]any{"hold": inputHold.id}
	if locateOnly {
		end["still"] = true
	}
	if _, ok := args.To["x"]; ok {
		end["x"], end["y"] = args.To["x"], args.To["y"]
	} else if locator, ok := args.To["locator"]; ok {
		end["locator"] = locator
	} else {
		end["locator"] = args.To
	}
	if len(args.TimeoutMS) > 0 {
		end["timeout_ms"] = args.TimeoutMS
	}
	raw, err := primitive.Output(end)
	if err != nil {
		return nil, "", err
	}
	output, document, err := h.inDocument(ctx, c, "", "target.destination", raw)
	if err != nil {
		return nil, "", withDispatched(err, fault.NotDispatched) // it only looks
	}
	var found struct {
		Point point `json:"point"`
	}
	if err := json.Unmarshal(output, &found); err != nil {
		return nil, "", fault.Wrap(err, fault.InvalidResult, "invalid answer of the page code: %v", err).WithDispatched(fault.NotDispatched)
	}
	return &found.Point, document, nil
}

// drag moves the pressed mouse from one end to the other. If the browser starts a native drag,
// that one is moved to the other end with the data that the page set.
func drag(ctx context.Context, h *Handlers, c primitive.Call, r preparedTarget) (err error) {
	args, err := primitive.Arguments[struct {
		Steps int     `json:"steps"`
		Path  []point `json:"path"`
	}](c)
	if err != nil {
		return err
	}
	steps := defaultDragSteps
	if args.Steps > 0 {
		steps = args.Steps
	}
	intercepted, stop, err := interceptDrags(ctx, h.Browser.Debugger(c.TabID).ForOrigin(c.Origin))
	if err != nil {
		return withDispatched(err, fault.NotDispatched)
	}
	defer stop()
	m := mouse{button: "left"}
	release := m.release(*r.To, 1)
	cancel := dragEvent(input.DispatchDragEventTypeDragCancel, *r.From, &input.DragData{})
	grasp := []command{m.move(*r.From, false), m.press(*r.From, 1)}
	way := dragWay(*r.From, *r.To, steps, args.Path)
	for _, pixels := range dragStartDistances {
		grasp = append(grasp, m.move(towards(*r.From, way[0], pixels), true))
	}
	// While it is not known who drags, both end: a drag of the browser's takes nothing of the mouse's.
	endBoth := []command{cancel, release}
	run := r.pointerInput(step{check: true, commands: grasp, release: endBoth})
	if r.toDocumentID != r.documentID {
		run.documents = append(run.documents, r.toDocumentID)
	}
	run.more = true
	if err := h.sendInput(ctx, c, run); err != nil {
		if fault.From(err).Dispatched != fault.NotDispatched {
			// A drag that begins only now must end before drags are no longer intercepted.
			_, _ = h.endInput(ctx, c, r.hold)
		}
		return err
	}
	run.more = false
	switch data, known := h.nativeDrag(ctx, c, r, intercepted); {
	case data != nil:
		run.steps = dragEventSteps(r, steps, data, cancel)
	case known:
		run.steps = mouseMoveSteps(m, way, []command{release})
	default:
		run.steps = mouseMoveSteps(m, way, endBoth)
	}
	if err := h.sendInput(ctx, c, run); err != nil {
		// Let go even when the call was cut short: everything that the user does
		// next would be part of the drag.
		_, _ = h.endInput(ctx, c, r.hold)
		return withDispatched(err, fault.WasDispatched)
	}
	return nil
}

// dropResult returns the result of a drag that another document accepted, which the source's
// document cannot see; nil if it did not.
func (h *Handlers) dropResult(ctx context.Context, c primitive.Call, r preparedTarget) map[string]any {
	args, err := primitive.Output(map[string]any{"hold": r.hold.id})
	if err != nil {
		return nil
	}
	raw, _, err := h.inDocument(ctx, c, r.toDocumentID, "target.dropped", args)
	var drop struct {
		Taken *bool `json:"taken"` // null where it is not known
	}
	if err != nil || json.Unmarshal(raw, &drop) != nil || drop.Taken != nil && !*drop.Taken {
		return nil
	}
	result := map[string]any{
		"dragged": true, "label": r.Label, "tag_name": r.TagName, "from": r.From, "to": r.To, "moved": false, "verified": nil,
	}
	if drop.Taken != nil {
		result["dropped"], result["verified"] = true, true
	}
	return result
}

// interceptDrags makes the browser report its drags instead of starting them.
func interceptDrags(ctx context.Context, d *browser.Debugger) (<-chan input.EventDragIntercepted, func(), error) {
	out := make(chan input.EventDragIntercepted, 1)
	cancel := d.Listen(browser.Listener{
		Event: func(method string, params json.RawMessage) {
			if method != input.DragIntercepted.Method {
				return
			}
			var e input.EventDragIntercepted
			if json.Unmarshal(params, &e) != nil {
				return // as if there were none: the mouse goes on by itself
			}
			select {
			case out <- e:
			default:
			}
		},
		Detached: func(string) {},
	})
	if _, err := cdp.Call(ctx, d, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: true}); err != nil {
		cancel()
		return nil, nil, err
	}
	return out, func() {
		cancel()
		// A detached debugger has switched it off already.
		_, _ = cdp.Call(context.WithoutCancel(ctx), d, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: false})
	}, nil
}

// nativeDrag returns the data of a drag that the browser itself has begun, and whether it is known
// who drags. That shows only after the first moves: many lists make an item draggable only under
// the press.
func (h *Handlers) nativeDrag(ctx context.Context, c primitive.Call, r preparedTarget, intercepted <-chan input.EventDragIntercepted) (data *input.DragData, known bool) {
	args, err := primitive.Output(map[string]any{"ref": r.Ref})
	if err != nil {
		return nil, false
	}
	raw, _, err := h.inDocument(ctx, c, r.documentID, "target.grasped", args)
	var grasped struct {
		Native bool `json:"native"`
	}
	if err == nil && json.Unmarshal(raw, &grasped) == nil && !grasped.Native {
		return nil, true // the page makes its own drag of it
	}
	timer := time.NewTimer(interceptTimeout)
	defer timer.Stop()
	select {
	case e := <-intercepted:
		return e.Data, e.Data != nil
	case <-timer.C:
		return nil, false
	case <-ctx.Done():
		return nil, false
	}
}

// dragEventSteps returns the events of an intercepted drag. Each document gets an enter event
// and, before the next one, a cancel event: the browser does not know that they belong to one
// page. The drop or a cancel ends the press, too: the mouse is not let go of.
func dragEventSteps(r preparedTarget, steps int, data *input.DragData, cancel command) []step {
	at := func(kind input.DispatchDragEventType, p point) step {
		return step{release: []command{cancel}, commands: []command{dragEvent(kind, p, data)}}
	}
	over := func(p point) step { return at(input.DispatchDragEventTypeDragOver, p) }
	all := []step{at(input.DispatchDragEventTypeDragEnter, *r.From)}
	if r.toDocumentID != r.documentID {
		all = append(all, step{commands: []command{cancel}}, at(input.DispatchDragEventTypeDragEnter, *r.To), over(*r.To))
	} else {
		for i := 1; i <= steps; i++ {
			all = append(all, over(between(*r.From, *r.To, float64(i)/float64(steps))))
		}
	}
	// Lists ignore what comes while they still move their items. It rests at the very point, as beside it may
	// be another element: pages that answer dragover alone refuse a drop right after the event that enters one.
	for range restEvents {
		rest := over(*r.To)
		rest.wait = restInterval
		all = append(all, rest)
	}
	return append(all, step{commands: []command{dragEvent(input.DispatchDragEventTypeDrop, *r.To, data)}})
}

func dragEvent(kind input.DispatchDragEventType, p point, data *input.DragData) command {
	return command{method: input.CommandDispatchDragEvent, params: input.DispatchDragEventParams{Type: kind, X: p.X, Y: p.Y, Data: data}}
}
