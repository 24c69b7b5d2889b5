package voice

import (
	"context"
	"errors"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// line is a connection with all that was agreed on it.
type line struct {
	conn    Connection
	surface Surface
	expires time.Time
	told    int // how much of the history it has heard
}

// dial opens a connection and tells it the conversation so far. It touches
// nothing of the loop's.
func (s *Session) dial(ctx context.Context, items []Item) (l line, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	defer func() {
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && s.ctx.Err() == nil {
			err = fault.Wrap(err, fault.VoiceUnresponsive, "the voice service did not answer within %s", connectTime)
		}
	}()
	if l.surface, err = s.options.Tools.Surface(ctx); err != nil {
		return l, err
	}
	setup := s.setup(l.surface)
	if s.options.Media != nil {
		if setup.Offer, err = s.offer(ctx); err != nil {
			return l, err
		}
	}
	if l.conn, err = s.options.Provider.Connect(ctx, setup); err != nil {
		return l, err
	}
	if l.expires, err = s.greet(ctx, l.conn, items); err != nil {
		if closeErr := l.conn.Close(); closeErr != nil {
			s.options.Observer.Note("close_failed", closeErr.Error())
		}
	}
	return l, err
}

// greet completes the call, waits for the session and tells what was said before.
func (s *Session) greet(ctx context.Context, conn Connection, items []Item) (expires time.Time, err error) {
	if s.options.Media != nil {
		if err := s.options.Media.Accept(ctx, conn.Answer()); err != nil {
			return expires, err
		}
	}
	for {
		event, err := conn.Next(ctx)
		if err != nil {
			return expires, err
		}
		switch e := event.(type) {
		case Ready:
			for _, item := range items {
				if err := conn.Add(ctx, item); err != nil {
					return expires, err
				}
			}
			return e.ExpiresAt, nil
		case Complaint:
			return expires, fault.New(fault.VoiceRefused, "the voice service refused: %s", e.Message).With("provider_code", e.Code)
		}
	}
}

// adopt goes on with a new connection.
func (s *Session) adopt(l line) {
	s.conn, s.surface, s.since = l.conn, l.surface, time.Now()
	s.lines++
	clear(s.seen)
	go s.read(l.conn, s.lines)
	for _, item := range s.history.since(l.told) {
		s.send("conversation item", func(ctx context.Context) error { return s.conn.Add(ctx, item) })
	}
	s.plan(l.expires)
	s.rest()
}

func (s *Session) read(conn Connection, number int) {
	for {
		event, err := conn.Next(s.ctx)
		s.post(func() {
			switch {
			case number != s.lines || s.ctx.Err() != nil: // of a connection that was given up
			case err != nil:
				s.lost(err)
			default:
				s.hear(event)
			}
		})
		if err != nil {
			return
		}
	}
}

// plan renews the connection before the provider ends it.
func (s *Session) plan(expires time.Time) {
	if s.renewal != nil {
		s.renewal.Stop()
	}
	if expires.IsZero() {
		return
	}
	// A computer whose clock is ahead must not renew without end.
	s.renewal = time.AfterFunc(max(shortest, time.Until(expires)-renewBefore), func() { s.post(s.renew) })
}

// renew connects anew when nothing is under way; else it tries again shortly.
func (s *Session) renew() {
	switch {
	case s.conn == nil:
	case s.gate.phase != idle || len(s.batches) > 0:
		s.renewal = time.AfterFunc(time.Second, func() { s.post(s.renew) })
	default:
		s.options.Observer.Note("renewed", nil)
		s.lost(nil)
	}
}

// lost gives the connection up and makes another, to which the conversation is
// carried over. What was asked for and not answered is asked for again.
func (s *Session) lost(why error) {
	if s.conn == nil {
		return // given up already
	}
	unanswered, again := s.gate.phase != idle && !s.gate.cancelled, s.gate.current
	s.breakOff("")
	if s.gate.cancelled {
		s.forgo(again.id)
	}
	s.gate.rest()
	s.sounds = false
	letGo := s.release()
	if unanswered {
		if again.id == "" {
			again = ask{id: newID(), textOnly: s.state.TextOnly}
		}
		if again.lost++; again.lost == maxLost {
			s.fail(fault.Wrap(why, fault.VoiceUnresponsive, "the voice service left an answer open on %d connections: %v", maxLost, why))
			letGo()
			return
		}
		if w := s.waiters[again.id]; w != nil {
			w.text.Reset() // the answer begins anew
		}
		s.gate.putBack(again)
	}
	var pause time.Duration
	if why != nil {
		s.options.Observer.Note("connection_lost", fault.From(why))
		var err error
		if pause, err = s.brevity(why, time.Now()); err != nil {
			s.fail(err)
			letGo()
			return
		}
	}
	s.heard = time.Time{}
	s.show(Connecting)
	items, told := s.history.since(0), s.history.added
	go func() {
		letGo()
		select {
		case <-time.After(pause):
		case <-s.ctx.Done(): // seen next
		}
		l, err := s.redial(items)
		l.told = told
		adopted := s.post(func() {
			if err != nil {
				s.fail(err)
				return
			}
			s.options.Observer.Note("reconnected", nil)
			s.adopt(l)
		})
		if !adopted && err == nil {
			_ = l.conn.Close() // the session ended meanwhile; nobody is left to tell
		}
	}()
}

// redial tries until a connection stands, or another try would go no better.
func (s *Session) redial(items []Item) (l line, err error) {
	for _, pause := range reconnects {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-s.ctx.Done():
			timer.Stop()
			return l, s.ctx.Err()
		}
		if l, err = s.dial(s.ctx, items); err == nil || final(err) {
			return l, err
		}
	}
	return l, err
}

// final tells whether another try can go no better: a refused key stays refused.
func final(err error) bool {
	switch fault.From(err).Code {
	case fault.VoiceRefused, fault.VoiceKeyMissing, fault.MicrophoneUnavailable:
		return true
	}
	return false
}
