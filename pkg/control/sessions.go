package control

import (
	"sync"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// users counts the connections that use each session with an id of its own.
type users struct {
	mu    sync.Mutex
	count map[SessionParams]int
}

// connection is what a client's connection uses.
type connection struct {
	left     bool
	sessions []SessionParams
}

// owned names a session apart from its rights, which do not tell when it ends.
func owned(p SessionParams) SessionParams { return SessionParams{Kind: p.Kind, ID: p.ID} }

// session gives the session that a client asks for and notes that its connection
// uses it.
func (s *Server) session(c *connection, p SessionParams) (*dispatch.Session, error) {
	s.users.mu.Lock()
	defer s.users.mu.Unlock()
	if c.left {
		return nil, fault.New(fault.TransportFailed, "the client has gone").WithDispatched(fault.NotDispatched)
	}
	session, err := s.service.Session(p)
	if err != nil || p.ID == "" {
		return session, err
	}
	for _, used := range c.sessions {
		if used == owned(p) {
			return session, nil
		}
	}
	c.sessions = append(c.sessions, owned(p))
	if s.users.count == nil {
		s.users.count = map[SessionParams]int{}
	}
	s.users.count[owned(p)]++
	return session, nil
}

// leave ends the sessions that nobody uses any more. When the host is what
// ends, clients come back to its next start and find their sessions as they
// were.
func (s *Server) leave(c *connection) {
	s.users.mu.Lock()
	defer s.users.mu.Unlock()
	c.left = true
	for _, used := range c.sessions {
		s.users.count[used]--
		if s.users.count[used] > 0 {
			continue
		}
		delete(s.users.count, used)
		if s.ending.Err() == nil {
			s.service.EndSession(used)
		}
	}
}
