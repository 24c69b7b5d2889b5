package voice

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// simulation is a provider, its model, a user and tools, all driven by a seed. It
// records what it let happen and checks the session against that.
type simulation struct {
	t    *testing.T
	mu   sync.Mutex
	rand *rand.Rand
	calm bool // nothing goes wrong any more

	open      *simulatedConn
	lines     int
	ids       int
	heard     int             // responses whose end the session has read
	struck    map[string]bool // requests on which something went wrong already
	wrongAt   time.Time       // when it last did: a service that only fails is given up, rightly
	lastSaid  string          // the user's last message that the provider has
	tools     int
	cancelled int
	of        map[string]string // the response that each call is of
	last      map[string]string // the call that each response has running, or had last
	runs      map[string]bool   // the responses of which a call runs
}

// spent is what each response uses.
var spent = Usage{TextIn: 1000, TextCached: 500, TextOut: 100}

// simulatedConn is a connection of the simulation.
type simulatedConn struct {
	*simulation
	ctx       context.Context
	end       context.CancelFunc
	events    chan Event
	active    string          // the response that runs
	started   bool            // the session has been told that it began
	items     []Item          // what the session added before its first request
	requested bool            // a response was asked for
	results   map[string]bool // ids of answered calls
}

// chance is true once in n calls, never if the simulation is calm.
func (w *simulation) chance(n int) bool { return !w.calm && w.rand.IntN(n) == 0 }

func (w *simulation) span(most time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Duration(w.rand.Int64N(int64(most))) + time.Microsecond
}

func (w *simulation) id(kind string) string {
	w.ids++
	return fmt.Sprintf("%s%d", kind, w.ids)
}

func (w *simulation) Connect(context.Context, Setup) (Connection, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.chance(10) {
		return nil, errGone
	}
	if w.open != nil {
		w.t.Error("a second connection beside the first")
	}
	ctx, end := context.WithCancel(context.Background())
	l := &simulatedConn{simulation: w, ctx: ctx, end: end, events: make(chan Event, 256), results: map[string]bool{}}
	w.open = l
	w.lines++
	// The provider ends the session at its limit, whatever runs.
	limit := 10 * time.Minute
	l.events <- Ready{SessionID: fmt.Sprint("s", w.lines), ExpiresAt: time.Now().Add(limit)}
	time.AfterFunc(limit, end)
	return l, nil
}

func (l *simulatedConn) Answer() string { return "" }

func (l *simulatedConn) Next(ctx context.Context) (Event, error) {
	select {
	case e := <-l.events:
		if _, ended := e.(ResponseEnded); ended {
			l.mu.Lock()
			l.heard++
			l.mu.Unlock()
		}
		return e, nil
	default:
	}
	select {
	case e := <-l.events:
		l.events <- e // to be taken above
		return l.Next(ctx)
	case <-l.ctx.Done():
		return nil, errGone
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *simulatedConn) Configure(context.Context, Setup) error { return l.ctx.Err() }

func (l *simulatedConn) Add(_ context.Context, i Item) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		return errGone
	}
	if !l.requested {
		l.items = append(l.items, i)
	}
	switch {
	case i.Result != nil:
		if l.results[i.Result.CallID] || !json.Valid([]byte(i.Result.Output)) {
			l.t.Errorf("the result of %s: a second one, or no JSON: %.100s", i.Result.CallID, i.Result.Output)
		}
		l.results[i.Result.CallID] = true
	case i.Message != nil && i.Message.Role == "user" && strings.HasPrefix(i.Message.Text, "message"):
		l.lastSaid = i.Message.Text
	}
	return nil
}

func (l *simulatedConn) Delete(context.Context, string) error { return l.ctx.Err() }

func (l *simulatedConn) Respond(_ context.Context, id string, _ bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		return errGone
	}
	if !l.requested {
		l.requested = true
		l.checkCarried()
	}
	if l.active != "" {
		if l.started {
			l.t.Errorf("a response is asked for while %s runs", l.active)
		}
		l.events <- ProviderError{Code: activeResponse, RequestID: id}
		return nil
	}
	l.active, l.started = l.id("r"), false
	go l.respond(l.active, id)
	return nil
}

