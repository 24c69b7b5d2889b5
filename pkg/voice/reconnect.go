package voice

import (
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	stableDelay         = time.Minute      // after which a connection counts as stable
	speechAnswerTimeout = 15 * time.Second // from the end of the user's speech to the start of the response
)

// reconnectDelay counts connections that ended soon after they were made, and returns the
// pause before the next one. A service that accepts every connection and drops it
// again is abandoned, like one that accepts none.
func (s *Session) reconnectDelay(why error, now time.Time) (pause time.Duration, err error) {
	if now.Sub(s.connectedAt) >= stableDelay {
		s.shortConnections = 0
		return 0, nil
	}
	if s.shortConnections == len(reconnectDelays) {
		return 0, fault.Wrap(why, fault.VoiceUnresponsive, "the voice service dropped %d connections one after the other: %v", s.shortConnections+1, why)
	}
	s.shortConnections++
	return reconnectDelays[s.shortConnections-1], nil
}
