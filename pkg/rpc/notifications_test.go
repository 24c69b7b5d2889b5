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
