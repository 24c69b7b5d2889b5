package openai

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/voice"
)

// requestKey is the member of a response's metadata that names our request.
const requestKey = "actions_host_request"

// transcriber is the model that transcribes the user's speech.
const transcriber = "gpt-4o-mini-transcribe"

type session struct {
	Type             string      `json:"type"`
	Model            string      `json:"model,omitzero"`
	OutputModalities []string    `json:"output_modalities"`
	Instructions     string      `json:"instructions"`
	ToolChoice       string      `json:"tool_choice"`
	Tools            []tool      `json:"tools"`
	Audio            *audio      `json:"audio,omitzero"`
	Truncation       *truncation `json:"truncation,omitzero"`
}

type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type audio struct {
	Input  audioIn  `json:"input"`
	Output audioOut `json:"output"`
}

type audioIn struct {
	Transcription  map[string]string `json:"transcription"`
	NoiseReduction map[string]string `json:"noise_reduction"`
	TurnDetection  map[string]any    `json:"turn_detection"`
}

type audioOut struct {
	Voice string `json:"voice,omitzero"`
}

// truncation drops the oldest turns in large steps, so that the provider's cache
// of the rest stays useful.
type truncation struct {
	Type           string  `json:"type"`
	RetentionRatio float64 `json:"retention_ratio"`
}

func sessionOf(setup voice.Setup) session {
	s := session{
		Type: "realtime", Model: setup.Model, OutputModalities: []string{"text"},
		Instructions: setup.Instructions, ToolChoice: "auto", Tools: []tool{},
		Truncation: &truncation{"retention_ratio", 0.8},
	}
	for _, f := range setup.Tools {
		s.Tools = append(s.Tools, tool{"function", f.Name, f.Description, f.Parameters})
	}
	if setup.Offer != "" {
		s.OutputModalities = []string{"audio"}
		s.Audio = &audio{
			Input: audioIn{
				Transcription:  map[string]string{"model": transcriber},
				NoiseReduction: map[string]string{"type": "near_field"},
				TurnDetection:  turnDetection(setup.Turns),
			},
			Output: audioOut{setup.Voice},
		}
	}
	return s
}

func turnDetection(t voice.Turns) map[string]any {
	if t.Mode == "semantic_vad" {
		return map[string]any{"type": "semantic_vad", "eagerness": t.Eagerness, "create_response": true, "interrupt_response": true}
	}
	return map[string]any{
		"type": "server_vad", "threshold": t.Threshold, "prefix_padding_ms": t.PrefixPaddingMS,
		"silence_duration_ms": t.SilenceDurationMS, "create_response": true, "interrupt_response": true,
	}
}

// itemOf returns an item in the provider's form.
func itemOf(item voice.Item) map[string]any {
	members := itemContent(item)
	if item.ID != "" {
		members["id"] = item.ID
	}
	return members
}

func itemContent(item voice.Item) map[string]any {
	switch {
	case item.Result != nil:
		return map[string]any{"type": "function_call_output", "call_id": item.Result.CallID, "output": item.Result.Output}
	case item.Image != nil:
		return message("user", []map[string]string{
			{"type": "input_text", "text": item.Image.Caption},
			{"type": "input_image", "image_url": item.Image.DataURL},
		})
	}
	kind := "input_text"
	if item.Message.Role == "assistant" {
		kind = "output_text"
	}
	return message(item.Message.Role, []map[string]string{{"type": kind, "text": item.Message.Text}})
}

func message(role string, content []map[string]string) map[string]any {
	return map[string]any{"type": "message", "role": role, "content": content}
}
