package openai

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/truncate"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// event has the members of all known events.
type event struct {
	Type       string `json:"type"`
	ItemID     string `json:"item_id"`
	Delta      string `json:"delta"`
	Text       string `json:"text"`
	Transcript string `json:"transcript"`
	Session    struct {
		ID        string `json:"id"`
		ExpiresAt int64  `json:"expires_at"` // seconds since 1970
	} `json:"session"`
	Response response `json:"response"`
	Error    struct {
		Type    string `json:"type"`
		Code    string `json:"code"`
		Message string `json:"message"`
		EventID string `json:"event_id"` // of the client's event that it is about
	} `json:"error"`
}

type response struct {
	ID            string            `json:"id"`
	Status        string            `json:"status"`
	Metadata      map[string]string `json:"metadata"`
	StatusDetails struct {
		Reason string `json:"reason"`
		Error  struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	} `json:"status_details"`
	Output []json.RawMessage `json:"output"` // one that cannot be read must not cost the others
	Usage  struct {
		InputTokens  int `json:"input_tokens"`
		OutputTokens int `json:"output_tokens"`
		In           struct {
			Text          int `json:"text_tokens"`
			Audio         int `json:"audio_tokens"`
			Image         int `json:"image_tokens"`
			Cached        int `json:"cached_tokens"`
			CachedDetails struct {
				Text  int `json:"text_tokens"`
				Audio int `json:"audio_tokens"`
				Image int `json:"image_tokens"`
			} `json:"cached_tokens_details"`
		} `json:"input_token_details"`
		Out struct {
			Text  int `json:"text_tokens"`
			Audio int `json:"audio_tokens"`
		} `json:"output_token_details"`
	} `json:"usage"`
}

// maxTurn bounds the text of one turn, and of its pieces together.
const maxTurn = 64 << 10

// maxType bounds the name of an unknown event in the log.
const maxType = 80

// partialTurns puts the pieces of turns together.
type partialTurns struct {
	byItem map[string]*turn // by item
}

type turn struct {
	role string
	text strings.Builder
}

// ignored are event types that repeat other events or are of no interest.
var ignored = map[string]bool{
	"session.updated": true, "conversation.created": true, "conversation.item.added": true, "conversation.item.done": true,
	"conversation.item.created": true, "conversation.item.truncated": true, "conversation.item.deleted": true,
	"response.output_item.added": true, "response.output_item.done": true, "response.content_part.added": true,
	"response.content_part.done": true, "response.output_audio.delta": true, "response.output_audio.done": true,
	"response.function_call_arguments.delta": true, "response.function_call_arguments.done": true,
	"input_audio_buffer.cleared": true, "rate_limits.updated": true,
}

// decode converts one message of the provider to events; one that is not a JSON object
// is an unknown event.
func (t *partialTurns) decode(text []byte) []voice.Event {
	var e event
	if json.Unmarshal(text, &e) != nil || e.Type == "" {
		return []voice.Event{voice.Unknown{Type: "unreadable"}}
	}
	switch e.Type {
	case "session.created":
		ready := voice.Ready{SessionID: e.Session.ID, ExpiresAt: time.Now().Add(defaultSessionTTL)}
		if e.Session.ExpiresAt > 0 {
			ready.ExpiresAt = time.Unix(e.Session.ExpiresAt, 0)
		}
		return []voice.Event{ready}
	case "response.created":
		return []voice.Event{voice.ResponseStarted{ID: e.Response.ID, RequestID: e.Response.Metadata[requestKey]}}
	case "response.done":
		// Its partial turns will not be completed any more.
		maps.DeleteFunc(t.byItem, func(_ string, open *turn) bool { return open.role == "assistant" })
		return []voice.Event{responseEnded(e.Response)}
	case "input_audio_buffer.speech_started":
		return []voice.Event{voice.SpeechStarted{}}
	case "input_audio_buffer.speech_stopped":
		return []voice.Event{voice.SpeechStopped{}}
	case "output_audio_buffer.started":
		return []voice.Event{voice.PlaybackChanged{On: true}}
	case "output_audio_buffer.stopped", "output_audio_buffer.cleared":
		return []voice.Event{voice.PlaybackChanged{}}
	case "input_audio_buffer.committed", "conversation.item.input_audio_transcription.delta": // the first has no text yet
		return t.appendText("user", e)
	case "conversation.item.input_audio_transcription.completed":
		return t.completeTurn("user", e, e.Transcript)
	case "conversation.item.input_audio_transcription.failed":
		return t.transcriptionFailed(e)
	case "response.output_text.delta", "response.output_audio_transcript.delta":
		return t.appendText("assistant", e)
	case "response.output_text.done":
		return t.completeTurn("assistant", e, e.Text)
	case "response.output_audio_transcript.done":
		return t.completeTurn("assistant", e, e.Transcript)
	case "error":
		return []voice.Event{voice.ProviderError{
			Code: e.Error.Code, Message: withoutKeys(e.Error.Message), RequestID: requestOf(e.Error.EventID), Fatal: fatal(e.Error.Type, e.Error.Code),
		}}
	}
	if ignored[e.Type] {
		return nil
	}
	return []voice.Event{voice.Unknown{Type: truncate.Prefix(e.Type, maxType)}}
}

