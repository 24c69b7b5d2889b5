package voice

import "time"

// gate lets one response run at a time. A request counts from the moment it is
// sent, not from the provider's word that it began: two sends in between would
// collide. It is a pure table of states; the session's loop acts on what it
// says.
type gate struct {
	phase     phase
	current   ask    // on its way, or the one whose response runs; empty for the provider's own
	active    string // the response's id, once known
	cancelled bool   // the one under way is to end: what it asks for counts no more
	waiting   []ask
	since     time.Time // of the phase
}

type phase int

const (
	idle      phase = iota
	requested       // a request is on its way
	active          // a response runs
)

// ask is a request for a response.
type ask struct {
	id       string
	textOnly bool
	lost     int // connections on which it was sent and not answered
}

// Mode says what a request does to the response that runs.
type Mode string

// The two modes.
const (
	Queue     Mode = "queue"
	Interrupt Mode = "interrupt"
)

// add takes a request. In mode interrupt it goes first, and the id of the
// response to cancel is given, if there is one already.
func (g *gate) add(a ask, mode Mode) (cancel string) {
	if mode != Interrupt {
		g.waiting = append(g.waiting, a)
		return ""
	}
	g.putBack(a)
	return g.interrupt()
}

// interrupt marks what runs as cancelled and gives its id, if it has one yet.
func (g *gate) interrupt() (cancel string) {
	if g.phase == idle || g.cancelled {
		return ""
	}
	g.cancelled = true
	return g.active
}

// next gives the request whose turn it is, once, and counts it as sent.
func (g *gate) next(now time.Time) (ask, bool) {
	if g.phase != idle || len(g.waiting) == 0 {
		return ask{}, false
	}
	g.current, g.waiting = g.waiting[0], g.waiting[1:]
	g.phase, g.since = requested, now
	return g.current, true
}

// started notes a response. Where the provider began one by itself while a
// request was on its way, that request waits again: it will be refused. What
// was interrupted before it had an id is given to be cancelled now.
func (g *gate) started(id, requestID string, now time.Time) (cancel string) {
	if g.phase == requested && requestID != g.current.id {
		g.putBack(g.current)
		g.current, g.cancelled = ask{}, false
	}
	g.phase, g.active, g.since = active, id, now
	if g.cancelled {
		return id
	}
	return ""
}

// ended notes the end of a response and tells whether it had been cancelled.
func (g *gate) ended(id string) (cancelled bool) {
	if g.phase != active || g.active != id && g.active != "" {
		return false
	}
	cancelled = g.cancelled
	g.rest()
	return cancelled
}

// refused notes that the request on its way became no response.
func (g *gate) refused(requestID string) {
	if g.phase == requested && g.current.id == requestID {
		g.rest()
	}
}

// busy notes that the provider refused the request because a response of its own
// runs, of which nothing was heard yet: the request waits for its end.
func (g *gate) busy(requestID string, now time.Time) {
	if g.phase != requested || g.current.id != requestID {
		return
	}
	g.putBack(g.current)
	g.rest()
	g.phase, g.since = active, now
}

// stuck tells whether a request or a response has been open for too long.
func (g *gate) stuck(now time.Time, limit time.Duration) bool {
	return g.phase != idle && now.Sub(g.since) >= limit
}

// rest forgets what runs and keeps what waits.
func (g *gate) rest() {
	g.phase, g.current, g.active, g.cancelled = idle, ask{}, "", false
}

func (g *gate) putBack(a ask) { g.waiting = append([]ask{a}, g.waiting...) }
