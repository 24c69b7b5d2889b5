package registry

import (
	"maps"
	"slices"
	"time"
)

// maxRuns bounds the invocations that are remembered; those that ended longest
// ago are forgotten first.
const maxRuns = 200

// runs are the invocations of a tab.
type runs struct {
	byID      map[string]*run
	pendingID map[*run]bool // sent, and the browser has not returned their IDs yet
	// undecided came while one of ours had no id: they may be ours.
	undecided []*run
	ordinal   int
}

func newRuns() runs { return runs{byID: map[string]*run{}, pendingID: map[*run]bool{}} }

func (s *runs) sorted() []*run {
	return slices.SortedFunc(maps.Values(s.byID), func(a, b *run) int { return a.order - b.order })
}

func (s *runs) add(one *run) {
	s.ordinal++
	one.order = s.ordinal
	s.byID[one.ID] = one
	if len(s.byID) <= maxRuns {
		return
	}
	// The oldest that has ended goes; among a flood of running ones the oldest.
	all := s.sorted()
	i := max(0, slices.IndexFunc(all, func(r *run) bool { return r.State != Running }))
	delete(s.byID, all[i].ID)
	s.undecided = slices.DeleteFunc(s.undecided, func(u *run) bool { return u == all[i] })
}

// resolve records that the run has its ID, or will never have one.
func (s *runs) resolve(one *run) {
	delete(s.pendingID, one)
	close(one.resolved)
}

func (s *runs) toolInvoked(e ToolInvoked, f *frame) []Invocation {
	if s.byID[e.Invocation] != nil {
		return nil
	}
	i := Invocation{ID: e.Invocation, Tool: e.Tool, Input: &e.Input}
	var doc *document
	if f != nil {
		i.Origin, doc = f.doc.origin, f.doc
	}
	one := newRun(i, doc)
	if f != nil {
		one.session = f.session
	}
	s.add(one)
	s.undecided = append(s.undecided, one)
	return s.attribute()
}

// attribute attributes to other clients what can no longer be ours.
func (s *runs) attribute() []Invocation {
	if len(s.pendingID) > 0 {
		return nil
	}
	var attributed []Invocation
	for _, one := range s.undecided {
		one.By = OtherClient
		attributed = append(attributed, one.Invocation)
		one.Input = nil
	}
	s.undecided = nil
	return attributed
}

// toolResponded handles the first answer; a page that navigates while its tool runs sends a
// second one.
func (s *runs) toolResponded(e ToolResponded) []Invocation {
	one := s.byID[e.Invocation]
	if one == nil {
		one = newRun(Invocation{ID: e.Invocation}, nil)
		if len(s.pendingID) == 0 {
			return nil // it began before we listened
		}
		s.add(one)
		s.undecided = append(s.undecided, one)
	}
	if isClosed(one.done) {
		return nil
	}
	one.response = e.Response
	one.Ended = time.Now().UTC()
	switch e.Response.Status {
	case Completed:
		one.State = Done
	case Canceled:
		one.State = Cancelled
	default:
		one.State = Errored
	}
	close(one.done)
	if one.By == OtherClient {
		return []Invocation{one.Invocation}
	}
	return nil
}

// markLost marks the running invocations of a document that is gone.
func (s *runs) markLost(doc *document, why Loss) {
	s.markMatching(func(one *run) bool { return one.doc == doc }, why)
}

// unregistered marks the running invocations of a tool that the page has unregistered: their
// answers are never reported.
func (s *runs) unregistered(doc *document, name string) {
	s.markMatching(func(one *run) bool { return one.doc == doc && one.Tool == name }, LostRegistration)
}

func (s *runs) markMatching(concerns func(*run) bool, why Loss) {
	mark := func(one *run) {
		if one.State == Running && concerns(one) {
			one.State, one.Ended, one.why = Lost, time.Now().UTC(), why
			close(one.lost)
		}
	}
	for _, one := range s.byID {
		mark(one)
	}
	for one := range s.pendingID {
		mark(one)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
