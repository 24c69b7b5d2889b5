package hostproc

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// rounds is how often the host is killed.
const rounds = 30

func TestKilledUnderLoad(t *testing.T) {
	// Ensure that kill -9 at random moments loses nothing that was acknowledged: every answered call has intent and outcome, every call that the page saw has an intent, what was open is closed as interrupted and never sent again, and the chain is whole.
	t.Parallel()
	home := harness.NewHome(t)
	home.Map(t, "public", "shop.example.com", "s", mapOf("flow.clicks", workflow("",
		step("a", "pointer.click", `,"args":{"x":1,"y":1}`), step("b", "page.info", ""), step("c", "pointer.click", `,"args":{"x":1,"y":1}`))))
	l := harness.NewLedger()
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		round(t, home, l, time.Duration(random.IntN(25_000))*time.Microsecond)
		compare(t, l, records(t, home))
	}
	// The last start closes what the last kill left open.
	p := home.Ready(t, &fakes.Browser{}, shop)
	hangUp(t, p)
	all := records(t, home)
	wantClosed(t, all)
	counts := map[string]int{}
	for _, r := range all {
		counts[r.Type]++
	}
	t.Logf("%d calls acknowledged, %d seen by the page; records %v", l.Good(), l.Seen(), counts)
	if l.Good() < rounds || counts[journal.TypeInterrupted] == 0 {
		t.Error("the load was too small to show anything")
	}
}

// round starts a host, lets four clients call as fast as they can, and kills it
// the given time after the first answer.
func round(t *testing.T, home *harness.Home, l *harness.Ledger, after time.Duration) {
	t.Helper()
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop, shop)
	first, once := make(chan struct{}), sync.Once{}
	var clients sync.WaitGroup
	for i := range 4 {
		c := dial(t, home)
		p := at(clickCall(), 1+i%2)
		if i == 3 {
			p = at(control.CallParams{Session: p.Session, Name: dispatch.SiteTool, Arguments: []byte(`{"mode":"call","action":"flow.clicks"}`)}, 2)
		}
		clients.Go(func() {
			for {
				var e dispatch.Envelope
				if err := c.Call(patient(t), control.MethodCall, p, &e); err != nil {
					if f := fault.From(err); f.Code != fault.TransportFailed {
						t.Errorf("a killed host gives %v", err)
					}
					return
				}
				if !e.OK {
					t.Errorf("%+v", e.Error)
					return
				}
				l.Answered(e)
				once.Do(func() { close(first) })
			}
		})
	}
	wait(t, "the first call is answered", first)
	<-time.After(after) // the random moment
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.Ended(t)
	clients.Wait()
	for _, c := range b.Calls() {
		if c.Name == "pointer.click" {
			l.Saw(c.CallID)
		}
	}
}

// compare checks the log, whose chain is whole already, against the ledger.
func compare(t *testing.T, l *harness.Ledger, all []journal.Record) {
	t.Helper()
	for i, r := range all {
		if r.Seq != uint64(i+1) {
			t.Fatalf("record %d has the number %d", i+1, r.Seq)
		}
	}
	if lost, doubled := l.Compare(all); len(lost)+len(doubled) > 0 {
		t.Fatalf("lost: %q, doubled: %q", lost, doubled)
	}
}

func TestKilledDuringATerminalCall(t *testing.T) {
	// Ensure that somebody at a terminal whose host is killed learns that the outcome is unknown, and that the next host closes the intent and does not repeat the call.
	t.Parallel()
	home := harness.NewHome(t)
	page, started, _ := blocking("pointer.click")
	p := home.Ready(t, &fakes.Browser{Page: page}, shop)
	answer := terminal(t, home, "call", "pointer.click", `{"x":1,"y":1}`, "--json")
	wait(t, "the page gets the call", started)
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.Ended(t)
	f := wantCode(t, envelopeOf(t, wait(t, "the caller gets an answer", answer)), fault.OutcomeUnknown)
	if f.Retryable || f.Dispatched != fault.DispatchedUnknown {
		t.Errorf("the caller is told %+v", f)
	}
	again := &fakes.Browser{}
	hangUp(t, home.Ready(t, again, shop))
	if len(again.Calls()) != 0 {
		t.Errorf("the next host sent %+v", again.Calls())
	}
	all := records(t, home)
	wantClosed(t, all)
	for _, r := range all {
		if r.Type == journal.TypeInterrupted && r.Name == "pointer.click" {
			return
		}
	}
	t.Error("no record says that the click was interrupted")
}
