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

// script is a provider whose every move the test makes.
type script struct {
	mu      sync.Mutex
	setups  []Setup
	lines   []*scriptLine
	refusal error // of the next connections
}

type scriptLine struct {
	events chan Event
	failed chan error
	mu     sync.Mutex
	sent   []string // what the session sent, one line each
	closed bool
	deaf   error // what every write gives
}

func (p *script) Connect(_ context.Context, setup Setup) (Connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusal != nil {
		return nil, p.refusal
	}
	l := &scriptLine{events: make(chan Event, 64), failed: make(chan error, 1)}
	p.setups, p.lines = append(p.setups, setup), append(p.lines, l)
	l.events <- Ready{SessionID: fmt.Sprint("s", len(p.lines)), ExpiresAt: time.Now().Add(time.Hour)}
	return l, nil
}

// line is the latest connection.
func (p *script) line() *scriptLine {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[len(p.lines)-1]
}

// count tells how many connections there were.
func (p *script) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.lines)
}

func (l *scriptLine) Answer() string { return "answer" }

func (l *scriptLine) Next(ctx context.Context) (Event, error) {
	select {
	case e := <-l.events:
		return e, nil
	case err := <-l.failed:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *scriptLine) note(format string, args ...any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.deaf != nil {
		return l.deaf
	}
	l.sent = append(l.sent, fmt.Sprintf(format, args...))
	return nil
}

func (l *scriptLine) Configure(_ context.Context, s Setup) error {
	return l.note("configure %d", len(s.Tools))
}

func (l *scriptLine) Add(_ context.Context, i Item) error {
	switch {
	case i.Result != nil:
		return l.note("result %s %s", i.Result.CallID, i.Result.Output)
	case i.Image != nil:
		return l.note("image %s", i.Image.DataURL)
	}
	return l.note("%s: %s", i.Message.Role, i.Message.Text)
}

func (l *scriptLine) Respond(_ context.Context, id string, _ bool) error {
	return l.note("respond %s", id)
}

func (l *scriptLine) Cancel(_ context.Context, id string) error { return l.note("cancel %s", id) }

func (l *scriptLine) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return nil
}

// take gives what was sent since the last look.
func (l *scriptLine) take() []string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	sent := l.sent
	l.sent = nil
	return sent
}

// begin answers the request on its way with a response of the id.
func (l *scriptLine) begin(t *testing.T, responseID string) {
	t.Helper()
	for _, s := range l.take() {
		var request string
		if n, _ := fmt.Sscanf(s, "respond %s", &request); n == 1 {
			l.events <- ResponseStarted{responseID, request}
			synctest.Wait()
			return
		}
	}
	t.Fatal("no response was asked for")
}

func (l *scriptLine) done(responseID string, calls ...ToolCall) {
	l.events <- ResponseEnded{ID: responseID, Status: "completed", Calls: calls}
	synctest.Wait()
}

// hands is a toolbox whose tools wait for the test.
type hands struct {
	mu      sync.Mutex
	started []string
	ended   []string // by cancellation
	release chan struct{}
	surface Surface
}

func (h *hands) Surface(context.Context) (Surface, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.surface, nil
}

func (h *hands) Run(ctx context.Context, c ToolCall) Outcome {
	h.mu.Lock()
	h.started = append(h.started, c.Name)
	h.mu.Unlock()
	select {
	case <-h.release:
		return Outcome{Name: c.Name, OK: true, Output: json.RawMessage(`{"ok":true,"of":"` + c.CallID + `"}`)}
	case <-ctx.Done():
		h.mu.Lock()
		h.ended = append(h.ended, c.Name)
		h.mu.Unlock()
		return Outcome{Name: c.Name, Code: "cancelled", Output: json.RawMessage(`{"ok":false}`)}
	}
}

// diary is an observer that remembers.
type diary struct {
	mu     sync.Mutex
	states []Status
	rows   map[string]Row
	notes  []string
}

func (d *diary) StateChanged(s State) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.states) == 0 || d.states[len(d.states)-1] != s.Status {
		d.states = append(d.states, s.Status)
	}
}

func (d *diary) RowChanged(r Row) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rows[r.ID] = r
}
func (d *diary) ToolRan(ToolRun) {}
func (d *diary) Note(kind string, _ any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notes = append(d.notes, kind)
}

func (d *diary) noted(kind string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.notes, kind)
}

type talk struct {
	*Session
	script *script
	hands  *hands
	diary  *diary
}

// begin starts a session in a bubble of synthetic time.
func begin(t *testing.T, change func(*Options)) *talk {
	t.Helper()
	k := &talk{
		script: &script{}, hands: &hands{release: make(chan struct{}), surface: Surface{Instructions: "help", Functions: []Function{{Name: "look"}}}},
		diary: &diary{rows: map[string]Row{}},
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
