package faults

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// Another client makes so many calls beside an attack, and goes on while it does.
const leastBeside, mostBeside = 5, 100

// attack begins what a hostile client does. Over is closed when it has done it; end waits
// for that or cuts it off.
type attack func(t *testing.T, r *row, home *harness.Home, l *harness.Ledger) (over <-chan struct{}, end func())

func TestHostileClients(t *testing.T) {
	// Ensure that whatever one client does, the calls of another one are answered, and that nothing is lost or doubled, of the hostile client's own calls neither.
	for _, c := range []struct {
		name string
		run  attack
	}{
		{"half a length", func(t *testing.T, _ *row, home *harness.Home, _ *harness.Ledger) (<-chan struct{}, func()) {
			return raw(t, home, []byte{1, 0})
		}},
		{"frame announced, not sent", func(t *testing.T, _ *row, home *harness.Home, _ *harness.Ledger) (<-chan struct{}, func()) {
			return raw(t, home, binary.NativeEndian.AppendUint32(nil, control.MaxFrame))
		}},
		{"2,000 calls at once", pipelined},
		{"10,000 sessions", manySessions},
		{"reads no answer", silent},
	} {
		home, l := harness.NewHome(t), harness.NewLedger()
		b := &fakes.Browser{Page: page}
		p := home.Ready(t, b, shop, shop)
		other := home.Dial(t)
		inject(t, "client: "+c.name, 2, 50, func(r *row) bool {
			over, end := c.run(t, r, home, l)
			for i := 0; i < leastBeside || i < mostBeside && !isClosed(over); i++ {
				began := time.Now()
				if e, err := r.call(other, l, of(click(2), "other")); err != nil || !e.OK {
					t.Fatalf("%s: another client: %v %+v", c.name, err, e.Error)
				}
				r.recovered(time.Since(began))
			}
			end()
			return true
		}).finish(t, home, l, p, b)
	}
}

// finish ends the host, compares its log and judges the row.
func (r *row) finish(t *testing.T, home *harness.Home, l *harness.Ledger, p *harness.Process, b *fakes.Browser) {
	t.Helper()
	hangUp(t, p)
	saw(l, b.Calls())
	r.compare(l, home.Records(t))
	r.judge(t)
}

func isClosed(over <-chan struct{}) bool {
	select {
	case <-over:
		return true
	default:
		return false
	}
}

// of puts a call into a session of its own.
func of(p control.CallParams, session string) control.CallParams {
	p.Session = control.SessionParams{Kind: policy.SessionMCP, ID: session}
	return p
}

// raw opens fifty connections that send the bytes and no more.
func raw(t *testing.T, home *harness.Home, bytes []byte) (over <-chan struct{}, end func()) {
	t.Helper()
	var open []net.Conn
	for range 50 {
		conn, err := net.Dial("unix", home.Socket())
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
		if _, err := conn.Write(bytes); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	close(done)
	return done, func() {
		for _, conn := range open {
			conn.Close()
		}
	}
}

// pipelined sends 2,000 calls without waiting, of which those over the limit are refused.
func pipelined(t *testing.T, r *row, home *harness.Home, l *harness.Ledger) (over <-chan struct{}, end func()) {
	t.Helper()
	c := home.Dial(t)
	ctx, pending := harness.Patient(t), make([]*rpc.Pending, 2000)
	for i := range pending {
		var err error
		if pending[i], err = c.Start(ctx, control.MethodCall, of(click(1), "greedy")); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, p := range pending {
			r.await(l, p)
		}
	}()
	return done, func() {
		<-done
		c.Close()
	}
}

// manySessions asks for 10,000 sessions, of which those over the limit are refused.
func manySessions(t *testing.T, r *row, home *harness.Home, l *harness.Ledger) (over <-chan struct{}, end func()) {
	t.Helper()
	c := home.Dial(t)
	done, refused := make(chan struct{}), 0
	ctx := harness.Patient(t)
	go func() {
		defer close(done)
		for i := range 10_000 {
			err := c.Call(ctx, control.MethodTabs, control.SessionParams{Kind: policy.SessionMCP, ID: fmt.Sprint("s", i)}, nil)
			if err != nil {
				refused++
			}
		}
	}()
	return done, func() {
		<-done
		if refused != 10_000-64 {
			t.Errorf("%d sessions were refused", refused)
		}
		c.Close()
	}
}

// silent sends calls and never reads an answer.
func silent(t *testing.T, _ *row, home *harness.Home, _ *harness.Ledger) (over <-chan struct{}, end func()) {
	t.Helper()
	stream, err := net.Dial("unix", home.Socket())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 3000 {
			text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": control.MethodCall, "params": of(click(1), "silent")})
			if err != nil {
				return
			}
			if _, err := stream.Write(append(binary.NativeEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
				return // the host has ended the connection
			}
		}
	}()
	return done, func() {
		stream.Close() // the host ends it, too, but only when nothing was read for a while
		<-done
	}
}
