package loopguard

import "fmt"

func (g *Guard) countFailures(c Call, o Outcome) *Nudge {
	target := c.scope(FailingTarget)
	if o.Code == "" {
		delete(g.counts, target)
		delete(g.counts, c.scope(NotRepairable))
		delete(g.counts, c.scope(FailingURL))
		return nil
	}
	if o.NotRecoverable {
		g.add(c.scope(NotRepairable), NotRepairable, o.Code)
	}
	if c.isGet() {
		if !o.Malformed {
			g.add(c.scope(FailingURL), FailingURL, o.Code)
		}
		return nil
	}
	if n := g.add(target, FailingTarget, o.Code); n == failingNudge {
		return &Nudge{FailingTarget, fmt.Sprintf("%s has failed here %d times with %s: read the page, and choose another element or another way.", c.Name, n, o.Code)}
	}
	return nil
}

func (g *Guard) countScroll(c Call, o Outcome) *Nudge {
	if !c.Scrolls || o.Code != "" {
		return nil
	}
	scope := c.scope(NotScrolling)
	if !o.Unmoved {
		delete(g.counts, scope)
		return nil
	}
	if n := g.add(scope, NotScrolling, ""); n == scrollNudge {
		return &Nudge{NotScrolling, "Nothing moved: it is at its end, or something else scrolls. Read the page instead of scrolling it."}
	}
	return nil
}

func (g *Guard) countPoint(c Call) *Nudge {
	if c.Point == nil {
		return nil
	}
	n := g.near(*c.Point) + 1
	g.points = last(append(g.points, *c.Point), recentPoints)
	if n < samePointNudge {
		return nil
	}
	return &Nudge{SamePoint, fmt.Sprintf("That were %d clicks at one place: look at what they changed, or click the element by its ref.", n)}
}

// near returns how many of the last clicks were at the place.
func (g *Guard) near(p Point) (n int) {
	for _, q := range g.points {
		if abs(p.X-q.X) <= pointDistance && abs(p.Y-q.Y) <= pointDistance {
			n++
		}
	}
	return n
}

func (g *Guard) countReads(c Call) *Nudge {
	if !c.SingleRef {
		g.reads = 0
		return nil
	}
	if g.reads++; g.reads != singleRefsNudge {
		return nil
	}
	return &Nudge{SingleRefs, "The page is read element by element: one snapshot of all of it, with its next pages, costs less."}
}

func (g *Guard) countRepeats(c Call, o Outcome) *Nudge {
	key := c.key() + "\n" + o.Code + "\n" + o.OutputHash
	g.recent = last(append(g.recent, key), recentCalls)
	times := 0
	for _, other := range g.recent {
		if other == key {
			times++
		}
	}
	if times >= repeatNudge {
		text := "%s gave the same result %d times: it will not change by asking again."
		if c.Acts {
			text = "%s was done %d times, and nothing was looked at that had changed: look at the page before going on."
		}
		return &Nudge{Repeated, fmt.Sprintf(text, c.Name, times)}
	}
	if n := len(g.recent); n >= 4 {
		a, b := g.recent[n-4], g.recent[n-3]
		if a != b && g.recent[n-2] == a && g.recent[n-1] == b {
			return &Nudge{Alternating, "The same two calls came in turns with the same results: do something else."}
		}
	}
	return nil
}
