package voice

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Session is one conversation. Its methods may be called from anywhere.
type Session struct {
	options Options
	ctx     context.Context // of the session's life
	end     context.CancelFunc
	inbox   chan func()
	ended   chan struct{} // closed when the loop is over
	failure *fault.Error  // written before ended is closed

	stopping sync.Once
	mutes    mutes

	// The fields below belong to the loop alone.
	conn             Connection
	connNumber       int // counts connections: events of an earlier one are ignored
	gate             gate
	state            State
	history          history
	batches          []*batch
	seen             map[string]bool       // ids of tool calls received on this connection
	partialTurns     map[string]Transcript // turns that are not complete, by their ids
	waiters          map[string]*waiter    // by the request they wait for
	shownLook        string                // the item of the last look's picture; empty for none
	toolSet          ToolSet
	dirty            bool        // the tool set may have changed
	saved            fingerprint // of the last snapshot
	playing          bool        // the model's voice is playing, which may outlast its response
	userSpeaks       bool        // the user speaks
	expires          time.Time   // of the current connection
	renewal          *time.Timer
	connectedAt      time.Time // of the current connection
	shortConnections int       // consecutive connections that ended early
	speechEndedAt    time.Time // of speech that is not answered yet; else zero
	task             task
}

// Done returns a channel that is closed when the session is over; [Session.Err] then
// returns the reason.
func (s *Session) Done() <-chan struct{} { return s.ended }

// Err returns why the session ended, nil for [Session.Stop]. It waits for the end.
func (s *Session) Err() error {
	<-s.ended
	if s.failure == nil {
		return nil
	}
	return s.failure
}

// Stop ends the session and waits until it has released everything.
func (s *Session) Stop() {
	s.stopping.Do(s.end)
	<-s.ended
}

// Refresh notifies the session that its tools may have changed: the page, its maps or
// the policy.
func (s *Session) Refresh() { s.post(func() { s.dirty = true }) }

// Interrupt ends the model's response and its tool calls. Of the requests that wait only those for
// the user's own messages that were not sent yet stay: what the host has added is answered with the next one.
func (s *Session) Interrupt() {
	s.post(func() {
		s.recordAction(UserAction{Type: "interrupt"})
		for _, id := range s.gate.stop() {
			s.cancelWaiter(id)
		}
		s.interrupt()
		s.task.interrupted = true
	})
}

// post hands work to the loop. After the end the work is dropped and it returns false.
func (s *Session) post(work func()) bool {
	select {
	case s.inbox <- work:
		return true
	case <-s.ended:
		return false
	}
}

func (s *Session) loop() {
	check := time.NewTicker(time.Second)
	defer check.Stop()
	for s.failure == nil {
		s.pump()
		s.saveSnapshot()
		select {
		case work := <-s.inbox:
			work()
		case err := <-s.callLost():
			s.recordAction(UserAction{Type: "call_lost"})
			s.reconnect(err)
		case <-check.C:
			s.checkUnansweredSpeech(time.Now())
			s.checkDuration(time.Now())
			if limit := cmp.Or(s.options.ResponseTimeout, responseTimeout); s.gate.timedOut(time.Now(), limit) {
				s.reconnect(fault.New(fault.VoiceUnresponsive, "the voice service left a response open for %s", limit))
			}
		case <-s.ctx.Done():
			s.setStatus(Disconnected)
			s.close()
			return
		}
	}
	s.close()
}

// close releases everything. It runs once, at the end of the loop.
func (s *Session) close() {
	if s.renewal != nil {
		s.renewal.Stop()
	}
	for _, b := range s.batches {
		b.cancel()
		s.closeRows(b)
	}
	s.finalizePartialTurns("")
	end := s.failure
	if end == nil {
		end = fault.New(fault.VoiceNotRunning, "the session has ended")
	}
	for _, w := range s.waiters {
		w.answer <- reply{err: end}
	}
	s.detach()()
	if s.options.Ended != nil {
		s.options.Ended()
	}
	close(s.ended)
}

