package policy

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	web "github.com/actionsjson/actions-host/pkg/origin"
)

// The names of the rules, in their order.
const (
	ruleRequest   = "request"
	ruleFileState = "policy_file"
	ruleFileDeny  = "policy_file_deny"
	ruleFileAllow = "policy_file_allow"
	ruleOrigins   = "origins"
	ruleBlocked   = "blocked_primitives"
	ruleMode      = "mode"
	ruleCode      = "allow_code"
	ruleStored    = "stored_only"
	ruleReport    = "policy_exception_report"
	ruleDenied    = "deny_grants"
	ruleAsk       = "approval"
)

// The outcomes of a rule.
const (
	Passed        = "passed"
	NotApplicable = "not applicable"
	Denied        = "denied"
	Asked         = "asked"
)

type rule struct {
	name, section string
	// check returns not applicable or passed with a nil fault, or else the fault
	// to deny with; only the last rule may ask.
	check func(*evaluation) (string, *fault.Error)
}

var rules = []rule{
	{ruleRequest, "the request itself", (*evaluation).request},
	{ruleFileState, "policy.json", (*evaluation).fileState},
	{ruleFileDeny, "deny in policy.json", (*evaluation).fileDeny},
	{ruleFileAllow, "allow in policy.json", (*evaluation).fileAllow},
	{ruleOrigins, "the session's setting --origin", (*evaluation).origins},
	{ruleBlocked, "blocked_primitives of the site's map", (*evaluation).blocked},
	{ruleMode, "the session's mode", (*evaluation).mode},
	{ruleCode, "allow_code in settings.json, and --allow-code of the caller", (*evaluation).code},
	{ruleStored, "the session's switch primitives.direct", (*evaluation).storedOnly},
	{ruleReport, "policy_exception_report in the call's arguments", (*evaluation).report},
	{ruleDenied, "the answers that actions-host approvals list shows", (*evaluation).denied},
	{ruleAsk, "ask_effects in policy.json", (*evaluation).ask},
}

// evaluation is one pass through the rules.
type evaluation struct {
	Request
	grants  func(Effect) []Grant // those that apply to the session now, for the request's origin
	section string               // where the rule that is looked at is set, if it knows that better
	needs   []Effect
	usedUp  []Grant
}

// decide is a pure function of the request and the grants.
func decide(r Request, grants func(Effect) []Grant) Decision {
	e := &evaluation{Request: r, grants: grants}
	d := Decision{Verdict: Allow, Trace: make([]RuleResult, 0, len(rules))}
	for _, rule := range rules {
		e.section = rule.section
		outcome, f := rule.check(e)
		d.Rule = rule.name
		d.Trace = append(d.Trace, RuleResult{Rule: rule.name, Section: e.section, Outcome: outcome})
		if f == nil {
			continue
		}
		d.Verdict = Deny
		if outcome == Asked {
			d.Verdict, d.Needs = Ask, e.needs
		}
		d.Fault = f.With("rule", rule.name).With("section", e.section).WithDispatched(fault.NotDispatched)
		break
	}
	d.usedUp = e.usedUp
	return d
}

// request refuses a request that the other rules cannot decide.
func (e *evaluation) request() (string, *fault.Error) {
	if e.Mode != ModeAsk && e.Mode != ModeAct {
		return Denied, fault.New(fault.PermissionDenied, "the session's mode %q is neither ask nor act", e.Mode)
	}
	if !slices.Contains(SessionKinds, e.Session) {
		return Denied, fault.New(fault.PermissionDenied, "the session's kind %q is unknown", e.Session)
	}
	if len(e.Effects) == 0 {
		return Denied, fault.New(fault.PermissionDenied, "%s declares no effect", e.Name)
	}
	for _, effect := range e.Effects {
		if !slices.Contains(Effects, effect) {
			return Denied, fault.New(fault.PermissionDenied, "%s declares the unknown effect %q", e.Name, effect)
		}
	}
	return Passed, nil
}

// origins keeps a session to the pages that it was started for. Navigating away from
// them is refused too, as an address can carry away what was read.
func (e *evaluation) origins() (string, *fault.Error) {
	switch {
	case len(e.Origins) == 0:
		return NotApplicable, nil
	case e.AffectsOtherSession:
		return Denied, fault.New(fault.PermissionDenied, "the session may operate %s only, and %s reaches another session, which is not kept to that", strings.Join(e.Origins, ", "), e.Name).
			WithNextStep("Work on a page of an allowed origin yourself.")
	case len(e.TargetOrigins) == 0:
		return NotApplicable, nil
	}
	for _, target := range e.TargetOrigins {
		if !web.Allowed(e.Origins, target) {
			return Denied, fault.New(fault.PermissionDenied, "the session may operate %s only, and this is %s", strings.Join(e.Origins, ", "), originText(target)).
				WithNextStep("Work on a page of an allowed origin. The user can allow another one with --origin where the session is started.")
		}
	}
	return Passed, nil
}

