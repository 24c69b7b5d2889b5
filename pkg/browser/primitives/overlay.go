package primitives

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// hideTimeout bounds hiding the overlays and restoring them. What is hidden comes back
// by itself after ten seconds.
const (
	hideTimeout        = 3 * time.Second
	lateRestoreTimeout = 30 * time.Second // the way back from what was given up
)

const hideOverlaysPrimitive, restoreOverlaysPrimitive = "overlay.aside", "overlay.back"

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

// inputArea is the area that trusted input is for: a rectangle in the top viewport for the
// pointer, keys, or both.
type inputArea struct {
	Left   *float64 `json:"left,omitempty"`
	Top    *float64 `json:"top,omitempty"`
	Right  *float64 `json:"right,omitempty"`
	Bottom *float64 `json:"bottom,omitempty"`
	Keys   bool     `json:"keys,omitempty"`
}

// inputArea returns the area of an action's input.
func (r preparedTarget) inputArea() inputArea {
	var p inputArea
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

// hideOverlays hides the extension's own frames and launchers, which would receive the input
// otherwise. The returned function restores them; it must be called in any case. A page that
// does not answer gets no input: the pane is in another process and would receive input for the
// page, and an agent could answer the user's questions there.
func (h *Handlers) hideOverlays(ctx context.Context, c primitive.Call, p inputArea) (restore func(), err error) {
	restore = func() {}
	if p == (inputArea{}) || !slices.Contains(h.KnownPrimitives, hideOverlaysPrimitive) {
		return restore, nil
	}
	args, err := primitive.Output(p)
	if err != nil {
		return restore, err
	}
	limited, cancel := context.WithTimeout(ctx, hideTimeout)
	defer cancel()
	raw, err := h.inPage(limited, c, hideOverlaysPrimitive, args)
	var out struct {
		Aside int `json:"aside"`
	}
	if ctx.Err() != nil {
		return restore, ctx.Err()
	}
	if limited.Err() != nil {
		go h.restoreOverlays(ctx, c, lateRestoreTimeout) // it may still hide them
		return restore, notAnsweringError()
	}
	// Without page code there are no overlays; the input itself returns the page's error.
	if err != nil || json.Unmarshal(raw, &out) != nil || out.Aside == 0 {
		return restore, nil
	}
	return func() { h.restoreOverlays(ctx, c, hideTimeout) }, nil
}

// restoreOverlays restores the hidden overlays.
func (h *Handlers) restoreOverlays(ctx context.Context, c primitive.Call, limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	// The frames of a document that is gone went with it.
	_, _ = h.inPage(ctx, c, restoreOverlaysPrimitive, json.RawMessage(`{}`))
}

// notAnsweringError returns the error of real input to a page that does not answer.
func notAnsweringError() *fault.Error {
	return fault.New(fault.HandlerTimeout, "the page did not answer within %s, so no real input was sent to it", hideTimeout).
		WithNextStep("Wait until the page answers, then call again.").WithDispatched(fault.NotDispatched)
}

// hideHighlight hides what tells the user of agents: it is not part of the page. The bar and the
// marks of questions and previews, which are there whatever the settings say, come back with
// the function that it returns, the highlight of the last action not.
func (h *Handlers) hideHighlight(ctx context.Context, c primitive.Call) (restore func()) {
	if !slices.Contains(h.KnownPrimitives, hideOverlaysPrimitive) {
		return func() {}
	}
	limited, cancel := context.WithTimeout(ctx, hideTimeout)
	defer cancel()
	// A page that does not answer shows no new highlight, and the present one disappears by
	// itself.
	_, _ = h.inPage(limited, c, hideOverlaysPrimitive, json.RawMessage(`{"shown":true}`))
	return func() { h.restoreOverlays(ctx, c, hideTimeout) }
}
