package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/voice"
)

func TestDecode(t *testing.T) {
	// Ensure that each event of the service becomes what it means, that what is of no interest becomes nothing, and that what is not known, no JSON or of another shape is told as unknown and breaks nothing.
	unreadable := []voice.Event{voice.Unknown{Type: "unreadable"}}
	for name, c := range map[string]struct {
		events []string
		want   []voice.Event // of the last one
	}{
		"session":        {[]string{`{"type":"session.created","session":{"id":"s","expires_at":946684800}}`}, []voice.Event{voice.Ready{SessionID: "s", ExpiresAt: time.Unix(946684800, 0)}}},
		"own response":   {[]string{`{"type":"response.created","response":{"id":"r","metadata":null}}`}, []voice.Event{voice.ResponseStarted{ID: "r"}}},
		"asked response": {[]string{`{"type":"response.created","response":{"id":"r","metadata":{"actions_host_request":"req_1"}}}`}, []voice.Event{voice.ResponseStarted{ID: "r", RequestID: "req_1"}}},
		"calls among other output": {
			[]string{`{"type":"response.done","response":{"id":"r","status":"completed","output":[{"type":"message"},{"type":"function_call","call_id":"c","name":"n","arguments":"{"}]}}`},
			[]voice.Event{voice.ResponseEnded{ID: "r", Status: "completed", Calls: []voice.ToolCall{{CallID: "c", Name: "n", Arguments: "{"}}}},
		},
		"calls that cannot be read beside one that can": {
			[]string{`{"type":"response.done","response":{"id":"r","status":"completed","output":[7,{"type":["function_call"]},{"type":"function_call","call_id":"a","name":7,"arguments":null},
				{"type":"function_call","call_id":"b","name":"n","arguments":{"x":1}},{"type":"function_call","call_id":{},"name":"n","arguments":""},{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}]}}`},
			[]voice.Event{voice.ResponseEnded{ID: "r", Status: "completed", Calls: []voice.ToolCall{
				{CallID: "a"}, {CallID: "b", Name: "n", Arguments: `{"x":1}`}, {Name: "n"}, {CallID: "c", Name: "n", Arguments: "{}"},
			}}},
		},
		"tokens in detail": {
			[]string{`{"type":"response.done","response":{"id":"r","status":"completed","usage":{"input_tokens":9,"output_tokens":8,"input_token_details":{"text_tokens":4,"audio_tokens":3,"image_tokens":2,"cached_tokens_details":{"text_tokens":1}},"output_token_details":{"text_tokens":5,"audio_tokens":3}}}}`},
			[]voice.Event{voice.ResponseEnded{ID: "r", Status: "completed", Usage: voice.Usage{TextIn: 4, AudioIn: 3, ImageIn: 2, TextCached: 1, TextOut: 5, AudioOut: 3}}},
		},
		"tokens in sum are the dearest": {
			[]string{`{"type":"response.done","response":{"id":"r","status":"completed","usage":{"input_tokens":9,"output_tokens":8,"input_token_details":{"cached_tokens":4}}}}`},
			[]voice.Event{voice.ResponseEnded{ID: "r", Status: "completed", Usage: voice.Usage{AudioIn: 9, AudioCached: 4, AudioOut: 8}}},
		},
		"failed, with a key in the reason": {
			[]string{`{"type":"response.done","response":{"id":"r","status":"failed","status_details":{"error":{"message":"bad key sk-abc"}}}}`},
			[]voice.Event{voice.ResponseEnded{ID: "r", Status: "failed", Reason: "bad key [redacted]"}},
		},
		"a turn grows": {
			[]string{`{"type":"response.output_text.delta","item_id":"i","delta":"Good "}`, `{"type":"response.output_text.delta","item_id":"i","delta":"day"}`},
			[]voice.Event{voice.Transcript{Role: "assistant", ItemID: "i", Text: "Good day"}},
		},
		"a turn ends": {
			[]string{`{"type":"response.output_audio_transcript.done","item_id":"i","transcript":"Good day."}`},
			[]voice.Event{voice.Transcript{Role: "assistant", ItemID: "i", Text: "Good day.", Final: true}},
		},
		"a turn that was left open is not gone on with": {
			[]string{`{"type":"response.output_text.delta","item_id":"i","delta":"Half"}`, `{"type":"response.done","response":{"id":"r"}}`, `{"type":"response.output_text.delta","item_id":"i","delta":"new"}`},
			[]voice.Event{voice.Transcript{Role: "assistant", ItemID: "i", Text: "new"}},
		},
		"speech has its place before its text": {
			[]string{`{"type":"input_audio_buffer.committed","previous_item_id":"h","item_id":"i"}`},
			[]voice.Event{voice.Transcript{Role: "user", ItemID: "i"}},
		},
		"a failed transcription of which nothing came ends its row": {
			[]string{`{"type":"input_audio_buffer.committed","item_id":"i"}`, `{"type":"conversation.item.input_audio_transcription.failed","item_id":"i"}`},
			[]voice.Event{voice.Transcript{Role: "user", ItemID: "i", Final: true}},
		},
		"a failed transcription ends its row": {
			[]string{`{"type":"conversation.item.input_audio_transcription.delta","item_id":"i","delta":"Hel"}`, `{"type":"conversation.item.input_audio_transcription.failed","item_id":"i","error":{"message":"no"}}`},
			[]voice.Event{voice.Transcript{Role: "user", ItemID: "i", Text: "Hel", Final: true}},
		},
		"a failed transcription without a row": {
			[]string{`{"type":"conversation.item.input_audio_transcription.failed","item_id":"i"}`},
			[]voice.Event{voice.Unknown{Type: "conversation.item.input_audio_transcription.failed"}},
		},
		"an error about a request": {
			[]string{`{"type":"error","error":{"type":"invalid_request_error","code":"x","message":"no","event_id":"req_1"}}`},
			[]voice.Event{voice.ProviderError{Code: "x", Message: "no", RequestID: "req_1"}},
		},
		"an error about something else": {[]string{`{"type":"error","error":{"code":"x","message":"no","event_id":"evt"}}`}, []voice.Event{voice.ProviderError{Code: "x", Message: "no"}}},
		"an error that ends it":         {[]string{`{"type":"error","error":{"code":"insufficient_quota"}}`}, []voice.Event{voice.ProviderError{Code: "insufficient_quota", Fatal: true}}},
		"of no interest":                {[]string{`{"type":"rate_limits.updated"}`}, nil},
		"not known":                     {[]string{`{"type":"mind.changed"}`}, []voice.Event{voice.Unknown{Type: "mind.changed"}}},
		"a long name":                   {[]string{`{"type":"` + strings.Repeat("茶", 40) + `"}`}, []voice.Event{voice.Unknown{Type: strings.Repeat("茶", 26)}}},
		"no type":                       {[]string{`{}`}, unreadable},
		"no JSON":                       {[]string{`hello`}, unreadable},
		"another shape":                 {[]string{`{"type":"response.done","response":[]}`}, unreadable},
	} {
		t.Run(name, func(t *testing.T) {
			var texts partialTurns
			var got []voice.Event
			for _, e := range c.events {
				got = texts.decode([]byte(e))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestEndlessTurn(t *testing.T) {
	// Ensure that a turn without an end is cut between characters, and that turns which are never completed do not pile up.
	var texts partialTurns
	last := ""
	for range 3 * maxTurn / 300 {
		piece, err := json.Marshal(strings.Repeat("茶", 100) + "x")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range texts.decode(fmt.Appendf(nil, `{"type":"response.output_text.delta","item_id":"i","delta":%s}`, piece)) {
			last = e.(voice.Transcript).Text
		}
	}
	if len(last) > maxTurn || len(last) < maxTurn-utf8.UTFMax || !utf8.ValidString(last) {
		t.Errorf("%d bytes, valid: %t", len(last), utf8.ValidString(last))
	}
	for n := range 100 {
		texts.decode(fmt.Appendf(nil, `{"type":"response.output_text.delta","item_id":"i%d","delta":"x"}`, n))
		texts.decode([]byte(`{"type":"response.done","response":{"id":"r"}}`))
	}
	if len(texts.byItem) != 0 {
		t.Errorf("%d turns are kept", len(texts.byItem))
	}
}

func FuzzDecode(f *testing.F) {
	// Ensure that nothing that a service sends breaks the decoder or becomes a text beyond its limit.
	f.Add([]byte(`{"type":"response.done","response":{"id":"r","output":[{"type":"function_call"}]}}`))
	f.Add([]byte(`{"type":"response.output_text.delta","item_id":"i","delta":"x"}`))
	f.Add([]byte(`{"type":"error","error":{"message":"sk-x"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var texts partialTurns
		for range 2 {
			for _, e := range texts.decode(text) {
				switch e := e.(type) {
				case voice.Transcript:
					if len(e.Text) > maxTurn {
						t.Errorf("%d bytes", len(e.Text))
					}
				case voice.ProviderError:
					if strings.HasPrefix(e.Message, "sk-") {
						t.Errorf("a key: %s", e.Message)
					}
				}
			}
		}
	})
}
