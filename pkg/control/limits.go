package control

import (
	"context"
	"sync"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fairqueue"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// The limits of the socket: what one client asks for must not keep the others from theirs.
const (
	maxConnections = 256
	maxCalls       = 1024 // under way, of all connections
	maxOwnCalls    = 64   // under way, of one connection
	maxOwnWaiting  = 100  // of one connection, beyond those
	maxOwnSessions = 64   // of one connection
	// ownReserved are the calls for which a connection always has a place, whatever the
	// others do.
	ownReserved = 2
	// maxLargeBytes bounds the large frames that are not complete, and as much the parameters
	// of the large requests that are not answered, of all connections.
	maxLargeBytes = 128 << 20
	// largeBytes is the size from which a frame is large; smaller ones are bounded by the
	// number of connections and calls.
	largeBytes = 32 << 10
)

// limits holds what all connections share.
type limits struct {
	calls      *fairqueue.Queue[*connection] // beyond the reserved ones
	unfinished room
	requests   room
}

func newLimits() *limits {
	return &limits{
		calls:      fairqueue.New[*connection](maxCalls - maxConnections*ownReserved),
		unfinished: room{free: maxLargeBytes}, requests: room{free: maxLargeBytes},
	}
}

// room is a number of bytes that connections share.
type room struct {
	mu   sync.Mutex
	free int
}

// take takes bytes and reports whether there were enough.
func (r *room) take(bytes int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if bytes > r.free {
		return false
	}
	r.free -= bytes
	return true
}

func (r *room) giveBack(bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += bytes
}

// ownLimits is what one connection has. It is an [rpc.Limiter].
type ownLimits struct {
	unfinished
	of         *connection
	dispatcher *dispatch.Dispatcher
	shared     *limits
	calls      *fairqueue.Queue[struct{}]
	reserved   chan struct{} // full while the reserved places are taken

	mu       sync.Mutex
	admitted int
}

func newOwnLimits(of *connection, dispatcher *dispatch.Dispatcher, shared *limits, stream *stream) *ownLimits {
	return &ownLimits{
		of: of, dispatcher: dispatcher, shared: shared, calls: fairqueue.New[struct{}](maxOwnCalls), reserved: make(chan struct{}, ownReserved),
		unfinished: unfinished{room: &shared.unfinished, stream: stream},
	}
}

// Admit implements [rpc.Limiter].
func (l *ownLimits) Admit(size int) (rpc.Admission, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.admitted >= maxOwnCalls+maxOwnWaiting {
		return nil, overLimit("this connection has %d calls under way and %d that wait, which are the most it may have", maxOwnCalls, maxOwnWaiting).
			With("limit", maxOwnCalls+maxOwnWaiting).
			WithNextStep("Nothing was done. Wait for an answer to one of the calls under way, then call again.")
	}
	if size < largeBytes {
		size = 0
	}
	if !l.shared.requests.take(size) {
		return nil, noRoom("the requests under way have %d bytes together, which is the limit", maxLargeBytes)
	}
	l.admitted++
	return &admission{limits: l, size: size, stops: l.dispatcher.Stops()}, nil
}

// admission is a request of a connection; it implements [rpc.Admission].
type admission struct {
	limits *ownLimits
	size   int
	stops  uint64 // of the user, when it was admitted
	leave  []func()
}

// Begin implements [rpc.Admission]. What waits when the user stops calls, or is taken back, never runs.
func (a *admission) Begin(ctx context.Context) error {
	leaveOwn, err := a.limits.calls.Acquire(ctx, struct{}{})
	if err != nil {
		return err
	}
	a.leave = append(a.leave, leaveOwn)
	leaveAll, err := a.limits.enter(ctx)
	if err != nil {
		return err
	}
	a.leave = append(a.leave, leaveAll)
	if err := ctx.Err(); err != nil {
		return err // it was taken back while it got its place
	}
	return a.limits.dispatcher.StoppedSince(a.stops)
}

// End implements [rpc.Admission].
func (a *admission) End() {
	for _, leave := range a.leave {
		leave()
	}
	a.limits.shared.requests.giveBack(a.size)
	a.limits.mu.Lock()
	defer a.limits.mu.Unlock()
	a.limits.admitted--
}

// enter waits for a place among the calls of all connections: one that is reserved for this
// connection, or one of those that all share, whichever is free first.
func (l *ownLimits) enter(ctx context.Context) (leave func(), err error) {
	leaveReserved := func() { <-l.reserved }
	select {
	case l.reserved <- struct{}{}:
		return leaveReserved, nil
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type place struct {
		leave func()
		err   error
	}
	shared := make(chan place, 1)
	go func() {
		leave, err := l.shared.calls.Acquire(ctx, l.of)
		shared <- place{leave, err}
	}()
	select {
	case p := <-shared:
		return p.leave, p.err
	case l.reserved <- struct{}{}:
		cancel()
		if p := <-shared; p.err == nil {
			p.leave()
		}
		return leaveReserved, nil
	}
}

// unfinished is what the frame that a connection receives has taken; it implements
// [nativemsg.Room].
type unfinished struct {
	room   *room
	stream *stream
	size   int // of the frame, as far as it has memory
	taken  int
}

// Begin implements [nativemsg.Room].
func (u *unfinished) Begin() { u.stream.limitReading(true) }

// Take implements [nativemsg.Room].
func (u *unfinished) Take(bytes int) error {
	u.size += bytes
	if u.size <= largeBytes {
		return nil
	}
	if !u.room.take(u.size - u.taken) {
		return noRoom("the messages that are being sent have %d bytes together, which is the limit", maxLargeBytes)
	}
	u.taken = u.size
	return nil
}

// End implements [nativemsg.Room].
func (u *unfinished) End() {
	u.room.giveBack(u.taken)
	u.size, u.taken = 0, 0
	u.stream.limitReading(false)
}

func overLimit(format string, args ...any) *fault.Error {
	return fault.New(fault.RateLimited, format, args...).WithDispatched(fault.NotDispatched)
}

func noRoom(format string, args ...any) *fault.Error {
	return overLimit(format, args...).With("max_bytes", maxLargeBytes).
		WithNextStep("Nothing was done. Send the large message again when the others are through, or send less at once.")
}
