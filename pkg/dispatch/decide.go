package dispatch

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

func (d *Dispatcher) decideDirect(ctx context.Context, in *invocation, tab tabs.Tab) error {
	if err := d.checkAutomation(in.record); err != nil {
		return err
	}
	in.borrowReport(originOf(tab.URL))
	r := d.directRequest(*in)
	r.HandlerAsks = asksItself(in.record)
	err := d.decide(ctx, *in, tab, r)
	if err == nil && !r.Stored && !r.RunsOthers {
		in.keepReport(originOf(tab.URL))
	}
	return err
}

// refusedMeanwhile returns the refusal of a call that was allowed before it waited, as where the
// user lets agents only look now. Nobody is asked a second time: an approval stands for the call.
func (d *Dispatcher) refusedMeanwhile(in invocation, tab tabs.Tab) error {
	if err := d.checkAutomation(in.record); err != nil {
		return err
	}
	r := d.completeRequest(in, tab, originOf(tab.URL), d.directRequest(in))
	r.Ask = nil
	if decision := d.Policy.Explain(r); decision.Verdict == policy.Deny {
		return d.refusal(in.session, decision.Fault)
	}
	return nil
}

// checkAutomation refuses the text agent's tools unless the user has switched them on.
func (d *Dispatcher) checkAutomation(r *primitive.Record) error {
	if !r.IsForTextAgent() || d.AutomationEnabled != nil && d.AutomationEnabled() {
		return nil
	}
	return fault.New(fault.AutomationDisabled, "%s is a tool of the text agent, whose tools are switched off", r.Name).WithDispatched(fault.NotDispatched)
}

// exemptTool reports whether a call of the primitive needs no report: what the text agent's own
// tools run are steps.
func exemptTool(in invocation) bool {
	return in.record.Name == SiteTool || in.record.Name == BatchTool ||
		in.record.IsForTextAgent() && in.session.SessionKind == policy.SessionAgent
}

// asksItself reports whether the primitive's handler asks the user itself, once it
// knows what to ask: two questions about one call would use up each other's answers.
func asksItself(r *primitive.Record) bool { return slices.Contains(r.Classes, "asks_itself") }

// directRequest returns the policy request for a direct call of a primitive.
func (d *Dispatcher) directRequest(in invocation) policy.Request {
	effects, primitives := []policy.Effect{policy.Effect(in.record.Effect)}, append([]string{in.record.Name}, in.wants.primitives()...)
	if len(primitives) > 1 {
		effects = append(effects, policy.EffectRead)
	}
	if in.covered { // a map names what it runs for
		primitives = append(primitives, in.parent.record.Name)
	}
	return policy.Request{
		Name:                in.record.Name,
		Effects:             effects,
		Primitives:          primitives,
		Stored:              in.stored(),
		Class:               in.record.CapabilityClass,
		Report:              in.report.Report,
		ReportCall:          in.report.call,
		RunsOthers:          exemptTool(in),
		TargetOrigins:       argumentOrigin(in),
		AffectsOtherSession: slices.Contains(in.record.Classes, "other_session"),
		DelegatesCode:       d.AgentCode && slices.Contains(in.record.Classes, "instructs_session"),
	}
}

// actionRequest returns the policy request for a stored action, with all the primitives that
// it is going to run. One without steps is a value, which is read.
func (d *Dispatcher) actionRequest(action policy.Action) policy.Request {
	r := policy.Request{Name: action.Name, ActionOf: action.Of, Primitives: action.Primitives, Stored: true}
	if len(action.Primitives) == 0 {
		r.Effects = []policy.Effect{policy.EffectRead}
	}
	for _, p := range action.Primitives {
		r.Effects = append(r.Effects, policy.Effect(d.Catalogue.Effect(p)))
	}
	return r
}

// argumentOrigin returns the origin of the address that a call is given, to show it in a tab or to
// send a request there.
func argumentOrigin(in invocation) []string {
	address := TextMember(in.args, in.record.URLArgument)
	if address == "" {
		return nil
	}
	if u, err := url.Parse(address); err == nil && u.Scheme == "" && u.Host == "" {
		return nil // of the page's own origin
	}
	return []string{originOf(address)}
}

// decide completes the request with what the session and the tab add, asks the
// policy and turns its decision into an error.
func (d *Dispatcher) decide(ctx context.Context, in invocation, tab tabs.Tab, r policy.Request) error {
	return d.decideOn(ctx, in, tab, originOf(tab.URL), r)
}