// detach takes the connection away from the loop. The returned function closes it
// and releases the microphone, which may take a while.
func (s *Session) detach() (closeOld func()) {
	conn := s.conn
	s.conn = nil
	s.connNumber++
	return func() {
		if conn != nil {
			if err := conn.Close(); err != nil {
				s.options.Observer.LogEvent("close_failed", err.Error())
			}
		}
		if s.options.Media == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
		defer cancel()
		if err := s.options.Media.Close(ctx); err != nil {
			s.options.Observer.LogEvent("media_close_failed", err.Error())
		}
	}
}

// fail ends the session with a reason.
func (s *Session) fail(err error) {
	s.end()
	s.failure = fault.From(err)
	s.state.Error = s.failure
	s.setStatus(Failed)
}

// setStatus reports the session's status.
func (s *Session) setStatus(status Status) {
	if s.state.Status == status {
		return
	}
	s.state.Status = status
	s.options.Observer.StateChanged(s.state)
}

// pump does what can be done now: send a changed tool set, and the next request. The
// tool set changes only between responses. A request waits for the calls that run: without
// their results the model would repeat them.
func (s *Session) pump() {
	if s.conn == nil || s.gate.phase != idle {
		return
	}
	if s.dirty {
		s.dirty = false
		s.updateTools()
		if s.conn == nil {
			return // it was lost meanwhile
		}
	}
	if s.callsRun() {
		return
	}
	a, ok := s.gate.next(time.Now())
	if !ok {
		return
	}
	s.task.steps++
	s.task.interrupted = false
	s.setStatus(Thinking)
	s.write("response", func(ctx context.Context) error { return s.conn.Respond(ctx, a.id, a.textOnly) })
}

func (s *Session) updateTools() {
	ctx, cancel := context.WithTimeout(s.ctx, toolSetTimeout)
	defer cancel()
	toolSet, err := s.options.Tools.ToolSet(ctx)
	if err != nil {
		s.options.Observer.LogEvent("surface_failed", fault.From(err))
		return
	}
	if toolSet.Instructions == s.toolSet.Instructions && slices.EqualFunc(toolSet.Functions, s.toolSet.Functions, sameFunction) {
		return
	}
	s.toolSet = toolSet
	s.write("surface", func(ctx context.Context) error { return s.conn.Configure(ctx, s.setup(toolSet)) })
	s.options.Observer.LogEvent("surface", map[string]int{"functions": len(toolSet.Functions)})
}

func sameFunction(a, b Function) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Parameters) == string(b.Parameters)
}

func (s *Session) setup(toolSet ToolSet) Setup {
	setup := s.options.Setup
	setup.Instructions, setup.Tools = toolSet.Instructions, toolSet.Functions
	return setup
}

// write writes to the provider; a connection that cannot be written to is lost.
func (s *Session) write(what string, write func(ctx context.Context) error) {
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, sendTimeout)
	defer cancel()
	if err := write(ctx); err != nil && s.ctx.Err() == nil {
		s.reconnect(fault.Wrap(err, fault.TransportFailed, "the %s did not reach the voice service: %v", what, err))
	}
}

// addItem adds an item to the conversation and to the history.
func (s *Session) addItem(item Item) {
	s.history.add(item)
	s.write("conversation item", func(ctx context.Context) error { return s.conn.Add(ctx, item) })
}

// interrupt ends the running response, the playback of the last one, and the tool
// jobs of earlier ones.
func (s *Session) interrupt() {
	if s.gate.phase == idle && s.playing {
		s.write("silence", func(ctx context.Context) error { return s.conn.Cancel(ctx, "") })
	}
	s.cancel(s.gate.interrupt())
	for _, b := range s.batches {
		s.drop(b)
	}
}

func (s *Session) cancel(responseID string) {
	if responseID != "" {
		s.write("cancellation", func(ctx context.Context) error { return s.conn.Cancel(ctx, responseID) })
	}
}

func newID() string { return "req_" + rand.Text()[:16] }
