package doctor

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
)

func TestAwake(t *testing.T) {
	// Ensure that a worker which has dropped nothing is sound, and that one which has dropped forged messages warns with their number by kind and the last sender.
	if h := awake(control.Pong{WorkerUptimeMS: 61_000}); h.Status != OK || h.Message != "awake for 1m1s" {
		t.Errorf("%+v", h)
	}
	for sender, name := range map[string]string{"https://evil.example": "https://evil.example", "": "a page without an origin"} {
		h := awake(control.Pong{Dropped: protocol.DroppedMessages{Keys: 2, Ports: 1, Origin: sender}})
		if want := "dropped 3 forged messages (keys 2, ports 1), the last one from " + name; h.Status != Warning || !strings.HasSuffix(h.Message, want) || h.Fix == "" {
			t.Errorf("%+v", h)
		}
	}
}
