package realtime

import (
	"fmt"
	"strings"
)

// Speak adds speech to the response: its sound begins and its transcript grows by
// words. The sound goes on, also past Finish, until Hush.
func (s *Session) Speak(text string) {
	s.events++
	item := fmt.Sprintf("item_%s_%d", s.name, s.events)
	s.Send(`{"type":"output_audio_buffer.started","event_id":"e","response_id":%q}`, s.active)
	for _, word := range strings.SplitAfter(text, " ") {
		s.Send(`{"type":"response.output_audio_transcript.delta","event_id":"e","response_id":%q,"item_id":%q,"output_index":0,"content_index":0,"delta":%q}`, s.active, item, word)
	}
	s.Send(`{"type":"response.output_audio_transcript.done","event_id":"e","response_id":%q,"item_id":%q,"output_index":0,"content_index":0,"transcript":%q}`, s.active, item, text)
}

// Hush reports that the sound is over; cleared, that the service threw away the rest
// of it because the user spoke.
func (s *Session) Hush(cleared bool) {
	kind := "stopped"
	if cleared {
		kind = "cleared"
	}
	s.Send(`{"type":"output_audio_buffer.%s","event_id":"e","response_id":"resp_%d"}`, kind, s.requests)
}
