package faults

import (
	"context"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestCounts(t *testing.T) {
	// Ensure that the table can count: an answer without its outcome, or whose call was interrupted, and an action without its intent are lost; what was seen or has ended twice is doubled; what is refused as not sent is neither.
	intent, outcome := journal.Record{Type: journal.TypeIntent, CallID: "a"}, journal.Record{Type: journal.TypeOutcome, CallID: "a"}
	interrupted := journal.Record{Type: journal.TypeInterrupted, CallID: "a"}
	answer := func(l *harness.Ledger) { l.Answered(dispatch.Envelope{OK: true, CallID: "a"}) }
	refuse := func(sent fault.Dispatched) func(*harness.Ledger) {
		return func(l *harness.Ledger) {
			l.Answered(dispatch.Envelope{CallID: "a", Error: &fault.Error{Code: fault.JournalUnavailable, Dispatched: sent}})
		}
	}
	see := func(l *harness.Ledger) { l.Saw("a") }
	mark := func(l *harness.Ledger) { l.SawMark("here") }
	for name, c := range map[string]struct {
		did           []func(*harness.Ledger)
		log           []journal.Record
		lost, doubled int
	}{
		"all is well":                    {[]func(*harness.Ledger){answer, see, mark}, []journal.Record{intent, outcome}, 0, 0},
		"answered and not logged":        {[]func(*harness.Ledger){answer}, nil, 1, 0},
		"answered without its outcome":   {[]func(*harness.Ledger){answer}, []journal.Record{intent}, 1, 0},
		"answered and interrupted":       {[]func(*harness.Ledger){answer}, []journal.Record{intent, interrupted}, 1, 0},
		"seen without its intent":        {[]func(*harness.Ledger){see}, nil, 1, 0},
		"failed after it was sent":       {[]func(*harness.Ledger){refuse(fault.WasDispatched)}, nil, 1, 0},
		"refused before":                 {[]func(*harness.Ledger){refuse(fault.NotDispatched)}, nil, 0, 0},
		"seen twice":                     {[]func(*harness.Ledger){see, see}, []journal.Record{intent, outcome}, 0, 1},
		"made again under a new call id": {[]func(*harness.Ledger){mark, mark}, nil, 0, 1},
		"ended twice":                    {nil, []journal.Record{intent, outcome, interrupted}, 0, 1},
	} {
		l := harness.NewLedger()
		for _, do := range c.did {
			do(l)
		}
		if lost, doubled := l.Compare(c.log); len(lost) != c.lost || len(doubled) != c.doubled {
			t.Errorf("%s: lost %q, doubled %q", name, lost, doubled)
		}
	}
}

func TestCountsWhatHangs(t *testing.T) {
	// Ensure that a call without an answer within its limit is counted as hung.
	home := harness.NewHome(t)
	home.Ready(t, &fakes.Browser{Page: func(ctx context.Context, _ protocol.ActionCall) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}, shop)
	r := &row{limit: 100 * time.Millisecond}
	if _, err := r.call(home.Dial(t), harness.NewLedger(), click(1)); err == nil || len(r.hung) != 1 {
		t.Errorf("%v, hung %q", err, r.hung)
	}
}
