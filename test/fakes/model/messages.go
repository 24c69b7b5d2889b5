package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
)

type messages struct{}

func (messages) name() string { return "messages" }

func (messages) check(body []byte) (Request, error) {
	type block struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		ID        string          `json:"id"`
		ToolUseID string          `json:"tool_use_id"`
		Input     json.RawMessage `json:"input"`
	}
	var in struct {
		Model    string  `json:"model"`
		Stream   bool    `json:"stream"`
		System   []block `json:"system"`
		Messages []struct {
			Role    string  `json:"role"`
			Content []block `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, Stream: in.Stream}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	for _, s := range in.System {
		r.System += s.Text
	}
	if err := known[anthropic.MessageNewParams](body, "stream"); err != nil {
		return r, err
	}
	var turns []turn
	for i, m := range in.Messages {
		if i > 0 && in.Messages[i-1].Role == m.Role || i == 0 && m.Role != "user" || len(m.Content) == 0 {
			return r, fmt.Errorf("message %d is not of the one whose turn it is, or empty", i)
		}
		t := turn{role: m.Role}
		for _, b := range m.Content {
			switch {
			case b.Type == "tool_use":
				t.opens = append(t.opens, b.ID)
				if err := object(string(b.Input)); err != nil {
					return r, err
				}
				t.other = true
			case b.Type == "tool_result" && t.other:
				return r, fmt.Errorf("message %d has a result behind something else", i)
			case b.Type == "tool_result":
				t.answers = append(t.answers, b.ToolUseID)
			case b.Type == "text" && strings.TrimSpace(b.Text) == "":
				return r, fmt.Errorf("message %d has an empty text", i)
			default:
				t.other = true
			}
		}
		turns = append(turns, t)
	}
	if len(turns) == 0 {
		return r, errors.New("there is no message")
	}
	return r, answered(turns)
}

func (messages) write(a *sender, step Step) {
	send := func(kind string, members map[string]any) {
		members["type"] = kind
		a.event(kind, members, checkMessagesEvent)
	}
	usage := map[string]any{"input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 2}
	send("message_start", map[string]any{"message": map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": a.request.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}})
	a.raw("ping", `{"type":"ping"}`)
	index := 0
	block := func(content map[string]any, deltas func(delta func(map[string]any)) bool) bool {
		send("content_block_start", map[string]any{"index": index, "content_block": content})
		if deltas(func(delta map[string]any) {
			send("content_block_delta", map[string]any{"index": index, "delta": delta})
		}) {
			return true
		}
		send("content_block_stop", map[string]any{"index": index})
		index++
		return false
	}
	if step.Thinking != "" {
		block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, func(delta func(map[string]any)) bool {
			for _, piece := range pieces(step.Thinking) {
				delta(map[string]any{"type": "thinking_delta", "thinking": piece})
			}
			return false
		})
	}
	if len(step.Calls) == 0 || step.Text != "" {
		if block(map[string]any{"type": "text", "text": ""}, func(delta func(map[string]any)) bool {
			text := func(piece string) { delta(map[string]any{"type": "text_delta", "text": piece}) }
			for _, piece := range pieces(step.Text) {
				text(piece)
			}
			return a.broken(text)
		}) {
			return
		}
	}
	finish := "end_turn"
	for i, c := range step.Calls {
		finish = "tool_use"
		block(map[string]any{"type": "tool_use", "id": c.id(i), "name": c.Name, "input": map[string]any{}}, func(delta func(map[string]any)) bool {
			for _, piece := range pieces(c.Arguments) {
				delta(map[string]any{"type": "input_json_delta", "partial_json": piece})
			}
			return false
		})
	}
	if step.Finish != "" {
		finish = step.Finish
	}
	send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": finish, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 5}})
	if step.Unended {
		return
	}
	send("message_stop", map[string]any{})
}

// checkMessagesEvent checks that the maker's type knows the event.
func checkMessagesEvent(text []byte) error {
	var event anthropic.MessageStreamEventUnion
	if err := json.Unmarshal(text, &event); err != nil {
		return err
	}
	if event.AsAny() == nil {
		return errors.New("its type is not known")
	}
	return nil
}
