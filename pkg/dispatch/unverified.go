package dispatch

import (
	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxRefusedDone is how often a task may not be called done because of the same action: a
// model that cannot look must be able to end.
const maxRefusedDone = 2

// lastAction is whether the session's last action was followed by a look at what it changed.
type lastAction struct {
	unverified bool
	refused    int
}

// noteLook remembers an action that nobody has looked at, and a look. That the target got
// its input is none; what the caller asked to observe after it is.
func (s *Session) noteLook(in invocation, acted bool, err error) {
	f := fault.From(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case acted && (f == nil || f.Dispatched != fault.NotDispatched):
		s.action = lastAction{unverified: f != nil || !in.wants.any()}
	case f == nil && in.record.Security.PageText && needsTab(in.record) && !lists(in):
		s.action = lastAction{}
	}
}

// lists reports whether the call asks what can be done, and not what the page shows.
func lists(in invocation) bool {
	return in.record.Name == SiteTool && TextMember(in.args, "mode") == "list"
}

// Finish reports whether the last action was looked at. Where it was not, the fault is
// unverified_action, the first times.
func (s *Session) Finish() (verified bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.action.unverified {
		return true, nil
	}
	if s.action.refused == maxRefusedDone {
		return false, nil
	}
	s.action.refused++
	return false, fault.New(fault.UnverifiedAction, "the last action was not looked at").WithDispatched(fault.NotDispatched)
}
