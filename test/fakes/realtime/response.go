package realtime

import (
	"context"
	"encoding/json"
	"fmt"
)

// Begin waits for a response.create and begins the response; it returns its id.
func (s *Session) Begin(ctx context.Context) string {
	s.t.Helper()
	e := s.Expect(ctx, "response.create")
	return s.begin(e.Response.Metadata)
}

// BeginAfter is Begin that also returns the events before the response.create.
func (s *Session) BeginAfter(ctx context.Context) []Event {
	s.t.Helper()
	all := s.Until(ctx, "response.create")
	s.begin(all[len(all)-1].Response.Metadata)
	return all[:len(all)-1]
}

// BeginUnasked begins a response as the service does on speech.
func (s *Session) BeginUnasked() string { return s.begin(nil) }

func (s *Session) begin(metadata map[string]string) string {
	s.requests++
	s.active = fmt.Sprintf("resp_%d", s.requests)
	raw, err := json.Marshal(metadata)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Send(`{"type":"response.created","event_id":"e","response":{"id":%q,"object":"realtime.response","status":"in_progress","metadata":%s}}`, s.active, raw)
	return s.active
}

// Write adds text to the response, in pieces.
func (s *Session) Write(text string) {
	s.events++
	item := fmt.Sprintf("item_%s_%d", s.name, s.events)
	half := len(text) / 2
	for _, piece := range []string{text[:half], text[half:]} {
		s.Send(`{"type":"response.output_text.delta","event_id":"e","response_id":%q,"item_id":%q,"output_index":0,"content_index":0,"delta":%q}`, s.active, item, piece)
	}
	s.Send(`{"type":"response.output_text.done","event_id":"e","response_id":%q,"item_id":%q,"output_index":0,"content_index":0,"text":%q}`, s.active, item, text)
}

// Function is a tool call of the model's.
type Function struct{ CallID, Name, Arguments string }

// Finish ends the response, with tool calls or none.
func (s *Session) Finish(status string, calls ...Function) {
	output := make([]map[string]string, 0, len(calls))
	for _, c := range calls {
		output = append(output, map[string]string{"type": "function_call", "id": "fc_" + c.CallID, "call_id": c.CallID, "name": c.Name, "arguments": c.Arguments})
	}
	raw, err := json.Marshal(output)
	if err != nil {
		s.t.Fatal(err)
	}
	id := s.active
	s.active = ""
	s.Send(`{"type":"response.done","event_id":"e","response":{"id":%q,"object":"realtime.response","status":%q,"status_details":{"type":%q},"output":%s,
		"usage":{"total_tokens":1200,"input_tokens":1000,"output_tokens":200,
		"input_token_details":{"text_tokens":1000,"audio_tokens":0,"cached_tokens":600,"cached_tokens_details":{"text_tokens":600,"audio_tokens":0}},
		"output_token_details":{"text_tokens":200,"audio_tokens":0}}}}`, id, status, status, raw)
}

// Speech reports that the user began or ceased to speak.
func (s *Session) Speech(on bool) {
	kind := "speech_stopped"
	if on {
		kind = "speech_started"
		s.turns++
	}
	s.Send(`{"type":"input_audio_buffer.%s","event_id":"e","item_id":%q,"audio_start_ms":0,"audio_end_ms":0}`, kind, s.turn())
	if !on {
		s.Send(`{"type":"input_audio_buffer.committed","event_id":"e","previous_item_id":null,"item_id":%q}`, s.turn())
	}
}

// turn is the id of the user's speech.
func (s *Session) turn() string { return fmt.Sprintf("user_%s_%d", s.name, s.turns) }

// Transcribe sends the transcript of the user's speech.
func (s *Session) Transcribe(text string) {
	s.Send(`{"type":"conversation.item.input_audio_transcription.delta","event_id":"e","item_id":%q,"content_index":0,"delta":%q}`, s.turn(), text[:len(text)/2])
	s.Send(`{"type":"conversation.item.input_audio_transcription.completed","event_id":"e","item_id":%q,"content_index":0,"transcript":%q,"usage":{"type":"duration","seconds":1}}`, s.turn(), text)
}

// Complain sends an error about one of the host's events, or about none.
func (s *Session) Complain(code, message, eventID string) {
	s.Send(`{"type":"error","event_id":"e","error":{"type":"invalid_request_error","code":%q,"message":%q,"event_id":%q}}`, code, message, eventID)
}
