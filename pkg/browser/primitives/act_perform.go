package primitives

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// maxPerformArguments is how large the arguments of an action in one message are at most, in
// bytes. They stand in it three times; in three messages they are in one chunk each.
const maxPerformArguments = 256 << 10

// performed is how far an action has come: its target is prepared and, where the extension did
// the rest in the same message, the input was begun.
type performed struct {
	target    preparedTarget
	begun     bool
	inputErr  error           // why not all of the input was sent
	verified  json.RawMessage // the output of target.verify
	verifyErr error
}

// perform prepares, sends and reads back in one message, which saves two ways to the extension.
// Where a target needs more than that, it is only prepared.
func (h *Handlers) perform(ctx context.Context, c primitive.Call, a action) (performed, error) {
	message, in, err := h.performMessage(c, a)
	if err != nil {
		return performed{}, err
	}
	for {
		out, err := h.Browser.Perform(ctx, message)
		switch {
		case err == nil:
			return h.performedFrom(c, a, in, out)
		case fault.From(err).Dispatched != fault.NotDispatched:
			return h.interrupted(ctx, c, a, in, err)
		case !hasNextDocument(ctx, c, err):
			return performed{}, withDispatched(h.withNearest(ctx, c, err), fault.NotDispatched)
		}
	}
}

// performMessage returns the action as one message, and the input in it, whose point is not
// known yet.
func (h *Handlers) performMessage(c primitive.Call, a action) (message protocol.ActionPerform, in realInput, err error) {
	inputHold := newHold()
	args, err := h.prepareArguments(c, a, inputHold)
	if err != nil {
		return message, in, err
	}
	if message.Prepare, err = h.pageCall(c, "", prepareTargetPrimitive, args); err != nil {
		return message, in, err
	}
	if args, err = withArguments(c.Arguments, map[string]any{"action": a.name}); err != nil {
		return message, in, err
	}
	if message.Verify, err = h.pageCall(c, "", verifyTargetPrimitive, args); err != nil {
		return message, in, err
	}
	message.Verify.Met = false // that is known by then
	if in, err = a.input(c, preparedTarget{hold: inputHold, Point: &point{}}); err != nil {
		return message, in, err
	}
	message.Input, err = inputMessage(c, in)
	return message, in, err
}

// performedFrom reads the extension's answer.
func (h *Handlers) performedFrom(c primitive.Call, a action, in realInput, out protocol.ActionPerformed) (performed, error) {
	h.noteRan(c, prepareTargetPrimitive, out.Prepared)
	r, err := preparedFrom(out.Prepared, in.hold)
	failed := out.Failed.Code != ""
	p := performed{target: r, begun: out.Sent || failed}
	switch {
	case err != nil && !p.begun:
		return p, err
	case err != nil:
		return p, withDispatched(err, fault.DispatchedUnknown)
	case !p.begun:
		return p, nil
	case failed && out.Sent:
		p.verifyErr = rpc.FaultFrom(out.Failed)
	case failed:
		p.inputErr = a.errorOf(rpc.FaultFrom(out.Failed), in)
	default:
		h.noteRan(c, verifyTargetPrimitive, out.Verified)
		p.verified = out.Verified.Output
	}
	return p, nil
}

// interrupted finds out how far a message has come that ended without an answer, as by a dialog
// of the page or because the caller gave up.
func (h *Handlers) interrupted(ctx context.Context, c primitive.Call, a action, in realInput, why error) (performed, error) {
	seen, err := h.endInput(ctx, c, in.hold)
	if err != nil {
		return performed{}, why
	}
	p := performed{begun: true}
	known := seen.Prepared.RuntimeID != ""
	if known {
		h.noteRan(c, prepareTargetPrimitive, seen.Prepared)
		if p.target, err = preparedFrom(seen.Prepared, in.hold); err != nil {
			return p, why
		}
	}
	switch {
	case seen.Unsent:
		return p, withDispatched(why, fault.NotDispatched)
	case !known: // the extension knows nothing of it: what it submitted, if anything, replaces no earlier submit
		return performed{}, why
	}
	if slices.ContainsFunc(seen.Events, func(event string) bool { return slices.Contains(a.requiredEvents, event) }) {
		why = withDispatched(why, fault.WasDispatched)
	}
	p.inputErr = a.errorOf(why, in)
	return p, nil
}
