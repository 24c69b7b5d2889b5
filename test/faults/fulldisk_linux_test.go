package faults

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// fillsOfAHome is how often the disk of one home is filled: its log must not fill it.
const fillsOfAHome = 10

func TestFullDisk(t *testing.T) {
	// Ensure that a disk that fills at a random moment under load, for a host that runs and for one that starts then, has acting calls refused with a code and nothing sent without its intent, and that calls work again once there is room.
	var home *harness.Home
	inject(t, "full disk", 2, 50, func(r *row) bool {
		if home == nil || r.times%fillsOfAHome == 0 {
			home = harness.NewHome(t)
			home.SmallDisk(t, "8m")
		}
		l, b := harness.NewLedger(), &fakes.Browser{Page: page}
		p := home.Ready(t, b, shop, shop)
		w := begin(t, r, home, l, 2, fault.JournalUnavailable)
		w.firstGood(t)
		<-time.After(rand.N(25 * time.Millisecond)) // the random moment
		ballast := home.FillDisk(t)
		harness.Until(t, "a call is refused", func() bool { return w.refused.Load() > 0 })
		if r.times%2 == 1 { // and a start on the full disk
			kill(t, p)
			w.end(t)
			saw(l, b.Calls())
			b = &fakes.Browser{Page: page}
			p = home.Again(t, b, shop, 1, 2)
			w = begin(t, r, home, l, 2, fault.JournalUnavailable)
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		r.goodCall(t, home, l, time.Now())
		w.end(t)
		hangUp(t, p)
		saw(l, b.Calls())
		r.compare(l, home.Records(t))
		return true
	}).judge(t)
}
