package hostproc

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

const ourOrigin = manifest.ExtensionURL

// message is any JSON-RPC message.
type message struct {
	Version string              `json:"jsonrpc"`
	ID      json.RawMessage     `json:"id"`
	Method  string              `json:"method"`
	Params  *protocol.ErrorData `json:"params"`
	Result  json.RawMessage     `json:"result"`
	Error   *struct {
		Data protocol.ErrorData `json:"data"`
	} `json:"error"`
}

// raw is a host process whose pipes the test holds in its own hands. Every
// byte of its stdout is read as frames.
type raw struct {
	t      testing.TB
	cmd    *exec.Cmd
	in     io.WriteCloser
	frames chan message
	ended  chan struct{}

	mu     sync.Mutex
	stray  error // why stdout was not a row of frames
	stderr bytes.Buffer
}

// spawn starts the program with the arguments.
func spawn(t testing.TB, home *harness.Home, args ...string) *raw {
	t.Helper()
	r := &raw{t: t, cmd: home.Command(context.Background(), args...), frames: make(chan message, 1000), ended: make(chan struct{})}
	r.cmd.Stderr = &r.stderr
	var err error
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		frames := nativemsg.NewReader(out, nativemsg.MaxToBrowser)
		for {
			frame, err := frames.ReadFrame()
			var m message
			if err == nil {
				err = json.Unmarshal(frame, &m)
			}
			if err != nil {
				r.mu.Lock()
				if !errors.Is(err, io.EOF) {
					r.stray = err
				}
				r.mu.Unlock()
				break
			}
			if m.Method != protocol.MethodWorkChanged { // what runs is shown unasked, at any moment
				r.frames <- m
			}
		}
		// How it ended is read from ProcessState.
		_ = r.cmd.Wait()
		close(r.ended)
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.ended
	})
	return r
}

// write puts bytes on the host's stdin. A host that has ended refuses them.
func (r *raw) write(b []byte) {
	_, _ = r.in.Write(b)
}

// frame sends text as one frame.
func (r *raw) frame(text string) {
	r.write(append(binary.NativeEndian.AppendUint32(nil, uint32(len(text))), text...))
}

// next waits for the next message of the host.
func (r *raw) next() message {
	r.t.Helper()
	select {
	case m := <-r.frames:
		return m
	case <-r.ended:
		select {
		case m := <-r.frames:
			return m
		default:
		}
		r.t.Fatalf("the host ended: %s", r.stderr.String())
	case <-time.After(harness.Patience):
		r.t.Fatal("the host says nothing")
	}
	panic("not reached")
}

// refusal waits for a message that refuses something and returns its code: the
// notification action_error, or an error response.
func (r *raw) refusal() protocol.ErrorData {
	r.t.Helper()
	m := r.next()
	switch {
	case m.Error != nil:
		return m.Error.Data
	case m.Method == protocol.MethodActionError && m.Params != nil:
		return *m.Params
	}
	r.t.Fatalf("no refusal but %+v", m)
	panic("not reached")
}

// exits waits for the end and returns the exit status. All of stdout must have
// been frames.
func (r *raw) exits() int {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(harness.Patience):
		r.t.Fatal("the host still runs")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stray != nil {
		r.t.Fatalf("stdout is not a row of frames: %v", r.stray)
	}
	return r.cmd.ProcessState.ExitCode()
}

// ends waits for an end whose status says that it came within the host's own limit,
// which is below that of the browser.
func (r *raw) ends() {
	r.t.Helper()
	if status := r.exits(); status != 0 {
		r.t.Errorf("exit status %d: %s", status, r.stderr.String())
	}
}

// hello is the handshake of the fake as the text of a request, changed by edit.
func hello(t testing.TB, id string, edit func(map[string]any)) string {
	t.Helper()
	params := map[string]any{
		"protocol": protocol.Number, "protocol_min": protocol.MinNumber, "extension_version": "0.0.0-raw",
		"dictionary_hash": manifest.DictionaryHash(), "profile_id": fakes.ProfileID, "profile_label": "Raw",
		"browser": map[string]any{"name": "chromium", "version": "0"}, "browser_session": fakes.ProfileID,
		"primitives": []string{"page.info"}, "tabs": []any{},
	}
	if edit != nil {
		edit(params)
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": protocol.MethodHandshake, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// greeted starts a host and greets it.
func greeted(t testing.TB, home *harness.Home) *raw {
	t.Helper()
	r := spawn(t, home, ourOrigin)
	r.frame(hello(t, "hello", nil))
	if m := r.next(); m.Error != nil || len(m.Result) == 0 {
		t.Fatalf("the handshake failed: %+v", m)
	}
	// A call of an earlier host that still sounds is ended first.
	if m := r.next(); m.Method != protocol.MethodMediaClose {
		t.Fatalf("after the handshake came %+v", m)
	}
	return r
}
