package hostproc

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// of puts a call into a session of its own.
func of(p control.CallParams, session string) control.CallParams {
	p.Session = control.SessionParams{Kind: policy.SessionMCP, ID: session}
	return p
}

func TestLaneGoesRoundTheSessions(t *testing.T) {
	// Ensure that a client that sends two thousand calls to a tab has those above its limit refused with what to do, and that a call of another client to the same tab waits for two of them at most, though it came last, twice; and that the popup's stop ends all that wait, in the tab's queue and at the socket.
	t.Parallel()
	home := harness.NewHome(t)
	g := gate{make(chan protocol.ActionCall, 10), make(chan struct{})}
	b := &fakes.Browser{Page: g.page}
	home.Ready(t, b, shop)
	greedy, modest := dial(t, home), dial(t, home)
	const many, admitted = 2000, 64 + 100
	pending := make([]*rpc.Pending, many)
	for i := range pending {
		var err error
		if pending[i], err = greedy.Start(patient(t), control.MethodCall, of(clickCall(), "greedy")); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range pending[admitted:] {
		f := fault.From(p.Await(patient(t), nil))
		if f == nil || f.Code != fault.RateLimited || f.NextStep == "" || f.Dispatched != fault.NotDispatched {
			t.Fatalf("a call above the limit: %+v", f)
		}
	}
	wait(t, "the first call of the greedy client runs", g.arrived)
	for range 2 {
		answer := async(t, modest, of(direct("page.info", `{}`), "modest"))
		harness.Until(t, "the modest call is in the tab's queue", func() bool { return underWay(t, b)["mcp:modest"] == 1 })
		before := 1 // one runs when it comes
		for {
			g.open <- struct{}{}
			if arrived := wait(t, "the next call arrives", g.arrived); arrived.Name == "page.info" {
				break
			}
			before++
		}
		if before > 2 {
			t.Errorf("it waited for %d calls of the other client", before)
		}
		g.open <- struct{}{}
		harness.Must(t, wait(t, "its answer", answer), nil)
		wait(t, "the greedy client goes on", g.arrived)
	}
	if n := underWay(t, b)["mcp:greedy"]; n != 64 {
		t.Errorf("%d calls are under way", n)
	}
	seen := len(b.Calls())
	if err := b.Conn.Call(patient(t), protocol.MethodUIStop, protocol.CallsStop{}, &json.RawMessage{}); err != nil {
		t.Fatal(err)
	}
	stopped := 0
	for _, p := range pending[:admitted] {
		var e dispatch.Envelope
		err := p.Await(patient(t), &e)
		if e.OK {
			continue
		}
		if err == nil {
			err = e.Error
		}
		if f := fault.From(err); f.Code != fault.Cancelled || f.Message != "the user stopped the call in the popup" {
			t.Fatalf("a call that was stopped: %+v", f)
		}
		stopped++
	}
	// The page had those that were answered, the two of the modest client, and the one that was stopped in it.
	if n := len(b.Calls()); n != seen || n != admitted-stopped+2+1 {
		t.Errorf("the page had %d calls before the stop and %d after it; %d were stopped", seen, n, stopped)
	}
}

// underWay returns how many calls of each session have come to a tab, as the popup shows them.
func underWay(t *testing.T, b *fakes.Browser) map[string]int {
	t.Helper()
	var view struct {
		Running []dispatch.Running `json:"running"`
	}
	var text json.RawMessage
	for range 2 { // a call is in the queue soon after it has its tab: not later than the second view
		if err := b.Conn.Call(patient(t), protocol.MethodUIView, protocol.Empty{}, &text); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal(text, &view); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, call := range view.Running {
		if call.TabID != 0 {
			count[call.SessionID]++
		}
	}
	return count
}

func TestLimitsOfTheSocket(t *testing.T) {
	// Ensure that a host whose connections are all taken, a hundred of them with a message announced and not sent and fifty with half a length, refuses one more with what to do, serves those it has, and ends with its browser as ever.
	t.Parallel()
	home := harness.NewHome(t)
	p := home.Ready(t, &fakes.Browser{Page: page}, shop)
	c := dial(t, home)
	const connections = 256
	for i := range connections - 1 {
		conn, err := (&net.Dialer{}).DialContext(patient(t), "unix", home.Socket())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		length := binary.NativeEndian.AppendUint32(nil, control.MaxFrame)
		switch {
		case i < 100:
		case i < 150:
			length = length[:2]
		default:
			length = nil
		}
		if _, err := conn.Write(length); err != nil {
			t.Fatal(err)
		}
	}
	_, err := control.Dial(patient(t), home.Socket())
	if f := fault.From(err); f == nil || f.Code != fault.RateLimited || f.NextStep == "" {
		t.Errorf("one connection more: %+v", f)
	}
	if r := home.Run(t, "call", "page.info", "--json"); !strings.Contains(r.Stdout+r.Stderr, string(fault.RateLimited)) {
		t.Errorf("the terminal prints %s %s", r.Stdout, r.Stderr)
	}
	harness.Must(t, call(t, c, clickCall()), nil)
	hangUp(t, p)
	wantClosed(t, records(t, home))
}

func TestSessionsOfOneClient(t *testing.T) {
	// Ensure that a client that opens two thousand sessions gets 64 and is told what to do for the others, that another client's calls are answered meanwhile, and that the end of all 64 is on record when it has gone.
	t.Parallel()
	home := harness.NewHome(t)
	p := home.Ready(t, &fakes.Browser{Page: page}, shop)
	greedy, other := dial(t, home), dial(t, home)
	const many = 2000
	refused := 0
	for i := range many {
		session := control.SessionParams{Kind: policy.SessionMCP, ID: fmt.Sprint("s", i)}
		if err := greedy.Call(patient(t), control.MethodTabs, session, nil); err != nil {
			if f := fault.From(err); f.Code != fault.RateLimited || f.NextStep == "" {
				t.Fatalf("session %d: %+v", i, f)
			}
			refused++
		}
		if i%200 == 0 {
			harness.Must(t, call(t, other, clickCall()), nil)
		}
	}
	if refused != many-64 {
		t.Errorf("%d sessions were refused", refused)
	}
	greedy.Close()
	harness.Until(t, "all its sessions have ended", func() bool {
		var page control.LogPage
		if err := other.Call(patient(t), control.MethodLog, control.LogParams{Filter: journal.Filter{Types: []string{journal.TypeSessionEnded}}}, &page); err != nil {
			t.Fatal(err)
		}
		return len(page.Records) == 64
	})
	hangUp(t, p)
	wantClosed(t, records(t, home))
}
