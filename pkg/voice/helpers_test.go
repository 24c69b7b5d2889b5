package voice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// scriptedProvider is a provider whose every move the test makes.
type scriptedProvider struct {
	mu      sync.Mutex
	setups  []Setup
	conns   []*scriptedConn
	refusal error // of the next connections
}

type scriptedConn struct {
	events     chan Event
	failed     chan error
	mu         sync.Mutex
	sent       []string // what the session sent, one line each
	closed     bool
	writeError error // of every write
	setupError error // of the next change of the tools
}

func (p *scriptedProvider) Connect(_ context.Context, setup Setup) (Connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusal != nil {
		return nil, p.refusal
	}
	l := &scriptedConn{events: make(chan Event, 64), failed: make(chan error, 1)}
	p.setups, p.conns = append(p.setups, setup), append(p.conns, l)
	l.events <- Ready{SessionID: fmt.Sprint("s", len(p.conns)), ExpiresAt: time.Now().Add(time.Hour)}
	return l, nil
}

// refuse has the next connections fail with err; nil: none.
func (p *scriptedProvider) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusal = err
}

// conn is the latest connection.
func (p *scriptedProvider) conn() *scriptedConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns[len(p.conns)-1]
}

// count returns how many connections there were.
func (p *scriptedProvider) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

func (l *scriptedConn) Answer() string { return "answer" }

func (l *scriptedConn) Next(ctx context.Context) (Event, error) {
	select {
	case e := <-l.events:
		return e, nil
	case err := <-l.failed:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *scriptedConn) record(format string, args ...any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writeError != nil {
		return l.writeError
	}
	l.sent = append(l.sent, fmt.Sprintf(format, args...))
	return nil
}

func (l *scriptedConn) Configure(_ context.Context, s Setup) error {
	l.mu.Lock()
	err := l.setupError
	l.mu.Unlock()
	if err != nil {
		return err
	}
	return l.record("configure %d", len(s.Tools))
}

func (l *scriptedConn) Add(_ context.Context, i Item) error {
	switch {
	case i.Result != nil:
		return l.record("result %s %s", i.Result.CallID, i.Result.Output)
	case i.Image != nil && i.ID != "":
		return l.record("look %s %s", i.ID, i.Image.DataURL)
	case i.Image != nil:
		return l.record("image %s", i.Image.DataURL)
	}
	return l.record("%s: %s", i.Message.Role, i.Message.Text)
}

func (l *scriptedConn) Delete(_ context.Context, id string) error { return l.record("delete %s", id) }

func (l *scriptedConn) Respond(_ context.Context, id string, _ bool) error {
	return l.record("respond %s", id)
}

func (l *scriptedConn) Cancel(_ context.Context, id string) error { return l.record("cancel %s", id) }

func (l *scriptedConn) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return nil
}

// takeSent returns the messages sent since the last call.
func (l *scriptedConn) takeSent() []string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	sent := l.sent
	l.sent = nil
	return sent
}

// begin answers the request on its way with a response of the id.
func (l *scriptedConn) begin(t *testing.T, responseID string) {
	t.Helper()
	for _, s := range l.takeSent() {
		var request string
		if n, _ := fmt.Sscanf(s, "respond %s", &request); n == 1 {
			l.events <- ResponseStarted{responseID, request}
			synctest.Wait()
			return
		}
	}
	t.Fatal("no response was asked for")
}

func (l *scriptedConn) done(responseID string, calls ...ToolCall) {
	l.events <- ResponseEnded{ID: responseID, Status: "completed", Calls: calls}
	synctest.Wait()
}

// fakeTools is a toolbox whose tools wait for the test.
type fakeTools struct {
	mu      sync.Mutex
	started []string
	ended   []string // by cancellation
	release chan struct{}
	toolSet ToolSet
	fail    string // the tool that fails
	stopped string // the tool during which the user presses Stop
	ends    string // the tool with which the model ends its task
}

func (h *fakeTools) ToolSet(context.Context) (ToolSet, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.toolSet, nil
}

func (h *fakeTools) LabelArgument(c ToolCall) string { return "at " + c.Name }

func (h *fakeTools) Run(ctx context.Context, c ToolCall) Outcome {
	h.mu.Lock()
	h.started = append(h.started, c.Name)
	h.mu.Unlock()
	select {
	case <-h.release:
		ok := c.Name != h.fail
		return Outcome{Name: c.Name, OK: ok, Stopped: c.Name == h.stopped, Ends: c.Name == h.ends, Output: json.RawMessage(fmt.Sprintf(`{"ok":%t,"of":%q}`, ok, c.CallID))}
	case <-ctx.Done():
		h.mu.Lock()
		h.ended = append(h.ended, c.Name)
		h.mu.Unlock()
		return Outcome{Name: c.Name, Code: "cancelled", Output: json.RawMessage(`{"ok":false}`)}
	}
}

// recordingObserver is an observer that remembers.
type recordingObserver struct {
	mu     sync.Mutex
	states []Status
	rows   map[string]Row
	notes  []string
}

func (d *recordingObserver) StateChanged(s State) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.states) == 0 || d.states[len(d.states)-1] != s.Status {
		d.states = append(d.states, s.Status)
	}
}

func (d *recordingObserver) RowChanged(r Row) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rows[r.ID] = r
}
func (d *recordingObserver) ToolRan(ToolRun) {}
func (d *recordingObserver) LogEvent(kind string, _ any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notes = append(d.notes, kind)
}

func (d *recordingObserver) logged(kind string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.notes, kind)
}

type testSession struct {
	*Session
	script *scriptedProvider
	hands  *fakeTools
	diary  *recordingObserver
}

// begin starts a session in a bubble of synthetic time.
func begin(t *testing.T, change func(*Options)) *testSession {
	t.Helper()
	k := &testSession{
		script: &scriptedProvider{}, hands: &fakeTools{release: make(chan struct{}), toolSet: ToolSet{Instructions: "help", Functions: []Function{{Name: "look"}}}},
		diary: &recordingObserver{rows: map[string]Row{}},
	}
	o := Options{ID: "voice:1", Provider: k.script, Tools: k.hands, Observer: k.diary, Setup: Setup{Model: "gpt-realtime-2.1"}}
	if change != nil {
		change(&o)
	}
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	k.Session = s
	t.Cleanup(s.Stop)
	return k
}

var errGone = errors.New("the line is dead")
