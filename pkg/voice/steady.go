package voice

import (
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	steadyTime = time.Minute      // from which on a connection counts as one that holds
	answerTime = 15 * time.Second // from the end of the user's speech to the response's beginning
)

// brevity counts connections that ended soon after they stood, and gives the
// pause before the next one. A service that takes every connection and drops it
// again is given up, as one that takes none.
func (s *Session) brevity(why error, now time.Time) (pause time.Duration, err error) {
	if now.Sub(s.since) >= steadyTime {
		s.brief = 0
		return 0, nil
	}
	if s.brief == len(reconnects) {
		return 0, fault.Wrap(why, fault.VoiceUnresponsive, "the voice service dropped %d connections one after the other: %v", s.brief+1, why)
	}
	s.brief++
	return reconnects[s.brief-1], nil
}

// overhear goes on listening where the provider does not answer what it heard: it
// may have taken a noise for speech.
func (s *Session) overhear(now time.Time) {
	if s.heard.IsZero() || now.Sub(s.heard) < answerTime {
		return
	}
	s.heard = time.Time{}
	s.options.Observer.Note("speech_unanswered", nil)
	s.rest()
}
