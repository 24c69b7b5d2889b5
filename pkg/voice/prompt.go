package voice

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Reply is the model's answer to a message.
type Reply struct {
	RequestID  string `json:"request_id"`
	ResponseID string `json:"response_id"`
	Mode       string `json:"response_mode"`
	Text       string `json:"response_text"`
}

// textReply is how a written message is answered.
const textReply = "text_only_transcript"

// waiter waits for the response to one request, and for those that follow from
// its tool calls.
type waiter struct {
	requestID string
	textOnly  bool // the answer is to be read, not heard
	text      strings.Builder
	answer    chan reply // has room for one
}

type reply struct {
	Reply
	err *fault.Error
}

// Say gives the model a message and waits for its answer, tools included.
func (s *Session) Say(ctx context.Context, text string, mode Mode) (Reply, error) {
	w, err := s.newWaiter(text)
	if err != nil {
		return Reply{}, err
	}
	w.textOnly = true
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	s.put(w, text, mode)
	select {
	case r := <-w.answer:
		if r.err != nil {
			return Reply{}, r.err
		}
		return r.Reply, nil
	case <-s.ended:
		return Reply{}, s.endedFault()
	case <-ctx.Done():
		return Reply{}, fault.From(ctx.Err())
	}
}

func (s *Session) endedFault() *fault.Error {
	if s.why != nil {
		return s.why
	}
	return fault.New(fault.VoiceNotRunning, "the session has ended")
}

// settle answers whoever waits for the response, or hands him on to the request
// that will follow it.
func (s *Session) settle(request string, e ResponseEnded, follow string) {
	w := s.waiters[request]
	if w == nil {
		return
	}
	delete(s.waiters, request)
	switch {
	case follow != "":
		s.waiters[follow] = w
	case e.Status == "completed":
		w.answer <- reply{Reply: Reply{w.requestID, e.ID, textReply, strings.TrimSpace(w.text.String())}}
	default:
		w.answer <- reply{err: fault.New(fault.VoiceResponseFailed, "the response ended as %s", e.Status).With("reason", e.Reason)}
	}
}

// forgo answers whoever waits for a request that was interrupted for good.
func (s *Session) forgo(request string) {
	if w := s.waiters[request]; w != nil {
		delete(s.waiters, request)
		w.answer <- reply{err: fault.New(fault.Cancelled, "the answer was interrupted")}
	}
}

// refuse answers whoever waits for a request that became no response.
func (s *Session) refuse(request string, e Complaint) {
	if w := s.waiters[request]; w != nil {
		delete(s.waiters, request)
		w.answer <- reply{err: fault.New(fault.VoiceResponseFailed, "%s", e.Message).With("provider_code", e.Code)}
	}
}

// hear takes an event of the connection.
func (s *Session) hear(event Event) {
	switch e := event.(type) {
	case Ready:
		s.plan(e.ExpiresAt)
	case ResponseStarted:
		s.heard = time.Time{}
		s.show(Thinking)
		s.cancel(s.gate.started(e.ID, e.RequestID, time.Now()))
	case ResponseEnded:
		s.responseEnded(e)
	case SpeechStarted:
		// The provider itself ends the response that the user talks over; what
		// that one asks for does not count.
		s.gate.interrupt()
		s.sounds, s.heard = false, time.Time{}
		s.show(Listening)
	case SpeechStopped:
		s.heard = time.Now()
		s.show(Thinking)
	case Said:
		s.said(e)
	case Sounding:
		if s.sounds = e.On; s.sounds {
			s.show(Speaking)
		} else {
			s.rest()
		}
	case Complaint:
		s.complaint(e)
	case Unknown:
		s.options.Observer.Note("unknown_event", e.Type)
	}
}

func (s *Session) said(e Said) {
	if s.growing[e.ItemID] = e; e.Final {
		delete(s.growing, e.ItemID)
		s.history.add(Item{Message: &Message{e.Role, e.Text}})
		if w := s.waiters[s.gate.current.id]; w != nil && e.Role == "assistant" {
			w.text.WriteString(e.Text + "\n")
		}
	}
	s.options.Observer.RowChanged(Row{ID: e.ItemID, Role: e.Role, Text: e.Text, Done: e.Final})
}