// completeRequest adds the session's and the tab's fields to a request.
func (d *Dispatcher) completeRequest(in invocation, tab tabs.Tab, origin string, r policy.Request) policy.Request {
	confirm := r.Ask // effects to ask about whatever was allowed before
	at := tab
	r.Rules = d.Policy.FileRules()
	r.Session, r.Mode, r.AllowCode, r.Ask = in.session.SessionKind, d.mode(in.session), in.session.CodeNow(), r.Rules.AskEffects()
	r.SessionID, r.SessionName, r.Origins = in.session.ID, in.session.Name(), in.session.Origins
	r.StoredOnly = in.session.storedOnly()
	if tab.TabID != 0 || origin != "" {
		r.Origin = origin
		r.TargetOrigins = append(r.TargetOrigins, origin)
	}
	if tab.TabID == 0 && in.record != nil { // a call that needs no tab comes from a session at work on one
		tab, _ = d.resolve(in) // several, or none: no map is meant
	}
	if tab.TabID != 0 {
		r.Blocked = d.Blocked(tab.URL)
	}
	d.choices().tighten(&r)
	if in.mayOnlyLook() {
		r.Mode = policy.ModeAsk
	}
	if in.record != nil && in.stored() && (in.parent.authorizedOn(r.Origin) || in.covered && in.parent.origin == r.Origin) {
		r.Ask = nil // the user was asked for the action as a whole, on this origin
	}
	if r.HandlerAsks {
		r.Ask = nil
	}
	r.Ask = slices.Concat(confirm, r.Ask)
	if len(r.Ask) > 0 {
		r.Call = approvedCall(in, at, r)
	}
	return r
}

// approvedCall returns what an approval for once is for: the call, with its arguments in one order
// of members, in the document that the user was asked about; of a stored action that very one, as
// another map may have one of its name. It is a digest: the arguments may hold secrets, and whoever
// lists the grants sees it.
func approvedCall(in invocation, at tabs.Tab, r policy.Request) string {
	digest := hmac.New(sha256.New, approvalKey())
	fmt.Fprintf(digest, "%s %q %d %s %s", r.Name, r.ActionOf, at.TabID, at.RuntimeID, redact.TypedText(in.args))
	return hex.EncodeToString(digest.Sum(nil))
}

// approvalKey keeps a short secret from being found by trying: an approval for once ends with the process.
var approvalKey = sync.OnceValue(func() []byte { return []byte(rand.Text()) })

// decideOn is decide for the tab's own origin or that of one of its frames.
func (d *Dispatcher) decideOn(ctx context.Context, in invocation, tab tabs.Tab, origin string, r policy.Request) error {
	r = d.completeRequest(in, tab, origin, r)
	decision := d.Policy.Decide(r)
	switch decision.Verdict {
	case policy.Allow:
		return nil
	case policy.Ask:
		if in.unasked || in.mayOnlyLook() {
			return fault.New(fault.PermissionDenied, "%s needs the user's approval, and nobody is asked for what no model asked for", r.Name).WithDispatched(fault.NotDispatched)
		}
		if d.CanAsk != nil && !d.CanAsk(ctx, in.session) {
			return unseen(r)
		}
		r.About = about(in, tab, r)
		// The user must see what is going to be typed; the log need not.
		approval := d.Approvals.OpenAt(placeOf(tab), r, decision, string(redact.JSON(journal.FitArguments(in.args, 0))))
		logged := approval
		logged.About, logged.Summary = policy.About{}, string(redact.JSON(journal.FitArguments(withoutTyped(in), 0)))
		if err := d.appendRecord(ctx, in, journal.TypePolicy, logged); err != nil {
			return err
		}
		return approval.Fault()
	default:
		return d.refusal(in.session, decision.Fault)
	}
}

// placeOf returns where a question about a call in the tab is asked.
func placeOf(tab tabs.Tab) policy.Place {
	return policy.Place{TabID: tab.TabID, Origin: originOf(tab.URL)}
}

// originOf returns the origin of a page for policy decisions; empty for a page
// without one, which no grant can name.
func originOf(url string) string {
	o, err := origin.Parse(url)
	if err != nil {
		return ""
	}
	return o.String()
}
