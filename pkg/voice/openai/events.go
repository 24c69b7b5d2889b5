package openai

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/shorten"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// event has the members of all events that are understood.
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
	Output []struct {
		Type      string `json:"type"`
		Name      string `json:"name"`
		CallID    string `json:"call_id"`
		Arguments string `json:"arguments"`
	} `json:"output"`
	Usage struct {
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

// texts puts the pieces of turns together.
type texts struct {
	pieces map[string]*turn // by item
}

type turn struct {
	role string
	text strings.Builder
}

// Event types whose meaning stands elsewhere or is of no interest.
var quiet = map[string]bool{
	"session.updated": true, "conversation.created": true, "conversation.item.added": true, "conversation.item.done": true,
	"conversation.item.created": true, "conversation.item.truncated": true, "conversation.item.deleted": true,
	"response.output_item.added": true, "response.output_item.done": true, "response.content_part.added": true,
	"response.content_part.done": true, "response.output_audio.delta": true, "response.output_audio.done": true,
	"response.function_call_arguments.delta": true, "response.function_call_arguments.done": true,
	"input_audio_buffer.committed": true, "input_audio_buffer.cleared": true, "rate_limits.updated": true,
}

// decode turns one message of the provider into events; one that is no JSON
// object is an unknown event.
func (t *texts) decode(text []byte) []voice.Event {
	var e event
	if json.Unmarshal(text, &e) != nil || e.Type == "" {
		return []voice.Event{voice.Unknown{Type: "unreadable"}}
	}
	switch e.Type {
	case "session.created":
		ready := voice.Ready{SessionID: e.Session.ID, ExpiresAt: time.Now().Add(sessionLimit)}
		if e.Session.ExpiresAt > 0 {
			ready.ExpiresAt = time.Unix(e.Session.ExpiresAt, 0)
		}
		return []voice.Event{ready}
	case "response.created":
		return []voice.Event{voice.ResponseStarted{ID: e.Response.ID, RequestID: e.Response.Metadata[requestKey]}}
	case "response.done":
		// What it left open is not said to its end any more.
		maps.DeleteFunc(t.pieces, func(_ string, open *turn) bool { return open.role == "assistant" })
		return []voice.Event{ended(e.Response)}
	case "input_audio_buffer.speech_started":
		return []voice.Event{voice.SpeechStarted{}}
	case "input_audio_buffer.speech_stopped":
		return []voice.Event{voice.SpeechStopped{}}
	case "output_audio_buffer.started":
		return []voice.Event{voice.Sounding{On: true}}
	case "output_audio_buffer.stopped", "output_audio_buffer.cleared":
		return []voice.Event{voice.Sounding{}}
	case "conversation.item.input_audio_transcription.delta":
		return t.more("user", e)
	case "conversation.item.input_audio_transcription.completed":
		return t.whole("user", e, e.Transcript)
	case "conversation.item.input_audio_transcription.failed":
		return t.unheard(e)
	case "response.output_text.delta", "response.output_audio_transcript.delta":
		return t.more("assistant", e)
	case "response.output_text.done":
		return t.whole("assistant", e, e.Text)
	case "response.output_audio_transcript.done":
		return t.whole("assistant", e, e.Transcript)
	case "error":
		return []voice.Event{voice.Complaint{
			Code: e.Error.Code, Message: withoutKeys(e.Error.Message), RequestID: ownRequest(e.Error.EventID), Fatal: fatal(e.Error.Type, e.Error.Code),
		}}
	}
	if quiet[e.Type] {
		return nil
	}
	return []voice.Event{voice.Unknown{Type: shorten.Prefix(e.Type, maxType)}}
}

// fatal tells of errors after which the session cannot go on.
func fatal(kind, code string) bool {
	switch code {
	case "invalid_api_key", "insufficient_quota", "model_not_found", "account_deactivated":
		return true
	}
	return kind == "authentication_error"
}

// ownRequest gives the request that an error is about, if it is about one.
func ownRequest(eventID string) string {
	if strings.HasPrefix(eventID, "req_") {
		return eventID
	}
	return ""
}

func ended(r response) voice.ResponseEnded {
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
		if item.Type == "function_call" {
			out.Calls = append(out.Calls, voice.ToolCall{CallID: item.CallID, Name: item.Name, Arguments: item.Arguments})
		}
	}
	return out
}

// more adds a piece to a turn.
func (t *texts) more(role string, e event) []voice.Event {
	if t.pieces == nil {
		t.pieces = map[string]*turn{}
	}
	open := t.pieces[e.ItemID]
	if open == nil {
		open = &turn{role: role}
		t.pieces[e.ItemID] = open
	}
	room := maxTurn - open.text.Len()
	if room <= 0 {
		return nil
	}
	open.text.WriteString(shorten.Prefix(e.Delta, room))
	return []voice.Event{voice.Said{Role: role, ItemID: e.ItemID, Text: open.text.String()}}
}

// whole ends a turn.
func (t *texts) whole(role string, e event, text string) []voice.Event {
	delete(t.pieces, e.ItemID)
	return []voice.Event{voice.Said{Role: role, ItemID: e.ItemID, Text: shorten.Prefix(text, maxTurn), Final: true}}
}

// unheard ends a turn of the user's that could not be written down to its end.
func (t *texts) unheard(e event) []voice.Event {
	open := t.pieces[e.ItemID]
	if open == nil {
		return []voice.Event{voice.Unknown{Type: e.Type}}
	}
	return t.whole("user", e, open.text.String())
}
