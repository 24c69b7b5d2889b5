package hostproc

import (
	"os"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestStartOnFullDisk(t *testing.T) {
	// Ensure that a host which starts on a full disk serves what only reads, refuses what acts with a code and sends nothing, and acts again once there is room, with the claims that it had.
	t.Parallel()
	home := harness.NewHome(t)
	home.SmallDisk(t, "1m")
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	harness.Must(t, call(t, dial(t, home), clickCall()), nil)
	kill(t, p)

	ballast := home.FillDisk(t)
	p = reconnected(t, home, b, 1)
	c := dial(t, home)
	harness.Must(t, call(t, c, direct("page.info", `{}`)), nil)
	sent := len(b.Calls())
	wantCode(t, call(t, c, clickCall()), fault.JournalUnavailable)
	if n := len(b.Calls()); n != sent {
		t.Errorf("%d calls were sent", n-sent)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	harness.Must(t, call(t, c, clickCall()), nil)
	hangUp(t, p)
	wantClosed(t, records(t, home))
}
