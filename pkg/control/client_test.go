package control_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestDialNobody(t *testing.T) {
	// Ensure that a socket without a host, and none at all, is browser_not_connected.
	path := filepath.Join(folder(t), "h.sock")
	if _, err := control.Dial(limited(t), path); !fault.Is(err, fault.BrowserNotConnected) {
		t.Errorf("no socket: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := control.Dial(limited(t), path); !fault.Is(err, fault.BrowserNotConnected) {
		t.Errorf("a file: %v", err)
	}
}

func TestDiscover(t *testing.T) {
	// Ensure that all running hosts are found, in order, in a folder of any name, past what dead ones left behind.
	dir := filepath.Join(folder(t), "odd [folder] *")
	if clients, err := control.Discover(limited(t), dir); err != nil || len(clients) != 0 {
		t.Errorf("a folder that is not there: %v, %v", clients, err)
	}
	for _, id := range []string{"cccc", "aaaa"} {
		serve(t, filepath.Join(dir, id+".sock"), newHost(t, id))
	}
	for _, name := range []string{"bbbb.sock", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	clients, err := control.Discover(limited(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range clients {
		ids = append(ids, c.Status.ProfileID)
		c.Close()
	}
	if len(ids) != 2 || ids[0] != "aaaa" || ids[1] != "cccc" {
		t.Errorf("found %v", ids)
	}
}

func TestAwait(t *testing.T) {
	// Ensure that a client waits for a host that comes up later, and gives up with browser_not_connected when its time is over.
	dir := filepath.Join(folder(t), "run")
	short, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
	defer cancel()
	if _, err := control.Await(short, dir); !fault.Is(err, fault.BrowserNotConnected) {
		t.Errorf("nobody: %v", err)
	}
	found := make(chan error, 1)
	go func() {
		clients, err := control.Await(limited(t), dir)
		for _, c := range clients {
			c.Close()
		}
		found <- err
	}()
	serve(t, filepath.Join(dir, "h.sock"), newHost(t, "p"))
	if err := <-found; err != nil {
		t.Error(err)
	}
}

func TestSilentHost(t *testing.T) {
	// Ensure that a socket whose owner never answers holds a client only for the time that it gave, and does not hide the hosts behind it.
	dir := folder(t)
	listener, err := net.Listen("unix", filepath.Join(dir, "h.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := control.Await(ctx, dir); !fault.Is(err, fault.BrowserNotConnected) {
		t.Errorf("got %v", err)
	}
	serve(t, filepath.Join(dir, "i.sock"), newHost(t, "behind"))
	// A command has no more than this.
	ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	clients, err := control.Await(ctx, dir)
	if err != nil || len(clients) != 1 || clients[0].Status.ProfileID != "behind" {
		t.Fatalf("found %v, %v", clients, err)
	}
	clients[0].Close()
}

func TestUnreadableMessage(t *testing.T) {
	// Ensure that a message which the host cannot read ends its call instead of leaving it without an answer.
	_, _, c := started(t)
	p := pageInfo()
	p.Arguments = json.RawMessage(`{"a":1,"a":2}`)
	if err := c.Call(limited(t), control.MethodCall, p, nil); !fault.Is(err, fault.InvalidMessage) || fault.From(err).Dispatched != fault.NotDispatched {
		t.Errorf("got %v", err)
	}
	if err := c.Call(limited(t), control.MethodStatus, control.Empty{}, nil); err != nil {
		t.Errorf("the connection after it: %v", err)
	}
}
