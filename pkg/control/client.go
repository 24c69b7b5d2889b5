package control

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// dialTime bounds the connection to one socket, whose other end is a process
// of this machine.
const dialTime = 2 * time.Second

// Client is a connection to one host.
type Client struct {
	*rpc.Conn
	// Status is what the host said of itself when the connection was made.
	Status Status
}

// Dial connects to the host behind a socket.
func Dial(ctx context.Context, path string) (*Client, error) {
	stream, err := (&net.Dialer{Timeout: dialTime}).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fault.Wrap(err, fault.BrowserNotConnected, "no host answers at %s", path)
	}
	conn, err := rpc.Connect(context.WithoutCancel(ctx), stream, rpc.Options{Handler: refuse, MaxIn: MaxFrame, MaxOut: MaxFrame})
	if err != nil {
		return nil, err
	}
	c := &Client{Conn: conn}
	if err := conn.Call(ctx, MethodStatus, Empty{}, &c.Status); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// Discover connects to every host that runs, in the order of their profile
// ids. Sockets that nobody answers at are passed over: a host that was killed
// leaves its own behind.
func Discover(ctx context.Context, dir string) ([]*Client, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.sock"))
	if err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the folder %s cannot be read: %v", dir, err)
	}
	slices.Sort(names)
	var clients []*Client
	for _, name := range names {
		c, err := Dial(ctx, name)
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
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fault.New(fault.BrowserNotConnected, "no browser with the extension is running")
		case <-tick.C:
		}
	}
}

// refuse answers what a host should never ask of a client.
func refuse(_ context.Context, method string, _ json.RawMessage) (any, error) {
	return nil, fault.New(fault.CapabilityUnavailable, "a client does not know the method %q", method)
}
