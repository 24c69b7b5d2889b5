package voice

import (
	"slices"
	"strings"
)

// SessionSnapshot is the state of a session that outlives its host: another host resumes
// the session from it. Sound and pictures are not in it.
type SessionSnapshot struct {
	ID           string    `json:"id"`
	TextOnly     bool      `json:"text_only"`
	InputMuted   bool      `json:"input_muted"`
	OutputMuted  bool      `json:"output_muted"`
	Conversation []Message `json:"conversation"`
	Cost         Cost      `json:"cost"`
	// Unanswered is whether the model still has to answer.
	Unanswered bool `json:"unanswered"`
	// Running are the names of the tools whose outcome is not known.
	Running []string `json:"running,omitzero"`
}

// fingerprint identifies a snapshot, so that a change is found cheaply.
type fingerprint struct {
	messages, responses, running int
	unanswered                   bool
	input, output                bool
}

// saveSnapshot passes on a snapshot of the session if it has changed.
func (s *Session) saveSnapshot() {
	if s.options.SaveSnapshot == nil || s.failure != nil {
		return
	}
	now := fingerprint{
		messages: s.history.added, responses: s.state.Cost.Responses, unanswered: s.unanswered(),
		input: s.state.Muted, output: s.state.Silent,
	}
	for _, b := range s.batches {
		now.running += len(b.pending())
	}
	if now == s.saved {
		return
	}
	s.saved = now
	s.options.SaveSnapshot(s.snapshot())
}

func (s *Session) snapshot() SessionSnapshot {
	snapshot := SessionSnapshot{
		ID: s.options.ID, TextOnly: s.state.TextOnly, InputMuted: s.state.Muted, OutputMuted: s.state.Silent,
		Cost: s.state.Cost, Unanswered: s.unanswered(),
	}
	conversation := s.history
	conversation.items = slices.Clone(conversation.items)
	for _, b := range s.batches {
		if b.dropped {
			continue
		}
		for i, o := range b.outcomes {
			if !b.answered { // else the history has it
				conversation.add(resultText(b.calls[i], o.Name, o.Text()))
			}
		}
		for _, call := range b.pending() {
			snapshot.Running = append(snapshot.Running, call.Name)
		}
	}
	for _, item := range conversation.since(0) {
		snapshot.Conversation = append(snapshot.Conversation, *item.Message)
	}
	return snapshot
}

// unanswered reports whether a response is requested, runs, or will follow from a tool
// call.
func (s *Session) unanswered() bool {
	return s.gate.phase != idle && !s.gate.cancelled || len(s.gate.waiting) > 0 || s.callsRun()
}

// restore resumes a session that an earlier host had to leave. The model is sent the
// names of the tools that may or may not have done their work.
func (s *Session) restore(from SessionSnapshot) {
	s.state.Cost, s.state.Muted, s.state.Silent = from.Cost, from.InputMuted, from.OutputMuted
	s.mutes.input, s.mutes.output = from.InputMuted, from.OutputMuted
	for _, message := range from.Conversation {
		s.history.add(Item{Message: &message})
	}
	if len(from.Running) > 0 {
		s.history.add(Item{Message: &Message{"system", "The host restarted while these tools ran: " + strings.Join(from.Running, ", ") +
			". Whether they did their work is not known. Read the page before you repeat one."}})
	}
	if from.Unanswered {
		s.gate.add(responseRequest{id: newID(), textOnly: s.state.TextOnly}, Queue)
	}
}
