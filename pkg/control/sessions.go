package control

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
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
	mu     sync.Mutex
	count  map[owner]int
	ending map[owner]chan struct{} // sessions that are being ended; closed when they are
}

// connection is the state of a client's connection.
type connection struct {
	mux   *rpc.Mux
	conn  atomic.Pointer[rpc.Conn] // for notifications of its calls' progress
	turns *journal.Turns           // in which its calls read the log
	// ownProgram says that the client is this program, in another process.
	ownProgram bool
	reading    chan struct{} // full while an answer from the log is made or sent

	closed   bool // guarded by users.mu, like the fields below
	sessions map[owner]struct{}
	called   map[rights]*dispatch.Session // all that called over it, the shared ones too
}

func (s *Server) newConnection() *connection {
	c := &connection{turns: journal.NewTurns(), reading: make(chan struct{}, 1)}
	c.mux = s.newMux(c)
	return c
}

// owner identifies a session without its rights, which have no influence on its end.
type owner struct {
	kind policy.SessionKind
	id   string
}

func ownerOf(p SessionParams) owner { return owner{p.Kind, p.ID} }

// rights is what makes a caller another session.
type rights struct {
	owner
	mode                             policy.Mode
	origins                          string
	allowCode, allowAPI, noLoopGuard bool
}

func rightsOf(p SessionParams) rights {
	return rights{ownerOf(p), p.Mode, strings.Join(p.Origins, " "), p.AllowCode, p.AllowAPI, p.NoLoopGuard}
}

// maxSessionBytes bounds what a caller says of itself: the host keeps it as long as the session.
const maxSessionBytes = 16 << 10

// checkSession refuses a session above the limits of a connection.
func (c *connection) checkSession(p SessionParams, own rights) error {
	if _, known := c.called[own]; known {
		return nil
	}
	if len(p.ID)+len(p.Kind)+len(p.Mode)+len(p.Client)+len(own.origins) > maxSessionBytes {
		return fault.New(fault.InvalidInput, "id, client and origins of a session have more than %d bytes together", maxSessionBytes).
			WithDispatched(fault.NotDispatched)
	}
	if len(c.called) >= maxOwnSessions {
		return overLimit("this connection has %d sessions, which are the most it may have", maxOwnSessions).With("limit", maxOwnSessions).
			WithNextStep("Nothing was done. Use one of the sessions again, or connect anew: a session ends with its last connection.")
	}
	return nil
}

// session returns the session that a client requests and records that its connection
// uses it. One that is being ended is started anew when it has ended.
func (s *Server) session(ctx context.Context, c *connection, p SessionParams) (*dispatch.Session, error) {
	for {
		session, ended, err := s.use(c, p)
		if ended == nil {
			return session, err
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, fault.From(ctx.Err()).WithDispatched(fault.NotDispatched)
		}
	}
}

// use is [Server.session] without waiting: a non-nil ended is closed when to try again.
func (s *Server) use(c *connection, p SessionParams) (session *dispatch.Session, ended <-chan struct{}, err error) {
	s.users.mu.Lock()
	defer s.users.mu.Unlock()
	if c.closed {
		return nil, nil, fault.New(fault.TransportFailed, "the client has gone").WithDispatched(fault.NotDispatched)
	}
	own := rightsOf(p)
	if ended, ok := s.users.ending[own.owner]; ok {
		return nil, ended, nil
	}
	if err := c.checkSession(p, own); err != nil {
		return nil, nil, err
	}
	session, err = s.service.Session(p)
	if err != nil {
		return nil, nil, err
	}
	if c.called == nil {
		c.called = map[rights]*dispatch.Session{}
	}
	c.called[own] = session
	if p.ID == "" {
		return session, nil, nil
	}
	if _, known := c.sessions[own.owner]; known {
		return session, nil, nil
	}
	if s.users.count[own.owner] == 0 {
		if err := s.logStarted(session, p); err != nil {
			return nil, nil, err
		}
	}
	if c.sessions == nil {
		c.sessions = map[owner]struct{}{}
	}
	c.sessions[own.owner] = struct{}{}
	if s.users.count == nil {
		s.users.count = map[owner]int{}
	}
	s.users.count[own.owner]++
	return session, nil, nil
}

// sessionsOf returns the ids of the sessions that called over a connection, and the
// error that confines them to their own data, if one of them is confined.
func (s *Server) sessionsOf(c *connection) (ids []string, confined *fault.Error) {
	s.users.mu.Lock()
	defer s.users.mu.Unlock()
	for _, session := range c.called {
		ids = append(ids, session.ID)
		if confined == nil {
			confined = s.service.Dispatcher().Confined(session)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), confined
}

// logStarted logs the caller of a new session and its rights.
func (s *Server) logStarted(session *dispatch.Session, p SessionParams) error {
	data, err := json.Marshal(struct {
		Client    string      `json:"client,omitzero"`
		Mode      policy.Mode `json:"mode"`
		AllowCode bool        `json:"allow_code,omitzero"`
		AllowAPI  bool        `json:"allow_api,omitzero"`
		Origins   []string    `json:"origins,omitzero"`
	}{p.Client, session.Mode, p.AllowCode, p.AllowAPI, p.Origins})
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "the session cannot be logged: %v", err)
	}
	return s.service.Dispatcher().Journal.Append(context.Background(), journal.Record{
		SessionID: session.ID, Type: journal.TypeSessionStarted, Data: data,
	})
}

// releaseSessions ends the sessions that no connection uses any more, all of them
// together and without a lock: ending them waits for the disk, and other clients call meanwhile.
// The connection's own calls must have ended. When the host itself ends, clients
// reconnect to its next start and find their sessions unchanged.
func (s *Server) releaseSessions(c *connection) {
	ended := s.removeConnection(c)
	if len(ended) == 0 {
		return
	}
	if s.ending.Err() == nil {
		s.service.EndSessions(ended)
	}
	s.users.mu.Lock()
	defer s.users.mu.Unlock()
	for _, p := range ended {
		close(s.users.ending[ownerOf(p)])
		delete(s.users.ending, ownerOf(p))
	}
}

// removeConnection removes the connection from its sessions and returns those that no
// other connection uses; they count as being ended from now on.
func (s *Server) removeConnection(c *connection) (ended []SessionParams) {
	s.users.mu.Lock()
	defer s.users.mu.Unlock()
	c.closed = true
	for used := range c.sessions {
		s.users.count[used]--
		if s.users.count[used] > 0 {
			continue
		}
		delete(s.users.count, used)
		if s.users.ending == nil {
			s.users.ending = map[owner]chan struct{}{}
		}
		s.users.ending[used] = make(chan struct{})
		ended = append(ended, SessionParams{Kind: used.kind, ID: used.id})
	}
	return ended
}
