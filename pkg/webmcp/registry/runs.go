package registry

import (
	"cmp"
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
	lost      []Invocation // to be reported
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
	oldest := slices.MinFunc(s.sorted(), func(a, b *run) int { return cmp.Compare(a.worth(), b.worth()) })
	if oldest.worth() < worthKept {
		delete(s.byID, oldest.ID)
		s.undecided = slices.DeleteFunc(s.undecided, func(u *run) bool { return u == oldest })
	}
}

// worthKept is the worth of a run that is never forgotten.
const worthKept = 3

// worth orders runs by what is forgotten first: what others began, which a page can do without
// end, then what has ended. What runs for a caller stays.
func (one *run) worth() int {
	switch {
	case one.isOwn() && one.State == Running:
		return worthKept
	case one.isOwn(), one.By == "": // may be a caller's
		return 2
	case one.State == Running:
		return 1
	}
	return 0
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
		for one := range s.pendingID {
			if one.matches(e, doc) {
				one.ID = e.Invocation
				s.resolve(one)
				s.add(one)
				return s.attribute()
			}
		}
	}
	if f == nil || f.sensitive(e.Tool) {
		i.Input.Value = nil
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
		one.Input, one.response = nil, Response{} // for the log alone
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
		one.response = Response{}
	} else if !one.detached {
		return nil
	}
	return []Invocation{one.Invocation}
}

// markLost marks the running invocations that match.
func (s *runs) markLost(matches func(*run) bool, why Loss) {
	s.each(func(one *run) {
		if one.State == Running && matches(one) {
			one.State, one.Ended, one.why = Lost, time.Now().UTC(), why
			close(one.lost)
			if one.detached || one.By == OtherClient {
				s.lost = append(s.lost, one.Invocation)
			}
		}
	})
}

// takeLost returns the invocations that were lost since and that nobody waits for.
func (s *runs) takeLost() []Invocation {
	lost := s.lost
	s.lost = nil
	return lost
}

// each calls do with every invocation that is remembered or has been sent.
func (s *runs) each(do func(*run)) {
	for _, one := range s.byID {
		do(one)
	}
	for one := range s.pendingID {
		do(one)
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
