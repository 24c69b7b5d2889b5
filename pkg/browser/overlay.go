package browser

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// asideTime bounds stepping aside and the way back. What stepped aside comes back
// by itself after ten seconds; input that goes on asks again in between.
const (
	asideTime  = 3 * time.Second
	lateTime   = 30 * time.Second // the way back from what was given up
	asideAgain = 5 * time.Second
)

const asidePrimitive, backPrimitive = "overlay.aside", "overlay.back"

// InPage runs a page primitive, which may be an internal one, as a part of a
// call whose handler is the host's.
func (h *Handlers) InPage(ctx context.Context, c primitive.Call, name string, args json.RawMessage) (json.RawMessage, error) {
	return h.inPage(ctx, c, name, args)
}

// menuShow is overlay.menu.show. A map that hides the pane around its steps shows
// it again; where the user has none open it must not get one.
func (h *Handlers) menuShow(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	if c.Stored {
		return h.inPage(ctx, c, c.Record.Name, json.RawMessage(`{"open":false}`))
	}
	return h.page(ctx, c)
}

// passage is the part of the page that trusted input is for: a rectangle in the
// top viewport for the pointer, keys, or both.
type passage struct {
	Left   *float64 `json:"left,omitempty"`
	Top    *float64 `json:"top,omitempty"`
	Right  *float64 `json:"right,omitempty"`
	Bottom *float64 `json:"bottom,omitempty"`
	Keys   bool     `json:"keys,omitempty"`
}

// passage is what the input of an action on an element goes through.
func (r ready) passage() passage {
	var p passage
	for _, at := range []*point{r.Point, r.From, r.To} {
		switch {
		case at == nil:
		case p.Left == nil:
			p.Left, p.Right, p.Top, p.Bottom = new(at.X), new(at.X), new(at.Y), new(at.Y)
		default:
			*p.Left, *p.Right = min(*p.Left, at.X), max(*p.Right, at.X)
			*p.Top, *p.Bottom = min(*p.Top, at.Y), max(*p.Bottom, at.Y)
		}
	}
	return p
}

// aside lets real input pass the extension's own frames and launchers, which
// would take it otherwise. The returned function brings them back; it must be
// called whatever became of the input. A page that does not answer gets no input:
// the pane runs beside it and would take what is meant for the page, and an agent
// could answer the user's questions there.
func (h *Handlers) aside(ctx context.Context, c primitive.Call, p passage) (back func(), err error) {
	back = func() {}
	if p == (passage{}) || !slices.Contains(h.Known, asidePrimitive) {
		return back, nil
	}
	args, err := primitive.Output(p)
	if err != nil {
		return back, err
	}
	limited, cancel := context.WithTimeout(ctx, asideTime)
	defer cancel()
	raw, err := h.inPage(limited, c, asidePrimitive, args)
	var out struct {
		Aside int `json:"aside"`
	}
	if ctx.Err() != nil {
		return back, ctx.Err()
	}
	if limited.Err() != nil {
		go h.back(ctx, c, lateTime) // it may still obey
		return back, silent()
	}
	// Where no page code runs there is nothing of ours; the input itself says what
	// is wrong with the page.
	if err != nil || json.Unmarshal(raw, &out) != nil || out.Aside == 0 {
		return back, nil
	}
	return func() { h.back(ctx, c, asideTime) }, nil
}

// back brings back what was put aside.
func (h *Handlers) back(ctx context.Context, c primitive.Call, limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	// A document that is gone took its frames along.
	_, _ = h.inPage(ctx, c, backPrimitive, json.RawMessage(`{}`))
}

// silent says that a page which does not answer gets no real input.
func silent() *fault.Error {
	return fault.New(fault.HandlerTimeout, "the page did not answer within %s, so no real input was sent to it", asideTime).
		WithNextStep("Wait until the page answers, then call again.").WithDispatched(fault.NotDispatched)
}

// unshown takes away what shows the last action to the user: it is no part of
// the page.
func (h *Handlers) unshown(ctx context.Context, c primitive.Call) {
	if h.Shows == nil || !h.Shows() || !slices.Contains(h.Known, asidePrimitive) {
		return
	}
	limited, cancel := context.WithTimeout(ctx, asideTime)
	defer cancel()
	// A page that does not answer shows nothing new either, and what it shows goes
	// by itself in a moment.
	_, _ = h.inPage(limited, c, asidePrimitive, json.RawMessage(`{"shown":true}`))
}
