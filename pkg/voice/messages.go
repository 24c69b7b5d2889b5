package voice

import (
	"context"
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
	textOnly  bool // the answer is text without sound
	text      strings.Builder
	answer    chan reply // has room for one
}

type reply struct {
	Reply
	err *fault.Error
}

// SendAndWait sends the model a message and waits for its answer, tool calls included.
func (s *Session) SendAndWait(ctx context.Context, text string, mode Mode) (Reply, error) {
	w, err := s.newWaiter(text)
	if err != nil {
		return Reply{}, err
	}
	w.textOnly = true
	ctx, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
	s.post(func() { s.sendMessage(w, text, mode) })
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
	if s.failure != nil {
		return s.failure
	}
	return fault.New(fault.VoiceNotRunning, "the session has ended")
}

// answerWaiter answers the response's waiter, or moves it to the request that will follow.
func (s *Session) answerWaiter(request string, e ResponseEnded, follow string) {
	w := s.waiters[request]
	if w == nil {
		return
	}
	delete(s.waiters, request)
	switch {
	case follow != "":
		s.waiters[follow] = w
	case e.Fault != nil:
		w.answer <- reply{err: e.Fault}
	case e.Status == "completed":
		w.answer <- reply{Reply: Reply{w.requestID, e.ID, textReply, strings.TrimSpace(w.text.String())}}
	default:
		w.answer <- reply{err: fault.New(fault.VoiceResponseFailed, "the response ended as %s", e.Status).With("reason", e.Reason)}
	}
}

// cancelWaiter answers the waiter of a request that was interrupted and is not repeated.
func (s *Session) cancelWaiter(request string) {
	s.failWaiter(request, fault.New(fault.Cancelled, "the answer was interrupted"))
}

// rejectWaiter answers the waiter of a request that the provider refused.
func (s *Session) rejectWaiter(request string, e ProviderError) {
	s.failWaiter(request, fault.New(fault.VoiceResponseFailed, "%s", e.Message).With("provider_code", e.Code))
}

func (s *Session) failWaiter(request string, f *fault.Error) {
	if w := s.waiters[request]; w != nil {
		delete(s.waiters, request)
		w.answer <- reply{err: f}
	}
}

// Send sends the model a message and does not wait for the answer. A session that is ending takes none.
func (s *Session) Send(text string, mode Mode) error {
	w, err := s.newWaiter(text)
	if err != nil {
		return err
	}
	taken := make(chan struct{})
	s.post(func() {
		s.sendMessage(w, text, mode)
		close(taken)
	})
	select {
	case <-taken:
	case <-s.ended:
		select {
		case <-taken:
		default:
			return s.endedFault()
		}
	}
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

// sendMessage adds the message to the conversation and requests a response.
func (s *Session) sendMessage(w *waiter, text string, mode Mode) {
	s.recordAction(UserAction{"say", text, mode, w.textOnly})
	if mode == Interrupt {
		s.interrupt()
	}
	s.task = task{began: time.Now()}
	s.options.Observer.RowChanged(Row{ID: w.requestID, Role: "user", Text: text, Done: true})
	s.addItem(Item{Message: &Message{"user", text}})
	s.waiters[w.requestID] = w
	s.cancel(s.gate.add(responseRequest{id: w.requestID, textOnly: w.textOnly || s.state.TextOnly, byUser: true}, mode))
}

// AddSystemMessage adds a system message about something outside of the conversation and
// requests a response.
func (s *Session) AddSystemMessage(text string) { s.post(func() { s.inform(text) }) }

// AddNote adds a system message that the model gets with the next request.
func (s *Session) AddNote(text string) { s.post(func() { s.note(text) }) }

// AddEvent adds a system message about something that happened without the user. Like
// [Session.AddNote] it requests nothing after an interruption: the model stays silent until the
// user wants something again.
func (s *Session) AddEvent(text string) {
	s.post(func() {
		if s.task.interrupted {
			s.note(text)
		} else {
			s.inform(text)
		}
	})
}

func (s *Session) inform(text string) {
	s.recordAction(UserAction{Type: "inform", Text: text})
	s.addItem(Item{Message: &Message{"system", text}})
	if !s.task.stopped { // else the user's next message is answered with it
		s.gate.add(responseRequest{id: newID(), textOnly: s.state.TextOnly}, Queue)
	}
}

func (s *Session) note(text string) {
	s.recordAction(UserAction{Type: "note", Text: text})
	s.addItem(Item{Message: &Message{"system", text}})
}
