package voice

import (
	"slices"
	"strings"
)

// Standing is what of a session can outlive its host: with it another host goes
// on where this one ended. Sound and pictures are not in it.
type Standing struct {
	ID           string    `json:"id"`
	TextOnly     bool      `json:"text_only"`
	InputMuted   bool      `json:"input_muted"`
	OutputMuted  bool      `json:"output_muted"`
	Conversation []Message `json:"conversation"`
	Cost         Cost      `json:"cost"`
	// Unanswered: the model owes an answer.
	Unanswered bool `json:"unanswered"`
	// Running are the names of the tools whose outcome nobody knows.
	Running []string `json:"running,omitzero"`
}

// mark tells cheaply whether a session stands differently than before.
type mark struct {
	said, responses, running int
	unanswered               bool
	input, output            bool
}

// keep hands the session's standing on when it has changed.
func (s *Session) keep() {
	if s.options.Keep == nil || s.why != nil {
		return
	}
	now := mark{
		said: s.history.added, responses: s.state.Cost.Responses, unanswered: s.unanswered(),
		input: s.state.Muted, output: s.state.Silent,
	}
	for _, b := range s.batches {
		now.running += b.left
	}
	if now == s.kept {
		return
	}
	s.kept = now
	s.options.Keep(s.standing())
}

func (s *Session) standing() Standing {
	standing := Standing{
		ID: s.options.ID, TextOnly: s.state.TextOnly, InputMuted: s.state.Muted, OutputMuted: s.state.Silent,
		Cost: s.state.Cost, Unanswered: s.unanswered(),
	}
	for _, item := range s.history.items {
		standing.Conversation = append(standing.Conversation, *item.Message)
	}
	for _, b := range s.batches {
		for i, call := range b.calls {
			if !b.dropped && b.outcomes[i].Name == "" {
				standing.Running = append(standing.Running, call.Name)
			}
		}
	}
	return standing
}

// unanswered tells whether a response is asked for, runs, or will follow from a
// tool call.
func (s *Session) unanswered() bool {
	return s.gate.phase != idle && !s.gate.cancelled || len(s.gate.waiting) > 0 ||
		slices.ContainsFunc(s.batches, func(b *batch) bool { return !b.dropped })
}

// takeUp goes on with a session that an earlier host had to leave. The model is
// told which tools may or may not have done their work.
func (s *Session) takeUp(from Standing) {
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
		s.gate.add(ask{id: newID(), textOnly: s.state.TextOnly}, Queue)
	}
}