// checkCarried checks what a later connection received first.
func (l *simulatedConn) checkCarried() {
	if l.lines == 1 || l.lastSaid == "" {
		return
	}
	bytes, carried := 0, false
	for _, i := range l.items {
		if i.Message != nil {
			bytes += len(i.Message.Text)
			carried = carried || i.Message.Text == l.lastSaid
		}
	}
	// It may have slipped out of a full history, which has room for one large
	// result less then.
	if !carried && bytes < historyBytes-maxSimulated-1000 && len(l.items) < historyItems {
		l.t.Errorf("connection %d was not told %q", l.lines, l.lastSaid)
	}
	if len(l.items) > 2*historyItems || bytes > 2*historyBytes {
		l.t.Errorf("connection %d was told %d items of %d bytes", l.lines, len(l.items), bytes)
	}
}

// wait lets time pass on the connection; it reports whether that is still open and
// the response still runs.
func (l *simulatedConn) wait(most time.Duration, response string) bool {
	time.Sleep(l.span(most))
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ctx.Err() == nil && l.active == response
}

// respond simulates the model.
func (l *simulatedConn) respond(response, request string) {
	if !l.wait(2*time.Second, response) {
		return
	}
	l.mu.Lock()
	if request != "" && !l.struck[request] && time.Since(l.wrongAt) > 2*time.Minute && l.chance(6) {
		l.struck[request], l.wrongAt = true, time.Now()
		if l.rand.IntN(3) == 0 {
			l.end() // the line breaks
		}
		l.mu.Unlock()
		return // or nothing more ever comes
	}
	l.started = true
	l.events <- ResponseStarted{response, request}
	item := l.id("i")
	l.mu.Unlock()
	for n := range 3 {
		if !l.wait(time.Second, response) {
			return
		}
		l.events <- Transcript{"assistant", item, strings.Repeat("word ", n), n == 2}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.active != response || l.ctx.Err() != nil {
		return
	}
	e := ResponseEnded{ID: response, Status: "completed", Usage: spent}
	switch {
	case l.chance(20):
		e.Status, e.Reason = "failed", "server_error"
	case l.chance(2):
		for range 1 + l.rand.IntN(3) {
			c := ToolCall{l.id("c"), "look", "{}"}
			l.of[c.CallID] = response
			e.Calls = append(e.Calls, c)
		}
	}
	l.finish(e)
}

// finish ends the response; it runs under the lock.
func (l *simulatedConn) finish(e ResponseEnded) {
	l.active = ""
	l.events <- e
}

func (l *simulatedConn) Cancel(_ context.Context, id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id != "" && l.active == id {
		l.cancelled++
		l.finish(ResponseEnded{ID: id, Status: "cancelled", Usage: spent})
	}
	return l.ctx.Err()
}

func (l *simulatedConn) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
	if l.open == l {
		l.simulation.open = nil
	}
	return nil
}

// speak simulates a user who talks, over the model too: the provider ends what runs and
// answers by itself.
func (w *simulation) speak() {
	w.mu.Lock()
	l := w.open
	if l == nil || l.ctx.Err() != nil {
		w.mu.Unlock()
		return
	}
	l.events <- SpeechStarted{}
	if l.active != "" && l.started {
		w.cancelled++
		l.finish(ResponseEnded{ID: l.active, Status: "cancelled", Usage: spent, Calls: []ToolCall{{w.id("c"), "look", "{}"}}})
	}
	item := w.id("u")
	w.mu.Unlock()
	if !l.wait(3*time.Second, "") {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.ctx.Err() != nil || l.active != "" {
		return
	}
	l.events <- SpeechStopped{}
	l.events <- Transcript{"user", item, "spoken words", true}
	l.active, l.started = w.id("r"), false
	go l.respond(l.active, "")
}

// ToolSet changes now and then.
func (w *simulation) ToolSet(context.Context) (ToolSet, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return ToolSet{Instructions: fmt.Sprint("page ", w.ids/200)}, nil
}

// Run takes its time, or never ends.
func (w *simulation) Run(ctx context.Context, c ToolCall) Outcome {
	w.mu.Lock()
	response := w.of[c.CallID]
	if former := w.last[response]; w.runs[response] || len(former) > len(c.CallID) || len(former) == len(c.CallID) && former >= c.CallID {
		w.t.Errorf("%s of %s began after %s, which runs: %t", c.CallID, response, former, w.runs[response])
	}
	w.last[response], w.runs[response] = c.CallID, true
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.runs[response] = false
	}()
	w.tools++
	took, size := time.Duration(w.rand.Int64N(int64(5*time.Second))), w.rand.IntN(1000)
	if w.chance(30) {
		took = time.Hour
	}
	if w.chance(20) {
		size = maxSimulated
	}
	w.mu.Unlock()
	select {
	case <-time.After(took):
		return Outcome{Name: c.Name, OK: true, Output: json.RawMessage(`{"ok":true,"text":"` + strings.Repeat(`\"`, size/2) + `"}`)}
	case <-ctx.Done():
		return Outcome{Name: c.Name, Code: "cancelled", Output: json.RawMessage(`{"ok":false}`)}
	}
}

