package browser

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestMedia(t *testing.T) {
	// Ensure that each method asks the extension for what it says, and that a refusal keeps its reason and next step.
	var asked []string
	refusal := fault.New(fault.MicrophoneUnavailable, "no").With("reason", "no_microphone").WithNextStep("Connect one.")
	b, w := greeted(t, func(_ context.Context, method string, params json.RawMessage) (any, error) {
		asked = append(asked, method+" "+string(params))
		if method == protocol.MethodMediaOffer {
			return protocol.MediaOffer{SDP: "offer"}, nil
		}
		return protocol.Ping{}, nil
	})
	ctx, m := limited(t), b.Media()
	if sdp, err := m.Offer(ctx); err != nil || sdp != "offer" {
		t.Errorf("offer %q, %v", sdp, err)
	}
	for _, err := range []error{m.Accept(ctx, "answer"), m.Mute(ctx, true, false), m.Close(ctx)} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{"media_offer {}", `media_answer {"sdp":"answer"}`, `media_mute {"input":true,"output":false}`, "media_close {}"}
	for i := range want {
		if len(asked) != len(want) || asked[i] != want[i] {
			t.Fatalf("asked %q, not %q", asked, want)
		}
	}
	w.answer = func(context.Context, string, json.RawMessage) (any, error) { return nil, refusal }
	if _, err := m.Offer(ctx); !fault.Is(err, fault.MicrophoneUnavailable) || fault.From(err).NextStep != "Connect one." || fault.From(err).Evidence["reason"] != "no_microphone" {
		t.Errorf("a refused offer gave %v", err)
	}
}

func TestMediaLost(t *testing.T) {
	// Ensure that a call that broke is told once with its reason, that a good state is none, and that nothing of a former call is told of the next one.
	b, w := greeted(t, func(context.Context, string, json.RawMessage) (any, error) {
		return protocol.MediaOffer{SDP: "offer"}, nil
	})
	tell := func(state, reason string) {
		t.Helper()
		if err := w.Notify(limited(t), protocol.MethodMediaState, protocol.MediaState{State: state, Reason: reason}); err != nil {
			t.Fatal(err)
		}
		settle(t, w)
	}
	tell("connected", "")
	tell("failed", "the cable is out")
	tell("closed", "again")
	if err := <-b.Media().Lost(); fault.From(err).Message != "the call broke: the cable is out" {
		t.Errorf("lost with %v", err)
	}
	tell("failed", "of the former call")
	if _, err := b.Media().Offer(limited(t)); err != nil {
		t.Fatal(err)
	}
	if n := len(b.Media().Lost()); n != 0 {
		t.Error("the new call is told as lost")
	}
}
