package voice

// Inform tells the model what has happened outside of the conversation and lets
// it go on from there.
func (s *Session) Inform(text string) {
	s.post(func() {
		s.acted(Act{Type: "inform", Text: text})
		s.note(Item{Message: &Message{"system", text}})
		s.gate.add(ask{id: newID(), textOnly: s.state.TextOnly}, Queue)
	})
}
