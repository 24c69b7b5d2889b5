package dispatch

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Explanation is how policy would decide about a call now.
type Explanation struct {
	Name   string `json:"name"`
	Origin string `json:"origin,omitzero"` // of the tab that it would work on
	policy.Decision
}

// Explain returns how policy would decide about a call, without making it, asking
// the user or using up a grant. The name is a primitive's or that of a stored action
// of the page.
func (d *Dispatcher) Explain(s *Session, c Call) (Explanation, error) {
	in, err := d.parseExplained(s, c)
	if err != nil {
		return Explanation{}, err
	}
	if err := d.checkAutomation(in.record); err != nil {
		off := policy.RuleResult{Rule: "automation", Section: "the text agent's tools in the extension's options", Outcome: policy.Denied}
		return Explanation{Name: c.Name, Decision: policy.Decision{Verdict: policy.Deny, Fault: fault.From(err), Rule: off.Rule, Trace: []policy.RuleResult{off}}}, nil
	}
	var tab tabs.Tab
	if needsTab(in.record) {
		if tab, err = d.resolve(in); err != nil {
			return Explanation{}, err
		}
	}
	r, name := d.directRequest(in), c.Name
	if action := actionOf(in.record.Name, in.args); action != "" {
		stored, ok := d.Action(tab.URL, action)
		if !ok {
			return Explanation{}, fault.New(fault.UnknownAction, "there is neither a primitive nor, on this page, a stored action named %q", action).WithDispatched(fault.NotDispatched)
		}
		name = action
		if stored.Primitives != nil { // else the map's own words are the answer
			r = d.actionRequest(stored)
		}
	}
	on := originOf(tab.URL)
	if asksItself(in.record) {
		r.Ask = r.Effects // the handler asks whatever the settings say
		if tab.TabID == 0 && len(r.TargetOrigins) > 0 {
			on = r.TargetOrigins[0]
		}
	}
	r = d.completeRequest(in, tab, on, r)
	return Explanation{Name: name, Origin: r.Origin, Decision: d.Policy.Explain(r)}, nil
}

// parseExplained reads the call; a name that is not a primitive's is an action's.
func (d *Dispatcher) parseExplained(s *Session, c Call) (in invocation, err error) {
	in = invocation{session: s, target: c.Target}
	args, err := object(c.Arguments)
	if err != nil {
		return in, err
	}
	record, ok := d.Catalogue.Public(c.Name)
	if !ok {
		record, ok = d.Catalogue.Public(SiteTool)
		text, err := json.Marshal(map[string]string{"mode": "call", "action": c.Name})
		if err == nil {
			args, err = strictjson.Parse(text, strictjson.Limits{})
		}
		if err != nil || !ok {
			return in, fault.New(fault.InternalError, "the action %q cannot be explained", c.Name)
		}
	}
	if args, err = liftTarget(args, record, &in.target); err != nil {
		return in, err
	}
	in.record = record
	rest, report, err := policy.SplitReport(args)
	in.args, in.report.Report = rest.Raw(), report
	return in, err
}