// fatal reports whether the session cannot go on after the error.
func fatal(kind, code string) bool {
	switch code {
	case "invalid_api_key", "insufficient_quota", "model_not_found", "account_deactivated":
		return true
	}
	return kind == "authentication_error"
}

// requestOf returns the request that an error is about, if any.
func requestOf(eventID string) string {
	if strings.HasPrefix(eventID, "req_") {
		return eventID
	}
	return ""
}

func responseEnded(r response) voice.ResponseEnded {
	u := r.Usage
	out := voice.ResponseEnded{ID: r.ID, Status: r.Status, Reason: r.StatusDetails.Reason, Usage: voice.Usage{
		TextIn: u.In.Text, AudioIn: u.In.Audio, ImageIn: u.In.Image,
		TextCached: u.In.CachedDetails.Text, AudioCached: u.In.CachedDetails.Audio, ImageCached: u.In.CachedDetails.Image,
		TextOut: u.Out.Text, AudioOut: u.Out.Audio,
	}}
	if message := r.StatusDetails.Error.Message; message != "" {
		out.Reason = withoutKeys(message)
	}
	// Without details the tokens are counted as the dearest kind.
	if u.In.Text+u.In.Audio+u.In.Image == 0 {
		out.Usage.AudioIn, out.Usage.AudioCached = u.InputTokens, u.In.Cached
	}
	if u.Out.Text+u.Out.Audio == 0 {
		out.Usage.AudioOut = u.OutputTokens
	}
	for _, item := range r.Output {
		if c, ok := callOf(item); ok {
			out.Calls = append(out.Calls, c)
		}
	}
	return out
}

// callOf reads a tool call, as far as it can be read; false for another item. A member
// that is not a string is passed on as it is: running the call reports the error.
func callOf(item json.RawMessage) (c voice.ToolCall, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(item, &members) != nil || textOf(members["type"]) != "function_call" {
		return c, false
	}
	c = voice.ToolCall{CallID: textOf(members["call_id"]), Name: textOf(members["name"]), Arguments: textOf(members["arguments"])}
	if raw := members["arguments"]; len(raw) > 0 && raw[0] != '"' && string(raw) != "null" {
		c.Arguments = string(raw)
	}
	return c, true
}

// textOf returns a JSON string; empty for any other value.
func textOf(raw json.RawMessage) (text string) {
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// appendText adds a piece to a turn.
func (t *partialTurns) appendText(role string, e event) []voice.Event {
	if t.byItem == nil {
		t.byItem = map[string]*turn{}
	}
	open := t.byItem[e.ItemID]
	if open == nil {
		open = &turn{role: role}
		t.byItem[e.ItemID] = open
	}
	room := maxTurn - open.text.Len()
	if room <= 0 {
		return nil
	}
	open.text.WriteString(truncate.Prefix(e.Delta, room))
	return []voice.Event{voice.Transcript{Role: role, ItemID: e.ItemID, Text: open.text.String()}}
}

// completeTurn ends a turn.
func (t *partialTurns) completeTurn(role string, e event, text string) []voice.Event {
	delete(t.byItem, e.ItemID)
	return []voice.Event{voice.Transcript{Role: role, ItemID: e.ItemID, Text: truncate.Prefix(text, maxTurn), Final: true}}
}

// transcriptionFailed ends a turn of the user whose transcription failed.
func (t *partialTurns) transcriptionFailed(e event) []voice.Event {
	open := t.byItem[e.ItemID]
	if open == nil {
		return []voice.Event{voice.Unknown{Type: e.Type}}
	}
	return t.completeTurn("user", e, open.text.String())
}
