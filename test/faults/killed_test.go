package faults

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// killsOfALog is how often a host is killed before its log is compared and a new one begun.
const killsOfALog = 20

func TestKilled(t *testing.T) {
	// Ensure that kill -9 of the host at random moments, under the load of four clients, loses and doubles nothing and leaves no client waiting.
	home := harness.NewHome(t)
	var l *harness.Ledger // nil: nothing to compare
	var killed time.Time
	finish := func(r *row) {
		if l == nil {
			return
		}
		p := home.Ready(t, &fakes.Browser{}, shop) // closes what the last kill left open
		hangUp(t, p)
		r.compare(l, home.Records(t))
		l = nil
	}
	r := inject(t, "host killed under load", 10, 1000, func(r *row) bool {
		if r.times%killsOfALog == 0 {
			finish(r)
		}
		first := l == nil
		if first {
			forget(t, home)
			l = harness.NewLedger()
		}
		b := &fakes.Browser{Page: page}
		p := home.Ready(t, b, shop, shop)
		if !first {
			r.goodCall(t, home, l, killed)
		}
		w := begin(t, r, home, l, 4, "")
		w.firstGood(t)
		<-time.After(rand.N(25 * time.Millisecond)) // the random moment
		killed = kill(t, p)
		w.end(t)
		saw(l, b.Calls())
		return w.cut.Load() > 0
	})
	finish(r)
	r.judge(t)
}
