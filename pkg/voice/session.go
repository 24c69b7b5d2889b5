package voice

import (
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
	why     *fault.Error  // written before ended is closed

	stopping sync.Once
	mutes    mutes

	// What follows belongs to the loop alone.
	conn    Connection
	lines   int // counts connections: what an earlier one says is not heard
	gate    gate
	state   State
	history history
	batches []*batch
	seen    map[string]bool    // ids of tool calls that were taken on this connection
	growing map[string]Said    // turns that are not complete, by their ids
	waiters map[string]*waiter // by the id of the request they wait for
	surface Surface
	dirty   bool // the surface may have changed
	kept    mark // how it stood when it was last handed on
	sounds  bool // the model's voice can be heard, which may outlast its response
	renewal *time.Timer
	since   time.Time // of the connection
	brief   int       // connections in a row that did not hold
	heard   time.Time // when the user's speech ended that is not answered yet
}

// Done is closed when the session is over; Err then says why, nil for Stop.
func (s *Session) Done() <-chan struct{} { return s.ended }

// Err is why the session ended.
func (s *Session) Err() error {
	<-s.ended
	if s.why == nil {
		return nil
	}
	return s.why
}

// Stop ends the session and waits until nothing of it is left.
func (s *Session) Stop() {
	s.stopping.Do(s.end)
	<-s.ended
}

// Refresh tells that the page, its maps or the policy may offer other tools now.
func (s *Session) Refresh() { s.post(func() { s.dirty = true }) }

// Interrupt ends what the model is saying and doing.
func (s *Session) Interrupt() {
	s.post(func() {
		s.acted(Act{Type: "interrupt"})
		s.interrupt()
	})
}

// post hands work to the loop; after the end it is dropped, and that is told.
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
	for s.why == nil {
		s.pump()
		s.keep()
		select {
		case work := <-s.inbox:
			work()
		case err := <-s.broken():
			s.acted(Act{Type: "call_lost"})
			s.lost(err)
		case <-check.C:
			s.overhear(time.Now())
			if s.gate.stuck(time.Now(), responseTime) {
				s.lost(fault.New(fault.VoiceUnresponsive, "the voice service left a response open for %s", responseTime))
			}
		case <-s.ctx.Done():
			s.show(Disconnected)
			s.close()
			return
		}
	}
	s.close()
}

// close lets go of everything. It runs once, as the last of the loop.
func (s *Session) close() {
	s.end()
	if s.renewal != nil {
		s.renewal.Stop()
	}
	for _, b := range s.batches {
		b.cancel()
		s.leave(b)
	}
	s.breakOff("")
	end := s.why
	if end == nil {
		end = fault.New(fault.VoiceNotRunning, "the session has ended")
	}
	for _, w := range s.waiters {
		w.answer <- reply{err: end}
	}
	s.release()()
	if s.options.Ended != nil {
		s.options.Ended()
	}
	close(s.ended)
}

// release takes the connection away from the loop; what is returned lets go of
// it and of the microphone, which may take a while.
func (s *Session) release() (letGo func()) {
	conn := s.conn
	s.conn = nil
	s.lines++
	return func() {
		if conn != nil {
			if err := conn.Close(); err != nil {
				s.options.Observer.Note("close_failed", err.Error())
			}
		}
		if s.options.Media == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), sendTime)
		defer cancel()
		if err := s.options.Media.Close(ctx); err != nil {
			s.options.Observer.Note("media_close_failed", err.Error())
		}
	}
}

// fail ends the session with a reason.
func (s *Session) fail(err error) {
	s.why = fault.From(err)
	s.state.Error = s.why
	s.show(Failed)
}

// show tells what the session does now.
func (s *Session) show(status Status) {
	if s.state.Status == status {
		return
	}
	s.state.Status = status
	s.options.Observer.StateChanged(s.state)
}

// pump does what can be done now: a new tool surface, the next request. A
// surface changes only between responses.
func (s *Session) pump() {
	if s.conn == nil || s.gate.phase != idle {
		return
	}
	if s.dirty {
		s.dirty = false
		s.resurface()
	}
	a, ok := s.gate.next(time.Now())
	if !ok {
		return
	}
	s.show(Thinking)
	s.send("response", func(ctx context.Context) error { return s.conn.Respond(ctx, a.id, a.textOnly) })
}

func (s *Session) resurface() {
	ctx, cancel := context.WithTimeout(s.ctx, surfaceTime)
	defer cancel()
	surface, err := s.options.Tools.Surface(ctx)
	if err != nil {
		s.options.Observer.Note("surface_failed", fault.From(err))
		return
	}
	if surface.Instructions == s.surface.Instructions && slices.EqualFunc(surface.Functions, s.surface.Functions, sameFunction) {
		return
	}
	s.surface = surface
	s.send("surface", func(ctx context.Context) error { return s.conn.Configure(ctx, s.setup(surface)) })
	s.options.Observer.Note("surface", map[string]int{"functions": len(surface.Functions)})
}

func sameFunction(a, b Function) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Parameters) == string(b.Parameters)
}

func (s *Session) setup(surface Surface) Setup {
	setup := s.options.Setup
	setup.Instructions, setup.Tools = surface.Instructions, surface.Functions
	return setup
}

// send writes to the provider; a connection that takes nothing is a lost one.
func (s *Session) send(what string, write func(ctx context.Context) error) {
	if s.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, sendTime)
	defer cancel()
	if err := write(ctx); err != nil && s.ctx.Err() == nil {
		s.lost(fault.Wrap(err, fault.TransportFailed, "the %s did not reach the voice service: %v", what, err))
	}
}

// note adds an item to the conversation and remembers it.
func (s *Session) note(item Item) {
	s.history.add(item)
	s.send("conversation item", func(ctx context.Context) error { return s.conn.Add(ctx, item) })
}

// interrupt ends the response under way, what still sounds of the last one, and
// the tool jobs of earlier ones.
func (s *Session) interrupt() {
	if s.gate.phase == idle && s.sounds {
		s.send("silence", func(ctx context.Context) error { return s.conn.Cancel(ctx, "") })
	}
	s.cancel(s.gate.interrupt())
	for _, b := range s.batches {
		s.drop(b)
	}
}

func (s *Session) cancel(responseID string) {
	if responseID != "" {
		s.send("cancellation", func(ctx context.Context) error { return s.conn.Cancel(ctx, responseID) })
	}
}

func newID() string { return "req_" + rand.Text()[:16] }
