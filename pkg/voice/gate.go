package voice

import (
	"slices"
	"time"
)

// gate lets one response run at a time. A request counts from the moment it is
// sent, not from the provider's report that it began: two sends in between would
// collide. It is a pure state machine; the session's loop acts on its results.
type gate struct {
	phase     phase
	current   responseRequest // in flight, or the one whose response runs; empty for the provider's own
	active    string          // the response's id, once known
	cancelled bool            // the current response is to end: its tool calls are discarded
	waiting   []responseRequest
	since     time.Time // of the phase
}

type phase int

const (
	idle      phase = iota
	requested       // a request is in flight
	active          // a response runs
)

// responseRequest is a request for a response.
type responseRequest struct {
	id                string
	textOnly          bool
	byUser            bool // it is for a message that the user wrote
	failedConnections int  // connections on which it was sent and not answered
}

// Mode is what a request does to the running response.
type Mode string

// The two modes.
const (
	Queue     Mode = "queue"
	Interrupt Mode = "interrupt"
)

// add queues a request. In mode interrupt it goes first, and the id of the response
// to cancel is returned, if there is one already.
func (g *gate) add(a responseRequest, mode Mode) (cancel string) {
	if mode != Interrupt {
		g.waiting = append(g.waiting, a)
		return ""
	}
	g.requeue(a)
	return g.interrupt()
}

// interrupt marks the running response as cancelled and returns its id, if it has one
// yet.
func (g *gate) interrupt() (cancel string) {
	if g.phase == idle || g.cancelled {
		return ""
	}
	g.cancelled = true
	return g.active
}

// stop drops, at the user's word, what has been sent before or is in flight, and what waits for
// none of the user's own messages. It returns the ids of these requests.
func (g *gate) stop() (dropped []string) {
	if g.phase == requested {
		dropped = append(dropped, g.current.id)
	}
	g.waiting = slices.DeleteFunc(g.waiting, func(a responseRequest) bool {
		if a.byUser && a.failedConnections == 0 {
			return false
		}
		dropped = append(dropped, a.id)
		return true
	})
	return dropped
}

// next returns the request whose turn it is, once, and counts it as sent.
func (g *gate) next(now time.Time) (responseRequest, bool) {
	if g.phase != idle || len(g.waiting) == 0 {
		return responseRequest{}, false
	}
	g.current, g.waiting = g.waiting[0], g.waiting[1:]
	g.phase, g.since = requested, now
	return g.current, true
}

// started records a response. If the provider began one by itself while a request was
// in flight, that request waits again: it will be refused. The id of a response that
// was interrupted before it had one is returned, to be cancelled now, and that of a
// request that was interrupted and is not sent again.
func (g *gate) started(id, requestID string, now time.Time) (cancel, dropped string) {
	if g.phase == requested && requestID != g.current.id {
		dropped = g.sendAgain()
		g.current, g.cancelled = responseRequest{}, false
	}
	g.phase, g.active, g.since = active, id, now
	if g.cancelled {
		cancel = id
	}
	return cancel, dropped
}

// ended records the end of a response and reports whether it had been cancelled.
func (g *gate) ended(id string) (cancelled bool) {
	if g.phase != active || g.active != id && g.active != "" {
		return false
	}
	cancelled = g.cancelled
	g.reset()
	return cancelled
}

// refused records that the request in flight was refused.
func (g *gate) refused(requestID string) {
	if g.phase == requested && g.current.id == requestID {
		g.reset()
	}
}

// busy records that the provider refused the request because a response of its own
// runs, which it has not reported yet: the request waits for its end. If the request was
// interrupted, its id is returned, and that response is to end.
func (g *gate) busy(requestID string, now time.Time) (dropped string) {
	if g.phase != requested || g.current.id != requestID {
		return ""
	}
	dropped = g.sendAgain()
	cancelled := g.cancelled
	g.reset()
	g.phase, g.cancelled, g.since = active, cancelled, now
	return dropped
}

// sendAgain has the request in flight wait again, unless it was interrupted: then its id is
// returned.
func (g *gate) sendAgain() (dropped string) {
	if g.cancelled {
		return g.current.id
	}
	g.requeue(g.current)
	return ""
}

// timedOut reports whether a request or a response has been open for too long.
func (g *gate) timedOut(now time.Time, limit time.Duration) bool {
	return g.phase != idle && now.Sub(g.since) >= limit
}

// reset clears the running response and keeps the waiting requests.
func (g *gate) reset() {
	g.phase, g.current, g.active, g.cancelled = idle, responseRequest{}, "", false
}

func (g *gate) requeue(a responseRequest) { g.waiting = append([]responseRequest{a}, g.waiting...) }
