package browser

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	// dragSteps are the moves from one end to the other, where the caller names none.
	dragSteps = 12
	// interceptTime is how long the browser may take to tell of a drag of its own.
	interceptTime = 300 * time.Millisecond
)

// pointerDrag is pointer.drag: its ends are points or locators.
func (h *Handlers) pointerDrag(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		From map[string]json.RawMessage `json:"from"`
	}](c)
	if err != nil {
		return nil, err
	}
	more := map[string]any{}
	if locator, ok := args.From["locator"]; ok {
		more["locator"], more["from"] = locator, nil
	} else if _, ok := args.From["x"]; !ok {
		more["locator"], more["from"] = args.From, nil
	}
	if c.Arguments, err = with(c.Arguments, more); err != nil {
		return nil, err
	}
	return h.act(ctx, c, acting{name: "drag", done: "dragged", input: drag})
}

// drag moves the pressed mouse from one end to the other. Where the browser
// makes a drag of its own of it, that one is led to the other end with the data
// that the page put in.
func drag(ctx context.Context, h *Handlers, c primitive.Call, r ready) (err error) {
	args, err := primitive.Arguments[struct {
		Steps int `json:"steps"`
	}](c)
	if err != nil {
		return err
	}
	steps := dragSteps
	if args.Steps > 0 {
		steps = args.Steps
	}
	d := h.Browser.Debugger(c.TabID).On(c.Origin)
	m := mouse{button: "left"}
	var intercepted <-chan input.EventDragIntercepted
	if r.Draggable {
		events, stop, err := intercept(ctx, d)
		if err != nil {
			return fault.From(err).WithDispatched(fault.NotDispatched)
		}
		defer stop()
		intercepted = events
	}
	released := false
	defer func() {
		if !released {
			// Let go even when the call was cut short: everything that the user does
			// next would be part of the drag.
			if upErr := d.burst(context.WithoutCancel(ctx), m.release(*r.To, 1)); err == nil {
				err = upErr
			}
		}
	}()
	grasp := []command{m.move(*r.From, false), m.press(*r.From, 1)}
	for _, pixels := range graspMoves {
		grasp = append(grasp, m.move(towards(*r.From, *r.To, pixels), true))
	}
	if err := d.burst(ctx, grasp...); err != nil {
		return err
	}
	if data, ok := dragData(ctx, intercepted); ok {
		if err := leadDrag(ctx, d, r, steps, data); err != nil {
			return err
		}
	} else if err := moveThere(ctx, d, m, r, steps); err != nil {
		return err
	}
	released = true
	return d.burst(ctx, m.release(*r.To, 1))
}

// graspMoves are small, in pixels: pages and the browser take a press for a drag
// only after some way, and some count the moves.
var graspMoves = []float64{2, 4, 7, 12}

// towards gives the point so many pixels on the way, or beside it where both ends
// are one.
func towards(from, to point, pixels float64) point {
	length := math.Hypot(to.X-from.X, to.Y-from.Y)
	if length < 1 {
		return point{from.X + pixels, from.Y}
	}
	return between(from, to, min(1, pixels/length))
}

func between(from, to point, part float64) point {
	return point{from.X + (to.X-from.X)*part, from.Y + (to.Y-from.Y)*part}
}

// moveThere moves one frame at a time, as sortable lists measure in between, and
// settles at the end.
func moveThere(ctx context.Context, d *Debugger, m mouse, r ready, steps int) error {
	for i := 1; i <= steps; i++ {
		if err := d.burst(ctx, m.move(between(*r.From, *r.To, float64(i)/float64(steps)), true)); err != nil {
			return err
		}
	}
	return d.burst(ctx, m.move(*r.To, true))
}

// intercept makes the browser hand over its drags instead of starting them.
func intercept(ctx context.Context, d *Debugger) (<-chan input.EventDragIntercepted, func(), error) {
	out := make(chan input.EventDragIntercepted, 1)
	cancel := d.Listen(Listener{
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

func dragData(ctx context.Context, intercepted <-chan input.EventDragIntercepted) (*input.DragData, bool) {
	if intercepted == nil {
		return nil, false
	}
	timer := time.NewTimer(interceptTime)
	defer timer.Stop()
	select {
	case e := <-intercepted:
		return e.Data, e.Data != nil
	case <-timer.C: // the page makes its own drag of it
		return nil, false
	case <-ctx.Done():
		return nil, false
	}
}

func leadDrag(ctx context.Context, d *Debugger, r ready, steps int, data *input.DragData) error {
	step := func(kind input.DispatchDragEventType, p point) error {
		return d.burst(ctx, command{method: input.CommandDispatchDragEvent, params: input.DispatchDragEventParams{Type: kind, X: p.X, Y: p.Y, Data: data}})
	}
	if err := step(input.DispatchDragEventTypeDragEnter, *r.From); err != nil {
		return err
	}
	for i := 1; i <= steps; i++ {
		if err := step(input.DispatchDragEventTypeDragOver, between(*r.From, *r.To, float64(i)/float64(steps))); err != nil {
			return err
		}
	}
	return step(input.DispatchDragEventTypeDrop, *r.To)
}
