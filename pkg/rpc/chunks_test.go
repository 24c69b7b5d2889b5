package rpc

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/exp/jsonrpc2"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

const frameLimit = 1 << 12

// raw connects an end to a peer that the test plays frame by frame.
func raw(t *testing.T) (*Conn, net.Conn) {
	t.Helper()
	near, far := net.Pipe()
	c, err := Connect(t.Context(), near, Options{Handler: nothing, MaxIn: 1 << 20, MaxOut: frameLimit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := far.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c, far
}

// readChunk reads a frame that must be a chunk.
func readChunk(t *testing.T, far net.Conn) protocol.MessagePart {
	t.Helper()
	text := readFrame(t, far)
	if len(text) > frameLimit {
		t.Fatalf("a frame of %d bytes", len(text))
	}
	var p protocol.MessagePart
	if err := json.Unmarshal([]byte(text), &p); err != nil || p.Total == 0 {
		t.Fatalf("no chunk: %s, %v", text, err)
	}
	return p
}

// startLarge starts a call that fits no frame.
func startLarge(ctx context.Context, c *Conn) <-chan error {
	done := make(chan error, 1)
	go func() { done <- c.Call(ctx, "large", strings.Repeat(`"\<ä`, frameLimit), nil) }()
	return done
}

func TestPartsNeedAPeerThatTakesThem(t *testing.T) {
	// Ensure that a large message is refused, unsent, unless the peer takes chunks, and that no message is larger than all chunks may be.
	c, _ := raw(t)
	if f := fault.From(<-startLarge(t.Context(), c)); f.Code != fault.PayloadTooLarge || f.Dispatched != fault.NotDispatched {
		t.Fatalf("got %+v", f)
	}
	c.EnableChunks()
	if f := fault.From(c.Call(t.Context(), "huge", strings.Repeat("x", 64<<20), nil)); f.Code != fault.PayloadTooLarge || f.Dispatched != fault.NotDispatched {
		t.Fatalf("got %+v", f)
	}
}

func TestSmallMessagesPassLargeOnes(t *testing.T) {
	// Ensure that a large request arrives as it was, and that a small one does not wait for it.
	c, far := raw(t)
	c.EnableChunks()
	done := startLarge(t.Context(), c)
	first := readChunk(t, far)
	small := make(chan error, 1)
	go func() { small <- c.Notify(t.Context(), "small", nil) }()
	text, passed := first.Data, false
	for next := 1; next < first.Total; {
		frame := readFrame(t, far)
		if strings.Contains(frame, `"method":"small"`) {
			passed = true
			continue
		}
		var p protocol.MessagePart
		if err := json.Unmarshal([]byte(frame), &p); err != nil || p.ID != first.ID || p.Index != next || p.Total != first.Total {
			t.Fatalf("chunk %d is %s, %v", next, frame, err)
		}
		text, next = text+p.Data, next+1
		if next == 3 { // the notification is on its way for sure
			if err := <-small; err != nil {
				t.Fatal(err)
			}
		}
	}
	if !passed {
		t.Error("the small message waited for the large one")
	}
	var request struct {
		ID     int64
		Params string
	}
	if err := json.Unmarshal([]byte(text), &request); err != nil || request.Params != strings.Repeat(`"\<ä`, frameLimit) {
		t.Fatalf("the chunks make %.80s…, %v", text, err)
	}
	writeFrame(far, `{"jsonrpc":"2.0","id":`+jsonText(t, request.ID)+`,"result":1}`)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestAbandonedParts(t *testing.T) {
	// Ensure that a request nobody waits for any more stops, says so to the peer, and counts as never sent.
	c, far := raw(t)
	c.EnableChunks()
	ctx, cancel := context.WithCancel(t.Context())
	done := startLarge(ctx, c)
	first := readChunk(t, far)
	cancel()
	if f := fault.From(<-done); f.Code != fault.Cancelled || f.Dispatched != fault.NotDispatched {
		t.Fatalf("got %+v", f)
	}
	for range 3 { // chunks that were on their way already
		if p := readChunk(t, far); p.Data == "" {
			if p.ID != first.ID {
				t.Errorf("abandoned %d in place of %d", p.ID, first.ID)
			}
			return
		}
	}
	t.Error("the peer was not told")
}

func TestRefusedParts(t *testing.T) {
	// Ensure that a call whose chunks the peer refuses fails at once with the peer's reason.
	c, far := raw(t)
	c.EnableChunks()
	done := startLarge(t.Context(), c)
	first := readChunk(t, far)
	go func() {
		for {
			if _, err := far.Read(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}()
	writeFrame(far, `{"jsonrpc":"2.0","method":"message_refused","params":{"id":`+jsonText(t, first.ID)+
		`,"error":{"code":"payload_too_large","message":"no","dispatched":"no"}}}`)
	if f := fault.From(<-done); f.Code != fault.PayloadTooLarge || f.Dispatched != fault.NotDispatched || f.Message != "no" {
		t.Fatalf("got %+v", f)
	}
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if len(c.out.requests) != 0 {
		t.Errorf("%d requests are remembered", len(c.out.requests))
	}
}

func TestBadAnswersEndTheirCalls(t *testing.T) {
	// Ensure that an answer which is not a strict message ends the call that waits for it.
	for name, answer := range map[string]string{
		"unknown member": `{"jsonrpc":"2.0","id":1,"result":1,"extra":2}`,
		"duplicate key":  `{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}`,
		"no version":     `{"id":1,"error":{"code":1,"message":"x"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c, far := raw(t)
			done := make(chan error, 1)
			go func() { done <- c.Call(t.Context(), "ask", nil, nil) }()
			readFrame(t, far)
			go writeFrame(far, answer)
			if f := fault.From(<-done); f.Code != fault.InvalidMessage || f.Dispatched != fault.DispatchedUnknown {
				t.Fatalf("got %+v", f)
			}
		})
	}
}

func TestCancelledCallsAreForgotten(t *testing.T) {
	// Ensure that calls which were given up are not remembered until the connection ends, though the peer never answers.
	c, far := raw(t)
	go func() {
		for {
			if _, err := far.Read(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}()
	var pending []*Pending
	for range 100 {
		p, err := c.Start(t.Context(), "never", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.Await(ctx, nil); !fault.Is(err, fault.Cancelled) {
			t.Fatal(err)
		}
		pending = append(pending, p)
	}
	for _, p := range pending { // answered on this side, as no other answer comes
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if err := p.call.Await(ctx, nil); err == nil || ctx.Err() != nil {
			t.Fatalf("%v, %v", err, ctx.Err())
		}
		cancel()
	}
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFirstMessageRefuses(t *testing.T) {
	// Ensure that a peer which refuses a message before there is one, with the first frame of the connection, changes nothing.
	c := newConn(Options{Handler: nothing, MaxIn: 1 << 20, MaxOut: 1 << 20})
	r := &jsonrpc2.Request{Method: methodRefuse, Params: json.RawMessage(`{"id":1,"error":{"code":"invalid_message","message":"m"}}`)}
	if answer, err := (preempter{self: c}).Preempt(t.Context(), r); answer != nil || err != nil {
		t.Errorf("got %v, %v", answer, err)
	}
}
