package control

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// users counts the connections that use each session with an id of its own.
type users struct {
	mu    sync.Mutex
	count map[owner]int
}

// connection is what a client's connection uses.
type connection struct {
	conn     atomic.Pointer[rpc.Conn] // for what the client is told of its calls
	left     bool
	sessions []owner
}

// owner names a session apart from its rights, which do not tell when it ends.
type owner struct {
	kind policy.SessionKind
	id   string
}

func owned(p SessionParams) owner { return owner{p.Kind, p.ID} }

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
	if s.users.count[owned(p)] == 0 {
		if err := s.started(session, p); err != nil {
			return nil, err
		}
	}
	c.sessions = append(c.sessions, owned(p))
	if s.users.count == nil {
		s.users.count = map[owner]int{}
	}
	s.users.count[owned(p)]++
	return session, nil
}

// started logs who is in a session from now on and what it may do.
func (s *Server) started(session *dispatch.Session, p SessionParams) error {
	data, err := json.Marshal(struct {
		Client    string      `json:"client,omitzero"`
		Mode      policy.Mode `json:"mode"`
		AllowCode bool        `json:"allow_code,omitzero"`
		Origins   []string    `json:"origins,omitzero"`
	}{p.Client, session.Mode, p.AllowCode, p.Origins})
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "the session cannot be logged: %v", err)
	}
	return s.service.Dispatcher().Journal.Append(context.Background(), journal.Record{
		SessionID: session.ID, Type: journal.TypeSessionStarted, Data: data,
	})
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
			s.service.EndSession(SessionParams{Kind: used.kind, ID: used.id})
		}
	}
}
