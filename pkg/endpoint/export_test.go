package endpoint

import (
	"time"

	"github.com/actionsjson/actions-host/pkg/model"
)

// SetTimeouts shortens how long a caller may take.
func (s *Server) SetTimeouts(header, body, write, end time.Duration) {
	s.timeouts.header, s.timeouts.body, s.timeouts.write, s.timeouts.end = header, body, write, end
}

// SetClock sets the time.
func (s *Server) SetClock(now func() time.Time) { s.now = now }

// Addresses returns how many addresses have failures.
func (s *Server) Addresses() int { return len(s.failures.of) }

// Fail counts a failure of an address.
func (s *Server) Fail(address string, now time.Time) bool { return s.failures.add(address, now) }

// ParseBody reads a body and returns its messages.
func ParseBody(text []byte) ([]model.Message, error) {
	asked, err := parseBody(text)
	return asked.messages, err
}
