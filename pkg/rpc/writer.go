package rpc

import (
	"context"
	"io"
	"slices"
	"sync"

	"golang.org/x/exp/jsonrpc2"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
)

// writer queues messages for the one goroutine that owns the stream. What fits
// a frame goes first; the parts of a large message fill the time in between.
type writer struct {
	queue  chan outgoing
	wake   chan struct{} // a large message was added
	failed chan struct{}
	max    int

	mu       sync.Mutex
	parts    bool // the peer takes messages in parts
	lastID   uint64
	large    []*large
	waiting  int                    // bytes of large
	requests map[uint64]jsonrpc2.ID // by the id of their parts, while the answer is awaited
}

// outgoing is a frame to write, or, without data, a request to say when all
// that was queued before it is written.
type outgoing struct {
	data    []byte
	written chan<- struct{}
}

// large is a message in parts, or, without them, the last stage of such a
// request.
type large struct {
	id        uint64
	parts     *nativemsg.Parts
	size      int
	abandoned bool
	written   chan<- struct{}
}

func newWriter(max int) *writer {
	return &writer{
		queue: make(chan outgoing, 64), wake: make(chan struct{}, 1), failed: make(chan struct{}),
		max: max, requests: map[uint64]jsonrpc2.ID{},
	}
}

func (w *writer) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	data, err := encode(msg)
	if err != nil {
		return 0, err
	}
	if len(data) <= w.max {
		return int64(len(data)), w.put(ctx, outgoing{data: data})
	}
	tooLarge := w.inParts(msg, data)
	if tooLarge == nil {
		return int64(len(data)), nil
	}
	response, ok := msg.(*jsonrpc2.Response)
	if !ok {
		return 0, tooLarge.WithDispatched(fault.NotDispatched)
	}
	// The peer waits for an answer: it gets one that says why.
	if data, err = encode(&jsonrpc2.Response{ID: response.ID, Error: tooLarge}); err != nil {
		return 0, err
	}
	return int64(len(data)), w.put(ctx, outgoing{data: data})
}

// inParts queues a message that fits no frame, if it may travel in parts. It
// waits for nobody: other messages must not stand behind it.
func (w *writer) inParts(msg jsonrpc2.Message, data []byte) *fault.Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !w.parts:
		return fault.New(fault.PayloadTooLarge, "the message has %d bytes, the limit is %d", len(data), w.max)
	case w.waiting+len(data) > nativemsg.MaxMessage:
		return fault.New(fault.PayloadTooLarge, "the message has %d bytes, the limit is %d for all that wait", len(data), nativemsg.MaxMessage)
	}
	w.lastID++
	w.waiting += len(data)
	w.large = append(w.large, &large{id: w.lastID, parts: nativemsg.Cut(w.lastID, data, w.max), size: len(data)})
	if request, ok := msg.(*jsonrpc2.Request); ok && request.IsCall() {
		w.requests[w.lastID] = request.ID
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return nil
}

func (w *writer) put(ctx context.Context, item outgoing) error {
	select {
	case <-w.failed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	case w.queue <- item:
		return nil
	}
}

func (w *writer) run(life context.Context, frames *nativemsg.Writer) {
	defer close(w.failed)
	for {
		// Only as many as wait now, so that the large ones come along too.
		for range len(w.queue) {
			if !w.take(<-w.queue, frames) {
				return
			}
		}
		if part := w.part(); part != nil {
			if frames.WriteFrame(part) != nil {
				return
			}
			continue
		}
		select {
		case <-life.Done():
			return
		case <-w.wake:
		case item := <-w.queue:
			if !w.take(item, frames) {
				return
			}
		}
	}
}

// take writes a queued frame. The question when all is written goes behind the
// large messages that are there now.
func (w *writer) take(item outgoing, frames *nativemsg.Writer) bool {
	if item.written == nil {
		return frames.WriteFrame(item.data) == nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.large = append(w.large, &large{written: item.written})
	return true
}

// part gives the next frame of a large message; nil if there is none.
func (w *writer) part() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.large) > 0 {
		l := w.large[0]
		var frame []byte
		switch {
		case l.written != nil:
			close(l.written)
		case l.abandoned:
			frame = l.parts.Abandon()
		default:
			frame = l.parts.Next()
		}
		if l.parts == nil || l.parts.Done() {
			w.large = w.large[1:]
			w.waiting -= l.size
		}
		if frame != nil {
			return frame
		}
	}
	return nil
}

// abandon stops the sending of a request that nobody waits for any more. It
// tells whether that was in time: the peer then never sees the request.
func (w *writer) abandon(request jsonrpc2.ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.IndexFunc(w.large, func(l *large) bool { return l.parts != nil && w.requests[l.id] == request })
	if at < 0 {
		return false
	}
	if l := w.large[at]; l.parts.Begun() {
		l.abandoned = true
	} else {
		w.large = slices.Delete(w.large, at, at+1)
		w.waiting -= l.size
	}
	return true
}

// request gives the request whose parts the peer refused.
func (w *writer) request(part uint64) (jsonrpc2.ID, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, ok := w.requests[part]
	return id, ok
}

// forget ends what is known of a request: its answer has come or does not
// matter any more.
func (w *writer) forget(request jsonrpc2.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for part, id := range w.requests {
		if id == request {
			delete(w.requests, part)
		}
	}
}

// SendParts lets messages that are too large for a frame travel in parts, once
// it is known that the peer takes them.
func (c *Conn) SendParts() {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	c.out.parts = true
}
