package control

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// dialTime bounds the connection to one socket and the first answer there: the
// other end is a process of this machine, and one that hangs must not keep a
// client from the others.
const dialTime = 2 * time.Second

// Client is a connection to one host.
type Client struct {
	*rpc.Conn
	// Status is what the host said of itself when the connection was made.
	Status Status

	progress progress
}

// Dial connects to the host behind a socket.
func Dial(ctx context.Context, path string) (*Client, error) {
	stream, err := (&net.Dialer{Timeout: dialTime}).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fault.Wrap(err, fault.BrowserNotConnected, "no host answers at %s", path)
	}
	c := &Client{}
	connected := make(chan struct{})
	conn, err := rpc.Connect(context.WithoutCancel(ctx), stream, rpc.Options{
		Handler: func(_ context.Context, method string, params json.RawMessage) (any, error) {
			<-connected
			return nil, c.hear(method, params)
		},
		MaxIn: MaxFrame, MaxOut: MaxFrame,
	})
	if err != nil {
		return nil, err
	}
	c.Conn = conn
	close(connected)
	greeting, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	if err := conn.Call(greeting, MethodStatus, Empty{}, &c.Status); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// Discover connects to every host that runs, in the order of their profile
// ids. Sockets that nobody answers at are passed over: a host that was killed
// leaves its own behind.
func Discover(ctx context.Context, dir string) ([]*Client, error) {
	sockets, err := Sockets(dir)
	if err != nil {
		return nil, err
	}
	var clients []*Client
	for _, path := range sockets {
		c, err := Dial(ctx, path)
		if err != nil {
			if ctx.Err() != nil {
				return clients, fault.From(ctx.Err())
			}
			continue
		}
		clients = append(clients, c)
	}
	return clients, nil
}

// Sockets lists the sockets of a folder, those that nobody answers at included,
// in the order of their profile ids.
func Sockets(dir string) ([]string, error) {
	if err := paths.CheckOwner(dir); err != nil {
		return nil, err
	}
	// Listed, sorted by name, and not globbed: the folder's path may hold any sign.
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

// Await is Discover that waits for the first host to come up, until the
// context ends; then the error is browser_not_connected.
func Await(ctx context.Context, dir string) ([]*Client, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		clients, err := Discover(ctx, dir)
		if len(clients) > 0 {
			return clients, nil
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fault.New(fault.BrowserNotConnected, "no browser with the extension is running")
		case <-tick.C:
		}
	}
}

// hear takes what a host sends on its own: the steps of a call, or that it could
// not read a message of ours. Nothing tells which call that was, so that the
// connection ends instead of a call that waits for ever.
func (c *Client) hear(method string, params json.RawMessage) error {
	switch method {
	case MethodProgress:
		return c.progress.hear(params)
	case protocol.MethodActionError:
		go c.Close() // it waits for this very handler
	}
	return fault.New(fault.CapabilityUnavailable, "a client does not know the method %q", method)
}
