package dispatch

import (
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// Choices are the user's own, which hold for every session.
type Choices struct {
	// Mode ask lets every session only read; act leaves each its own mode.
	Mode policy.Mode
	// AskFirst has every session ask before it acts.
	AskFirst bool
	// Sites are the choices for single origins, beside what holds for all. They do not change.
	Sites map[string]SiteChoice
	// Pace is the least time between two paced primitives of one session; a session may be
	// slower.
	Pace time.Duration
	// Show makes what acts on a page visible in the page.
	Show bool
}

// SiteChoice is what agents may do on one site: less than elsewhere, never more.
type SiteChoice string

// The choices.
const (
	SiteLook  SiteChoice = "ask"   // agents only look
	SiteFirst SiteChoice = "first" // agents ask before each action
)

// askedFirst are the effects that a session asks about where the user wants to be asked.
var askedFirst = []policy.Effect{policy.EffectInput, policy.EffectTab, policy.EffectCode}

// tighten applies the user's choices to a request about these origins. They only take away.
func (c Choices) tighten(r *policy.Request) {
	first := c.AskFirst
	for _, site := range append(slices.Clone(r.TargetOrigins), r.Origin) {
		for _, restricted := range policy.RestrictedAs(site) {
			switch c.Sites[restricted] {
			case SiteLook:
				r.Mode = policy.ModeAsk
			case SiteFirst:
				first = true
			}
		}
	}
	if first {
		for _, effect := range askedFirst {
			if !slices.Contains(r.Ask, effect) {
				r.Ask, r.AskInPopup = append(r.Ask, effect), append(r.AskInPopup, effect)
			}
		}
	}
}

// choices returns the user's present choices.
func (d *Dispatcher) choices() Choices {
	if d.Choices == nil {
		return Choices{Mode: policy.ModeAct}
	}
	return d.Choices()
}

// mode is what the session may do: what both it and the user allow.
func (d *Dispatcher) mode(s *Session) policy.Mode {
	if d.choices().Mode == policy.ModeAsk {
		return policy.ModeAsk
	}
	return s.ModeNow()
}

// Confined returns why a session must not read the log of other sessions: it may
// only look, or was started for some pages. It returns nil for a session that may.
func (d *Dispatcher) Confined(s *Session) *fault.Error {
	var f *fault.Error
	switch {
	case len(s.Origins) > 0:
		f = fault.New(fault.PermissionDenied, "this session may operate %s only, and the log of another session tells of other pages", strings.Join(s.Origins, ", "))
	case d.Policy.FileRules().Restricts(s.SessionKind):
		f = fault.New(fault.PermissionDenied, "policy.json keeps sessions of the kind %s to some origins, and the log of another session tells of other pages", s.SessionKind)
	case d.mode(s) != policy.ModeAct:
		f = fault.New(fault.PermissionDenied, "this session may only look at pages, and the log of another session tells what was done on them")
	default:
		return nil
	}
	return f.WithNextStep("Leave session_id out to read this session's own log. The user reads all of it with actions-host log dump.").
		WithDispatched(fault.NotDispatched)
}

// refusal adds to a refusal the next step that helps when it is the user's own
// choice that no session acts.
func (d *Dispatcher) refusal(s *Session, f *fault.Error) *fault.Error {
	if f.Evidence["rule"] == "mode" && s.ModeNow() == policy.ModeAct {
		f = f.WithNextStep("The user lets agents only look. Ask the user to choose Act in the popup of Actions Host, or use calls that only read.")
	}
	return f.WithDispatched(fault.NotDispatched)
}
