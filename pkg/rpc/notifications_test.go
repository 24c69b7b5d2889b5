package rpc

import (
	"context"
	"encoding/json"
	"net"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestCatchUp(t *testing.T) {
	// Ensure that whoever catches up has what the peer told before its answer, however slowly it is taken, does not wait for what comes later, and gives up in time.
	a, b := net.Pipe()
	var far *Conn
	far, err := Connect(t.Context(), b, Options{MaxIn: 1 << 20, MaxOut: 1 << 20, Handler: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		return nil, far.Notify(ctx, "told", nil)
	}})
	if err != nil {
		t.Fatal(err)
	}
	taking, taken := make(chan struct{}), 0
	near, err := Connect(t.Context(), a, Options{MaxIn: 1 << 20, MaxOut: 1 << 20, Handler: func(context.Context, string, json.RawMessage) (any, error) {
		<-taking
		taken++
		return nil, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() })
	for range 2 {
		if err := near.Call(t.Context(), "ask", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := near.WaitForNotifications(short); !fault.Is(err, fault.HandlerTimeout) {
		t.Errorf("while nothing is taken: %v", err)
	}
	close(taking)
	if err := near.WaitForNotifications(t.Context()); err != nil || taken != 2 {
		t.Errorf("%d taken, %v", taken, err)
	}
}

func TestNotificationsCountAsTheyAreRead(t *testing.T) {
	// Ensure that a notification is counted when it is read, before the answer after it can be; one that no handler gets, a call and an answer are not.
	frames := make(chan incoming, 4)
	counted := 0
	r := &reader{frames: frames, local: &localResponses{wake: make(chan struct{}, 1)}, notified: func() { counted++ }}
	for frame, want := range map[string]int{
		`{"jsonrpc":"2.0","method":"told"}`:                                   1,
		`{"jsonrpc":"2.0","method":"` + methodCancel + `","params":{"id":1}}`: 0,
		`{"jsonrpc":"2.0","id":1,"method":"ask"}`:                             0,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                0,
		`{`:                                                                   0,
	} {
		counted = 0
		frames <- incoming{frame: []byte(frame)}
		if _, _, err := r.Read(t.Context()); err != nil || counted != want {
			t.Errorf("%s: counted %d, %v", frame, counted, err)
		}
	}
}
