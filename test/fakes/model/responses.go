package model

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3/responses"
)

type responsesFormat struct{}

func (responsesFormat) name() string { return "responses" }

func (responsesFormat) check(body []byte) (Request, error) {
	var in struct {
		Model        string `json:"model"`
		Stream       bool   `json:"stream"`
		Instructions string `json:"instructions"`
		Store        *bool  `json:"store"`
		Input        []struct {
			Type      string `json:"type"`
			Role      string `json:"role"`
			CallID    string `json:"call_id"`
			Arguments string `json:"arguments"`
		} `json:"input"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, Stream: in.Stream, System: in.Instructions}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	if err := known[responses.ResponseNewParams](body, "stream", "input"); err != nil {
		return r, err
	}
	if err := knownItems(body); err != nil {
		return r, err
	}
	if in.Store == nil || *in.Store {
		return r, errors.New("the service would keep the conversation")
	}
	var turns []turn
	for i, item := range in.Input {
		switch {
		case item.Type == "function_call":
			if err := object(item.Arguments); err != nil {
				return r, err
			}
			turns = append(turns, turn{opens: []string{item.CallID}})
		case item.Type == "function_call_output":
			turns = append(turns, turn{answers: []string{item.CallID}})
		case item.Role == "user" || item.Role == "assistant":
			turns = append(turns, turn{role: item.Role, other: true})
		default:
			return r, fmt.Errorf("item %d is a %q of %q", i, item.Type, item.Role)
		}
	}
	if len(turns) == 0 {
		return r, errors.New("there is no item")
	}
	return r, answered(turns)
}

// knownItems checks each item against its type: the type of the whole request does not read them.
func knownItems(body []byte) error {
	var in struct {
		Input []json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	for i, item := range in.Input {
		var head struct {
			Type string `json:"type"`
		}
		err := json.Unmarshal(item, &head)
		switch {
		case err != nil:
		case head.Type == "function_call":
			err = known[responses.ResponseFunctionToolCallParam](item)
		case head.Type == "function_call_output":
			err = known[responses.ResponseInputItemFunctionCallOutputParam](item)
		default:
			err = known[responses.EasyInputMessageParam](item)
		}
		if err != nil {
			return fmt.Errorf("input[%d]%w", i, err)
		}
	}
	return nil
}

func (responsesFormat) write(a *sender, step Step) {
	send := func(kind string, members map[string]any) {
		members["type"], members["sequence_number"] = kind, a.number
		a.number++
		a.event(kind, members, checkResponsesEvent)
	}
	response := func(status string) map[string]any {
		return map[string]any{"id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": a.request.Model, "output": []any{}}
	}
	send("response.created", map[string]any{"response": response("in_progress")})
	output := 0
	if step.Thinking != "" {
		for _, piece := range pieces(step.Thinking) {
			send("response.reasoning_summary_text.delta", map[string]any{"item_id": "rs_1", "output_index": output, "summary_index": 0, "delta": piece})
		}
		output++
	}
	text := func(piece string) {
		send("response.output_text.delta", map[string]any{"item_id": "msg_1", "output_index": output, "content_index": 0, "delta": piece, "logprobs": []any{}})
	}
	if step.Text != "" || step.Endless {
		send("response.output_item.added", map[string]any{"output_index": output, "item": map[string]any{"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []any{}}})
		for _, piece := range pieces(step.Text) {
			text(piece)
		}
	}
	if a.broken(text) {
		return
	}
	for i, c := range step.Calls {
		output++
		item := map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%d", i), "call_id": c.id(i), "name": c.Name, "arguments": "", "status": "in_progress"}
		send("response.output_item.added", map[string]any{"output_index": output, "item": item})
		for _, piece := range pieces(c.Arguments) {
			send("response.function_call_arguments.delta", map[string]any{"item_id": item["id"], "output_index": output, "delta": piece})
		}
	}
	end := response("completed")
	end["usage"] = map[string]any{
		"input_tokens": 12, "output_tokens": 5, "total_tokens": 17,
		"input_tokens_details": map[string]any{"cached_tokens": 2}, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
	}
	kind := "response.completed"
	switch step.Finish {
	case "":
	case "failed":
		kind, end["status"] = "response.failed", "failed"
		end["error"] = map[string]any{"code": "server_error", "message": "failed as the script says"}
	default:
		kind, end["status"], end["incomplete_details"] = "response.incomplete", "incomplete", map[string]any{"reason": step.Finish}
	}
	if step.Unended {
		return
	}
	send(kind, map[string]any{"response": end})
}

// checkResponsesEvent checks that the maker's type knows the event.
func checkResponsesEvent(text []byte) error {
	var event responses.ResponseStreamEventUnion
	if err := json.Unmarshal(text, &event); err != nil {
		return err
	}
	if event.AsAny() == nil {
		return errors.New("its type is not known")
	}
	return nil
}
