package model

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3"
)

type chat struct{}

func (chat) name() string { return "chat" }

func (chat) check(body []byte) (Request, error) {
	var in struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			ToolCallID string          `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Function struct {
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, Stream: in.Stream}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	if err := known[openai.ChatCompletionNewParams](body, "stream"); err != nil {
		return r, err
	}
	var turns []turn
	for i, m := range in.Messages {
		switch {
		case m.Role == "system" && i == 0:
			_ = json.Unmarshal(m.Content, &r.System) // the types were checked above
		case m.Role == "system":
			return r, fmt.Errorf("message %d is the system's", i)
		case m.Role == "tool":
			turns = append(turns, turn{answers: []string{m.ToolCallID}})
		default:
			t := turn{role: m.Role, other: true}
			for _, c := range m.ToolCalls {
				t.opens = append(t.opens, c.ID)
				if err := object(c.Function.Arguments); err != nil {
					return r, err
				}
			}
			turns = append(turns, t)
		}
	}
	if len(turns) == 0 {
		return r, errors.New("there is no message")
	}
	return r, answered(turns)
}

func (chat) write(a *sender, step Step) {
	send := func(delta map[string]any, finish any) {
		a.event("", map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": a.request.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil}},
		}, checkChunk)
	}
	text := func(piece string) { send(map[string]any{"content": piece}, nil) }
	send(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(step.Thinking) {
		quoted, _ := json.Marshal(piece) // a string always has a JSON form
		a.raw("", fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"reasoning_content":%s},"finish_reason":null}]}`, quoted))
	}
	for _, piece := range pieces(step.Text) {
		text(piece)
	}
	if a.broken(text) {
		return
	}
	finish := "stop"
	for i, c := range step.Calls {
		finish = "tool_calls"
		head := map[string]any{"index": i, "id": c.id(i), "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}}
		send(map[string]any{"tool_calls": []any{head}}, nil)
		for _, piece := range pieces(c.Arguments) {
			send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": piece}}}}, nil)
		}
	}
	if step.Finish != "" {
		finish = step.Finish
	}
	if step.Unended {
		return
	}
	send(map[string]any{}, finish)
	a.event("", map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": a.request.Model, "choices": []any{},
		"usage": map[string]any{"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17, "prompt_tokens_details": map[string]any{"cached_tokens": 2}},
	}, checkChunk)
	a.raw("", "[DONE]")
}

// checkChunk checks that the maker's type knows all of an event.
func checkChunk(text []byte) error {
	var chunk openai.ChatCompletionChunk
	if err := json.Unmarshal(text, &chunk); err != nil {
		return err
	}
	extra := len(chunk.JSON.ExtraFields) + len(chunk.Usage.JSON.ExtraFields)
	for _, c := range chunk.Choices {
		extra += len(c.JSON.ExtraFields) + len(c.Delta.JSON.ExtraFields)
		for _, t := range c.Delta.ToolCalls {
			extra += len(t.JSON.ExtraFields) + len(t.Function.JSON.ExtraFields)
		}
	}
	if extra > 0 || chunk.ID == "" || chunk.Object != "chat.completion.chunk" {
		return errors.New("members too many or too few")
	}
	return nil
}
