package voice

import (
	"context"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// mutes is what the user has silenced. It outlives a call: the next one begins
// with it, before any sound of it passes.
type mutes struct {
	mu            sync.Mutex // held while the browser is notified, so that both agree
	input, output bool
}

// Mute silences the microphone or the model.
func (s *Session) Mute(ctx context.Context, input, output bool) error {
	if s.options.Media == nil {
		return fault.New(fault.CapabilityUnavailable, "this session is text only")
	}
	s.mutes.mu.Lock()
	defer s.mutes.mu.Unlock()
	// While a call is being made anew there is none to silence.
	if err := s.options.Media.Mute(ctx, input, output); err != nil && !fault.Is(err, fault.VoiceNotRunning) {
		return err
	}
	s.mutes.input, s.mutes.output = input, output
	s.post(func() {
		s.state.Muted, s.state.Silent = input, output
		s.options.Observer.StateChanged(s.state)
	})
	return nil
}

// offer opens the microphone for a call that begins with the mutes of the last one.
func (s *Session) offer(ctx context.Context) (sdp string, err error) {
	if sdp, err = s.options.Media.Offer(ctx); err != nil {
		return "", err
	}
	s.mutes.mu.Lock()
	defer s.mutes.mu.Unlock()
	if s.mutes.input || s.mutes.output {
		err = s.options.Media.Mute(ctx, s.mutes.input, s.mutes.output)
	}
	return sdp, err
}

// callLost returns the channel for the loss of the current call, nil without one: a loss
// reported while another call is being made is kept until that one is connected.
func (s *Session) callLost() <-chan error {
	if s.options.Media == nil || s.conn == nil {
		return nil
	}
	return s.options.Media.Lost()
}
