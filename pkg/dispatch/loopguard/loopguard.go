// Package loopguard notices that a model goes round in circles: it tells the model so first, and
// refuses the call that led nowhere then.
//
// Rules of this package:
//   - It is pure: no clock, no I/O. A [Guard] is of one session in one tab, and not safe for
//     concurrent use.
//   - [Guard.Check] is asked before a call is sent, [Guard.Note] is told what came of it.
//   - What is counted has the outcome in it: looking again at a page that changes is no loop.
//   - A refusal holds for one call until another one succeeded. The session goes on.
package loopguard

import (
	"fmt"
	"maps"
	"slices"
)

// A Rule names what a call was counted for.
type Rule string

// The rules.
const (
	Repeated      Rule = "repeated"       // the same call with the same outcome
	Alternating   Rule = "alternating"    // two calls in turns
	FailingTarget Rule = "failing_target" // the same primitive fails at the same element for the same reason
	NotRepairable Rule = "not_repairable" // a failure that no further attempt mends
	FailingURL    Rule = "failing_url"    // a GET of one address fails
	SamePoint     Rule = "same_point"     // clicks at one place
	NotScrolling  Rule = "not_scrolling"  // the element is at its end
	SingleRefs    Rule = "single_refs"    // the page is read element by element
)

const (
	recentCalls    = 6
	recentPoints   = 12
	recentArrivals = 5
	pointDistance  = 5 // CSS pixels
	maxCounts      = 32

	repeatNudge      = 3
	nudgeLimit       = 8
	failingNudge     = 2
	failingStop      = 3
	notRepairable    = 2
	failingURLStop   = 3
	samePointNudge   = 5
	samePointStop    = 8
	scrollNudge      = 2
	scrollStop       = 3
	singleRefsNudge  = 3
	singleRefsStop   = 6
	goodCallsToReset = 2
)

// Call is what is known of a call before it is sent.
type Call struct {
	Name      string
	Arguments string // canonical JSON, without the policy_exception_report
	Target    string // the element that it names, as canonical JSON; empty where it names none
	Page      string // on which it is made: what failed on another one may be right here
	Method    string // of a request; empty where the call is none
	URL       string // of a request
	Point     *Point // of a click at a place
	Scrolls   bool
	Acts      bool // it changes the page, which its own output does not show
	SingleRef bool // it reads the page at one element, and is no next page
	Exempt    bool // waiting and taking tasks are made to be repeated
}

// Point is a place in the viewport, in CSS pixels.
type Point struct{ X, Y float64 }

// Outcome is what came of a call.
type Outcome struct {
	Code           string // of the failure; empty where the call succeeded
	NotRecoverable bool   // the failure says that no further attempt helps
	Malformed      bool   // the arguments were refused, which says nothing of the address
	OutputHash     string
	Unmoved        bool   // a scroll that moved nothing
	Arrived        string // the address of the page, where the call led to another one
}

// Nudge is what the model is told beside the result.
type Nudge struct {
	Code Rule
	Text string
}

// Stop is why a call is refused.
type Stop struct {
	Rule  Rule
	Times int
	Last  string // the code of the last failure, or "ok"
}

// Reason returns what went round in circles, for a person.
func (s Stop) Reason() string {
	return fmt.Sprintf("%s, %d times; the last outcome was %s", reasons[s.Rule], s.Times, s.Last)
}

var reasons = map[Rule]string{
	Repeated:      "the same call gave the same result",
	Alternating:   "the same two calls came in turns",
	FailingTarget: "it fails at the same element",
	NotRepairable: "it failed in a way that no further attempt mends",
	FailingURL:    "the address fails",
	SamePoint:     "clicks at one place",
	NotScrolling:  "nothing moves",
	SingleRefs:    "the page is read element by element",
}

// Guard counts the calls of one session in one tab. The zero value is ready to use.
type Guard struct {
	recent   []string // outcomes of the last calls
	points   []Point
	arrivals []string
	counts   map[string]*count // of failures and of scrolls, by what they are of
	stopped  map[string]Stop   // by the call
	last     map[string]string // what came of a call, for a refusal
	reads    int               // of single refs, one after the other
	nudges   int
	good     int // one after the other
}

