package faults

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/test/harness"
)

// row is a fault and what came of it.
type row struct {
	name           string
	planned, times int
	missed         int // that reached nothing

	mu            sync.Mutex
	lost, doubled []string
	hung          []string
	good          []time.Duration // to the next good call
	machine       string
	limit         time.Duration // of a call
}

// rows are those of this run, in their order.
var rows []*row

// inject injects a fault so many times, few in a short run. Those that reach nothing are
// tried again, as often as that. The round reports whether the fault reached something.
func inject(t *testing.T, name string, few, many int, round func(r *row) (reached bool)) *row {
	t.Helper()
	r := &row{name: name, planned: harness.Times(few, many), limit: harness.Patience}
	rows = append(rows, r)
	defer func() { r.machine = machine() }()
	began, failed := time.Now(), t.Failed() // by another fault
	for r.times < r.planned && r.missed < r.planned && (*limit == 0 || time.Since(began) < *limit) {
		if round(r) {
			r.times++
		} else {
			r.missed++
		}
		if t.Failed() != failed {
			break
		}
	}
	return r
}

// judge fails the test for what was lost, doubled or hung, and prints the row.
func (r *row) judge(t *testing.T) {
	t.Helper()
	t.Logf("%-40s times %d of %d, reached nothing %d, lost %d, doubled %d, hung %d, p95 %s",
		r.name, r.times, r.planned, r.missed, len(r.lost), len(r.doubled), len(r.hung), r.p95())
	for what, list := range map[string][]string{"lost": r.lost, "doubled": r.doubled, "hung": r.hung} {
		if len(list) > 0 {
			t.Errorf("%s: %d %s: %q", r.name, len(list), what, list[:min(3, len(list))])
		}
	}
}

// compare adds what the ledger finds in the log.
func (r *row) compare(l *harness.Ledger, all []journal.Record) {
	lost, doubled := l.Compare(all)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost, r.doubled = append(r.lost, lost...), append(r.doubled, doubled...)
}

// recovered adds how long the next good call took to come.
func (r *row) recovered(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.good = append(r.good, d)
}

// stuck adds a call without an answer.
func (r *row) stuck(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hung = append(r.hung, fmt.Sprintf(format, args...))
}

// call makes a call and notes the answer, or that none came.
func (r *row) call(c *control.Client, l *harness.Ledger, p control.CallParams) (dispatch.Envelope, error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	var e dispatch.Envelope
	err := c.Call(ctx, control.MethodCall, p, &e)
	if ctx.Err() != nil {
		r.stuck("%s %s", p.Name, p.Arguments)
	}
	if err == nil {
		l.Answered(e)
	}
	return e, err
}

// await waits for the answer of a call that was started.
func (r *row) await(l *harness.Ledger, p *rpc.Pending) {
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	var e dispatch.Envelope
	err := p.Await(ctx, &e)
	if ctx.Err() != nil {
		r.stuck("a call that was started")
	}
	if err == nil {
		l.Answered(e)
	}
}

// p95 is the time that 95 of 100 good calls came within.
func (r *row) p95() string {
	if len(r.good) == 0 {
		return "-"
	}
	sorted := slices.Sorted(slices.Values(r.good))
	d := sorted[(len(sorted)*95+99)/100-1]
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// saw notes the calls that a page saw, each by its id and by its arguments, which only
// one call has.
func saw(l *harness.Ledger, calls []protocol.ActionCall) {
	for _, c := range calls {
		if c.Name == clickName {
			l.Saw(c.CallID)
			l.SawMark(string(c.Arguments))
		}
	}
}