// maxSimulated is how many bytes the result of a simulated tool has at most.
const maxSimulated = 15_000

func TestHour(t *testing.T) {
	// Ensure that a session lives through an hour and more of turns, tools, barge-ins, silent responses, broken lines and the provider's own limits: one response at a time on one connection, each call answered once, the conversation carried over, each response paid once, and nothing left behind.
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { simulateHour(t, seed) })
		})
	}
}

func simulateHour(t *testing.T, seed uint64) {
	w := &simulation{t: t, rand: rand.New(rand.NewPCG(seed, 1)), struck: map[string]bool{}, of: map[string]string{}, last: map[string]string{}, runs: map[string]bool{}}
	d := &recordingObserver{rows: map[string]Row{}}
	s := startInSimulation(t, w, d)
	began, said := time.Now(), 0
	var answers sync.WaitGroup
	for time.Since(began) < 65*time.Minute {
		time.Sleep(w.span(12 * time.Second))
		w.mu.Lock()
		what := w.rand.IntN(10)
		w.mu.Unlock()
		switch what {
		case 0:
			s.Interrupt()
		case 1, 2:
			w.speak()
		case 3:
			s.Refresh()
		default:
			said++
			mode := Queue
			if what == 4 {
				mode = Interrupt
			}
			text := fmt.Sprint("message ", said)
			// Not every message is answered in a world like this; but Say always returns.
			answers.Go(func() { _, _ = s.SendAndWait(context.Background(), text, mode) })
		}
	}
	w.mu.Lock()
	w.calm = true
	w.mu.Unlock()
	answers.Wait()
	time.Sleep(5 * time.Minute) // what was silent before is given up
	if _, err := s.SendAndWait(t.Context(), "message at last", Queue); err != nil {
		t.Errorf("after all that: %v", err)
	}
	s.Stop()
	if s.Err() != nil {
		t.Errorf("the session ended by itself: %v", s.Err())
	}
	cost := s.state.Cost
	var unit Cost
	unit.Add(PricesOf(s.state.Model), spent)
	if cost.Responses != w.heard || math.Abs(cost.SessionUSD-float64(w.heard)*unit.SessionUSD) > 1e-9 {
		t.Errorf("%d responses cost $%f; the session counts %d and $%f", w.heard, float64(w.heard)*unit.SessionUSD, cost.Responses, cost.SessionUSD)
	}
	if left := len(s.waiters) + len(s.batches) + len(s.partialTurns) + len(s.gate.waiting); left > 0 || w.open != nil {
		t.Errorf("left behind: %d waiters, %d batches, %d turns, %d requests", len(s.waiters), len(s.batches), len(s.partialTurns), len(s.gate.waiting))
	}
	if len(s.history.items) > historyItems || s.history.bytes > historyBytes {
		t.Errorf("the history has %d items of %d bytes", len(s.history.items), s.history.bytes)
	}
	for id, row := range d.rows {
		if !row.Done {
			t.Errorf("the row %s still grows: %+v", id, row)
		}
	}
	t.Logf("%d messages, %d responses, %d of them cancelled, %d tools, %d connections", said, w.heard, w.cancelled, w.tools, w.lines)
	if said < 200 || w.lines < 8 || w.tools < 50 || w.cancelled < 10 {
		t.Error("that was no eventful hour")
	}
}

// startInSimulation tries until the world lets a session begin.
func startInSimulation(t *testing.T, w *simulation, d *recordingObserver) *Session {
	t.Helper()
	for {
		s, err := Start(t.Context(), Options{ID: "voice:1", Provider: w, Tools: w, Observer: d, Setup: Setup{Model: "gpt-realtime-2.1"}})
		if err == nil {
			return s
		}
	}
}
