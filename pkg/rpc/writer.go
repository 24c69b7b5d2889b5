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
// a frame goes first; the chunks of large messages are sent in between.
type writer struct {
	queue  chan outgoing
	wake   chan struct{} // a large message was added
	failed chan struct{}
	max    int

	mu         sync.Mutex
	chunked    bool // the peer accepts messages in chunks
	lastID     uint64
	large      []*largeMessage
	largeBytes int                    // bytes of large
	requests   map[uint64]jsonrpc2.ID // by the id of their chunks, while the answer is awaited
}

// outgoing is a frame to write or, without data, a request to close written once
// everything queued before it is written.
type outgoing struct {
	data    []byte
	written chan<- struct{}
}

// largeMessage is a message in chunks or, without chunks, the last stage of such a
// request.
type largeMessage struct {
	id        uint64
	chunks    *nativemsg.Chunks
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
		return int64(len(data)), w.enqueue(ctx, outgoing{data: data})
	}
	tooLarge := w.enqueueChunked(msg, data)
	if tooLarge == nil {
		return int64(len(data)), nil
	}
	response, ok := msg.(*jsonrpc2.Response)
	if !ok {
		return 0, tooLarge.WithDispatched(fault.NotDispatched)
	}
	// The peer waits for an answer: it gets the reason.
	if data, err = encode(&jsonrpc2.Response{ID: response.ID, Error: tooLarge}); err != nil {
		return 0, err
	}
	return int64(len(data)), w.enqueue(ctx, outgoing{data: data})
}

// enqueueChunked queues a message that fits no frame, if it may be sent in chunks. It
// never blocks: other messages must not wait behind it.
func (w *writer) enqueueChunked(msg jsonrpc2.Message, data []byte) *fault.Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !w.chunked:
		return fault.New(fault.PayloadTooLarge, "the message has %d bytes, the limit is %d", len(data), w.max)
	case w.largeBytes+len(data) > nativemsg.MaxMessage:
		return fault.New(fault.PayloadTooLarge, "the message has %d bytes, the limit is %d for all that wait", len(data), nativemsg.MaxMessage)
	}
	w.lastID++
	w.largeBytes += len(data)
	w.large = append(w.large, &largeMessage{id: w.lastID, chunks: nativemsg.Split(w.lastID, data, w.max), size: len(data)})
	if request, ok := msg.(*jsonrpc2.Request); ok && request.IsCall() {
		w.requests[w.lastID] = request.ID
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return nil
}

func (w *writer) enqueue(ctx context.Context, item outgoing) error {
	select {
	case <-w.failed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	case w.queue <- item:
		return nil
	}
}

func (w *writer) run(connCtx context.Context, frames *nativemsg.Writer) {
	defer close(w.failed)
	for {
		// Only as many as are queued now, so that large ones progress too.
		for range len(w.queue) {
			if !w.write(<-w.queue, frames) {
				return
			}
		}
		if chunk := w.nextChunk(); chunk != nil {
			if frames.WriteFrame(chunk) != nil {
				return
			}
			continue
		}
		select {
		case <-connCtx.Done():
			return
		case <-w.wake:
		case item := <-w.queue:
			if !w.write(item, frames) {
				return
			}
		}
	}
}

// write writes a queued frame. A request for the end of writing is queued behind
// the large messages that are there now.
func (w *writer) write(item outgoing, frames *nativemsg.Writer) bool {
	if item.written == nil {
		return frames.WriteFrame(item.data) == nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.large = append(w.large, &largeMessage{written: item.written})
	return true
}

// nextChunk returns the next frame of a large message; nil if there is none.
func (w *writer) nextChunk() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.large) > 0 {
		l := w.large[0]
		var frame []byte
		switch {
		case l.written != nil:
			close(l.written)
		case l.abandoned:
			frame = l.chunks.Abandon()
		default:
			frame = l.chunks.Next()
		}
		if l.chunks == nil || l.chunks.Done() {
			w.large = w.large[1:]
			w.largeBytes -= l.size
		}
		if frame != nil {
			return frame
		}
	}
	return nil
}

// abandon stops the sending of a request that is no longer awaited. It reports whether
// that was in time: the peer then never sees the request.
func (w *writer) abandon(request jsonrpc2.ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.IndexFunc(w.large, func(l *largeMessage) bool { return l.chunks != nil && w.requests[l.id] == request })
	if at < 0 {
		return false
	}
	if l := w.large[at]; l.chunks.Started() {
		l.abandoned = true
	} else {
		w.large = slices.Delete(w.large, at, at+1)
		w.largeBytes -= l.size
	}
	return true
}

// requestOf returns the request whose chunks the peer refused.
func (w *writer) requestOf(message uint64) (jsonrpc2.ID, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, ok := w.requests[message]
	return id, ok
}

// forget removes a request whose answer has come or no longer matters.
func (w *writer) forget(request jsonrpc2.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for message, id := range w.requests {
		if id == request {
			delete(w.requests, message)
		}
	}
}

// EnableChunks lets messages that are too large for a frame be sent in chunks, once
// it is known that the peer accepts them.
func (c *Conn) EnableChunks() {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	c.out.chunked = true
}
