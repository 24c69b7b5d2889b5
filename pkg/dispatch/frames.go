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

// withFramePermission runs the handler. If the call leads into a frame whose origin
// policy has not decided on, nothing has been done yet: policy decides for that origin
// as well, and the handler starts again.
func (d *Dispatcher) withFramePermission(ctx context.Context, handler primitive.Handler, in invocation, call primitive.Call, tab tabs.Tab) (json.RawMessage, error) {
	own := policy.Request{
		Name: in.record.Name, Effects: []policy.Effect{policy.Effect(in.record.Effect)}, Primitives: []string{in.record.Name},
		Stored: in.stored(), Class: in.record.CapabilityClass, Report: in.report.Report, ReportCall: in.report.call,
	}
	permit := func(frame string) error { return d.decideOn(ctx, in, tab, frame, own) }
	call.Permit = permit
	call.PermitFor = func(frame string, effects ...string) error {
		other := own
		other.Effects = nil
		for _, effect := range effects {
			other.Effects = append(other.Effects, policy.Effect(effect))
		}
		return d.decideOn(ctx, in, tab, frame, other)
	}
	call.WouldPermit = func(frame string) error {
		if f := d.Policy.Explain(d.completeRequest(in, tab, frame, own)).Fault; f != nil {
			return f
		}
		return nil
	}
	call.DependsOnOrigin = func() bool {
		r := d.completeRequest(in, tab, call.Origin, own)
		r.Ask = r.Rules.AskEffects() // a stored action that was allowed as a whole was so for its own page
		return d.Policy.DependsOnOrigin(r)
	}
	call.DeniesOrigins = func() bool { return d.Policy.FileRules().Denies(in.session.SessionKind) }
	call.Confirm = func(q primitive.Question) error {
		asked := in
		if q.Arguments != nil {
			asked.args = q.Arguments
		}
		effects := []policy.Effect{policy.Effect(in.record.Effect)}
		r := policy.Request{
			Name: q.Name, Effects: effects, Primitives: []string{in.record.Name},
			Stored: true, Ask: effects, RequireNewApproval: q.RequireNewApproval, // its report was looked at with the call
		}
		if q.CoveredBy != "" && d.covers(asked, tab, q, r) {
			return nil
		}
		return d.decideOn(ctx, asked, tab, q.Origin, r)
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

// covers reports whether a standing grant of the effect that the question names answers it. A
// refusal of the call's own effect stays one.
func (d *Dispatcher) covers(asked invocation, tab tabs.Tab, q primitive.Question, r policy.Request) bool {
	r.Ask = []policy.Effect{policy.Effect(q.CoveredBy)}
	r.Effects = append(r.Ask, r.Effects...)
	return d.Policy.Explain(d.completeRequest(asked, tab, q.Origin, r)).Verdict == policy.Allow
}
