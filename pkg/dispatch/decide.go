package dispatch

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

func (d *Dispatcher) decideDirect(ctx context.Context, in invocation, tab tabs.Tab) error {
	return d.decide(ctx, in, tab, d.direct(in))
}

// direct is what is asked of the policy for a call of a primitive.
func (d *Dispatcher) direct(in invocation) policy.Request {
	return policy.Request{
		Name:        in.record.Name,
		Effects:     []policy.Effect{policy.Effect(in.record.Effect)},
		Primitives:  []string{in.record.Name},
		Stored:      in.stored(),
		Class:       in.record.CapabilityClass,
		Report:      in.report,
		ActionsSite: in.record.Name == SiteTool,
		Meets:       destination(in),
		Elsewhere:   slices.Contains(in.record.Classes, "other_session"),
		LendsCode:   d.AgentCode && slices.Contains(in.record.Classes, "instructs_session"),
	}
}

// stored is what is asked for a stored action, by all that it is going to do.
func (d *Dispatcher) stored(name string, primitives []string) policy.Request {
	r := policy.Request{Name: name, Primitives: primitives, Stored: true}
	for _, p := range primitives {
		r.Effects = append(r.Effects, policy.Effect(d.Catalogue.Effect(p)))
	}
	return r
}

// destination is the origin that a call takes a tab to by its address.
func destination(in invocation) []string {
	var args struct {
		URL string `json:"url"`
	}
	if !slices.Contains(in.record.Classes, "navigation") || json.Unmarshal(in.args, &args) != nil || args.URL == "" {
		return nil
	}
	return []string{originOf(args.URL)}
}

// decide completes the request with what the session and the tab add, asks the
// policy and turns its decision into an error.
func (d *Dispatcher) decide(ctx context.Context, in invocation, tab tabs.Tab, r policy.Request) error {
	return d.decideOn(ctx, in, tab, originOf(tab.URL), r)
}

// complete adds what the session and the tab say to a request.
func (d *Dispatcher) complete(in invocation, tab tabs.Tab, origin string, r policy.Request) policy.Request {
	confirm := r.Ask // what is to be asked whatever was settled before
	r.Session, r.Mode, r.AllowCode, r.Ask = in.session.SessionKind, d.mode(in.session), in.session.AllowCode, d.Ask
	r.SessionID, r.SessionName, r.Origins = in.session.ID, in.session.Name(), in.session.Origins
	r.StoredOnly = in.session.storedOnly()
	if tab.TabID != 0 {
		r.Origin = origin
		r.Meets = append(r.Meets, origin)
		r.Blocked = d.Blocked(tab.URL)
	}
	if in.record != nil && in.stored() && in.parent.authorized == r.Origin {
		r.Ask = nil // the user was asked for the action as a whole, on this origin
	}
	r.Ask = slices.Concat(confirm, r.Ask)
	if len(r.Ask) > 0 {
		r.Call = r.Name + " " + string(journal.TypedText(in.args)) // in one order of members
	}
	return r
}

// decideOn is decide for the tab's own origin or that of one of its frames.
func (d *Dispatcher) decideOn(ctx context.Context, in invocation, tab tabs.Tab, origin string, r policy.Request) error {
	r = d.complete(in, tab, origin, r)
	decision := d.Policy.Decide(r)
	switch decision.Verdict {
	case policy.Allow:
		return nil
	case policy.Ask:
		// The user must see what is going to be typed; the log need not.
		approval := d.Approvals.Open(r, decision, string(journal.Redact(in.args)))
		logged := approval
		logged.Summary = string(journal.Redact(withoutTyped(in)))
		if err := d.note(ctx, in, journal.TypePolicy, logged); err != nil {
			return err
		}
		return approval.Fault()
	default:
		return d.refusal(in.session, decision.Fault)
	}
}

// originOf gives the origin policy decides by; a page without one has its URL's
// scheme only, which no grant can name.
func originOf(url string) string {
	o, err := origin.Parse(url)
	if err != nil {
		return ""
	}
	return o.String()
}
