package pagemodel

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Transition is a declared transition from one state to another.
type Transition struct {
	Name          string        `json:"name"`
	Tool          string        `json:"tool,omitempty"` // the action that performs it
	Signal        string        `json:"signal,omitempty"`
	From          string        `json:"from,omitempty"`
	To            string        `json:"to,omitempty"`
	Method        string        `json:"method,omitempty"`
	RateLimit     time.Duration `json:"-"` // least time between two starts; 0 is none
	Preconditions []string      `json:"preconditions,omitempty"`
	Reveals       []string      `json:"reveals,omitempty"`
	DoNotUse      []string      `json:"do_not_use,omitempty"`
	Convergence   Convergence   `json:"-"`
}

// Convergence is when a transition counts as complete. At most one of State,
// Target and Expression is set; with Prose alone it is unknown.
type Convergence struct {
	State       string
	Target      *Target
	Expression  *expr.Expression // over {states, url}
	Prose       string           // the text that the map has
	MaxAttempts int              // how often to try at most; 0: not declared
}

// maxRateLimitDelay bounds a map's rate limit: a typing error must not block an action for
// a day.
const maxRateLimitDelay = 5 * time.Minute

func (s *Model) readTransitions(p jsonnode.Node) {
	for _, o := range s.section(p, "name") {
		t := Transition{
			Name: o.Get("name").Text(), Tool: o.Get("tool").Text(), Signal: o.Get("signal").Text(),
			From: o.Get("from").Text(), To: o.Get("to").Text(), Method: o.Get("method").Text(),
			Preconditions: o.Get("preconditions").Texts(), Reveals: o.Get("reveals").Texts(), DoNotUse: o.Get("do_not_use").Texts(),
		}
		limit := o.Get("rate_limit_ms")
		if n := limit.Integer(); n != nil {
			t.RateLimit = min(time.Duration(*n)*time.Millisecond, maxRateLimitDelay)
		} else if !limit.Absent() {
			s.problem(limit, "rate_limit_ms must be a whole number of milliseconds")
		}
		t.Convergence = s.readConvergence(o.Get("convergence"))
		s.Transitions = append(s.Transitions, t)
	}
}

func (s *Model) readConvergence(p jsonnode.Node) Convergence {
	var c Convergence
	if n := p.Get("max_attempts").Integer(); n != nil {
		c.MaxAttempts = *n
	}
	when := p.Get("complete_when")
	source, isSlot, err := expr.Slot(when.Text())
	if expression := when.Get("expression").Text(); expression != "" {
		if source, isSlot, err = expr.Slot(expression); err == nil && !isSlot {
			source, isSlot = expression, true
		}
	}
	if isSlot && err == nil {
		c.Expression, err = expr.Compile(source)
		c.Prose = source
	}
	if err != nil {
		s.problem(when, fault.From(err).Message)
		return c
	}
	state := firstNonEmpty(when.Text(), when.Get("state").Text())
	switch {
	case c.Expression != nil:
	case s.declares(state):
		c.State = state
	case when.Text() != "":
		c.Prose = when.Text() // not the name of a state, hence prose
	default:
		if t, ok := readTarget(when); ok {
			c.Target = &t
		} else if t, ok := readTarget(when.Get("target")); ok {
			c.Target = &t
		}
	}
	return c
}

// TransitionsOf lists the transitions that an action performs.
func (s *Model) TransitionsOf(tool string) []Transition {
	var list []Transition
	for _, t := range s.Transitions {
		if t.Tool != "" && t.Tool == tool {
			list = append(list, t)
		}
	}
	return list
}

// maxRateDelay is how long a start waits for its turn before it is refused.
const maxRateDelay = 2 * time.Second

// Transitions keeps when each transition was last started in each tab. The
// zero value is ready; it is safe for concurrent use.
type Transitions struct {
	mu   sync.Mutex
	next map[string]time.Time // when the next start is due, by tab, map and name
}

// Start keeps the transition's rate limit: it waits for up to two seconds, and
// beyond that fails with rate_limited, which has retry_after_ms. mapPath
// distinguishes the transitions of two maps that share a name.
func (t *Transitions) Start(ctx context.Context, tabID int, mapPath string, tr Transition) error {
	if tr.RateLimit <= 0 {
		return nil
	}
	wait, err := t.reserve(strconv.Itoa(tabID)+" "+mapPath+" "+tr.Name, tr)
	if err != nil || wait <= 0 {
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fault.From(ctx.Err()).WithDispatched(fault.NotDispatched)
	}
}

// reserve takes the next start and returns how long to wait for it.
func (t *Transitions) reserve(key string, tr Transition) (time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.next == nil {
		t.next = map[string]time.Time{}
	}
	// Entries that are due limit no start any more; closed tabs would else stay.
	for k, due := range t.next {
		if !due.After(now) {
			delete(t.next, k)
		}
	}
	start := now
	if due, ok := t.next[key]; ok {
		start = due
	}
	wait := start.Sub(now)
	if wait > maxRateDelay {
		return 0, fault.New(fault.RateLimited, "the map allows the transition %s once in %v", tr.Name, tr.RateLimit).
			With("transition", tr.Name).With("rate_limit_ms", tr.RateLimit.Milliseconds()).
			With("retry_after_ms", wait.Milliseconds()).WithDispatched(fault.NotDispatched)
	}
	t.next[key] = start.Add(tr.RateLimit)
	return wait, nil
}
