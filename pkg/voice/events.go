package voice

import (
	"maps"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// handleEvent handles an event of the connection.
func (s *Session) handleEvent(event Event) {
	switch e := event.(type) {
	case Ready:
		s.scheduleRenewal(e.ExpiresAt)
	case ResponseStarted:
		s.userSpeaks, s.speechEndedAt = false, time.Time{}
		s.setStatus(Thinking)
		cancel, dropped := s.gate.started(e.ID, e.RequestID, time.Now())
		s.cancel(cancel)
		s.cancelWaiter(dropped)
	case ResponseEnded:
		s.responseEnded(e)
	case SpeechStarted:
		// The provider itself ends the response that the user talks over; its tool calls
		// are discarded.
		s.gate.interrupt()
		s.playing, s.userSpeaks, s.speechEndedAt, s.task.interrupted = false, true, time.Time{}, false
		s.setStatus(Listening)
	case SpeechStopped:
		s.userSpeaks, s.speechEndedAt = false, time.Now()
		s.setStatus(Thinking)
	case Transcript:
		s.handleTranscript(e)
	case PlaybackChanged:
		if s.playing = e.On; s.playing {
			s.setStatus(Speaking)
		} else {
			s.updateIdleStatus()
		}
	case ProviderError:
		s.handleProviderError(e)
	case Unknown:
		s.options.Observer.LogEvent("unknown_event", e.Type)
	}
}

func (s *Session) handleTranscript(e Transcript) {
	// A turn stands where it began: the user's speech may be transcribed after its answer.
	if _, known := s.partialTurns[e.ItemID]; !known {
		s.history.hold(e.ItemID)
	}
	if s.partialTurns[e.ItemID] = e; e.Final {
		delete(s.partialTurns, e.ItemID)
		s.history.fill(e.ItemID, Message{e.Role, e.Text})
		if w := s.waiters[s.gate.current.id]; w != nil && e.Role == "assistant" {
			w.text.WriteString(e.Text + "\n")
		}
	}
	s.options.Observer.RowChanged(Row{ID: e.ItemID, Role: e.Role, Text: e.Text, Done: e.Final})
}

// finalizePartialTurns completes the partial turns of a role, or all of them, with the
// text that has arrived: no more of it will come.
func (s *Session) finalizePartialTurns(role string) {
	for _, id := range slices.Sorted(maps.Keys(s.partialTurns)) {
		if turn := s.partialTurns[id]; role == "" || turn.Role == role {
			turn.Final = true
			s.handleTranscript(turn)
		}
	}
}

func (s *Session) responseEnded(e ResponseEnded) {
	s.finalizePartialTurns("assistant")
	request := s.gate.current.id
	cancelled := s.gate.ended(e.ID) || e.Status == "cancelled"
	s.addCost(e)
	follow := ""
	switch {
	case s.failure != nil: // the limit is reached: nothing more runs
	case cancelled:
		s.discard(s.connNumber, e.Calls, interruptedReason)
	case e.Status == "completed":
		follow = s.startCalls(e)
	default:
		// A truncated call may have another meaning than the whole one.
		s.discard(s.connNumber, e.Calls, brokenOffReason)
		s.options.Observer.RowChanged(e.brokenOff())
	}
	s.answerWaiter(request, e, follow)
	s.updateIdleStatus()
}

// brokenOff returns the row of a response that did not come to its end.
func (e ResponseEnded) brokenOff() Row {
	row := Row{ID: e.ID, Role: "note", Text: "The answer broke off: " + e.Reason, Done: true}
	if e.Fault != nil {
		row.Text, row.Code, row.NextStep = "There is no answer: "+e.Fault.Message, string(e.Fault.Code), e.Fault.NextStep
	}
	return row
}

// updateIdleStatus shows the session's status when no response runs.
func (s *Session) updateIdleStatus() {
	switch {
	case s.gate.phase != idle || s.failure != nil:
	case len(s.batches) > 0:
		s.setStatus(UsingTool)
	case s.playing:
		s.setStatus(Speaking)
	case len(s.gate.waiting) > 0: // its turn comes at once
		s.setStatus(Thinking)
	default:
		s.setStatus(Listening)
	}
}

func (s *Session) handleProviderError(e ProviderError) {
	s.options.Observer.LogEvent("provider_error", map[string]string{"code": e.Code, "message": e.Message})
	switch {
	case e.Fatal:
		s.fail(fault.New(fault.VoiceRefused, "the voice service refused: %s", e.Message).With("provider_code", e.Code))
	case e.Code == activeResponse:
		s.cancelWaiter(s.gate.busy(e.RequestID, time.Now()))
	case e.RequestID != "":
		s.gate.refused(e.RequestID)
		s.rejectWaiter(e.RequestID, e)
		s.updateIdleStatus()
	}
}

// activeResponse is the provider's code for a response refused because another one
// runs.
const activeResponse = "conversation_already_has_active_response"

// checkUnansweredSpeech resumes listening if the provider never answers detected speech,
// which may have been noise.
func (s *Session) checkUnansweredSpeech(now time.Time) {
	if s.speechEndedAt.IsZero() || now.Sub(s.speechEndedAt) < speechAnswerTimeout {
		return
	}
	s.speechEndedAt = time.Time{}
	s.options.Observer.LogEvent("speech_unanswered", nil)
	s.updateIdleStatus()
}
