package voice

import (
	"context"
	"errors"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// link is a connection with what was set up on it.
type link struct {
	conn      Connection
	toolSet   ToolSet
	expires   time.Time
	sentItems int // how many items of the history it has received
}

// dial opens a connection and sends the conversation so far. It touches no state of
// the loop.
func (s *Session) dial(ctx context.Context, items []Item) (l link, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	defer func() {
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && s.ctx.Err() == nil {
			err = fault.Wrap(err, fault.VoiceUnresponsive, "the voice service did not answer within %s", connectTimeout)
		}
	}()
	if l.toolSet, err = s.options.Tools.ToolSet(ctx); err != nil {
		return l, err
	}
	setup := s.setup(l.toolSet)
	if s.options.Media != nil {
		if setup.Offer, err = s.offer(ctx); err != nil {
			return l, err
		}
	}
	if l.conn, err = s.options.Provider.Connect(ctx, setup); err != nil {
		return l, err
	}
	if l.expires, err = s.handshake(ctx, l.conn, items); err != nil {
		if closeErr := l.conn.Close(); closeErr != nil {
			s.options.Observer.LogEvent("close_failed", closeErr.Error())
		}
	}
	return l, err
}

// handshake completes the call, waits for the session and sends the earlier conversation.
func (s *Session) handshake(ctx context.Context, conn Connection, items []Item) (expires time.Time, err error) {
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
		case ProviderError:
			return expires, fault.New(fault.VoiceRefused, "the voice service refused: %s", e.Message).With("provider_code", e.Code)
		}
	}
}

// adopt makes a new connection the session's.
func (s *Session) adopt(l link) {
	s.conn, s.toolSet, s.connectedAt = l.conn, l.toolSet, time.Now()
	s.connNumber++
	clear(s.seen)
	s.shownLook = "" // it went with the former connection
	go s.read(l.conn, s.connNumber)
	for _, item := range s.history.since(l.sentItems) {
		s.write("conversation item", func(ctx context.Context) error { return s.conn.Add(ctx, item) })
	}
	s.scheduleRenewal(l.expires)
	s.updateIdleStatus()
}

func (s *Session) read(conn Connection, number int) {
	for {
		event, err := conn.Next(s.ctx)
		s.post(func() {
			switch {
			case number != s.connNumber || s.ctx.Err() != nil: // of an abandoned connection
			case err != nil:
				s.reconnect(err)
			default:
				s.handleEvent(event)
			}
		})
		if err != nil {
			return
		}
	}
}

// scheduleRenewal renews the connection before the provider ends it.
func (s *Session) scheduleRenewal(expires time.Time) {
	if s.renewal != nil {
		s.renewal.Stop()
	}
	if s.expires = expires; expires.IsZero() {
		return
	}
	// A computer whose clock is ahead must not renew without end.
	s.renewal = time.AfterFunc(max(minRenewalDelay, time.Until(expires)-renewalDelay), func() { s.post(s.renew) })
}

// renew reconnects when nothing is running; else it tries again shortly.
func (s *Session) renew() {
	switch {
	case s.conn == nil:
	case s.gate.phase != idle || len(s.batches) > 0 || s.inSpeech() && time.Until(s.expires) > lastRenewalDelay:
		s.renewal = time.AfterFunc(time.Second, func() { s.post(s.renew) })
	default:
		s.options.Observer.LogEvent("renewed", nil)
		s.reconnect(nil)
	}
}

// inSpeech reports whether the model or the user speaks, or what the user spoke is not answered yet:
// a new connection would cut it off.
func (s *Session) inSpeech() bool { return s.playing || s.userSpeaks || !s.speechEndedAt.IsZero() }

// reconnect abandons the connection and makes another, to which the conversation is
// carried over. A request without an answer is sent again.
func (s *Session) reconnect(why error) {
	if s.conn == nil {
		return // abandoned already
	}
	unanswered, again := s.gate.phase != idle && !s.gate.cancelled, s.gate.current
	s.finalizePartialTurns("")
	if s.gate.cancelled {
		s.cancelWaiter(again.id)
	}
	s.gate.reset()
	s.playing, s.userSpeaks = false, false
	closeOld := s.detach()
	if unanswered {
		if again.id == "" {
			again = responseRequest{id: newID(), textOnly: s.state.TextOnly}
		}
		if again.failedConnections++; again.failedConnections == maxFailedConnections {
			s.fail(fault.Wrap(why, fault.VoiceUnresponsive, "the voice service left an answer open on %d connections: %v", maxFailedConnections, why))
			closeOld()
			return
		}
		if w := s.waiters[again.id]; w != nil {
			w.text.Reset() // the answer begins anew
		}
		s.gate.requeue(again)
	}
	var pause time.Duration
	if why != nil {
		s.options.Observer.LogEvent("connection_lost", fault.From(why))
		var err error
		if pause, err = s.reconnectDelay(why, time.Now()); err != nil {
			s.fail(err)
			closeOld()
			return
		}
	}
	s.speechEndedAt = time.Time{}
	s.setStatus(Connecting)
	items, sentItems := s.history.since(0), s.history.added
	go func() {
		closeOld()
		select {
		case <-time.After(pause):
		case <-s.ctx.Done(): // seen next
		}
		l, err := s.redial(items)
		l.sentItems = sentItems
		adopted := s.post(func() {
			if err != nil {
				s.fail(err)
				return
			}
			s.options.Observer.LogEvent("reconnected", nil)
			s.adopt(l)
		})
		if !adopted && err == nil {
			_ = l.conn.Close() // the session ended meanwhile; there is no receiver for the error
		}
	}()
}

// redial tries until it is connected, or until another try cannot succeed either.
func (s *Session) redial(items []Item) (l link, err error) {
	for _, pause := range reconnectDelays {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-s.ctx.Done():
			timer.Stop()
			return l, s.ctx.Err()
		}
		if l, err = s.dial(s.ctx, items); err == nil || isPermanent(err) {
			return l, err
		}
	}
	return l, err
}

// isPermanent reports whether another try cannot succeed either: a refused key stays refused.
func isPermanent(err error) bool {
	switch fault.From(err).Code {
	case fault.VoiceRefused, fault.VoiceKeyMissing, fault.MicrophoneUnavailable:
		return true
	}
	return false
}
