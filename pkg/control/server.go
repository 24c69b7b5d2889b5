package control

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// flushTimeout bounds the delivery of the last answers of a closing server.
const flushTimeout = 500 * time.Millisecond

// acceptDelay keeps a server that cannot take a connection from spinning.
const acceptDelay = 50 * time.Millisecond

// Server serves one profile's socket.
type Server struct {
	service  Service
	ping     func(context.Context) (Pong, error)
	listener *net.UnixListener

	ending context.Context // done when Close was called
	end    context.CancelFunc

	limits   *limits
	refusals chan struct{} // full while the most clients are being refused

	mu    sync.Mutex
	conns map[*rpc.Conn]*ownLimits
	users users
}

// Listen creates the socket and serves it until Close. A socket file that a dead host
// left behind is replaced; the profile's database lock makes sure that it is dead.
func Listen(path string, service Service, ping func(context.Context) (Pong, error)) (*Server, error) {
	if err := paths.MakePrivate(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the old socket %s cannot be removed: %v", path, err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the socket %s cannot be made: %v", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the socket %s cannot be made private: %v", path, err)
	}
	s := &Server{service: service, ping: ping, listener: listener, conns: map[*rpc.Conn]*ownLimits{},
		limits: newLimits(), refusals: make(chan struct{}, maxRefusals)}
	s.ending, s.end = context.WithCancel(context.Background())
	go s.accept()
	return s, nil
}

func (s *Server) accept() {
	for {
		client, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			// Most likely no descriptors are left. Clients that disconnect free theirs;
			// a host that stops listening could not be reached again.
			select {
			case <-time.After(acceptDelay):
				continue
			case <-s.ending.Done():
				return
			}
		}
		if s.isFull() {
			s.refuse(client)
			continue
		}
		s.serve(&stream{client})
	}
}

// isFull reports whether there are as many connections as there may be. One whose client has
// gone counts until its calls have ended.
func (s *Server) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns) >= maxConnections
}

// serve serves a client until its connection ends.
func (s *Server) serve(client *stream) {
	used := s.newConnection()
	used.ownProgram = isOwnProgram(client.Conn)
	limits := newOwnLimits(used, s.service.Dispatcher(), s.limits, client)
	conn, err := rpc.Connect(context.Background(), client, rpc.Options{
		Handler: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			return s.handle(ctx, used, method, params)
		},
		MaxIn: MaxFrame, MaxOut: MaxFrame,
		Limiter: limits,
	})
	if err != nil {
		client.Close()
		return
	}
	used.conn.Store(conn)
	s.mu.Lock()
	s.conns[conn] = limits
	s.mu.Unlock()
	go func() {
		<-conn.HandlersDone() // its calls were cancelled; their records come before the end of their session
		s.mu.Lock()
		delete(s.conns, conn) // not before: Close waits for calls whose client has gone, too
		s.mu.Unlock()
		s.releaseSessions(used)
	}()
}

// Close stops accepting, ends the running calls, delivers their answers and closes.
func (s *Server) Close() error {
	s.end()
	err := s.listener.Close() // removes the socket file too
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	s.mu.Lock()
	conns := s.conns
	s.conns = map[*rpc.Conn]*ownLimits{}
	s.mu.Unlock()
	for conn := range conns {
		// A client that does not read loses its answer, not the host's time.
		_ = conn.Drain(ctx)
		_ = conn.Close()
	}
	return err
}

func (s *Server) handle(ctx context.Context, used *connection, method string, params json.RawMessage) (any, error) {
	if s.ending.Err() != nil {
		return nil, fault.New(fault.TransportFailed, "the host is ending").WithDispatched(fault.NotDispatched)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ending, func() { cancel(errHostClosed) })()
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	return used.mux.Serve(used.turns.Bind(ctx), method, params)
}

// errHostClosed is the error of a call that ended with the host: the caller did not cancel it.
var errHostClosed = fault.New(fault.Cancelled, "the browser ended the connection while the call ran").
	WithNextStep("The browser was closed, or its extension started anew. Read the page's state before calling again.")
