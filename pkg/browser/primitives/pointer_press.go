package primitives

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	// defaultPressTTL is how long the pointer stays pressed without another call on it.
	defaultPressTTL = 30 * time.Second
	// releaseTimeout bounds a release that no call makes.
	releaseTimeout = 5 * time.Second
)

// pointerDown is pointer.down: the pointer stays pressed until pointer.up, another action in the
// tab, the end of the session or of its time.
func (h *Handlers) pointerDown(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		ReleaseAfterMS int64 `json:"release_after_ms"`
	}](c)
	if err != nil {
		return nil, err
	}
	m, err := mouseFromArguments(c)
	if err != nil {
		return nil, err
	}
	h.releasePointer(ctx, c.TabID, "pressed_again")
	pressed := &pressedPointer{call: c, mouse: m, ttl: defaultPressTTL, used: make(chan struct{}, 1), done: make(chan struct{})}
	if args.ReleaseAfterMS > 0 {
		pressed.ttl = time.Duration(args.ReleaseAfterMS) * time.Millisecond
	}
	if err := h.Browser.Debugger(c.TabID).ForOrigin(c.Origin).EmulateFocus(ctx); err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	press := func(at point) []command { return []command{m.move(at, false), m.press(at, 1)} }
	result, err := h.movePressed(ctx, c, pressed, press, "pointerdown", "mousedown")
	sent := err == nil || fault.From(err).Dispatched != fault.NotDispatched
	switch {
	case !sent:
		return nil, err
	case err != nil && !fault.Is(err, fault.DialogOpen): // under a dialog it cannot be released
		h.sendRelease(ctx, pressed)
		return nil, err
	}
	h.pointers.keep(c.TabID, pressed)
	life, ended := c.Detach()
	go func() {
		defer ended()
		h.releaseInTime(life, c.TabID, pressed)
	}()
	if err != nil {
		return nil, err
	}
	result["release_after_ms"] = pressed.ttl.Milliseconds()
	return primitive.Output(result)
}

// pointerMove is pointer.move: real input while the session's pointer is pressed in the tab, else
// synthetic.
func (h *Handlers) pointerMove(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	pressed, _ := h.pointers.get(c)
	if pressed == nil {
		return h.page(ctx, c)
	}
	result, err := h.movePressed(ctx, c, pressed, func(at point) []command { return []command{pressed.mouse.move(at, true)} })
	if err != nil {
		return nil, err
	}
	return primitive.Output(result)
}

// pointerUp is pointer.up.
func (h *Handlers) pointerUp(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	pressed, why := h.pointers.get(c)
	if pressed == nil {
		return nil, fault.New(fault.PointerNotPressed, "the pointer is not pressed in this tab").With("reason", why).WithDispatched(fault.NotDispatched)
	}
	last := h.pointers.lastPoint(pressed)
	result, err := h.movePressed(ctx, c, pressed, func(at point) []command {
		if at == last {
			return []command{pressed.mouse.release(at, 1)}
		}
		return []command{pressed.mouse.move(at, true), pressed.mouse.release(at, 1)}
	}, "pointerup", "mouseup", "dragend", "drop")
	if err != nil && fault.From(err).Dispatched == fault.NotDispatched {
		return nil, err // it is still pressed
	}
	h.pointers.take(c.TabID, pressed, "")
	if err != nil {
		h.sendRelease(ctx, pressed)
		return nil, err
	}
	result["pressed"] = false
	return primitive.Output(result)
}

