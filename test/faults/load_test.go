package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

const (
	shop      = "https://shop.example.com/"
	clickName = "pointer.click"
)

// page is an ordinary page.
func page(_ context.Context, c protocol.ActionCall) (any, error) { return fakes.Answer(c) }

var clicks atomic.Int64

// click is a call like no other: its place is its own.
func click(tab int) control.CallParams {
	p := harness.Direct(clickName, fmt.Sprintf(`{"x":%d,"y":2}`, clicks.Add(1)))
	p.Target.TabID = tab
	return p
}

// load are clients that call as fast as they can, until their host ends.
type load struct {
	clients   sync.WaitGroup
	good      chan struct{} // closed at the first good answer
	once      sync.Once
	cut       atomic.Int64 // calls that were under way when the host ended
	refused   atomic.Int64 // answers with the code that is looked for
	refusedAs fault.Code
	stop      atomic.Bool
	failures  chan string
}

// begin starts the clients, on two tabs.
func begin(t *testing.T, r *row, home *harness.Home, l *harness.Ledger, clients int, refusedAs fault.Code) *load {
	t.Helper()
	w := &load{good: make(chan struct{}), refusedAs: refusedAs, failures: make(chan string, 1)}
	for i := range clients {
		c := home.Dial(t)
		w.clients.Go(func() {
			defer c.Close()
			w.run(r, c, l, 1+i%2)
		})
	}
	return w
}

func (w *load) run(r *row, c *control.Client, l *harness.Ledger, tab int) {
	for !w.stop.Load() {
		e, err := r.call(c, l, click(tab))
		switch {
		case fault.Is(err, fault.TransportFailed):
			w.cut.Add(1)
			return
		case err == nil && e.OK:
			w.once.Do(func() { close(w.good) })
		case err == nil && w.refusedAs != "" && e.Error.Code == w.refusedAs:
			w.refused.Add(1)
		case err == nil && e.Error.Code == fault.OutcomeUnknown:
			w.cut.Add(1)
		default:
			select {
			case w.failures <- fmt.Sprintf("%v %+v", err, e.Error):
			default:
			}
			return
		}
	}
}

// firstGood waits for the first good answer.
func (w *load) firstGood(t *testing.T) {
	t.Helper()
	select {
	case <-w.good:
	case <-harness.Patient(t).Done():
		t.Fatal("no call is answered")
	}
}

// end waits for the clients, and fails the test for an answer that none may get.
func (w *load) end(t *testing.T) {
	t.Helper()
	w.stop.Store(true)
	w.clients.Wait()
	select {
	case f := <-w.failures:
		t.Errorf("a call under load: %s", f)
	default:
	}
}

// forget empties the home's state, whose host has ended: the next one begins a new log.
func forget(t *testing.T, home *harness.Home) {
	t.Helper()
	if err := os.RemoveAll(filepath.Dir(home.Database())); err != nil {
		t.Fatal(err)
	}
}

// kill ends a host without a word.
func kill(t *testing.T, p *harness.Process) time.Time {
	t.Helper()
	at := time.Now()
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.Ended(t)
	return at
}

// hangUp ends a host as its browser does.
func hangUp(t *testing.T, p *harness.Process) {
	t.Helper()
	p.Stdin.Close()
	p.Ended(t)
}

// goodCall makes a call that must be answered well, and notes how long after the moment
// that was.
func (r *row) goodCall(t *testing.T, home *harness.Home, l *harness.Ledger, since time.Time) {
	t.Helper()
	c := home.Dial(t)
	defer c.Close()
	e, err := r.call(c, l, click(1))
	if err != nil || !e.OK {
		t.Fatalf("%s: the next call: %v %+v", r.name, err, e.Error)
	}
	r.recovered(time.Since(since))
}
