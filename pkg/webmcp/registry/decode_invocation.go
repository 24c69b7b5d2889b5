package registry

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/truncate"
)

func toolInvoked(params json.RawMessage) (Event, error) {
	p, err := decodeParams[struct {
		FrameID      string `json:"frameId"`
		InvocationID string `json:"invocationId"`
		ToolName     string `json:"toolName"`
		Input        string `json:"input"`
	}](params)
	return ToolInvoked{p.FrameID, p.InvocationID, truncate.Characters(p.ToolName, maxName), inputOf(p.Input)}, err
}

// inputOf reads an input, which is JSON text unless its maker thought otherwise.
func inputOf(text string) Input {
	in := Input{Bytes: len(text)}
	switch {
	case text == "" || len(text) > maxInput:
	case json.Valid([]byte(text)):
		in.Value = json.RawMessage(text)
	default:
		in.Value, _ = json.Marshal(text) // a string can always be written
	}
	return in
}

func toolResponded(params json.RawMessage) (Event, error) {
	p, err := decodeParams[struct {
		InvocationID string          `json:"invocationId"`
		Status       Status          `json:"status"`
		Output       json.RawMessage `json:"output"`
		ErrorText    string          `json:"errorText"`
		Exception    *struct {
			Description         string          `json:"description"`
			UnserializableValue string          `json:"unserializableValue"`
			Value               json.RawMessage `json:"value"`
		} `json:"exception"`
	}](params)
	r := Response{Status: p.Status, ErrorText: truncate.Characters(p.ErrorText, maxDescription)}
	r.Output, r.Chars = truncateOutput(unwrapOutput(p.Output))
	if p.Exception != nil {
		var text string
		switch {
		case p.Exception.Description != "":
			text = p.Exception.Description
		case p.Exception.UnserializableValue != "":
			text = p.Exception.UnserializableValue
		case json.Unmarshal(p.Exception.Value, &text) != nil:
			text = string(p.Exception.Value)
		}
		r.Exception = truncate.Characters(text, maxDescription)
	}
	return ToolResponded{p.InvocationID, r}, err
}

// truncateOutput returns the output, or the head of its JSON text and how long that was.
func truncateOutput(output json.RawMessage) (json.RawMessage, int) {
	n := utf8.RuneCount(output)
	if n <= maxOutput {
		return output, 0
	}
	head, _ := json.Marshal(truncate.Characters(string(output), maxOutput)) // a string can always be written
	return head, n
}

// unwrapOutput undoes a slip of browsers: a tool's answer whose JSON text has accented
// letters and nothing beyond Latin-1 is not parsed by them and comes as a text.
func unwrapOutput(output json.RawMessage) json.RawMessage {
	var text string
	if len(output) == 0 || output[0] != '"' || json.Unmarshal(output, &text) != nil {
		return output
	}
	accented := false
	for _, r := range text {
		if r > 0xff {
			return output
		}
		accented = accented || r > 0x7f
	}
	if !accented || !json.Valid([]byte(text)) {
		return output
	}
	return json.RawMessage(text)
}