// breakOff completes the turns of a role, or all of them, as far as they came:
// nothing more is said of them.
func (s *Session) breakOff(role string) {
	for _, id := range slices.Sorted(maps.Keys(s.growing)) {
		if turn := s.growing[id]; role == "" || turn.Role == role {
			turn.Final = true
			s.said(turn)
		}
	}
}

func (s *Session) responseEnded(e ResponseEnded) {
	s.breakOff("assistant")
	request := s.gate.current.id
	cancelled := s.gate.ended(e.ID) || e.Status == "cancelled"
	s.charge(e.Usage)
	follow := ""
	switch {
	case s.why != nil: // the limit is reached: nothing more runs
	case cancelled:
		s.discard(s.lines, e.Calls, interrupted)
	case e.Status == "completed":
		follow = s.run(e)
	default:
		// A call that was cut off may say something else than the model meant.
		s.discard(s.lines, e.Calls, brokenOff)
		s.options.Observer.RowChanged(Row{ID: e.ID, Role: "note", Text: "The answer broke off: " + e.Reason, Done: true})
	}
	s.settle(request, e, follow)
	s.rest()
}

// rest shows what the session does when no response runs.
func (s *Session) rest() {
	switch {
	case s.gate.phase != idle || s.why != nil:
	case len(s.batches) > 0:
		s.show(UsingTool)
	case s.sounds:
		s.show(Speaking)
	case len(s.gate.waiting) > 0: // its turn comes at once
		s.show(Thinking)
	default:
		s.show(Listening)
	}
}

func (s *Session) complaint(e Complaint) {
	s.options.Observer.Note("provider_error", map[string]string{"code": e.Code, "message": e.Message})
	switch {
	case e.Fatal:
		s.fail(fault.New(fault.VoiceRefused, "the voice service refused: %s", e.Message).With("provider_code", e.Code))
	case e.Code == activeResponse:
		s.gate.busy(e.RequestID, time.Now())
	case e.RequestID != "":
		s.gate.refused(e.RequestID)
		s.refuse(e.RequestID, e)
		s.rest()
	}
}

// activeResponse is the provider's code for a response that it would not begin
// beside another.
const activeResponse = "conversation_already_has_active_response"

// charge counts what a response cost and ends the session at its limit.
func (s *Session) charge(u Usage) {
	s.state.Cost.Add(PricesOf(s.options.Setup.Model), u)
	s.options.Observer.StateChanged(s.state)
	s.checkSpending()
}

// LimitSpending sets what the session may cost, in US dollars; 0 is no limit.
func (s *Session) LimitSpending(usd float64) {
	s.post(func() {
		s.options.SpendingLimit = usd
		s.checkSpending()
	})
}

func (s *Session) checkSpending() {
	if limit := s.options.SpendingLimit; limit > 0 && s.state.Cost.SessionUSD >= limit {
		s.fail(fault.New(fault.SpendingLimitReached, "the session has cost $%.2f, which is your limit of $%.2f", s.state.Cost.SessionUSD, limit))
	}
}

// Tell gives the model a message and does not wait for the answer.
func (s *Session) Tell(text string, mode Mode) error {
	w, err := s.newWaiter(text)
	if err != nil {
		return err
	}
	s.put(w, text, mode)
	return nil
}

// newWaiter refuses a message that is empty or too long.
func (s *Session) newWaiter(text string) (*waiter, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fault.New(fault.InvalidInput, "the message is empty").WithDispatched(fault.NotDispatched)
	}
	if n := utf8.RuneCountInString(text); n > maxMessage {
		return nil, fault.New(fault.InvalidInput, "the message has %d characters; %d at most can be sent at once", n, maxMessage).WithDispatched(fault.NotDispatched)
	}
	return &waiter{requestID: newID(), answer: make(chan reply, 1)}, nil
}

// put brings the message into the conversation and asks for a response.
func (s *Session) put(w *waiter, text string, mode Mode) {
	s.post(func() {
		s.acted(Act{"say", text, mode, w.textOnly})
		if mode == Interrupt {
			s.interrupt()
		}
		s.options.Observer.RowChanged(Row{ID: w.requestID, Role: "user", Text: text, Done: true})
		s.note(Item{Message: &Message{"user", text}})
		s.waiters[w.requestID] = w
		s.cancel(s.gate.add(ask{id: w.requestID, textOnly: w.textOnly || s.state.TextOnly}, mode))
	})
}
