package faults

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestTwoHosts(t *testing.T) {
	// Ensure that a second host of a profile is refused while the first one works, that it takes over when that is killed at a random moment, and that nothing is lost or done by both.
	home := harness.NewHome(t)
	inject(t, "second host of a profile", 2, 50, func(r *row) bool {
		l := harness.NewLedger()
		first, second := &fakes.Browser{Page: page}, &fakes.Browser{Page: page}
		p := home.Ready(t, first, shop, shop)
		w := begin(t, r, home, l, 2, "")
		w.firstGood(t)
		other := home.Start(t, second)
		greeted := make(chan error, 1)
		go func() {
			_, err := second.Handshake(harness.Patient(t))
			greeted <- err
		}()
		early, refused := time.After(rand.N(4*time.Second)), false
		select { // the random moment, or after the second one has waited as long as it does
		case <-early:
		case err := <-greeted:
			greeted <- err
		}
		killed := kill(t, p)
		w.end(t)
		err := <-greeted
		if fault.Is(err, fault.DatabaseLocked) {
			refused = true
			_, err = second.Handshake(harness.Patient(t))
		}
		if err == nil {
			err = second.Claim(harness.Patient(t), 1, shop)
		}
		if err != nil {
			t.Errorf("the second host: refused before %t, then %v", refused, err)
			return true
		}
		r.goodCall(t, home, l, killed)
		hangUp(t, other)
		saw(l, first.Calls())
		saw(l, second.Calls())
		r.compare(l, home.Records(t))
		return w.cut.Load() > 0
	}).judge(t)
}
