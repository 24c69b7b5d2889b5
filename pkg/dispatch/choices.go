package dispatch

import (
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// Choices are the user's own, which hold for every session.
type Choices struct {
	// Mode ask keeps every session to looking; act leaves each its own mode.
	Mode policy.Mode
	// Pace is the least time between the starts of two paced primitives of one
	// session; a session may be slower.
	Pace time.Duration
	// Show makes what acts on a page visible in the page.
	Show bool
}

// choices gives those of now.
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

// refusal gives a refusal the next step that helps when it is the user's own
// choice that no session acts.
func (d *Dispatcher) refusal(s *Session, f *fault.Error) *fault.Error {
	if f.Evidence["rule"] == "mode" && d.mode(s) != s.ModeNow() {
		f = f.WithNextStep("The user lets agents only look. Ask the user to choose Act in the popup of Actions Host, or use calls that only read.")
	}
	return f.WithDispatched(fault.NotDispatched)
}
