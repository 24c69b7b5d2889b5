package primitives

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// page relays a primitive to the content script.
func (h *Handlers) page(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	return h.inPage(ctx, c, c.Record.Name, c.Arguments)
}

// inPage runs a page primitive, which may be an internal one, as a part of the
// call: in the same document and for the same origins.
func (h *Handlers) inPage(ctx context.Context, c primitive.Call, name string, args json.RawMessage) (json.RawMessage, error) {
	output, _, err := h.inDocument(ctx, c, "", name, args)
	return output, err
}

// inDocument is inPage in the one document of the tab that the id names, and
// where it is empty in the document to which the arguments lead. It returns the id
// of the frame's document in which it ran, empty for the tab's own: the next
// part of the call can name it.
func (h *Handlers) inDocument(ctx context.Context, c primitive.Call, id, name string, args json.RawMessage) (json.RawMessage, string, error) {
	ran, err := h.runIn(ctx, c, id, name, args)
	return ran.Output, ran.DocumentID, err
}

// runIn is inDocument with the worker's full output. What only looks and lost its document to
// a navigation looks again in the new one, within its deadline.
func (h *Handlers) runIn(ctx context.Context, c primitive.Call, id, name string, args json.RawMessage) (protocol.ActionCallOutput, error) {
	for {
		out, err := h.RunOnce(ctx, c, id, name, args)
		looks := !c.Record.Acts() || name == prepareTargetPrimitive || name == prepareKeysPrimitive
		if !looks || id != "" || !hasNextDocument(ctx, c, err) {
			return out, err
		}
	}
}

// hasNextDocument reports whether the call lost its document to a navigation and may go on in
// the new one.
func hasNextDocument(ctx context.Context, c primitive.Call, err error) bool {
	return fault.Is(err, fault.RuntimeReplaced) && c.RuntimeID == "" && ctx.Err() == nil
}

// noteMet keeps what the page met as the target of the call, for the log. What a call with
// several parts met first is its target: the others are about the same.
func noteMet(c primitive.Call, name string, target protocol.MetTarget) {
	switch {
	case target.Tag == "":
	case name == "target.destination":
		c.Meta.Destination = &target
	case c.Meta.Target == nil:
		c.Meta.Target = &target
	}
}

// RunOnce runs a page primitive as a part of the call in the document that is there now, or in
// the one that the id names: where it is replaced, the call has failed.
func (h *Handlers) RunOnce(ctx context.Context, c primitive.Call, id, name string, args json.RawMessage) (protocol.ActionCallOutput, error) {
	call, err := h.pageCall(c, id, name, args)
	if err != nil {
		return protocol.ActionCallOutput{}, err
	}
	out, err := h.Browser.Page(ctx, call)
	if err != nil {
		return protocol.ActionCallOutput{}, h.withNearest(ctx, c, err)
	}
	h.noteRan(c, name, out)
	return out, nil
}

// pageCall returns a page primitive as the extension takes it, as a part of the call.
func (h *Handlers) pageCall(c primitive.Call, id, name string, args json.RawMessage) (protocol.ActionCall, error) {
	if !slices.Contains(h.KnownPrimitives, name) {
		return protocol.ActionCall{}, fault.New(fault.CapabilityUnavailable, "the extension in this browser does not know %s", name).
			WithNextStep("Update the extension and restart the browser, or use another primitive.").WithDispatched(fault.NotDispatched)
	}
	return protocol.ActionCall{
		CallID: c.ID, Name: name, Arguments: args,
		TabID: c.TabID, RuntimeID: c.RuntimeID, Origin: c.Origin, FrameOrigins: c.FrameOrigins, DocumentID: id,
		Acts: c.Record.Acts(), Met: c.Meta != nil && c.Meta.Target == nil, Shown: c.Shown, ShownArgument: c.ShownArgument,
	}, nil
}

// noteRan keeps where a page primitive ran and what it met.
func (h *Handlers) noteRan(c primitive.Call, name string, out protocol.ActionCallOutput) {
	h.Tabs.SetRuntime(c.TabID, out.RuntimeID)
	noteMet(c, name, out.Target)
}
