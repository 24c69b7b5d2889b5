package control

import (
	"context"
	"net"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// StopParams names the profile whose calls the user stops, as --profile does.
type StopParams struct {
	Profile string `json:"profile,omitzero"` // empty: whichever serves the socket
}

// Stopped is the answer to a stop.
type Stopped struct {
	ProfileID    string `json:"profile_id"`
	ProfileLabel string `json:"profile_label"`
	Skipped      bool   `json:"skipped,omitzero"` // the profile is another than the one that was named
	Ended        int    `json:"ended"`            // calls
	// Code lets agents go on, if nobody else has stopped them: the caller's own stop is its
	// own to take back.
	Code string `json:"code,omitzero"`
}

// GoOnParams takes back the stop of a terminal.
type GoOnParams struct {
	Code string `json:"code"`
}

// WentOn is the answer to it.
type WentOn struct {
	StillStopped int `json:"still_stopped"` // stops of the user that hold
}

// matchesProfile reports whether --profile selects the profile.
func (s Status) matchesProfile(profile string) bool {
	return strings.HasPrefix(s.ProfileID, profile) || s.ProfileLabel == profile
}

func (s *Server) stop(ctx context.Context, p StopParams) (Stopped, error) {
	status := s.service.Status()
	done := Stopped{ProfileID: status.ProfileID, ProfileLabel: status.ProfileLabel}
	if !status.matchesProfile(p.Profile) {
		done.Skipped = true
		return done, nil
	}
	stopped, err := s.service.Dispatcher().Stop(ctx, 0, policy.FaceTerminal)
	done.Ended, done.Code = stopped.Ended, stopped.Code
	return done, err
}

func (s *Server) goOn(ctx context.Context, p GoOnParams) (WentOn, error) {
	left, err := s.service.Dispatcher().GoOnByCode(ctx, p.Code)
	return WentOn{StillStopped: left}, err
}

// Request makes one request of the host behind a socket, and nothing before it: a host that
// takes no more connections still answers a stop.
func Request(ctx context.Context, path, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	stream, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return fault.Wrap(err, fault.BrowserNotConnected, "no host answers at %s", path)
	}
	mux := (&Client{}).newMux()
	conn, err := rpc.Connect(context.WithoutCancel(ctx), stream, rpc.Options{Handler: mux.Serve, MaxIn: MaxFrame, MaxOut: MaxFrame})
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Call(ctx, method, params, result)
}
