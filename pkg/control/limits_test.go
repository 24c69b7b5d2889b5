package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// The limits as the issue has them: tests hold the code to these figures.
const (
	connections = 256
	callsShared = 1024 - 2*connections
	callsOwn    = 64
	waitingOwn  = 100
	sessionsOwn = 64
)

// holding makes the host's page wait until it is let go on.
func holding(t *testing.T, h *host) (letGo func()) {
	open := make(chan struct{})
	h.page = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		select {
		case <-open:
			return json.RawMessage(info), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	closed := false
	letGo = func() {
		if !closed {
			closed = true
			close(open)
		}
	}
	t.Cleanup(letGo)
	return letGo
}

// pipeline sends many calls at once.
func pipeline(t *testing.T, c *control.Client, many int) []*rpc.Pending {
	t.Helper()
	pending := make([]*rpc.Pending, many)
	for i := range pending {
		var err error
		if pending[i], err = c.Start(limited(t), control.MethodCall, pageInfo()); err != nil {
			t.Fatal(err)
		}
	}
	return pending
}

func until(t *testing.T, what string, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !reached(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// wantOverLimit fails unless the error says that a limit was reached, that nothing was done, and
// what to do.
func wantOverLimit(t *testing.T, what string, err error) {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Code != fault.RateLimited || f.Dispatched != fault.NotDispatched || f.NextStep == "" || !f.Retryable {
		t.Errorf("%s: %+v", what, f)
	}
}

func TestCallsOfOneConnection(t *testing.T) {
	// Ensure that of many calls of one client 64 are under way and 100 wait, that all others are refused at once with what to do, that another client notices nothing, and that every call that was admitted is answered.
	h, _, c := started(t)
	letGo := holding(t, h)
	const many = 2000
	pending := pipeline(t, c, many)
	for _, p := range pending[callsOwn+waitingOwn:] {
		wantOverLimit(t, "a call above the limit", p.Await(limited(t), nil))
	}
	until(t, "as many run as may", func() bool { return len(h.dispatcher.Running()) == callsOwn })
	wantOverLimit(t, "a later call", c.Call(limited(t), control.MethodPing, control.Empty{}, nil))
	letGo()
	for _, p := range pending[:callsOwn+waitingOwn] {
		var e dispatch.Envelope
		if err := p.Await(limited(t), &e); err != nil || !e.OK {
			t.Fatalf("an admitted call: %v %+v", err, e.Error)
		}
	}
	if err := c.Call(limited(t), control.MethodPing, control.Empty{}, &control.Pong{}); err != nil {
		t.Errorf("when all are answered: %v", err)
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	// Ensure that a call which is taken back while it waits for its place never runs, and that its place is free again.
	h, server, c := started(t)
	letGo := holding(t, h)
	var ran atomic.Int64
	held := h.page
	h.page = func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		ran.Add(1)
		return held(ctx, c)
	}
	pending := pipeline(t, c, callsOwn+waitingOwn-1)
	ctx, cancel := context.WithCancel(limited(t))
	last, err := c.Start(ctx, control.MethodCall, pageInfo())
	if err != nil {
		t.Fatal(err)
	}
	wantOverLimit(t, "a call above the limit", c.Call(limited(t), control.MethodPing, control.Empty{}, nil))
	cancel()
	if err := last.Await(ctx, nil); !fault.Is(err, fault.Cancelled) {
		t.Fatal(err)
	}
	until(t, "the host has taken it back", func() bool { return server.Admitted() == len(pending) })
	letGo()
	for _, p := range pending {
		if err := p.Await(limited(t), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := ran.Load(); n != callsOwn+waitingOwn-1 {
		t.Errorf("%d calls ran", n)
	}
	until(t, "all places are free", func() bool {
		free := true
		for _, p := range pipeline(t, c, callsOwn+waitingOwn) {
			free = !fault.Is(p.Await(limited(t), nil), fault.RateLimited) && free
		}
		return free
	})
}

func TestCallsOfAllConnections(t *testing.T) {
	// Ensure that however many connections use all places that they share, every connection has two of its own: a client that comes later is served at once, one that asks for more waits.
	h := newHost(t, "p")
	letGo := holding(t, h)
	path := filepath.Join(folder(t), "h.sock")
	serve(t, path, h)
	const greedy = callsShared/(callsOwn-2) + 2
	var pending []*rpc.Pending
	for range greedy {
		pending = append(pending, pipeline(t, dial(t, path), callsOwn)...)
	}
	until(t, "all places are taken", func() bool { return len(h.dispatcher.Running()) == callsShared+2*greedy })
	late := dial(t, path)
	if err := late.Call(limited(t), control.MethodPing, control.Empty{}, &control.Pong{}); err != nil {
		t.Fatal(err)
	}
	pending = append(pending, pipeline(t, late, 5)...)
	until(t, "the late one has its two", func() bool { return len(h.dispatcher.Running()) == callsShared+2*greedy+2 })
	// Another message of the same client that is answered although its places are taken would be one too many.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := late.Call(ctx, control.MethodPing, control.Empty{}, nil); !fault.Is(err, fault.HandlerTimeout) {
		t.Errorf("a third one: %v", err)
	}
	letGo()
	for _, p := range pending {
		var e dispatch.Envelope
		if err := p.Await(limited(t), &e); err != nil || !e.OK {
			t.Fatalf("%v %+v", err, e.Error)
		}
	}
}

func TestConnections(t *testing.T) {
	// Ensure that a client above the limit of connections is told what to do, that those there are notice nothing, and that there is room again when one has gone.
	path := filepath.Join(folder(t), "h.sock")
	serve(t, path, newHost(t, "p"))
	clients := make([]*control.Client, connections)
	for i := range clients {
		clients[i] = dial(t, path)
	}
	for range 3 {
		_, err := control.Dial(limited(t), path)
		wantOverLimit(t, "one connection more", err)
	}
	if _, err := control.Discover(limited(t), filepath.Dir(path)); !fault.Is(err, fault.RateLimited) {
		t.Errorf("who looks for hosts hears %v", err)
	}
	var done control.Stopped
	if err := control.Request(limited(t), path, control.MethodStop, control.StopParams{}, &done); err != nil || done.Code == "" {
		t.Errorf("a stop above the limit: %+v %v", done, err)
	}
	if err := clients[1].Call(limited(t), control.MethodPing, control.Empty{}, &control.Pong{}); err != nil {
		t.Error(err)
	}
	clients[0].Close()
	until(t, "there is room for one", func() bool {
		c, err := control.Dial(limited(t), path)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

func TestSessionsOfOneConnection(t *testing.T) {
	// Ensure that a connection has at most 64 sessions, each of its rights counted, that those it has go on, that what a session says of itself is bounded, and that another connection has its own.
	h := newHost(t, "p")
	h.open = func(p control.SessionParams) *dispatch.Session {
		return &dispatch.Session{ID: p.ID, SessionKind: p.Kind}
	}
	path := filepath.Join(folder(t), "h.sock")
	serve(t, path, h)
	c := dial(t, path)
	use := func(c *control.Client, p control.SessionParams) error {
		return c.Call(limited(t), control.MethodTabs, p, nil)
	}
	in := func(i int) control.SessionParams {
		p := control.SessionParams{Kind: policy.SessionMCP, ID: fmt.Sprint("s", i)}
		if i%2 == 0 {
			p.ID, p.Origins = "", []string{fmt.Sprintf("https://s%d.example", i)}
		}
		return p
	}
	for i := range sessionsOwn {
		if err := use(c, in(i)); err != nil {
			t.Fatal(err)
		}
	}
	wantOverLimit(t, "one more with an id", use(c, in(sessionsOwn+1)))
	wantOverLimit(t, "one more with other rights", use(c, in(sessionsOwn)))
	for i := range sessionsOwn {
		if err := use(c, in(i)); err != nil {
			t.Fatal(err)
		}
	}
	other := dial(t, path)
	if err := use(other, in(sessionsOwn)); err != nil {
		t.Error(err)
	}
	long := control.SessionParams{Kind: policy.SessionMCP, ID: string(make([]byte, 1<<20))}
	if err := use(other, long); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("an id of a megabyte: %v", err)
	}
}

func TestAnnouncedFramesCostNothing(t *testing.T) {
	// Ensure that a hundred clients that announce the largest message and send none of it take no memory worth the name.
	path := filepath.Join(folder(t), "h.sock")
	serve(t, path, newHost(t, "p"))
	good := dial(t, path)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	const clients = 100
	for range clients {
		client := dialRaw(t, path)
		client.send(announced(control.MaxFrame))
	}
	for range clients { // those before it in the queue of connections were accepted
		if err := good.Call(limited(t), control.MethodPing, control.Empty{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if took := int64(heap()) - int64(before); took > clients*(96<<10) {
		t.Errorf("%d announced messages take %d bytes", clients, took)
	}
}
