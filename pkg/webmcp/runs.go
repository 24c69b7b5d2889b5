package webmcp

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
	byID    map[string]*run
	unnamed map[*run]bool // sent, and the browser has not said their ids yet
	// undecided came while one of ours had no id: they may be ours.
	undecided []*run
	ordinal   int
}

func newRuns() runs { return runs{byID: map[string]*run{}, unnamed: map[*run]bool{}} }

func (s *runs) sorted() []*run {
	return slices.SortedFunc(maps.Values(s.byID), func(a, b *run) int { return a.order - b.order })
}

func (s *runs) keep(one *run) {
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

// settle ends the time in which the browser may still say the run's id.
func (s *runs) settle(one *run) {
	delete(s.unnamed, one)
	close(one.named)
}

func (s *runs) invoked(e ToolInvoked, f *frame) []Invocation {
	if s.byID[e.Invocation] != nil {
		return nil
	}
	i := Invocation{ID: e.Invocation, Tool: e.Tool}
	var doc *document
	if f != nil {
		i.Origin, doc = f.doc.origin, f.doc
	}
	one := newRun(i, doc)
	if f != nil {
		one.session = f.session
	}
	s.keep(one)
	s.undecided = append(s.undecided, one)
	return s.decide()
}

// decide attributes to others what can no longer be ours.
func (s *runs) decide() []Invocation {
	if len(s.unnamed) > 0 {
		return nil
	}
	var told []Invocation
	for _, one := range s.undecided {
		one.By = Others
		told = append(told, one.Invocation)
	}
	s.undecided = nil
	return told
}

// responded takes the first answer; a page that leaves while its tool runs gives
// a second one.
func (s *runs) responded(e ToolResponded) []Invocation {
	one := s.byID[e.Invocation]
	if one == nil {
		one = newRun(Invocation{ID: e.Invocation}, nil)
		if len(s.unnamed) == 0 {
			return nil // it began before anybody listened
		}
		s.keep(one)
		s.undecided = append(s.undecided, one)
	}
	if over(one.done) {
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
	if one.By == Others {
		return []Invocation{one.Invocation}
	}
	return nil
}

// lost marks what runs in a document that is gone.
func (s *runs) lost(doc *document, why Loss) {
	s.each(func(one *run) bool { return one.doc == doc }, why)
}

// unregistered marks what runs of a tool that the page took back: its answer is
// never told.
func (s *runs) unregistered(doc *document, name string) {
	s.each(func(one *run) bool { return one.doc == doc && one.Tool == name }, LostRegistration)
}

func (s *runs) each(concerns func(*run) bool, why Loss) {
	mark := func(one *run) {
		if one.State == Running && concerns(one) {
			one.State, one.Ended, one.why = Lost, time.Now().UTC(), why
			close(one.lost)
		}
	}
	for _, one := range s.byID {
		mark(one)
	}
	for one := range s.unnamed {
		mark(one)
	}
}

func over(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
