package browser

import (
	"context"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// Media is the browser's microphone and loudspeaker, for one call at a time. The
// call itself goes between the browser and the voice service.
type Media struct {
	browser *Browser
	lost    chan error
}

func newMedia(b *Browser) *Media { return &Media{b, make(chan error, 1)} }

// Media returns the browser's microphone and loudspeaker.
func (b *Browser) Media() *Media { return b.media }

// Offer opens the microphone and returns an SDP offer; a call that is under way ends first.
func (m *Media) Offer(ctx context.Context) (sdp string, err error) {
	var out protocol.MediaOffer
	err = m.browser.call(ctx, protocol.MethodMediaOffer, protocol.MediaOpen{}, &out)
	select {
	case <-m.lost: // of a former call
	default:
	}
	return out.SDP, err
}

// Accept completes the call with the service's answer and returns when sound can
// pass.
func (m *Media) Accept(ctx context.Context, answer string) error {
	return m.browser.call(ctx, protocol.MethodMediaAnswer, protocol.MediaAnswer{SDP: answer}, nil)
}

// Mute silences the microphone, the loudspeaker, both or none. Without a call
// the fault is voice_not_running.
func (m *Media) Mute(ctx context.Context, input, output bool) error {
	return m.browser.call(ctx, protocol.MethodMediaMute, protocol.MediaMute{Input: input, Output: output}, nil)
}

// Close ends the call and releases the microphone; without a call it does nothing.
func (m *Media) Close(ctx context.Context) error {
	return m.browser.call(ctx, protocol.MethodMediaClose, protocol.MediaClose{}, nil)
}

// Lost returns a channel that receives the error that broke the latest call.
func (m *Media) Lost() <-chan error { return m.lost }

func (m *Media) deliver(s protocol.MediaState) {
	if s.State == "connected" {
		return // Accept returns then
	}
	select {
	case m.lost <- fault.New(fault.VoiceUnresponsive, "the call broke: %s", s.Reason):
	default: // an earlier error was not received yet: one is enough
	}
}
