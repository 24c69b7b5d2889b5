package control

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// dialTimeout bounds the connection to one socket and the first answer there: the other
// end is a process of this machine, and one that hangs must not keep a client from
// the others.
const dialTimeout = 2 * time.Second

// Client is a connection to one host.
type Client struct {
	*rpc.Conn
	// Status is the host's status when the connection was made.
	Status Status

	progress progress
}

// Dial connects to the host behind a socket.
func Dial(ctx context.Context, path string) (*Client, error) {
	stream, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fault.Wrap(err, fault.BrowserNotConnected, "no host answers at %s", path)
	}
	c := &Client{}
	mux := c.newMux()
	connected := make(chan struct{})
	conn, err := rpc.Connect(context.WithoutCancel(ctx), stream, rpc.Options{
		Handler: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			<-connected
			return mux.Serve(ctx, method, params)
		},
		MaxIn: MaxFrame, MaxOut: MaxFrame,
	})
	if err != nil {
		return nil, err
	}
	c.Conn = conn
	close(connected)
	greeting, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if err := conn.Call(greeting, MethodStatus, Empty{}, &c.Status); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// DialAll dials the sockets side by side: one that hangs does not keep a client from the others.
// The client of a socket, or its error, is at the same index.
func DialAll(ctx context.Context, sockets []string) ([]*Client, []error) {
	clients, errs := make([]*Client, len(sockets)), make([]error, len(sockets))
	var all sync.WaitGroup
	for i, path := range sockets {
		all.Go(func() { clients[i], errs[i] = Dial(ctx, path) })
	}
	all.Wait()
	return clients, errs
}

// Discover connects to every running host, in the order of their profile ids. Sockets
// without an answer are skipped: a host that was killed leaves its own behind. That a host
// takes no more connections, or that the context ended, is an error only where no other answers.
func Discover(ctx context.Context, dir string) ([]*Client, error) {
	sockets, err := Sockets(dir)
	if err != nil {
		return nil, err
	}
	clients, errs := DialAll(ctx, sockets)
	clients = slices.DeleteFunc(clients, func(c *Client) bool { return c == nil })
	if len(clients) > 0 {
		return clients, nil
	}
	if ctx.Err() != nil {
		return nil, fault.From(ctx.Err())
	}
	for _, err := range errs {
		if fault.Is(err, fault.RateLimited) {
			return nil, err
		}
	}
	return nil, nil
}

// Sockets returns the sockets of a folder, in the order of their profile ids. There
// may be no host behind one.
func Sockets(dir string) ([]string, error) {
	if err := paths.CheckOwner(dir); err != nil {
		return nil, err
	}
	// Listed, sorted by name, and not globbed: the folder's path may hold any character.
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the folder %s cannot be read: %v", dir, err)
	}
	var sockets []string
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == ".sock" {
			sockets = append(sockets, filepath.Join(dir, entry.Name()))
		}
	}
	return sockets, nil
}

// Await is [Discover] that waits for the first host to start, until the context ends;
// then the error is browser_not_connected.
func Await(ctx context.Context, dir string) ([]*Client, error) {
	return AwaitWanted(ctx, dir, math.MaxInt64, func(Status) bool { return true })
}

// AwaitWanted is [Await] for hosts whose status is wanted, whichever others run. It waits
// no longer than wait for one to start; one that runs has its own time to answer.
func AwaitWanted(ctx context.Context, dir string, wait time.Duration, wanted func(Status) bool) ([]*Client, error) {
	deadline := time.Now().Add(wait)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		clients, err := Discover(ctx, dir)
		if clients = Choose(clients, wanted); len(clients) > 0 {
			return clients, nil
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
		if ctx.Err() == nil && time.Now().Before(deadline) {
			select {
			case <-ctx.Done():
			case <-tick.C:
				continue
			}
		}
		return nil, fault.New(fault.BrowserNotConnected, "no browser with the extension is running")
	}
}

// Choose returns the clients of hosts whose status is wanted, and closes the others.
func Choose(all []*Client, wanted func(Status) bool) []*Client {
	var chosen []*Client
	for _, c := range all {
		if wanted(c.Status) {
			chosen = append(chosen, c)
		} else {
			c.Close()
		}
	}
	return chosen
}

// newMux returns the handlers of a host's notifications: the steps of a call, and that it
// could not read a message of ours. Which call that was is not known, so the connection ends
// instead of a call that waits for ever.
func (c *Client) newMux() *rpc.Mux {
	m := rpc.NewMux(func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		return nil, fault.New(fault.CapabilityUnavailable, "a client does not know the method %q", method)
	})
	rpc.Notify(m, MethodProgress, c.progress.handle)
	rpc.Notify(m, protocol.MethodActionError, func(json.RawMessage) {
		go c.Close() // it waits for this very handler
	})
	return m
}