// blocked is checked again for each call, by the page of that moment: a
// catalogue made for another page must not open a way around it.
func (e *evaluation) blocked() (string, *fault.Error) {
	if len(e.Blocked) == 0 {
		return NotApplicable, nil
	}
	for _, name := range append([]string{e.Name}, e.Primitives...) {
		if !slices.Contains(e.Blocked, name) {
			continue
		}
		f := fault.New(fault.PrimitiveBlocked, "the site's map blocks %s", name)
		if name != e.Name {
			f = fault.New(fault.PrimitiveBlocked, "the site's map blocks %s, a step of %s", name, e.Name)
		}
		return Denied, f.With("primitive", name)
	}
	return Passed, nil
}

func (e *evaluation) mode() (string, *fault.Error) {
	for _, effect := range e.Effects {
		if !e.Mode.allows(effect) {
			return Denied, fault.New(fault.PermissionDenied,
				"the session only looks (mode ask) and %s has the effect %s", e.Name, effect).
				WithNextStep("Ask the user to switch the session to act mode, or use calls that only read.")
		}
	}
	return Passed, nil
}

func (e *evaluation) code() (string, *fault.Error) {
	switch {
	case e.DelegatesCode && !e.AllowCode:
		return Denied, fault.New(fault.CodeDisabled, "%s has the hosted agent work, which may run JavaScript, and this session may not", e.Name).
			WithNextStep("Start the session with --allow-code, or have the user talk to the agent.")
	case !slices.Contains(e.Effects, EffectCode):
		return NotApplicable, nil
	case !e.AllowCode:
		return Denied, fault.New(fault.CodeDisabled, "%s runs JavaScript, which is switched off", e.Name)
	}
	return Passed, nil
}

// storedOnly keeps a retest of a map honest: what only a primitive can do is not
// in the map yet.
func (e *evaluation) storedOnly() (string, *fault.Error) {
	switch {
	case !e.StoredOnly || e.Stored || e.RunsOthers:
		return NotApplicable, nil
	default:
		return Denied, fault.New(fault.PermissionDenied, "direct primitives are switched off in this session, and %s is one", e.Name).
			WithNextStep("Use a stored action of actions.site, or end the retest: primitives.direct with allowed true.")
	}
}

// report exempts actions.site and what is stored, nothing else.
func (e *evaluation) report() (string, *fault.Error) {
	if e.Stored || e.RunsOthers {
		return NotApplicable, nil
	}
	kind, tool := ReportKind(e.Class, e.Effects...), e.Name
	if e.ReportCall != "" {
		tool = e.Report.IntendedTool // another one of the same effect
	}
	if problem := e.Report.problem(tool, kind); problem != "" {
		return Denied, reportFault(problem, e.Name, kind)
	}
	return Passed, nil
}

func (e *evaluation) denied() (string, *fault.Error) {
	for _, effect := range e.Effects {
		g, ok := find(e.grants(effect), true)
		if !ok {
			continue
		}
		return Denied, fault.New(fault.PermissionDenied, "the user has refused the effect %s on %s (%s)", effect, originText(e.Origin), g.Scope).
			With("scope", g.Scope).
			WithNextStep("Do not try again. The user can take the refusal back in the options of the extension.")
	}
	return Passed, nil
}

func (e *evaluation) ask() (string, *fault.Error) {
	outcome := NotApplicable
	for i, effect := range e.Effects {
		if !slices.Contains(e.Ask, effect) || slices.Contains(e.Effects[:i], effect) {
			continue
		}
		outcome = Passed
		grants := e.grants(effect)
		if line := e.Rules.askingLine(effect); line > 0 && len(e.needs) == 0 {
			e.section = e.Rules.section(line)
		} else if len(e.needs) == 0 && slices.Contains(e.AskInPopup, effect) {
			e.section = "Ask me first in the popup"
		}
		if e.RequireNewApproval {
			grants = slices.DeleteFunc(slices.Clone(grants), func(g Grant) bool { return g.Call == "" })
		}
		g, ok := find(grants, false)
		switch {
		case !ok:
			e.needs = append(e.needs, effect)
		case g.Scope == ScopeOnce:
			e.usedUp = append(e.usedUp, g)
		}
	}
	if len(e.needs) > 0 {
		e.usedUp = nil // the call does not run: a grant for one call stays
		return Asked, fault.New(fault.NeedsApproval, "%s needs the user's approval of %s on %s", e.Name, joinEffects(e.needs), originText(e.Origin))
	}
	return outcome, nil
}

// joinEffects joins effects with "and".
func joinEffects(effects []Effect) string {
	var names []string
	for _, effect := range effects {
		names = append(names, string(effect))
	}
	return strings.Join(names, " and ")
}

// find returns the grant that lasts longest, so that a grant for a single call is
// used up only where no other covers the call.
func find(grants []Grant, deny bool) (found Grant, ok bool) {
	for _, g := range grants {
		if g.Deny == deny && (!ok || found.Scope == ScopeOnce && g.Scope != ScopeOnce) {
			found, ok = g, true
		}
	}
	return found, ok
}

func originText(origin string) string {
	if origin == "" {
		return "no page"
	}
	return origin
}
