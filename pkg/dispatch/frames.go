package dispatch

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// handle runs the handler. Where the call leads into a frame of an origin that
// nothing was decided for, nothing has been done yet: it is decided for that
// origin as well, and the call goes on from the start.
func (d *Dispatcher) handle(ctx context.Context, handler primitive.Handler, in invocation, call primitive.Call, tab tabs.Tab) (json.RawMessage, error) {
	permit := func(frame string) error {
		return d.decideOn(ctx, in, tab, frame, policy.Request{
			Name: in.record.Name, Effects: []policy.Effect{policy.Effect(in.record.Effect)}, Primitives: []string{in.record.Name},
			Stored: in.stored(), Class: in.record.CapabilityClass, Report: in.report,
		})
	}
	call.Permit = permit
	call.Confirm = func(name, frame string, fresh bool) error {
		effects := []policy.Effect{policy.Effect(in.record.Effect)}
		return d.decideOn(ctx, in, tab, frame, policy.Request{
			Name: name, Effects: effects, Primitives: []string{in.record.Name},
			Stored: true, Ask: effects, Fresh: fresh, // its report was looked at with the call
		})
	}
	for {
		output, err := handler(ctx, call)
		f := fault.From(err)
		if f == nil || f.Code != fault.FrameOriginUndecided || f.Dispatched != fault.NotDispatched {
			return output, err
		}
		frame, _ := f.Evidence["origin"].(string)
		if frame == "" || slices.Contains(call.FrameOrigins, frame) {
			return output, err
		}
		if err := permit(frame); err != nil {
			return nil, err
		}
		call.FrameOrigins = append(call.FrameOrigins, frame)
	}
}