type count struct {
	rule  Rule
	code  string
	times int
}

// Check returns why the call is not to be sent; nil: it may be.
func (g *Guard) Check(c Call) *Stop {
	if c.Exempt {
		return nil
	}
	key := c.key()
	if stop, ok := g.stopped[key]; ok {
		return &stop
	}
	for scope, limit := range c.limits() {
		if n := g.counts[scope]; n != nil && n.times+1 >= limit {
			return g.stop(key, n.rule, n.times+1, n.code)
		}
	}
	if c.SingleRef && g.reads+1 >= singleRefsStop {
		return g.stop(key, SingleRefs, g.reads+1, "")
	}
	if c.Point != nil {
		if n := g.near(*c.Point) + 1; n >= samePointStop {
			return g.stop(key, SamePoint, n, "")
		}
	}
	return nil
}

func (g *Guard) stop(key string, rule Rule, times int, code string) *Stop {
	if code == "" {
		code = g.last[key]
	}
	if code == "" {
		code = "ok"
	}
	s := Stop{rule, times, code}
	put(&g.stopped, key, s)
	return &s
}

// limits returns what is counted of a call before it is sent, with the time that is refused.
func (c Call) limits() map[string]int {
	all := map[string]int{c.scope(FailingTarget): failingStop, c.scope(NotRepairable): notRepairable}
	if c.isGet() {
		all[c.scope(FailingURL)] = failingURLStop
	}
	if c.Scrolls {
		all[c.scope(NotScrolling)] = scrollStop
	}
	return all
}

// Note counts the call and returns what the model should be told; nil: nothing.
func (g *Guard) Note(c Call, o Outcome) *Nudge {
	if o.Arrived != "" && g.Arrive(o.Arrived) {
		return nil
	}
	if c.Exempt {
		return nil
	}
	key := c.key()
	put(&g.last, key, o.Code)
	if o.Code == "" {
		g.release(key)
	}
	nudge := g.countFailures(c, o)
	for _, next := range []*Nudge{g.countScroll(c, o), g.countPoint(c), g.countReads(c), g.countRepeats(c, o)} {
		if nudge == nil {
			nudge = next
		}
	}
	g.settle(key, o, nudge)
	return nudge
}

// Arrive notes the address of a page that the tab has reached, and reports whether it is another one
// than the last ones were; then all begins anew. A revisit leaves the counts, so that going to and
// fro stays visible.
func (g *Guard) Arrive(address string) bool {
	if slices.Contains(g.arrivals, address) {
		return false
	}
	*g = Guard{arrivals: last(append(g.arrivals, address), recentArrivals)}
	return true
}

// release lets calls go on that were refused: another one succeeded.
func (g *Guard) release(succeeded string) {
	for key := range g.stopped {
		if key != succeeded {
			*g = Guard{arrivals: g.arrivals}
			return
		}
	}
}

// settle counts nudges: too many refuse the call that got the last one. Two good calls after each
// other take them back, and what failed at elements: the page is another one by then.
func (g *Guard) settle(key string, o Outcome, nudge *Nudge) {
	if nudge == nil {
		if g.good++; o.Code != "" {
			g.good = 0
		}
		if g.good >= goodCallsToReset {
			g.nudges = 0
			maps.DeleteFunc(g.counts, func(_ string, n *count) bool { return n.rule == FailingTarget })
		}
		return
	}
	g.good = 0
	if g.nudges++; g.nudges >= nudgeLimit {
		g.stop(key, nudge.Code, g.nudges, o.Code)
	}
}

func (g *Guard) add(scope string, rule Rule, code string) int {
	n := g.counts[scope]
	if n == nil || n.code != code {
		n = &count{rule: rule, code: code}
		put(&g.counts, scope, n)
	}
	n.times++
	return n.times
}

// put bounds what a model can make a guard remember.
func put[V any](m *map[string]V, key string, value V) {
	if *m == nil || len(*m) >= maxCounts {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

func last[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }

func abs(x float64) float64 { return max(x, -x) }
