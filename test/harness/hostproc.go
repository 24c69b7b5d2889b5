package harness

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/fakes"
)

// Process is a real host whose browser is a fake.
type Process struct {
	Browser *fakes.Browser
	Cmd     *exec.Cmd
	Stdin   io.WriteCloser // for frames that no browser would send
	done    chan struct{}
}

// stdio joins a process's two pipes.
type stdio struct {
	io.ReadCloser
	io.WriteCloser
}

func (s stdio) Close() error {
	err := s.WriteCloser.Close()
	if readErr := s.ReadCloser.Close(); err == nil {
		err = readErr
	}
	return err
}

// Start runs the host the way a browser does and connects the fake to it.
func (h *Home) Start(t testing.TB, b *fakes.Browser) *Process {
	t.Helper()
	cmd := h.Command(context.Background(), manifest.ExtensionURL)
	if h.Unwatched {
		cmd.Env = append(cmd.Env, paths.EnvUnwatched+"=1")
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b.Shown = h.codes.put
	p := &Process{Browser: b, Cmd: cmd, Stdin: in, done: make(chan struct{})}
	if err := b.Connect(context.Background(), stdio{out, in}); err != nil {
		t.Fatal(err)
	}
	go func() {
		<-b.Conn.Done()
		// How it ended is asked of ProcessState where a test wants to know.
		_ = cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.done
	})
	return p
}

// Ready also greets the host and hands over the pages as tabs 1, 2, …
func (h *Home) Ready(t testing.TB, b *fakes.Browser, urls ...string) *Process {
	t.Helper()
	p := h.Start(t, b)
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if _, err := b.Handshake(ctx); err != nil {
		t.Fatal(err)
	}
	for i, url := range urls {
		if err := b.Claim(ctx, i+1, url); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// Ended waits until the process is gone.
func (p *Process) Ended(t testing.TB) {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(Patience):
		t.Fatal("the host did not end")
	}
}

// Again starts a host for a browser whose tabs an earlier host had: the page is open in
// each of them.
func (h *Home) Again(t testing.TB, b *fakes.Browser, url string, tabs ...int) *Process {
	t.Helper()
	p := h.Start(t, b)
	var open []protocol.Tab
	for _, id := range tabs {
		open = append(open, protocol.Tab{TabID: id, WindowID: 1, URL: url, Title: "Fake", RuntimeID: fmt.Sprint("runtime-", id)})
	}
	if _, err := b.Handshake(Patient(t), open...); err != nil {
		t.Fatal(err)
	}
	return p
}