// movePressed sends the commands for the point that the call names, or the last one, to the
// document there, which must be the one in which the pointer is pressed. With types of events, it
// must have got one of them.
func (h *Handlers) movePressed(ctx context.Context, c primitive.Call, pressed *pressedPointer, commands func(point) []command, types ...string) (map[string]any, error) {
	inputHold := newHold()
	to := c
	args, err := primitive.Arguments[struct{ X, Y *float64 }](c)
	if err != nil {
		return nil, err
	}
	at := h.pointers.lastPoint(pressed)
	if args.X != nil || args.Y != nil || c.Record == pressed.call.Record {
		if args.X == nil || args.Y == nil {
			return nil, fault.New(fault.MissingCoordinates, "x and y must both be given").WithDispatched(fault.NotDispatched)
		}
		at = point{*args.X, *args.Y}
	}
	if to.Arguments, err = primitive.Output(map[string]any{"to": at}); err != nil {
		return nil, err
	}
	_, document, err := h.destination(ctx, to, inputHold, false)
	if err != nil {
		return nil, err
	}
	tab, _ := h.Tabs.Get(c.TabID)
	if c.Record == pressed.call.Record {
		pressed.documentID, pressed.runtimeID = document, tab.RuntimeID
		h.pointers.move(pressed, at)
	} else if tab.RuntimeID != pressed.runtimeID { // a document that is gone needs no release
		h.pointers.take(c.TabID, pressed, "document_left")
		return nil, fault.New(fault.PointerNotPressed, "the tab has left the document in which the pointer was pressed").
			With("reason", "document_left").WithDispatched(fault.NotDispatched)
	} else if document != pressed.documentID {
		return nil, fault.New(fault.FrameCrossOrigin, "the pointer is pressed in another frame than the one at (%v, %v)", at.X, at.Y).WithDispatched(fault.NotDispatched)
	}
	restore, err := h.hideOverlays(ctx, c, preparedTarget{Point: &at}.inputArea())
	if err != nil {
		return nil, err
	}
	defer restore()
	run := realInput{hold: inputHold, device: devicePointer, documents: []string{document}, steps: []step{{check: true, commands: commands(at)}}}
	if err := h.sendInput(ctx, c, run); err != nil {
		return nil, err
	}
	if len(types) > 0 {
		if err := h.requirePointerSeen(ctx, c, inputHold, document, types); err != nil {
			return nil, err
		}
	}
	h.pointers.move(pressed, at)
	return map[string]any{"x": at.X, "y": at.Y, "pressed": true, "fidelity": trustedInput}, nil
}

// requirePointerSeen returns outcome_unknown unless the document has got an event of the types: a
// frame that the browser does not draw yet lets real input pass by, and nobody gets it.
func (h *Handlers) requirePointerSeen(ctx context.Context, c primitive.Call, inputHold hold, document string, types []string) error {
	args, err := primitive.Output(map[string]any{"hold": inputHold.id})
	if err != nil {
		return err
	}
	raw, _, err := h.inDocument(context.WithoutCancel(ctx), c, document, "target.dropped", args)
	switch {
	case err != nil && isDocumentGone(err):
		return h.requireSeen(ctx, c, inputHold, 0, types...)
	case err != nil:
		return withDispatched(err, fault.WasDispatched)
	}
	var answer struct {
		Seen []string `json:"seen"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fault.Wrap(err, fault.InvalidResult, "invalid answer of the page code: %v", err).WithDispatched(fault.WasDispatched)
	}
	if slices.ContainsFunc(answer.Seen, func(event string) bool { return slices.Contains(types, event) }) {
		return nil
	}
	return fault.New(fault.OutcomeUnknown, "the document at that place has not seen the pointer").
		With("reason", "not_seen").WithDispatched(fault.DispatchedUnknown)
}

// releaseInTime releases the pointer when no call has used it for its time, or the call's session
// has ended.
func (h *Handlers) releaseInTime(life context.Context, tabID int, pressed *pressedPointer) {
	timer := time.NewTimer(pressed.ttl)
	defer timer.Stop()
	for {
		why := "timeout"
		select {
		case <-pressed.done:
			return
		case <-pressed.used:
			timer.Reset(pressed.ttl)
			continue
		case <-timer.C:
			if _, open := h.Browser.Dialog(tabID); open { // nothing can be sent now
				timer.Reset(pressed.ttl)
				continue
			}
		case <-life.Done():
			why = "session_ended"
		}
		if h.pointers.take(tabID, pressed, why) {
			h.sendRelease(life, pressed)
		}
		return
	}
}

// releasePointer releases a pointer that is pressed in the tab, before other input is sent there.
func (h *Handlers) releasePointer(ctx context.Context, tabID int, why string) {
	if _, open := h.Browser.Dialog(tabID); open { // nothing can be sent now, the other input neither
		return
	}
	if pressed := h.pointers.pressedIn(tabID); pressed != nil && h.pointers.take(tabID, pressed, why) {
		h.sendRelease(ctx, pressed)
	}
}

// sendRelease lets go of the button where the pointer is. A document that is gone needs none.
func (h *Handlers) sendRelease(ctx context.Context, pressed *pressedPointer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	release := []command{pressed.mouse.release(h.pointers.lastPoint(pressed), 1)}
	_ = h.sendInput(ctx, pressed.call, realInput{hold: newHold(), device: devicePointer, documents: []string{pressed.documentID}, steps: []step{{commands: release}}})
}
