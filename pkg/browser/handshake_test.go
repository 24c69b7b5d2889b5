package browser_test

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/test/fakes"
)

// hasty is a profile that uses the connection before its handshake is answered.
type hasty struct {
	early  error
	claims int
}

func (h *hasty) Handshake(ctx context.Context, b *browser.Browser, _ protocol.Handshake) ([]int, error) {
	ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	_, h.early = b.Ping(ctx)
	return []int{1}, nil
}

func (h *hasty) Claim(context.Context, protocol.Tab) ([]int, error) {
	h.claims++
	return nil, nil
}

func (h *hasty) Release(context.Context, int, string) ([]int, error) { return nil, nil }
func (h *hasty) TabChanged(protocol.Tab)                             {}
func (h *hasty) RuntimeReady(int, string)                            {}
func (h *hasty) RuntimeRemoved(int, string)                          {}
func (h *hasty) DOMEvent(protocol.DomEvent)                          {}
func (h *hasty) LauncherClicked(protocol.LauncherClick)              {}
func (h *hasty) Announced(protocol.Announcements)                    {}
func (h *hasty) Refused(error)                                       {}

func TestNothingIsSentBeforeTheHandshakesAnswer(t *testing.T) {
	// Ensure that a request which comes before the handshake is answered waits, says that it was not sent when its time is up, and goes out afterwards; and that a claim is not heard before.
	t.Parallel()
	ours, theirs := net.Pipe()
	profile, fake := &hasty{}, &fakes.Browser{}
	b, err := browser.Connect(t.Context(), ours, "test", profile)
	if err != nil {
		t.Fatal(err)
	}
	if err := fake.Connect(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := fake.Claim(ctx, 1, "https://example.com/"); !fault.Is(err, fault.InvalidMessage) || profile.claims != 0 {
		t.Errorf("a claim before the handshake: %v", err)
	}
	result, err := fake.Handshake(ctx)
	if err != nil || !slices.Equal(result.Claims, []int{1}) {
		t.Fatalf("%+v %v", result, err)
	}
	if f := fault.From(profile.early); f == nil || f.Dispatched != fault.NotDispatched || len(fake.Seen()) != 0 {
		t.Errorf("the early request gave %v; the extension saw %v", profile.early, fake.Seen())
	}
	if _, err := b.Ping(ctx); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := b.Ping(ctx); !fault.Is(err, fault.TransportFailed) {
		t.Errorf("when the connection has ended: %v", err)
	}
}

func (h *hasty) DebuggingCancelled(int) {}
func (h *hasty) RegisterPages(*rpc.Mux) {}
