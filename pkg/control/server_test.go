package control_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestListenIsPrivate(t *testing.T) {
	// Ensure that only the owner reaches the socket, also in a folder that was open to others, and that Close removes it.
	dir := filepath.Join(folder(t), "run")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "h.sock")
	s := serve(t, path, newHost(t, "p"))
	for name, want := range map[string]os.FileMode{dir: os.ModeDir | 0o700, path: os.ModeSocket | 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestListenReplacesAStaleSocket(t *testing.T) {
	// Ensure that what a killed host left behind does not keep the next one from starting, and that what cannot be replaced is an error.
	path := filepath.Join(folder(t), "h.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	serve(t, path, newHost(t, "p"))
	if c := dial(t, path); c.Status.ProfileID != "p" {
		t.Errorf("status %+v", c.Status)
	}
	blocked := filepath.Join(folder(t), "h.sock")
	if err := os.MkdirAll(filepath.Join(blocked, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := control.Listen(blocked, newHost(t, "q"), nil); !fault.Is(err, fault.StorageUnavailable) {
		t.Errorf("where a folder is: %v", err)
	}
}

// blocking makes the host's page wait until its call is cancelled.
func blocking(h *host) (entered, left chan struct{}) {
	entered, left = make(chan struct{}), make(chan struct{})
	h.page = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		close(entered)
		<-ctx.Done()
		close(left)
		return nil, ctx.Err()
	}
	return entered, left
}

func TestCloseDeliversAnswers(t *testing.T) {
	// Ensure that a call under way when the host ends still gets its answer, and that a later one is told that nothing was sent.
	h, s, c := started(t)
	entered, _ := blocking(h)
	var e dispatch.Envelope
	called := make(chan error, 1)
	go func() { called <- c.Call(limited(t), control.MethodCall, pageInfo(), &e) }()
	within(t, entered, "the call")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-called; err != nil {
		t.Fatalf("the answer was lost: %v", err)
	}
	if e.OK || e.Error.Code != fault.Cancelled || e.Error.Message == "" || e.Error.NextStep == "" {
		t.Errorf("got %+v", e)
	}
	within(t, c.Done(), "the end of the connection")
	if f := fault.From(c.Call(limited(t), control.MethodPing, control.Empty{}, nil)); f.Code != fault.TransportFailed || f.Dispatched != fault.NotDispatched {
		t.Errorf("a later call got %+v", f)
	}
}

func TestCloseWaitsForCallsWhoseClientHasGone(t *testing.T) {
	// Ensure that a call which was cancelled by the end of its client has ended before the host closes: its outcome is in the log, which closes after it.
	path := filepath.Join(folder(t), "h.sock")
	h := newHost(t, "p")
	s := serve(t, path, h)
	c := dial(t, path)
	entered, cancelled := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	h.page = func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
		close(entered)
		<-ctx.Done()
		close(cancelled)
		for _, err := os.Stat(path); err == nil; _, err = os.Stat(path) {
			runtime.Gosched() // until Close has begun, which removes the socket
		}
		time.Sleep(time.Millisecond) // as a record takes to reach the disk
		ended.Store(true)
		return nil, ctx.Err()
	}
	go func() { _ = c.Call(limited(t), control.MethodCall, pageInfo(), nil) }() // its client is gone before it answers
	within(t, entered, "the call")
	c.Close()
	within(t, cancelled, "the cancellation")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !ended.Load() {
		t.Error("the host closed before the call had ended")
	}
}

func TestDisconnectCancels(t *testing.T) {
	// Ensure that a client that goes away ends its own call and nobody else's connection.
	h, _, c := started(t)
	entered, left := blocking(h)
	called := make(chan error, 1)
	go func() { called <- c.Call(limited(t), control.MethodCall, pageInfo(), nil) }()
	within(t, entered, "the call")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	within(t, left, "the cancellation")
	if err := <-called; !fault.Is(err, fault.TransportFailed) {
		t.Errorf("the client's own call got %v", err)
	}
}

func TestConcurrentClients(t *testing.T) {
	// Ensure that many clients are served at once, each with its own answers, while another one's call still runs.
	dir := folder(t)
	path := filepath.Join(dir, "h.sock")
	h := newHost(t, "p")
	serve(t, path, h)
	entered, left := blocking(h)
	slow := dial(t, path)
	ctx, cancel := context.WithCancel(limited(t))
	called := make(chan error, 1)
	go func() { called <- slow.Call(ctx, control.MethodCall, pageInfo(), nil) }()
	within(t, entered, "the slow call")
	const clients, calls = 8, 20
	results := make(chan error, clients)
	for range clients {
		c := dial(t, path)
		go func() {
			for range calls {
				var list control.Tabs
				if err := c.Call(limited(t), control.MethodTabs, control.SessionParams{}, &list); err != nil || list.ProfileID != "p" {
					results <- errors.Join(err, errors.New("wrong answer "+list.ProfileID))
					return
				}
			}
			results <- nil
		}()
	}
	for range clients {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	cancel()
	within(t, left, "the end of the slow call")
	if err := <-called; !fault.Is(err, fault.Cancelled) {
		t.Errorf("the slow call got %v", err)
	}
}

func TestBadFramesEndOnlyTheirClient(t *testing.T) {
	// Ensure that an oversized or truncated frame ends the connection that sent it and no other.
	path := filepath.Join(folder(t), "h.sock")
	serve(t, path, newHost(t, "p"))
	good := dial(t, path)
	for name, frame := range map[string][]byte{
		"oversized": binary.NativeEndian.AppendUint32(nil, control.MaxFrame+1),
		"truncated": append(binary.NativeEndian.AppendUint32(nil, 100), `{"json`...),
	} {
		t.Run(name, func(t *testing.T) {
			bad, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			defer bad.Close()
			if err := bad.SetDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			if _, err := bad.Write(frame); err != nil {
				t.Fatal(err)
			}
			if err := bad.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(bad); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection goes on")
			}
			if err := good.Call(limited(t), control.MethodPing, control.Empty{}, &control.Pong{}); err != nil {
				t.Errorf("another client was cut off: %v", err)
			}
		})
	}
}
