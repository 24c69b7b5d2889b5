package faults

import (
	"os/exec"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// points are the writes, and the syncs, of a commit: pages of data, then the meta page.
const points = 4

func TestStorageFails(t *testing.T) {
	// Ensure that a write, or a sync, of the log that fails at any point of a commit under load has the calls it concerns refused or of unknown outcome, that nothing is sent without its intent, and that calls work again afterwards and after a start.
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not there, by which system calls fail")
	}
	for name, call := range map[string]string{"write fails": "pwrite64", "sync fails": "fdatasync"} {
		inject(t, name, 2, 100, func(r *row) bool {
			home, l, b := harness.NewHome(t), harness.NewLedger(), &fakes.Browser{Page: page}
			p := home.Ready(t, b, shop, shop)
			w := begin(t, r, home, l, 2, fault.JournalUnavailable)
			w.firstGood(t)
			failing := home.FailStorage(t, p, call, 1+r.times%points)
			harness.Until(t, "a call on the log fails", func() bool { return failing.Hit(t) })
			failing.End()
			failed := time.Now()
			w.end(t)
			r.goodCall(t, home, l, failed)
			saw(l, b.Calls())
			hangUp(t, p)
			b = &fakes.Browser{Page: page}
			p = home.Again(t, b, shop, 1, 2)
			r.goodCall(t, home, l, time.Now())
			hangUp(t, p)
			saw(l, b.Calls())
			r.compare(l, home.Records(t))
			return true
		}).judge(t)
	}
}
