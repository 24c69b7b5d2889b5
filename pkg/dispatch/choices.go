package dispatch

import (
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// Choices are the user's own, which hold for every session.
type Choices struct {
	// Mode ask lets every session only read; act leaves each its own mode.
	Mode policy.Mode
	// Pace is the least time between two paced primitives of one session; a session may be
	// slower.
	Pace time.Duration
	// Show makes what acts on a page visible in the page.
	Show bool
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
	if f.Evidence["rule"] == "mode" && d.mode(s) != s.ModeNow() {
		f = f.WithNextStep("The user lets agents only look. Ask the user to choose Act in the popup of Actions Host, or use calls that only read.")
	}
	return f.WithDispatched(fault.NotDispatched)
}
