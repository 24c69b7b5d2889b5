package control

import (
	"context"
	"encoding/json"
	"net"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// refusalTimeout is how long a client above the limit has for its first request, which is
// answered with the reason: as long as a client waits for that answer on a busy machine.
const refusalTimeout = dialTimeout

// maxRefusals is how many clients are told at the same time; others are cut off.
const maxRefusals = 16

// refuse answers the first request of a client for which there is no connection.
func (s *Server) refuse(client net.Conn) {
	select {
	case s.refusals <- struct{}{}:
	default:
		client.Close()
		return
	}
	go func() {
		defer func() { <-s.refusals }()
		answered := make(chan struct{}, maxOwnCalls)
		conn, err := rpc.Connect(context.Background(), &stream{client}, rpc.Options{
			Handler: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
				value, err := s.answerRefused(ctx, method, params)
				return rpc.Answer{Result: value, OnSent: func() {
					select {
					case answered <- struct{}{}:
					default:
					}
				}}, err
			},
			MaxIn: largeBytes, MaxOut: MaxFrame,
		})
		if err != nil {
			client.Close()
			return
		}
		select {
		case <-answered:
		case <-conn.Done():
		case <-time.After(refusalTimeout):
		case <-s.ending.Done():
		}
		_ = conn.Close() // what was answered is with the client already
	}()
}

// answerRefused answers a request of a client for which there is no connection: a stop is
// carried out however many there are.
func (s *Server) answerRefused(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if method != MethodStop {
		return nil, tooManyConnections()
	}
	m := rpc.NewMux(nil)
	rpc.Handle(m, MethodStop, s.stop)
	return m.Serve(ctx, method, params)
}

func tooManyConnections() *fault.Error {
	return overLimit("the host has %d connections, which is the limit", maxConnections).With("limit", maxConnections).
		WithNextStep("Nothing was done. End programs that use this browser, or wait until one of them has ended, then connect again.")
}
